"""The formulations that compete: ours, on two trees, and the literal ones of the papers.

A text maps the rows q, v, a, … (order + 3 of them) to the rows Q, Q', … (order + 1); every
entry is a scalar of any kind, except for the closed form, which takes and returns arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jounce.api.closed_form import closed_form
from jounce.codegen.graph import Graph
from jounce.codegen.program import Program
from jounce.dynamics.inverse import FORMULATIONS, inverse_dynamics
from jounce.errors import UnsupportedError
from jounce.literature import km21_recursive, m20_body, m20_dynamics, mk21_second_order
from jounce.literature.chain import SerialChain, from_robot
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

Rows = Sequence[Any]
Text = Callable[[Rows], Any]  # to rows


@dataclass(frozen=True, slots=True)
class Contestant:
    """One formulation; ``bind`` gives its text for a robot, or an UnsupportedError."""

    name: str
    bind: Callable[[Robot], Text]
    highest_order: int | None = None  # hand-written texts stop somewhere
    is_literal: bool = False  # serial chains without motor inertia and damping only
    is_array_text: bool = False  # NumPy only: cannot be traced


def _ours(name: str, formulation: str, tree_of: Callable[[Robot], Tree]) -> Contestant:
    def bind(robot: Robot) -> Text:
        tree = tree_of(robot)
        return lambda rows: inverse_dynamics(
            robot, rows[0], rows[1:], formulation=formulation, tree=tree
        )

    return Contestant(name, bind)


def _literal(name: str, law: Callable[[SerialChain, Any], Any], last: int | None) -> Contestant:
    """Return a law of the papers; up to a last order rows that are not given are zero, and free."""

    def bind(robot: Robot) -> Text:
        chain = from_robot(robot)

        def text(rows: Rows) -> Any:
            q = as_array(rows)
            missing = 0 if last is None else last + 3 - len(q)
            zeros = np.zeros((missing, chain.n), dtype=q.dtype)
            return law(chain, np.concatenate([q, zeros]))[: len(q) - 2]

        return text

    return Contestant(name, bind, last, is_literal=True)


def as_array(rows: Rows) -> np.ndarray:
    """Return rows of scalars as an array of floats, or of objects where they are no floats."""
    plain = all(isinstance(x, float) for row in rows for x in row)
    return np.array(rows, dtype=float if plain else object)


def m20_spatial(chain: SerialChain, q: Any) -> Any:
    """Return Q, Q', Q'' by [M20, algorithms 1 and 3], gravity as an accelerating ground."""
    return m20_dynamics.inverse_dynamics(chain, q, accelerated_ground=True).Q


def m20_body_fixed(chain: SerialChain, q: Any) -> Any:
    """Return Q, Q', Q'' by [M20, appendix B], gravity as an accelerating ground."""
    return m20_body.inverse_dynamics(chain, q, accelerated_ground=True).Q


def mk21_closed_form(chain: SerialChain, q: Any) -> Any:
    """Return Q, Q', Q'' by the closed form of [MK21]."""
    return mk21_second_order.closed_form(chain, q).Q


_ALL = (
    *(_ours(name, name, reduced) for name in FORMULATIONS),
    *(_ours(f"{name}_given", name, lowered) for name in FORMULATIONS),  # bodies as given
    _literal("km21", km21_recursive.inverse_dynamics, None),  # of any order [KM21, II]
    _literal("m20_body", m20_body_fixed, 2),
    _literal("m20_spatial", m20_spatial, 2),
    _literal("mk21", mk21_closed_form, 2),
    Contestant(  # of any order [KM21, III]
        "closed_form", lambda robot: lambda rows: closed_form(robot, *rows).Q, is_array_text=True
    ),
)
CONTESTANTS = {contestant.name: contestant for contestant in _ALL}


def without_motors(robot: Robot) -> Robot:
    """Return the robot without motor inertia and friction, which the papers do not have."""
    joints = tuple(
        replace(
            joint,
            armature=(0.0,) * len(joint.armature),
            damping=(0.0,) * len(joint.damping),
            friction=(),
        )
        for joint in robot.joints
    )
    return robot if joints == robot.joints else replace(robot, joints=joints)


def is_covered(contestant: Contestant, robot: Robot) -> str:
    """Return why a contestant cannot take part; nothing if it can."""
    try:
        contestant.bind(robot)
    except UnsupportedError as reason:
        return str(reason)
    return ""


def trace(text: Text, robot: Robot, order: int) -> Program:
    """Run a text on the inputs of a new graph, as kernels do."""
    graph = Graph()
    widths = [robot.nq, *[robot.nv] * (order + 2)]
    rows = [graph.inputs(width) for width in widths]
    return graph.program(widths, [list(row) for row in text(rows)])
