"""Public function: verify a robot."""

from __future__ import annotations

from collections.abc import Callable

from jounce.dynamics.closed_form import system
from jounce.errors import check_type
from jounce.model.checks import checked_integer, checked_order
from jounce.model.robot import Robot
from jounce.verification.checks import CHECKS
from jounce.verification.closures import closures
from jounce.verification.motions import Motions
from jounce.verification.records import Check, Verification

MOST_SAMPLES = 100_000


def verify(
    robot: Robot,
    *,
    samples: int = 8,
    order: int = 4,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Verification:
    """Check that a robot is sound and that all ways to compute its dynamics agree.

    On random motions: kinetic energy of every body (inertias that no rigid body can have are only
    noted), M symmetric and positive definite,
    ``dM/dt = C + Cᵀ``, power balance, agreement of all formulations, forward dynamics as the
    inverse of inverse dynamics, gravity, linearity in the inertial parameters, partials; each
    with time derivatives up to ``order``.  Closures: whether they can be closed, how many freedoms
    they leave, and the balance of forces.  ``progress`` is told how many of the groups of checks
    are done.

    >>> import jounce
    >>> report = jounce.verify(jounce.load("planar2r"), samples=4, order=2)
    >>> report.passed, report.checks[3].name
    (True, 'mass matrix is positive definite (smallest eigenvalue)')
    """
    check_type("robot", robot, Robot)
    samples = checked_integer("samples", samples, 1, MOST_SAMPLES)
    order, seed = checked_order(order), checked_integer("seed", seed)
    system(robot)  # raises if the robot has symbols
    motions = Motions(robot.without_closures(), samples, order, seed)
    found: list[Check] = []
    for done, check in enumerate(CHECKS, 1):
        result = check(motions)
        found += [result] if isinstance(result, Check) else result
        if progress is not None:
            progress(done, len(CHECKS))
    if robot.closures:
        found += closures(robot, min(order, 2), motions.rng)
    return Verification(robot.name, samples, order, seed, tuple(found))
