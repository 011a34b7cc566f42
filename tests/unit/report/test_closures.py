"""Reports of robots with closures: motors, what closures bear, loops that look closed."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.rigid import rotate
from jounce.api.closures import closure_wrenches
from jounce.limits.check import check_log
from jounce.report.default_motion import default_motion
from jounce.report.records import Report
from jounce.report.write import report_of
from jounce.trajectory import MotionLimits, MotionTable
from jounce.trajectory.closed import closed_samples, leading_velocities
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

TIME = np.linspace(0.0, 2.0, 41)
MOTORS = {
    "fourbar": ["crank_joint"],
    "delta": [f"arm_joint_{i}" for i in range(3)],
    "stewart": [f"slide_{i}" for i in range(6)],
}


@cache
def shown(name: str) -> tuple[jounce.Robot, list[np.ndarray], Report]:
    robot = getattr(jounce.examples, name)()
    motion = default_motion(robot, TIME, actuated=MOTORS[name])
    return robot, motion, report_of(robot, TIME, *motion, actuated=MOTORS[name])


def section(report: Report, title: str):
    return next(x for x in report.sections if x.title == title)


@pytest.mark.parametrize("name", MOTORS)
def test_the_page_of_a_mechanism(name: str):
    robot, motion, report = shown(name)
    assert np.abs(jounce.closure_error(robot, motion[0])).max() < 1e-12
    assert np.ptp(motion[0], axis=0).max() > 0.1, "it moves"
    closures = section(report, "Closures")
    assert closures.table is not None
    assert len(closures.table.rows) == len(robot.closures)
    assert all(row[1].state == "good" for row in closures.table.rows)
    balance = section(report, "Power and energy").table
    assert balance is not None
    assert balance.rows[0][1].state == "good", "motors put in what the mechanism gains"
    force = next(x for x in report.sections if x.title.startswith("Joint ")).plots[0].values
    passive = [j for j, n in enumerate(_names(robot)) if n not in MOTORS[name]]
    assert not force[:, passive].any()


def _names(robot: jounce.Robot) -> list[str]:
    return [joint.name for joint in robot.joints for _ in range(joint.nv)]


@pytest.mark.parametrize("name", MOTORS)
def test_loops_look_closed(name: str):
    """The frames of a closure are one point of the moving picture, at all times."""
    robot, _, report = shown(name)
    for closure in robot.closures:
        places = []
        for frame in (robot.frame(closure.frame), robot.frame(closure.to or "")):
            tip = np.array(frame.placement.p, dtype=float)
            drawn = report.drawing["bodies"][frame.body]["tips"]
            assert min(np.abs(np.array(drawn) - tip).max(axis=1)) < 1e-12, "a stick leads there"
            pose = report.poses[:, frame.body]
            places.append(pose[:, :3] + rotate(pose[:, 3:], tip))
        assert_close(places[0], places[1], INDEPENDENT)


def test_wrenches_of_closures_leave_passive_joints_alone():
    """Inverse dynamics of the tree with them: the forces of motors, and zeros."""
    for name, motors in MOTORS.items():
        robot, (q, v, a, *_), _ = shown(name)
        motion = (q, v, a)
        Q, multipliers = jounce.constrained_inverse_dynamics(robot, *motion, actuated=motors)
        pulls = closure_wrenches(robot, motion[0], multipliers[0])
        tree = jounce.inverse_dynamics(robot.without_closures(), *motion, wrenches=pulls)[0]
        driven = [j for j, n in enumerate(_names(robot)) if n in motors]
        wanted = np.zeros_like(tree)
        wanted[:, driven] = Q[0]
        assert_close(tree, wanted, INDEPENDENT, scale=np.abs(multipliers).max())


def test_motors_must_be_named():
    robot = jounce.examples.fourbar()
    motion = default_motion(robot, TIME, actuated="crank_joint")
    with pytest.raises(jounce.ArgumentError, match="--actuated"):
        report_of(robot, TIME, *motion)


def test_default_motions_keep_limits():
    robot = jounce.examples.fourbar()
    limits = MotionLimits.of(robot, velocity={"crank_joint": 0.4}, effort={"crank_joint": 1.2})
    motion = default_motion(robot, TIME, limits=limits, actuated="crank_joint")
    assert np.abs(motion[1][:, 0]).max() <= 0.4


def test_samples_are_put_onto_the_closures():
    """A log with errors of its sensors: as near as it was, and closed with all its rates."""
    robot = jounce.examples.stewart()
    exact = default_motion(robot, TIME, 3, actuated=MOTORS["stewart"])
    rng = np.random.default_rng(4)
    q = jounce.integrate(robot, exact[0], 1e-3 * rng.standard_normal((len(TIME), robot.nv)))
    noisy = [q, *(x + 1e-3 * rng.standard_normal(x.shape) for x in exact[1:])]
    chosen = leading_velocities(robot, q[0], MOTORS["stewart"])
    closed, away = closed_samples(robot, noisy, chosen)
    assert 1e-4 < away < 1e-2
    v, a = closed[1:3]
    J, J1 = jounce.closure_jacobian(robot, closed[0], v)
    assert np.abs(J @ v[..., None]).max() < 1e-12
    assert np.abs(J @ a[..., None] + J1 @ v[..., None]).max() < 1e-11
    assert_close(closed[1][:, chosen], noisy[1][:, chosen], ROUNDOFF)
    apart = np.stack([robot.neutral, robot.neutral])
    apart[1, robot.joint("slide_0").q_slice] += 0.8
    with pytest.raises(jounce.ClosureError, match=r"sample 1 of the motion is .* away from where"):
        closed_samples(robot, [apart], chosen)


def test_samples_of_a_long_log_have_their_own_numbers():
    """It is checked block by block."""
    robot = jounce.examples.fourbar()
    (q,) = default_motion(robot, TIME, 0, actuated="crank_joint")
    q[-1, 0] += 0.8
    blocks = [MotionTable(TIME[part], tuple(_names(robot)), q[None, part])
              for part in (slice(30), slice(30, 41))]  # fmt: skip
    log: Any = SimpleNamespace(blocks=lambda: blocks, file=SimpleNamespace(orders=(1, 0)))
    with pytest.raises(jounce.ClosureError, match=r"sample 40 of the motion is .* away"):
        check_log(robot, log, MotionLimits.of(robot, upper=9.0))
