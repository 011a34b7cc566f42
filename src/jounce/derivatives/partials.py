"""Partials of the forces and of their time derivatives, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from jounce.algebra.jet import derivatives
from jounce.algebra.tangent import Tangent, partial
from jounce.derivatives.forces import Loads, forces, frame_wrenches
from jounce.derivatives.kinematics import Rows, Scalars
from jounce.dynamics.load_partials import load_partials
from jounce.dynamics.motion import link_motions
from jounce.dynamics.partials import force_partials
from jounce.model.lowering.reduced import reduced
from jounce.model.robot import Robot

Table = list[list[list[list[Any]]]]  # [k][j][row][column] = ∂Q_row⁽ᵏ⁾/∂q_column⁽ʲ⁾


def mixed_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], wrenches: Loads | None = None
) -> Rows:
    """Return ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾ as rows of scalars: row k holds j = 0 … K, each nv² entries.

    With P[0, j] the partials of Q itself and D the time derivative::

        P[k+1, j] = D P[k, j] + P[k, j−1]          P[k+1, 0] = D P[k, 0] − P[k, 0] ad(v)

    where ad(v) acts on the columns of one joint: ω̂ of a spherical joint, ad of the joint twist
    of a free one, zero for the others.
    """
    order, count = len(rates) - 2, len(rates) + 1
    tree = reduced(robot)
    motions = link_motions(tree, q, rates)
    first = list(force_partials(tree, motions, len(rates) - 1))
    if wrenches:
        loads = frame_wrenches(robot, tree, wrenches)
        first[0] = _plus(first[0], load_partials(tree, motions, loads))
    columns = [[[derivatives(x, order) for x in row] for row in matrix] for matrix in first]
    zero = [[(0.0,) * (order + 1)] * robot.nv] * robot.nv
    level = columns + [zero] * (count - 3)
    turning = _turning(robot, rates)
    result = [_flat(level)]
    for k in range(order):
        level = _next_level(level, turning, order - k)
        result.append(_flat(level))
    return result


def _next_level(level: Sequence[Any], turning: Any, order: int) -> list[Any]:
    """Apply the recursion; an entry holds its time derivatives up to ``order``, one less after."""
    result = []
    for j, matrix in enumerate(level):
        rows = []
        for r, row in enumerate(matrix):
            turned = _turned(row, turning, order) if j == 0 else level[j - 1][r]
            sign = -1.0 if j == 0 else 1.0
            rows.append(
                [
                    tuple(x[n + 1] + y[n] * sign for n in range(order))
                    for x, y in zip(row, turned, strict=True)
                ]
            )
        result.append(rows)
    return result


def _turned(row: Sequence[Any], turning: Any, order: int) -> list[Any]:
    """Return one row of ``P ad(v)`` with its time derivatives."""
    result = []
    for column in range(len(row)):
        products = [leibniz(row[k], jet, order) for k, jet in turning.get(column, ())]
        result.append(tuple(sum(terms, 0.0) for terms in zip(*products, strict=True)))
    return [entry or (0.0,) * order for entry in result]


def leibniz(a: Sequence[Any], b: Sequence[Any], count: int) -> list[Any]:
    """Return the first derivatives of a product from those of its factors."""
    return [
        sum((a[i] * b[n - i] * float(comb(n, i)) for i in range(n + 1)), 0.0) for n in range(count)
    ]


def _turning(robot: Robot, rates: Sequence[Scalars]) -> dict[int, list[tuple[int, Any]]]:
    """Return ad(v) of spherical and free joints: for a column, its (row, derivatives)."""
    result: dict[int, list[tuple[int, Any]]] = {}
    for joint in robot.joints:
        if joint.quaternion is None:
            continue
        start = joint.v_slice.start
        speeds = [tuple(r[start + i] for r in rates) for i in range(joint.nv)]
        blocks = [(0, 0, 0)] if joint.nv == 3 else [(0, 0, 0), (3, 3, 0), (3, 0, 3)]
        for row, column, of in blocks:
            for i, j, source, sign in _HAT:
                entry = tuple(x * sign for x in speeds[of + source])
                result.setdefault(start + column + j, []).append((start + row + i, entry))
    return result


_HAT = [
    (0, 1, 2, -1.0),
    (0, 2, 1, 1.0),
    (1, 0, 2, 1.0),
    (1, 2, 0, -1.0),
    (2, 0, 1, -1.0),
    (2, 1, 0, 1.0),
]


def tangent_partials(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], wrenches: Loads | None = None
) -> Rows:
    """Return what `mixed_partials` does by tangent numbers on the inverse dynamics text.

    Slower and independent of the analytic text: its check.
    """
    nv, count = robot.nv, len(rates) + 1
    varied = [
        [Tangent(x, {nv * (j + 1) + i: 1.0}) for i, x in enumerate(rate)]
        for j, rate in enumerate(rates)
    ]
    Q = forces(robot, varied_configuration(robot, q), varied, wrenches)
    return [
        [partial(x, nv * j + c) for j in range(count) for x in row for c in range(nv)] for row in Q
    ]


def varied_configuration(robot: Robot, q: Scalars) -> list[Any]:
    """Give q its partials by the tangent increment: ``½ q ∘ δ`` for quaternions."""
    result: list[Any] = list(q)
    for joint in robot.joints:
        v, start = joint.v_slice.start, joint.q_slice.start
        if joint.quaternion is None:
            for i in range(joint.nq):
                result[start + i] = Tangent(q[start + i], {v + i: 1.0})
            continue
        end = joint.q_slice.stop
        x, y, z, w = q[end - 4 : end]
        halves = [(w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z)]
        for i, half in enumerate(halves):
            parts = {v + k: h * 0.5 for k, h in enumerate(half)}
            result[end - 4 + i] = Tangent(q[end - 4 + i], parts)
        if joint.nv == 6:  # the position does not enter the forces but through loads
            columns = _rotation_columns(q[end - 4 : end])
            for i in range(3):
                parts = {v + 3 + k: column[i] for k, column in enumerate(columns)}
                result[start + i] = Tangent(q[start + i], parts)
    return result


def _rotation_columns(quaternion: Scalars) -> Any:
    from jounce.algebra.so3 import from_quaternion

    return from_quaternion(*quaternion).columns


def _plus(a: Any, b: Any) -> Any:
    return [[x + y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def _flat(level: Sequence[Any]) -> list[Any]:
    return [entry[0] for matrix in level for row in matrix for entry in row]
