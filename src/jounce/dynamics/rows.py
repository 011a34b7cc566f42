"""From jets to numbers: what every quantity hands out, a row of scalars for each time derivative.

A file of this package is a quantity.  Its text, ``*_jets`` or what it is named after, takes a
moving tree (`jounce.dynamics.motion`) and returns jets.  The function that bears the name of the
public one takes a robot, q and the rates, numbers of any kind, and returns rows; it is what
a kernel traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jounce.algebra.jet import derivatives

Rows = list[list[Any]]  # [order][component]
Scalars = Sequence[Any]
Rates = Sequence[Scalars]  # v, dv/dt, ...
Groups = Sequence[Any]  # the arguments of other kernels: vectors, or lists of them, one an order


def as_rows(scalars: Iterable[Any], order: int) -> Rows:
    """Return the derivatives of jets as rows, one an order."""
    columns = [derivatives(x, order) for x in scalars]
    return [[column[k] for column in columns] for k in range(order + 1)]


def matrix_rows(matrix: Iterable[Iterable[Any]], order: int) -> Rows:
    """Return the derivatives of a matrix of jets as rows, its entries row by row."""
    return as_rows((x for row in matrix for x in row), order)
