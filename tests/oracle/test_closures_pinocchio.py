"""Constrained forward dynamics of order zero against ``pinocchio.constraintDynamics``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.adapters.pinocchio import pinocchio_model, pinocchio_order  # noqa: E402
from tests.example_robots import urdf  # noqa: E402
from tests.tolerances import assert_close  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
TOLERANCE = 1e-9  # Pinocchio's proximal iteration ends there


def peer_solution(robot: jounce.Robot, q: Any, v: Any, Q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return Pinocchio's acceleration, and its forces on the frames in their axes, all closures."""
    model = pinocchio_model(robot.without_closures())
    order = pinocchio_order(robot, model)
    assert order is not None
    constraints = pin.StdVec_RigidConstraintModel()
    for closure in robot.closures:
        a = model.frames[model.getFrameId(closure.frame)]
        kind = {3: pin.ContactType.CONTACT_3D, 6: pin.ContactType.CONTACT_6D}[len(closure.rows)]
        places = [a.parentJoint, a.placement]
        if closure.to is not None:
            b = model.frames[model.getFrameId(closure.to)]
            places += [b.parentJoint, b.placement]
        constraints.append(pin.RigidConstraintModel(kind, model, *places, pin.LOCAL))
    data = model.createData()
    datas = pin.StdVec_RigidConstraintData()
    datas.extend(c.createData() for c in constraints)
    pin.initConstraintDynamics(model, data, constraints, datas)
    settings = pin.ProximalSettings(1e-13, 1e-10, 100)
    values = q[order[0]], v[order[1]], Q[order[1]]
    found = pin.constraintDynamics(model, data, *values, constraints, datas, settings)
    a = np.zeros(robot.nv)
    a[order[1]] = found
    forces = []
    for closure, d in zip(robot.closures, datas, strict=True):
        f = d.contact_force
        forces += [*f.linear] if len(closure.rows) == 3 else [*f.angular, *f.linear]
    return a, np.array(forces)


@pytest.mark.parametrize(("feet", "directions"), [(FEET, "linear"), (FEET[:1], "all")])
def test_contacts_of_a_quadruped(rng: np.random.Generator, feet: tuple[str, ...], directions: str):
    robot = jounce.load(urdf("solo_description/robots/solo12.urdf"), floating_base=True)
    contacts = [jounce.Closure(foot, directions=directions) for foot in feet]
    whole = robot.with_closures(*contacts)
    q = jounce.integrate(robot, robot.neutral, 0.3 * rng.standard_normal(robot.nv))
    J = jounce.closure_jacobian(whole, q)[0]
    v = rng.standard_normal(robot.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    Q = rng.standard_normal(robot.nv)
    a, multipliers = jounce.constrained_forward_dynamics(robot, q, v, Q, contacts=contacts)
    wanted, forces = peer_solution(whole, q, v, Q)
    assert_close(a[0], wanted, TOLERANCE)
    assert_close(multipliers[0], forces, TOLERANCE)


@pytest.mark.parametrize("make", [jounce.examples.delta, jounce.examples.stewart])
def test_parallel_robots(rng: np.random.Generator, make: Any):
    robot = make()
    q = jounce.close(
        robot, jounce.integrate(robot, robot.neutral, 0.1 * rng.standard_normal(robot.nv))
    )
    J = jounce.closure_jacobian(robot, q)[0]
    v = rng.standard_normal(robot.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    Q = rng.standard_normal(robot.nv)
    a, multipliers = jounce.constrained_forward_dynamics(robot, q, v, Q)
    wanted, forces = peer_solution(robot, q, v, Q)
    assert_close(a[0], wanted, TOLERANCE)
    assert_close(np.abs(multipliers[0]), np.abs(forces), TOLERANCE)
