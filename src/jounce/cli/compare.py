"""``jounce compare``: all formulations of inverse dynamics, measured on one robot."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from jounce.cli.arguments import check_output, output_option, robot_argument
from jounce.cli.console import grid, output, progress
from jounce.cli.failure import CheckFailed
from jounce.cli.picture import check_picture

if TYPE_CHECKING:
    from rich.console import Console

    from jounce.comparison.records import Comparison
    from jounce.model.robot import Robot

TRUSTED = 1e-9  # a larger relative error is no rounding error
_FULL = "0-6"
_QUICK = "0-2"


@click.command(epilog="Example: jounce compare planar2r --quick --csv comparison.csv")
@robot_argument
@click.option("--orders", metavar="ORDERS",
              help=f"Time derivatives, such as 0-6 or 0,2,4.  [default: {_FULL}]")  # fmt: skip
@click.option("--formulation", "formulations", multiple=True, metavar="NAME",
              help="Only this formulation; may be repeated.")  # fmt: skip
@output_option("--csv", "table", help="Write all measurements as CSV.")
@output_option("--plot", "picture", help="Draw them: .svg, .png or .pdf.")
@click.option("--quick", is_flag=True, help=f"Fewer samples and rounds, orders {_QUICK}.")
def compare(
    robot: Robot,
    *,
    orders: str | None,
    formulations: tuple[str, ...],
    table: Path | None,
    picture: Path | None,
    quick: bool,
) -> None:
    """Measure all formulations of inverse dynamics on a robot.

    Ours and the papers', by operations, speed and error against 50 digits.  Everything is
    compiled anew: seven orders of a seven-joint arm take minutes.
    """
    from jounce.comparison.study import INSTANTS, ROUNDS, SAMPLES
    from jounce.comparison.study import compare as study

    wanted = _orders(orders or (_QUICK if quick else _FULL))
    check_output(table)
    check_picture(picture)
    with progress(f"comparing formulations on {robot.name}") as bar:
        found = study(
            robot,
            wanted,
            formulations=formulations or None,
            samples=512 if quick else SAMPLES,
            instants=5 if quick else INSTANTS,
            rounds=3 if quick else ROUNDS,
            progress=bar.reach,
        )
    if table is not None:
        found.to_csv(table)
    if picture is not None:
        found.plot(picture)
    _print(output(), found)
    _check(found)


def _orders(text: str) -> list[int]:
    """Return the orders that a text such as ``0-2,4`` names."""
    orders: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})(?:-(\d{1,3}))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise click.UsageError(f"--orders must look like 0-6 or 0,2,4, got {text!r}")
        orders.update(range(first, last + 1))
    return sorted(orders)


def _print(console: Console, found: Comparison) -> None:
    from jounce.comparison.records import remarks, tables

    robot, machine = escape(found.robot), escape(found.machine)
    console.print(f"[bold cyan]{robot}[/]  inverse dynamics on {machine}")
    for title, headings, rows in tables(found):
        table = grid(*headings)
        for name, *cells in rows:
            table.add_row(f"[cyan]{escape(name)}[/]", *cells)
        console.print(f"\n[bold]{title}[/]")
        console.print(table)
    for remark in remarks(found):
        console.print(f"\n{escape(remark)}", soft_wrap=True)


def _check(found: Comparison) -> None:
    """Fail if a formulation is wrong: it differs from 50 digits by more than rounding does."""
    wrong = [
        f"{row.formulation} at order {row.order} ({row.error:.1e})"
        for row in found.rows
        if row.error is not None and not (isfinite(row.error) and row.error <= TRUSTED)
    ]
    if wrong:
        raise CheckFailed(f"these are further than {TRUSTED:g} from 50 digits: {', '.join(wrong)}")
