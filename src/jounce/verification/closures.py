"""Checks of robots with closures: they can be closed, and forces and closures balance there."""

from __future__ import annotations

from math import comb

import numpy as np

from jounce.api.closures import (
    close,
    closure_error,
    closure_jacobian,
    constrained_forward_dynamics,
    mobility,
)
from jounce.api.dynamics import inverse_dynamics
from jounce.errors import ClosureError
from jounce.model.configuration import integrate
from jounce.model.robot import Robot
from jounce.verification.records import Check

TOLERANCE = 1e-10  # of scale: M of the tree may be ill conditioned
STARTS = 20


def closures(robot: Robot, order: int, rng: np.random.Generator) -> list[Check]:
    """Close the robot from a random start, and put its accelerations and multipliers back."""
    name, reason = "closures can be closed (error)", ""
    for k in range(STARTS):
        step = 0.1 * (1 + k) * rng.standard_normal(robot.nv)
        try:
            q = close(robot, integrate(robot, robot.neutral, step))
            freedoms, redundant = mobility(robot)
            break
        except ClosureError as error:
            reason = str(error)
    else:
        return [Check(name, np.inf, TOLERANCE, reason)]
    found = f"{freedoms} freedoms, {redundant} of {robot.n_closure_rows} rows redundant"
    checks = [Check(name, float(np.abs(closure_error(robot, q)).max()), TOLERANCE, found)]
    J = closure_jacobian(robot, q)[0]
    v = rng.standard_normal(robot.nv)
    v -= np.linalg.pinv(J, rcond=1e-9) @ (J @ v)
    forces = rng.standard_normal((order + 1, robot.nv))
    a, multipliers = constrained_forward_dynamics(robot, q, v, *forces)
    motion = [v, *a]
    tree = inverse_dynamics(robot.without_closures(), q, *motion)
    jacobians = closure_jacobian(robot, q, *motion)
    worst = 0.0
    for k, (Q, wanted) in enumerate(zip(forces, tree, strict=True)):
        pulls = [comb(k, i) * jacobians[i].T @ multipliers[k - i] for i in range(k + 1)]
        scale = max(np.abs(pulls).max(), np.abs(wanted).max())
        worst = max(worst, float(np.abs(wanted - sum(pulls) - Q).max() / scale))
    return [*checks, Check("forces and closures balance", worst, TOLERANCE)]
