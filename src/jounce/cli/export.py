"""``jounce export``: a quantity of a robot as source code without dependencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jounce.cli.arguments import count_option, robot_argument, wrench_option
from jounce.cli.console import say
from jounce.kernels.export_cpp import TEMPLATES
from jounce.kernels.table import QUANTITIES, Words

if TYPE_CHECKING:
    from jounce.model.robot import Robot

SHORT = {"id": "inverse_dynamics", "fd": "forward_dynamics"}
SHOWN = 4  # values and quantities in the help of an option
# language -> which of --float32, --batch and --template it takes
LANGUAGES = {
    "c": ("float32", "batch"),
    "cpp": ("float32", "batch", "template"),
    "casadi": (),
    "matlab": (),
}


def quantity_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every one in the table of quantities."""
    having: dict[str, list[str]] = {}
    for quantity, row in QUANTITIES.items():
        for option in row.options:
            having.setdefault(option, []).append(quantity)
    for option in sorted(having, reverse=True):
        values = QUANTITIES[having[option][0]].options[option]
        if isinstance(values, Words):
            words = [values.meaning]
        else:
            words = [x for x in values if x] if values else ["A frame of the robot"]
        if words:  # else there is nothing to choose
            text = f"{_some(words)}; for {_some(having[option])}."
            flag = f"--{option.replace('_', '-')}"
            command = click.option(flag, metavar="NAME", help=text)(command)
    return command


def _some(words: Sequence[str]) -> str:
    """List words, a few of many."""
    return ", ".join([*words[:SHOWN], "…"] if len(words) > SHOWN + 1 else words)


@click.command(epilog="Example: jounce export panda id --order 2 --lang cpp panda_torques")
@robot_argument
@click.argument("quantity")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@count_option("--order", "Highest time derivative.", default=0)
@click.option("--lang", type=click.Choice([*LANGUAGES]), default="c", show_default=True,
              help="C99; one header of C++17; C with CasADi's external interface and Jacobian; "
              "a function of MATLAB or Octave.")  # fmt: skip
@click.option("--name", metavar="NAME", help="Of the function, else made of robot and quantity.")
@click.option("--float32", is_flag=True, default=None,
              help="Single precision (C, C++); its measured error is stated.")  # fmt: skip
@count_option("--batch", "A function of N samples at once (C, C++).", least=1)
@click.option("--template", type=click.Choice([*TEMPLATES]),
              help="Add a controller or a block of Simulink that calls it (C++).")  # fmt: skip
@wrench_option
@quantity_options
def export(
    robot: Robot,
    *,
    quantity: str,
    directory: Path,
    order: int,
    lang: str,
    name: str | None,
    wrenches: tuple[str, ...],
    **options: Any,
) -> None:
    """Write a quantity of a robot as source code that needs nothing else.

    QUANTITY is one that jounce.kernel knows, such as inverse_dynamics (or id), forward_dynamics
    (or fd), mass_matrix, jacobian.  DIR gets source, an example program and a CMakeLists.txt; the
    function allocates nothing and has no state.  With --lang casadi it gets one file, to be
    compiled to a library that casadi.external loads; with --lang matlab one function.
    """
    from jounce.kernels.description import kernel_spec
    from jounce.kernels.kernel import kernel_of

    given = {key: value for key, value in options.items() if value is not None}
    form = {key: given.pop(key) for key in ("float32", "batch", "template") if key in given}
    for key in form:
        if key not in LANGUAGES[lang]:
            takes = ", ".join(x for x, taken in LANGUAGES.items() if key in taken)
            raise click.UsageError(f"--{key} goes with --lang {takes}, not {lang}")
    spec = kernel_spec(robot, SHORT.get(quantity, quantity), order, wrenches, given)
    kernel = kernel_of(spec)
    for path in getattr(kernel, f"export_{lang}")(directory, name, **form):
        say(str(path))
    say(f"{spec.quantity} of {robot.name}, order {order}: {kernel.operations} operations")
