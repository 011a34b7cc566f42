"""Robots with elastic joints, from numbers of any kind: rows of scalars.

Links and motors, all seen at the joint side of the gears, K stiffness, D spring damping,
J motor inertia::

    Q(q, v, a) = K (θ − q) + D (θ' − v)              links   [M20, (2)]
    J θ'' + K (θ − q) + D (θ' − v) = τ               motors  [M20, (3)]

A rigid joint has θ = q; its motor inertia is armature of the links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.derivatives.forces import forces
from jounce.derivatives.forward import mass_factors
from jounce.derivatives.kinematics import Rows
from jounce.dynamics.factorization import solve
from jounce.errors import UnsupportedError
from jounce.model.robot import Robot

Group = Sequence[Any]


def _require_plain(robot: Robot) -> None:
    if robot.nq != robot.nv:
        raise UnsupportedError(
            f"robot {robot.name!r} has spherical or free joints: elastic drives need joints whose "
            "velocity is the rate of their coordinate."
        )


def feedforward_shapes(robot: Robot, _: int) -> tuple[list[tuple[str, int, int]], int]:
    """Return the arguments of `feedforward` and the length of its rows."""
    _require_plain(robot)
    names = ("v", "a", "j", "s", "compliance", "motor inertia")
    return [("q", robot.nq, 0), *((name, robot.nv, 0) for name in names)], robot.nv


def feedforward(robot: Robot, groups: Sequence[Group]) -> Rows:
    """Return θ, θ', θ'', motor torque, spring torque, its rate and motor power.

    ``θ = q + Q/K`` and its derivatives, ``τ = J θ'' + Q``: flat outputs q to fourth order.
    """
    q, v, a, j, s, compliance, inertia = groups
    Q = forces(robot, q, [v, a, j, s])
    theta = [
        [x + c * f for x, c, f in zip(rate, compliance, force, strict=True)]
        for rate, force in zip((q, v, a), Q, strict=True)
    ]
    torque = [J * x + f for J, x, f in zip(inertia, theta[2], Q[0], strict=True)]
    power = [t * w for t, w in zip(torque, theta[1], strict=True)]
    return [*theta, torque, Q[0], Q[1], power]


def coupled_shapes(robot: Robot, order: int) -> tuple[list[tuple[str, int, int]], int]:
    """Return the arguments of `coupled` and the length of its rows."""
    _require_plain(robot)
    names = ("v", "theta", "theta1", "stiffness", "damping", "motor mobility", "rigid")
    own = [(name, robot.nv, 0) for name in names]
    return [("q", robot.nq, 0), *own, ("torque", robot.nv, order + 1)], robot.nv


def coupled(robot: Robot, groups: Sequence[Group]) -> Rows:
    """Return a, a', ... and then θ'', θ''', ... of the coupled motion under motor torques.

    ``rigid`` is one for joints without spring and zero for the others, ``motor mobility`` is
    1/J, zero for rigid joints.  Order by order, as forward dynamics of the links.
    """
    q, v, theta, theta1, K, D, mobility, rigid, torques = groups
    factors, _ = mass_factors(robot, q)
    positions, rates, motors = [q], [v], [theta, theta1]
    unknown = [0.0] * robot.nv
    for k, torque in enumerate(torques):
        q_k, q_k1 = (*positions, *rates)[k], rates[k]
        Q = [
            K[i] * (motors[k][i] - q_k[i])
            + D[i] * (motors[k + 1][i] - q_k1[i])
            + rigid[i] * torque[i]
            for i in range(robot.nv)
        ]
        known = forces(robot, q, [*rates, unknown])[k]
        rates.append(solve(factors, [a - b for a, b in zip(Q, known, strict=True)]))
        motors.append([m * (t - f) for m, t, f in zip(mobility, torque, Q, strict=True)])
    return [*rates[1:], *motors[2:]]
