"""Formulations of inverse dynamics against the one that runs by default."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

import jounce

ORDERS = (0, 2, 4)
PEER = "momentum"


def run(console: Console) -> None:
    """Print what each formulation costs in units of the momentum form, measured in one run."""
    for robot in (jounce.load("panda"), jounce.load("humanoid")):
        console.print(ratios(robot))


def ratios(robot: jounce.Robot) -> Table:
    """Return operations and time of a sample, relative to the momentum form."""
    found = jounce.compare(robot, ORDERS, rounds=7)
    table = Table(title=f"{robot.name}: × the {PEER} form (operations; ns per sample)")
    table.add_column("formulation")
    for order in ORDERS:
        table.add_column(f"order {order}", justify="right")
    peers = {order: found[PEER, order] for order in ORDERS}
    for name in found.formulations:
        rows = {row.order: row for row in found.rows if row.formulation == name}
        table.add_row(name, *(_cell(rows.get(order), peers[order]) for order in ORDERS))
    for note in found.notes:
        table.caption = note
    return table


def _cell(row: object, peer: object) -> str:
    quantities = ("operations", "ns_per_sample")
    pairs = [(getattr(row, name, None), getattr(peer, name)) for name in quantities]
    return "; ".join(f"{value / base:.3g}" if value else "–" for value, base in pairs)
