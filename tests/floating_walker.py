"""A floating robot with a ball joint, and a motion of it in closed form."""

from __future__ import annotations

import numpy as np

import jounce
from jounce.algebra.jet import Jet

BALL = jounce.Inertia(1.5, [0.05, -0.02, 0.1], np.diag([0.02, 0.03, 0.04]))
PLACEMENT = np.eye(4)
PLACEMENT[:3, 3] = [0.3, 0.1, -0.2]


def walker() -> jounce.Robot:
    """Return a base that floats, with a slider, a hinge and a ball joint one after the other."""
    builder = jounce.RobotBuilder("walker")
    builder.add("base", joint=jounce.joints.free(), inertia=BALL, joint_name="base")
    for name, parent, joint in (
        ("slider", "base", jounce.joints.prismatic([1, 0, 0])),
        ("hinge", "slider", jounce.joints.revolute([0, 1, 0])),
        ("ball", "hinge", jounce.joints.spherical()),
    ):
        builder.add(name, parent, joint=joint, placement=PLACEMENT, inertia=BALL, joint_name=name)
    return builder.build()


def wave(t: np.ndarray, size: float, omega: float, phase: float, order: int) -> Jet:
    """Return ``size sin(omega t + phase)`` with its derivatives."""
    return Jet.from_derivatives(
        size * omega**k * np.sin(omega * t + phase + k * np.pi / 2) for k in range(order + 1)
    )


def turn(t: np.ndarray, shift: float, order: int) -> tuple[list[Jet], list[Jet], list[list[Jet]]]:
    """Return quaternion, ω and the rows of R for ``R = Rz(α) Rx(β)``, where ω is known.

    ω = (β̇, α̇ sin β, α̇ cos β) in the child frame.
    """
    alpha = wave(t, 1.9, 1.3, shift, order)
    beta = wave(t, 1.1, 2.1, 0.4 + shift, order)
    (sa, ca), (sb, cb) = (alpha * 0.5).sincos(), (beta * 0.5).sincos()
    quaternion = [ca * sb, sa * sb, sa * cb, ca * cb]
    (s, c), (sine, cosine) = alpha.sincos(), beta.sincos()
    omega = [beta.dt(), alpha.dt() * sine, alpha.dt() * cosine]
    rows = [[c, -s * cosine, s * sine], [s, c * cosine, -c * sine], [0.0 * s, sine, cosine]]
    return quaternion, omega, rows


def exact_motion(t: np.ndarray, order: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return q with its derivatives ``(order + 1, m, nq)``, and q and its rates to this order."""
    way = [wave(t, 0.4, 1.0 + 0.3 * i, 0.7 * i, order) for i in range(3)]
    base, omega, R = turn(t, 0.2, order)
    speed = [sum_of(R[k][i] * way[k].dt() for k in range(3)) for i in range(3)]  # Rᵀ ẋ
    slider, hinge = wave(t, 0.1, 2.0, 0.3, order), wave(t, 0.8, 1.7, 1.0, order)
    ball, spin, _ = turn(t, 1.5, order)
    q = [*way, *base, slider, hinge, *ball]
    v = [*omega, *speed, slider.dt(), hinge.dt(), *spin]
    path = np.stack([np.array(x.derivatives()) for x in q], axis=-1)
    rates = np.stack([np.array(x.derivatives()[:order]) for x in v], axis=-1)
    return path, [path[0], *rates]


def sum_of(terms) -> Jet:
    first, *rest = terms
    for term in rest:
        first = first + term
    return first
