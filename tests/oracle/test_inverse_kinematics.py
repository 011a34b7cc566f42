"""Joint rates against M20's algorithm 2, and back again on arms of every make."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.dynamics.inverse_kinematics import task_of
from jounce.literature.chain import from_robot
from jounce.literature.m20_inverse_kinematics import inverse_kinematics
from jounce.model.robot import Robot
from tests.tolerances import assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

ROUND_TRIP = 1e-9  # of scale: random motion → twists → rates
TASK = 1e-10  # of scale: the task of a redundant arm, at every order
BUNDLED = {
    "humanoid": "right_grip",
    "iiwa14": "flange",
    "panda": "flange",
    "planar2r": "tip",
    "puma560": "link6",
}
ARMS = {
    "asr_twodof_description/urdf/TwoDofs.urdf": "",
    "finger_edu_description/robots/finger_edu.urdf": "",
    "kinova_description/robots/kinova.urdf": "j2s6s200_link_6",
    "panda_description/urdf/panda.urdf": "panda_hand",
    "so_arm_description/urdf/so101.urdf": "",
    "talos_data/robots/talos_left_arm.urdf": "",
    "ur_description/urdf/ur10_robot.urdf": "tool0",
    "ur_description/urdf/ur3_robot.urdf": "tool0",
    "ur_description/urdf/ur5_robot.urdf": "tool0",
    "xarm_description/urdf/xarm7.urdf": "",
    "z1_description/urdf/z1.urdf": "",
}
ALL = "wx wy wz vx vy vz"


def example(name: str) -> Robot:
    try:
        data = distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return jounce.load(
        Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / name,
        strict=False,
    )


def farthest(robot: Robot) -> str:
    """Return the frame that the most joints move, but no more than seven."""
    counts = {
        f.name: len(task_of(robot, f.name, "body", ALL).free) for f in robot.frames if f.body >= 0
    }
    return max(reversed(counts), key=lambda name: counts[name] * (counts[name] <= 7))


def well_conditioned(robot: Robot, frame: str, rng: np.random.Generator) -> np.ndarray:
    """Return three configurations far from singularities."""
    q = np.array([robot.random_configuration(rng) for _ in range(300)])
    free = list(task_of(robot, frame, "body", ALL).free)
    sizes = np.linalg.svd(jounce.jacobian(robot, frame, q)[0][..., free], compute_uv=False)
    return q[np.argsort(sizes[:, 0] / sizes[:, -1])[:3]]


def check(robot: Robot, frame: str, representation: str, rng: np.random.Generator) -> None:
    q = well_conditioned(robot, frame, rng)
    rates = rng.normal(size=(4, 3, robot.nv))
    V = jounce.frame_twist(robot, frame, q, *rates, representation=representation)
    options = {"representation": representation, "null_space": rates}
    got = jounce.inverse_kinematics_rates(robot, frame, q, *V, **options)
    back = jounce.frame_twist(robot, frame, q, *got, representation=representation)
    assert_orders_close(back, V, TASK)
    assert_orders_close(got, rates, ROUND_TRIP)  # the null-space motion is the motion itself
    free = task_of(robot, frame, representation, ALL).free
    alone = jounce.inverse_kinematics_rates(robot, frame, q, *V, representation=representation)
    if len(free) <= 6:
        assert_orders_close(alone[..., free], rates[..., free], ROUND_TRIP)
    back = jounce.frame_twist(robot, frame, q, *alone, representation=representation)
    assert_orders_close(back, V, TASK)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
@pytest.mark.parametrize("name", BUNDLED)
def test_round_trip_of_bundled_robots(name: str, representation: str, rng: np.random.Generator):
    check(jounce.load(name), BUNDLED[name], representation, rng)


@pytest.mark.parametrize("name", ARMS)
def test_round_trip_of_example_arms(name: str, rng: np.random.Generator):
    robot = example(name)
    frame = ARMS[name] or farthest(robot)
    check(robot, frame, "body", rng)
    check(robot, frame, "hybrid", rng)


@pytest.mark.parametrize(
    ("name", "frame", "independent"),
    [("puma560", "link6", ()), ("iiwa14", "link7", (2,)), ("panda", "link7", (2,))],
)
def test_algorithm_2(name: str, frame: str, independent: tuple[int, ...], rng: np.random.Generator):
    robot = jounce.load(name)
    bare = [replace(j, armature=(0.0,), damping=(0.0,)) for j in robot.joints]
    robot = replace(robot, joints=tuple(bare))
    q = well_conditioned(robot, frame, rng)
    rates = rng.normal(size=(4, 3, robot.nv))
    V = jounce.frame_twist(robot, frame, q, *rates, representation="spatial")
    got = jounce.inverse_kinematics_rates(
        robot, frame, q, *V, representation="spatial", null_space=rates,
        independent=[robot.joints[i].name for i in independent],
    )  # fmt: skip
    for sample in range(3):
        wanted = inverse_kinematics(
            from_robot(robot), q[sample], V[:, sample], independent, rates[:, sample]
        )
        assert_orders_close(got[:, sample], wanted, ROUND_TRIP)
        assert_orders_close(wanted, rates[:, sample], ROUND_TRIP)
