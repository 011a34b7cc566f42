"""Public functions: mass and Coriolis matrices, forward dynamics."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from jounce.api.call import Wrenches, evaluate
from jounce.dynamics.forward import singular
from jounce.errors import NotFiniteError, ShapeError
from jounce.model.robot import Robot

SMALLEST_PIVOT = 1e-13  # of a bound of the diagonal entry: below, the solution has no digit left


def mass_matrix(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return the mass matrix and its time derivatives, ``(K + 1, *batch, nv, nv)``.

    Motor inertias (armature) are included.

    >>> import jounce
    >>> jounce.mass_matrix(jounce.load("planar2r"), [0.0, 0.0])[0].round(3).tolist()
    [[3.768, 1.008], [1.008, 0.448]]
    """
    return evaluate(robot, "mass_matrix", (q, *rates))


def coriolis_matrix(
    robot: Robot, q: Any, v: Any, *rates: Any, factorization: str = "passive"
) -> np.ndarray:
    """Return a Coriolis matrix and its time derivatives, ``(K, *batch, nv, nv)``.

    Only ``C v`` is common to the factorizations: ``passive`` has ``dM/dt = C + Cᵀ``
    [GOA13, (6b)], ``christoffel`` too and is Pinocchio's, ``kinematic`` is [KM21, (30)].

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> C = jounce.coriolis_matrix(arm, [0.1, 0.2], [1, 2])[0]
    >>> dM = jounce.mass_matrix(arm, [0.1, 0.2], [1, 2])[1]
    >>> bool(abs(C + C.T - dM).max() < 1e-15)
    True
    """
    return evaluate(robot, "coriolis_matrix", (q, v, *rates), factorization=factorization)


def forward_dynamics(
    robot: Robot, q: Any, v: Any, *forces: Any, wrenches: Wrenches = None
) -> np.ndarray:
    """Return the acceleration and its time derivatives from the forces and theirs.

    ``(m, *batch, nv)``: a, da/dt, ... from m arrays Q, dQ/dt, ...; inverse of
    `jounce.inverse_dynamics`.  A singular mass matrix raises SingularError and names the joint.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> Q, Q1 = jounce.inverse_dynamics(arm, [0.1, 0.2], [1, 2], [3, 4], [5, 6])
    >>> jounce.forward_dynamics(arm, [0.1, 0.2], [1, 2], Q, Q1).round(9).tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    if not forces:
        raise ShapeError("forward_dynamics needs the forces Q (and dQ/dt, ...) after q and v.")
    result = evaluate(robot, "forward_dynamics_and_pivots", (q, v, *forces), wrenches)
    check_regular(robot, result[-1])
    if not isfinite(np.vdot(result, result)) and not np.isfinite(result).all():
        raise NotFiniteError(
            "the accelerations exceed the range of floating-point numbers; the velocities or "
            "forces are too large."
        )
    return result[:-1]


def check_regular(robot: Robot, ratios: np.ndarray) -> None:
    """Raise for the first sample with a vanishing pivot, from ``mass_pivots``, ``(*batch, nv)``.

    Rows are eliminated from the last: the last joint that fails is the cause.  Ratios below
    zero pass: they are those of inertias that no body can have (``strict=False``).
    """
    if ratios.min(initial=np.inf) > SMALLEST_PIVOT:  # the usual case; not so with NaN
        return
    failed = ~(np.abs(ratios) > SMALLEST_PIVOT)
    if not failed.any():
        return
    *sample, _ = (int(i) for i in np.argwhere(failed)[0])
    velocity = int(np.flatnonzero(failed[tuple(sample)])[-1])
    place = f" of sample {sample[0] if len(sample) == 1 else tuple(sample)}" if sample else ""
    raise singular(robot, velocity, f" in the configuration{place or ' given'}")
