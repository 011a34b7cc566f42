"""How far a simulated motion may go, and how well it is known far away."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.simulation import SimulationError, taylor
from tests.tolerances import ROUNDOFF, assert_close

EPS = np.finfo(float).eps
FAR = 1.0 / np.sqrt(EPS)
ARM = jounce.load("planar2r")


def one_body(joint: jounce.joints.JointType, gravity: tuple = (0, 0, 0)) -> jounce.Robot:
    b = jounce.RobotBuilder("wheel", gravity=gravity)
    b.add("m", joint=joint, joint_name="z", inertia=jounce.Inertia(1, [0, 0, 0], np.eye(3)))
    return b.build()


WHEEL = one_body(jounce.joints.revolute([0, 0, 1]))


@pytest.mark.parametrize("torque", [1e24, -1e300])
@pytest.mark.parametrize("tol", [1e-14, 1e-3])
def test_a_motion_ends_where_floats_are_too_coarse(torque: float, tol: float):
    """Joint, time and value are named, and all before is kept, up to the very end."""
    with pytest.raises(SimulationError, match=r"joint 'z' is too far away at t = .* rad") as caught:
        taylor(WHEEL, ([0.0], [0.0]), [torque], tol=tol, order=6)
    partial = caught.value.partial
    bound = max(tol / EPS, FAR)
    assert_close(np.abs(partial.final[0]), [bound], ROUNDOFF)
    assert_close(partial.times[-1], np.sqrt(2.0 * bound / abs(torque)), ROUNDOFF)
    assert f"at {np.sign(torque) * bound:.3g} rad" in str(caught.value)
    assert f"t = {partial.times[-1]:.9g} s" in str(caught.value)


def test_a_start_that_is_too_far_away():
    with pytest.raises(
        SimulationError, match=r"joint1' is too far away at t = 2 s, at 1e\+08"
    ) as caught:
        taylor(ARM, ([1e8, 0.0], [0.0, 0.0]), t=(2, 3), order=6, tol=1e-9)
    assert caught.value.partial.steps == 0


def test_a_long_slide_and_an_overflow():
    slider = one_body(jounce.joints.prismatic([0, 0, 1]))
    with pytest.raises(SimulationError, match=r"at t = 67.1088.* at 6.71e\+07 m:"):
        taylor(slider, ([0.0], [1e6]), t=(0, 1e3), order=6)
    free = one_body(jounce.joints.free())
    with pytest.raises(SimulationError, match=r"joint 'z' is too far away at t = 1.797"):
        taylor(free, (free.neutral, [0, 0, 0, 0, 1e308, 0]), t=(0, 10), order=6)


def test_the_place_of_a_free_body_is_no_matter():
    free = one_body(jounce.joints.free())
    found = taylor(free, (free.neutral, [0, 0, 0, 0, 1e9, 0]), t=(0, 1), order=6)
    assert_close(found.final[0], [0, 1e9, 0, 0, 0, 0, 1], ROUNDOFF)


def test_what_comes_before_ends_the_simulation():
    found = taylor(WHEEL, ([0.0], [0.0]), [1e24], order=6,
                   events={"turn": lambda *state: state[1][0] - 1.0})  # fmt: skip
    assert found.reason == "event turn"
    assert_close(found.times[-1], np.sqrt(2e-24), ROUNDOFF)


def test_turns_do_not_make_steps_longer():
    """After 1e5 turns the error of the angle is what was asked for, not 1e5 times that."""
    start, turns = np.array([0.3, -0.4]), np.array([2e5 * np.pi, 0.0])
    exact = taylor(ARM, (start, [0.0, 0.0]), order=12).final[0]
    near, far = (
        taylor(ARM, (q, [0.0, 0.0]), tol=1e-9, order=8).final[0] - q for q in (start, start + turns)
    )
    assert np.abs(near - (exact - start)).max() < 1e-7
    assert np.abs(far - (exact - start)).max() < 1e-7


def test_what_comes_before_the_end_ends_it_however_far_that_is():
    """A cart drifts to its limit while its pendulum turns, which takes many steps."""
    b = jounce.RobotBuilder("drift")
    cart = jounce.Inertia(1e3, (0, 0, 0), np.eye(3))
    b.add("cart", joint=jounce.joints.prismatic([1, 0, 0]), joint_name="slide", inertia=cart,
          limits=jounce.Limits(lower=[-1.0], upper=[0.3]))  # fmt: skip
    b.add("weight", "cart", joint=jounce.joints.revolute([0, 1, 0]), joint_name="swing",
          inertia=jounce.Inertia(1.0, (0.1, 0, 0), 0.1 * np.eye(3)))  # fmt: skip
    found = taylor(b.build(), ([0.0, 0.0], [0.002, 10.0]), t=(0.0, 1e9), limits=("position",))
    assert "upper position limit of joint slide" in found.reason
    assert found.steps > 1000
