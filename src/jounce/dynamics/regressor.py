"""Regressors: the forces as a matrix times the inertial parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.se3 import NO_MOTION, Force, Motion
from jounce.algebra.tangent import Tangent
from jounce.algebra.vector import Vec3
from jounce.dynamics.friction import motor_signal
from jounce.dynamics.motion import Moving, moving
from jounce.dynamics.rows import Groups, Rates, Rows, Scalars, as_rows, matrix_rows
from jounce.model.lowering.tree import lowered
from jounce.model.parameters import motor_kinds, motor_shape
from jounce.model.robot import Robot

# the inertias with one parameter one, the others zero
UNITS = [SpatialInertia.of(float(i == k) for i in range(10)) for k in range(10)]


def regressor(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    friction: str = "",
    armature: str = "",
    coulomb_speed: str = "",
) -> Rows:
    """Return Y, dY/dt, ... with ``Q⁽ᵏ⁾ = Y⁽ᵏ⁾ π``, rows of nv × 10 n_bodies scalars [GOA13, (15)].

    The forces are linear in the parameters, so column k is the text applied to the k-th unit
    inertia: ``Y_k = J_bᵀ (d/dt A_k − ad(V)ᵀ A_k)`` with ``A_k = M_k V`` [GOA13, (8)-(12)], gravity
    through the falling ground.  Columns of motors follow, nv of each kind that the words name; row
    i has one entry in them.
    """
    m = moving(lowered(robot), q, rates)
    wrenches = []
    for link, T in m.tree.bodies:
        V = T.pull(m.falling_twists[link])
        momenta = [unit.apply(V) for unit in UNITS]
        wrenches.append([h.dt() + V.cross_dual(h) for h in momenta])
    Y = _projected(m, wrenches)
    speed = float(coulomb_speed) if coulomb_speed else None
    for kind in motor_kinds(friction.split(), bool(armature)):
        shape = motor_shape(robot, kind, speed)
        for i, row in enumerate(Y):
            row += [0.0] * robot.nv
            own = [rate[i] for rate in rates]
            for share, speeds in shape:
                signal = Jet.from_derivatives(motor_signal(kind, own, float(speeds[i])))
                row[i - robot.nv] = row[i - robot.nv] + signal * float(share[i])
    return matrix_rows(Y, len(rates) - 2)


def regressor_columns(robot: Robot, friction: str, armature: str, coulomb_speed: str) -> int:
    """Return how many parameters there are with those of motors."""
    del coulomb_speed
    return robot.n_parameters + robot.nv * len(motor_kinds(friction.split(), bool(armature)))


def static_regressor(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return Y with ``g⁽ᵏ⁾ = Y⁽ᵏ⁾ π``: what gravity alone asks of the joints; K + 1 rows."""
    m = moving(lowered(robot), q, rates)
    fields = (T.pull(m.gravity_fields[link]) for link, T in m.tree.bodies)
    wrenches = [[unit.apply(G) for unit in UNITS] for G in fields]
    return matrix_rows(_projected(m, wrenches), len(rates))


def kinetic_energy_regressor(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return Y with ``T = Y π``, one row of 10 n_bodies scalars an order: ``½ Vᵀ M_k V``."""
    m = moving(lowered(robot), q, rates)
    own = [T.pull(m.twists[link]) for link, T in m.tree.bodies]
    return as_rows((V.power(unit.apply(V)) * 0.5 for V in own for unit in UNITS), len(rates) - 1)


def potential_energy_regressor(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return Y with ``U = Y π``, one row of 10 n_bodies scalars an order: ``−g · (m p + R h)``."""
    m, up = moving(lowered(robot), q, rates), -robot.gravity
    scalars: list[Any] = []
    for C in (m.placed(*place) for place in m.tree.bodies):
        turned = C.rotation.unrotate(up)
        scalars += [C.p.dot(up), *turned, *[0.0] * 6]
    return as_rows(scalars, len(rates) - 1)


def regressor_gradient(robot: Robot, groups: Groups) -> Rows:
    """Return ``Σ_ij G_ij ∂Y_ij/∂x`` for x = q, v, a, one row of 3 nv scalars.

    Joints with a quaternion are not taken: their q has no partials of its own.
    """
    *motion, weights = groups
    q, *rates = (
        [Tangent(x, {k * robot.nv + i: 1.0}) for i, x in enumerate(values)]
        for k, values in enumerate(motion)
    )
    total: list[Any] = [0.0] * (3 * robot.nv)
    for G, Y in zip(weights, regressor(robot, q, rates)[0], strict=True):
        for k, part in Y.parts.items() if isinstance(Y, Tangent) else ():
            total[k] = total[k] + G * part
    return [total]


def slotine_li_regressor(robot: Robot, q: Scalars, rates: Rates, factorization: str) -> Rows:
    """Return Y of ``M a_r + C v_r + g = Y π``, one row; the rates are v, v_r, a_r [GOA13, (16)].

    Body by body, V the twist, V_r = J v_r, A_r = J a_r + dJ/dt v_r, P u = ad(V)ᵀ M u::

        W = M (A_r + G) + M ad(V) V_r − B V_r         G = (0, −g) in the body
        passive B = P, kinematic B = P + M ad(V), christoffel B = ½ (P + M ad(V) − X)
        X u = −ad(u)ᵀ M V
    """
    v, v_r, a_r = rates
    m = moving(lowered(robot), q, [v])
    twists, references, fields = m.twists, _references(m, v_r, a_r), m.gravity_fields
    wrenches = []
    for link, T in m.tree.bodies:
        V, V_r, A_r = (T.pull(x) for x in (twists[link], *references[link]))
        G = T.pull(_at(fields[link], 0))
        wrenches.append([_own_wrench(u, V, V_r, A_r + G, factorization) for u in UNITS])
    return matrix_rows(_projected(m, wrenches), 0)


def _own_wrench(M: SpatialInertia, V: Motion, V_r: Motion, A: Motion, factorization: str) -> Force:
    P = V.cross_dual(M.apply(V_r))  # −ad(V)ᵀ M V_r
    turned = M.apply(V.cross(V_r))  # M ad(V) V_r
    if factorization == "passive":
        return M.apply(A) + turned + P
    if factorization == "kinematic":
        return M.apply(A) + P
    X = V_r.cross_dual(M.apply(V))
    return M.apply(A) + (turned + P + X) * 0.5


def _references(m: Moving, v_r: Sequence[Any], a_r: Sequence[Any]) -> list[tuple[Motion, Motion]]:
    """Return ``J v_r`` of every link and its rate when dv_r/dt = a_r, along the motion."""

    def own(i: int) -> Motion:
        _, first, factor, _ = m.links[i].coordinates
        places = range(first, first + m.links[i].step.nv)
        return m.links[i].step.twist([Jet((v_r[v], a_r[v])) * factor for v in places])

    return [(_at(V, 0), _at(V, 1)) for V in m.outwards(NO_MOTION, own)]


def _projected(m: Moving, wrenches: Sequence[Sequence[Force]]) -> list[list[Any]]:
    """Return ``J_bᵀ W`` of every body b: one row a velocity, the columns of one body together."""
    rows: list[list[Any]] = [[] for _ in range(m.tree.nv)]
    for (link, T), own in zip(m.tree.bodies, wrenches, strict=True):
        body = {v: T.pull(X) for v, X in m.columns[link].items()}
        for v, row in enumerate(rows):
            row += [body[v].power(W) for W in own] if v in body else [0.0] * len(own)
    return rows


def _at(V: Motion, order: int) -> Motion:
    """Return one time derivative of a motion at t = 0."""
    w, v = (Vec3(*(derivatives(x, order)[order] for x in part)) for part in V)
    return Motion(w, v)
