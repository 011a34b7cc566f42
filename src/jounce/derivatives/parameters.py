"""Regressors with time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence

from jounce.derivatives.kinematics import Rows, Scalars, as_rows
from jounce.dynamics import regressor as texts
from jounce.dynamics.motion import link_motions
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def force_regressor(robot: Robot, q: Scalars, rates: Sequence[Scalars]) -> Rows:
    """Return Y, dY/dt, ... with ``Q⁽ᵏ⁾ = Y⁽ᵏ⁾ π``, rows of nv × 10 n_bodies scalars."""
    tree = lowered(robot)
    Y = texts.regressor(tree, link_motions(tree, q, rates), len(rates) - 1)
    return as_rows((x for row in Y for x in row), len(rates) - 2)


def adaptive_regressor(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], factorization: str
) -> Rows:
    """Return Y of ``M a_r + C v_r + g = Y π``; the rates are v, v_r, a_r."""
    v, v_r, a_r = rates
    tree = lowered(robot)
    motions = link_motions(tree, q, [v])
    Y = texts.slotine_li_regressor(tree, motions, v_r, a_r, factorization)
    return as_rows((x for row in Y for x in row), 0)
