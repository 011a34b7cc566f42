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
    description: str
    bind: Callable[[Robot], Text]
    highest_order: int | None = None  # hand-written texts stop somewhere
    is_literal: bool = False  # serial chains without motor inertia and damping only
    is_array_text: bool = False  # NumPy only: cannot be traced


def _ours(formulation: str, tree_of: Callable[[Robot], Tree]) -> Callable[[Robot], Text]:
    def bind(robot: Robot) -> Text:
        tree = tree_of(robot)
        return lambda rows: inverse_dynamics(
            robot, rows[0], rows[1:], formulation=formulation, tree=tree
        )

    return bind


def _closed_form(robot: Robot) -> Text:
    return lambda rows: closed_form(robot, *rows).Q


def _literal(law: Callable[[SerialChain, Any], Any]) -> Callable[[Robot], Text]:
    def bind(robot: Robot) -> Text:
        chain = from_robot(robot)
        return lambda rows: law(chain, as_array(rows))

    return bind


def _second_order(law: Callable[[SerialChain, Any], Any]) -> Callable[[SerialChain, Any], Any]:
    """Return a law of ``q … q⁗`` for fewer rows: what is missing is zero and traces to nothing."""

    def lower(chain: SerialChain, q: np.ndarray) -> Any:
        missing = np.zeros((5 - len(q), chain.n), dtype=q.dtype)
        return law(chain, np.concatenate([q, missing]))[: len(q) - 2]

    return lower


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


_TREES = {"": ("reduced tree", reduced), "_given": ("bodies as given", lowered)}
_PAPERS = (
    Contestant(
        "km21", "recursion of any order [KM21, II]",
        _literal(km21_recursive.inverse_dynamics), is_literal=True,
    ),
    Contestant(
        "m20_body", "second order by hand, body-fixed [M20, appendix B]",
        _literal(_second_order(m20_body_fixed)), 2, is_literal=True,
    ),
    Contestant(
        "m20_spatial", "second order by hand, spatial [M20, algorithms 1 and 3]",
        _literal(_second_order(m20_spatial)), 2, is_literal=True,
    ),
    Contestant(
        "mk21", "closed form, second order by hand [MK21]",
        _literal(_second_order(mk21_closed_form)), 2, is_literal=True,
    ),
)  # fmt: skip

CONTESTANTS = {
    f"{name}{suffix}": Contestant(f"{name}{suffix}", f"jets, {what}", _ours(name, tree_of))
    for suffix, (what, tree_of) in _TREES.items()
    for name in FORMULATIONS
}
CONTESTANTS |= {contestant.name: contestant for contestant in _PAPERS}
CONTESTANTS["closed_form"] = Contestant(
    "closed_form", "closed form of any order [KM21, III], NumPy", _closed_form, is_array_text=True
)


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
