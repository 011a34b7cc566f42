"""Robots with elastic joints.

Links and motors, all seen at the joint side of the gears, K stiffness, D spring damping,
J motor inertia::

    Q(q, v, a) = K (θ − q) + D (θ' − v)              links   [M20, (2)]
    J θ'' + K (θ − q) + D (θ' − v) = τ               motors  [M20, (3)]

A rigid joint has θ = q; its motor inertia is armature of the links.  External wrenches act on
the links: Q is inverse dynamics under them.
"""

from __future__ import annotations

from typing import Any

from jounce.algebra.jet import leibniz
from jounce.dynamics.factorization import less, solve, times
from jounce.dynamics.forward import known_forces, mass_factors
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.rows import Groups, Rows, Scalars
from jounce.dynamics.wrenches import Loads
from jounce.model.robot import Robot


def elastic_feedforward(robot: Robot, groups: Groups) -> Rows:
    """Return θ, θ', θ'', motor torque, spring torque, its rate and motor power.

    ``θ = q + Q/K`` and its derivatives, ``τ = J θ'' + Q``: flat outputs q to fourth order.
    """
    q, v, a, j, s, compliance, inertia = groups
    Q = inverse_dynamics(robot, q, [v, a, j, s])
    theta = [
        [x + c * f for x, c, f in zip(rate, compliance, force, strict=True)]
        for rate, force in zip((q, v, a), Q, strict=True)
    ]
    torque = [J * x + f for J, x, f in zip(inertia, theta[2], Q[0], strict=True)]
    return [*theta, torque, Q[0], Q[1], times(torque, theta[1])]


def elastic_coupled(robot: Robot, groups: Groups, wrenches: Loads | None = None) -> Rows:
    """Return a, a', ... and then θ'', θ''', ... of the coupled motion under motor torques.

    ``rigid`` is one for joints without spring and zero for the others, ``motor mobility`` is
    1/J, zero for rigid joints; stiffness and torque come with their derivatives.  Order by
    order, as forward dynamics of the links, with the spring torque by the product rule::

        Q⁽ᵏ⁾ = Σ_i binom(k, i) K⁽ⁱ⁾ (θ − q)⁽ᵏ⁻ⁱ⁾ + D (θ − q)⁽ᵏ⁺¹⁾
    """
    q, v, theta, theta1, D, mobility, rigid, K, torques = groups
    factors = mass_factors(robot, q)
    rates: list[Any] = [v]
    deflection = [less(theta, _angles(robot, q)), less(theta1, v)]
    motors: list[Any] = []
    for k, torque in enumerate(torques):
        spring = [
            leibniz([row[i] for row in K], [row[i] for row in deflection], k)
            + D[i] * deflection[k + 1][i]
            for i in range(robot.nv)
        ]
        Q = [f + r * t for f, r, t in zip(spring, rigid, torque, strict=True)]
        rates.append(solve(factors, less(Q, known_forces(robot, q, rates, wrenches))))
        motors.append([m * (t - f) for m, t, f in zip(mobility, torque, Q, strict=True)])
        deflection.append(less(motors[-1], rates[-1]))
    return [*rates[1:], *motors]


def _angles(robot: Robot, q: Scalars) -> list[Any]:
    """Return the coordinate of every velocity; where there is none, there is no spring."""
    own = (j for j in robot.joints if j.mimic is None)
    return [x for j in own for x in (q[j.q_slice] if j.is_flat else [0.0] * j.nv)]
