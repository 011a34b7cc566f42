"""Numbers too large for floating point are an error of the functions, whatever the way in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce

SHAPES: list[Any] = [(), (3,), (2, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("v", [1e160, 1e200, 1e308])
def test_a_velocity_that_overflows_is_refused(v: float, shape: tuple[int, ...]):
    panda = jounce.load("panda")
    q, a = np.full((*shape, 7), 0.1), np.zeros((*shape, 7))
    with pytest.raises(jounce.NotFiniteError, match="leaves the range of floating-point numbers"):
        jounce.inverse_dynamics(panda, q, np.full((*shape, 7), v), a)
    with pytest.raises(jounce.NotFiniteError, match="check their units"):
        jounce.kernel(panda, "inverse_dynamics")(q, np.full((*shape, 7), v), a, check=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_large_numbers_with_a_finite_result_pass(shape: tuple[int, ...]):
    panda = jounce.load("panda")
    q, v, a = np.full((*shape, 7), 0.1), np.zeros((*shape, 7)), np.full((*shape, 7), 1e290)
    force = jounce.inverse_dynamics(panda, q, v, a)
    one = jounce.inverse_dynamics(panda, q, v, a / 1e290)
    gravity = jounce.gravity_forces(panda, q)
    assert np.allclose(force, (one - gravity) * 1e290, rtol=1e-12)


def test_a_kernel_in_a_hot_loop_does_not_look():
    k = jounce.kernel(jounce.load("panda"), "inverse_dynamics")
    assert not np.isfinite(k(np.full(7, 0.1), np.full(7, 1e200), np.zeros(7))).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_robot_of_huge_numbers_is_refused_by_the_function(shape: tuple[int, ...]):
    b = jounce.RobotBuilder("huge")
    matter = jounce.Inertia(1, (0, 0, 0), np.eye(3))
    b.add("near", joint=jounce.joints.revolute((0, 0, 1)), inertia=matter)
    far = np.eye(4)
    far[0, 3] = 1e6
    heavy = jounce.Inertia(1e300, (0, 0, 0), np.eye(3))
    b.add("far", "near", joint=jounce.joints.revolute((0, 1, 0)), placement=far, inertia=heavy)
    x = np.full((*shape, 2), 0.3)
    with pytest.raises(jounce.NotFiniteError, match="numbers of the robot"):
        jounce.inverse_dynamics(b.build(strict=False), x, x, x)
