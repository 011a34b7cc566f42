"""``jounce export``: a quantity of a robot as source code without dependencies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jounce.cli.arguments import robot_argument
from jounce.cli.console import say

if TYPE_CHECKING:
    from jounce.model.robot import Robot

SHORT = {"id": "inverse_dynamics", "fd": "forward_dynamics"}
_OPTIONS = ("frame", "representation", "formulation", "factorization")


@click.command(epilog="Example: jounce export panda id --order 2 --lang c panda_torques")
@robot_argument
@click.argument("quantity")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--order", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Highest time derivative.")  # fmt: skip
@click.option("--lang", type=click.Choice(["c", "casadi"]), default="c", show_default=True,
              help="C99, or C with CasADi's external interface and Jacobian.")  # fmt: skip
@click.option("--name", metavar="NAME", help="Of the function, else made of robot and quantity.")
@click.option("--wrench", "wrenches", multiple=True, metavar="FRAME",
              help="Take a wrench on this frame; may be repeated.")  # fmt: skip
@click.option("--frame", metavar="FRAME", help="Of a Jacobian, pose or twist.")
@click.option("--representation", metavar="NAME", help="body, spatial or hybrid.")
@click.option("--formulation", metavar="NAME", help="Of inverse dynamics.")
@click.option("--factorization", metavar="NAME", help="Of the Coriolis matrix.")
def export(
    robot: Robot,
    *,
    quantity: str,
    directory: Path,
    order: int,
    lang: str,
    name: str | None,
    wrenches: tuple[str, ...],
    **options: str | None,
) -> None:
    """Write a quantity of a robot as source code that needs nothing else.

    QUANTITY is one that jounce.kernel knows, such as inverse_dynamics (or id), forward_dynamics
    (or fd), mass_matrix, jacobian.  DIR gets header, source, an example program and a
    CMakeLists.txt; the function allocates nothing and has no state.  With --lang casadi it gets
    one file, to be compiled to a library that casadi.external loads.
    """
    from jounce.kernels.description import kernel_spec
    from jounce.kernels.kernel import kernel_of

    chosen = {key: value for key in _OPTIONS if (value := options[key]) is not None}
    spec = kernel_spec(robot, SHORT.get(quantity, quantity), order, wrenches, chosen)
    kernel = kernel_of(spec)
    write = kernel.export_c if lang == "c" else kernel.export_casadi
    for path in write(directory, name):
        say(str(path))
    say(f"{spec.quantity} of {robot.name}, order {order}: {kernel.operations} operations")
