"""How long symbols take: results that are simplified, and a program that is only printed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import sympy as sp
from rich.console import Console
from rich.table import Table

import jounce

CASES = (  # joints in space, or the name of a robot; quantities with their time derivatives
    ("two parallel axes", 2, (("Q", 0), ("Q", 1), ("Q", 2))),
    ("three joints in space", 3, (("M", 0), ("C", 0), ("Q", 0), ("Q", 1), ("Q", 2))),
    ("four joints in space", 4, (("Q", 0),)),
    ("seven joints, Panda", 7, (("g", 0),)),
)


def run(console: Console) -> None:
    """Put symbols for all numbers of an arm; the result is short if it could be simplified."""
    table = Table(title="everything a symbol: seconds to the result, and its terms")
    for heading in ("robot", "quantity", "s", "terms"):
        table.add_column(heading, justify="right" if heading in ("s", "terms") else "left")
    for title, joints, quantities in CASES:
        for quantity, order in quantities:
            seconds, terms = _derived(_robot(joints), quantity, order)
            name = f"d{quantity}/dt" if order == 1 else f"d^{order}{quantity}/dt^{order}"
            table.add_row(title, name if order else quantity, f"{seconds:.1f}", terms)
    console.print(table)
    arm = jounce.symbolic(_robot(7))
    begin = time.perf_counter()
    text = arm.code("c")
    seconds = time.perf_counter() - begin
    console.print(
        f"panda: Q, dQ/dt and d²Q/dt² {arm.operations('Q')} operations, {len(text.splitlines())} "
        f"lines of C, printed in {seconds:.2f} s; with M, C and g "
        f"{arm.operations('Q', 'M', 'C', 'g')} operations"
    )


def _robot(joints: int) -> jounce.Robot:
    """Return an arm of which all numbers but the zeros are symbols."""
    robot = jounce.load("panda") if joints == 7 else jounce.examples.chain(joints)
    return jounce.symbolic_parameters(robot, lengths=True, gravity=True)[0]


def _derived(robot: jounce.Robot, quantity: str, order: int) -> tuple[float, str]:
    """Return seconds, and the terms of all entries, or that they came as they were computed."""
    form = jounce.symbolic(robot, order)
    listing = form._derivative(quantity, order)
    begin = time.perf_counter()
    short = form._short(listing)
    seconds = time.perf_counter() - begin
    return seconds, "given up" if short is None else str(_terms(short))


def _terms(entries: Any) -> int:
    return sum(len(sp.Add.make_args(sp.expand(x))) for x in np.ravel(entries))
