"""A new kind of joint is one class of steps (or none) and one row: everything else asks these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.jet import Jet, integral
from jounce.algebra.scalar import sincos
from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import frame_with_z, turned_about_z
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.joints import of_kind
from jounce.model.joints.axial import Axial
from jounce.model.joints.kinds import KINDS, JointType, Kind
from jounce.model.joints.step import Manifold, Step
from tests.tolerances import ROUNDOFF, assert_close


@dataclass(frozen=True, slots=True)
class Skate(Step):
    """Slide and turn in a plane: q = (x, y, angle), v = (ω, forwards, sideways) of the child.

    There are as many velocities as coordinates, and they are not their rates.
    """

    normal: Vec3
    point: Vec3 = ZERO

    @property
    def nq(self) -> int:
        return 3

    @property
    def frame(self) -> Transform:
        return Transform(frame_with_z(self.normal), self.point)

    def pose(self, q: Sequence[Any], turn: Any = 0.0) -> Transform:
        return Transform(turned_about_z(q[2] + turn), Vec3(q[0], q[1], 0.0))

    def twist(self, speeds: Sequence[Any]) -> Motion:
        return Motion(Vec3(0.0, 0.0, speeds[0]), Vec3(speeds[1], speeds[2], 0.0))

    def moved(self, q: Sequence[Any], speeds: Sequence[Jet], order: int, turn: Any) -> Transform:
        heading = turned_about_z(integral(speeds[0], q[2], order) + turn)
        velocity = heading.rotate(self.twist(speeds).linear) if order else ZERO
        place = [integral(r, x, order) for r, x in zip(velocity, q[:2], strict=False)]
        return Transform(heading, Vec3(*place, 0.0))


class Plane(Manifold):
    """Coordinates of a `Skate`: increments are (angle, forwards, sideways) of the child."""

    is_flat = False

    def integrate(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        there = _complex(q) + np.exp(1j * q[..., 2]) * _chord(d[..., 0]) * _complex(d[..., 1:])
        return np.stack([there.real, there.imag, q[..., 2] + d[..., 0]], -1)

    def difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        turn = b[..., 2] - a[..., 2]
        way = (_complex(b) - _complex(a)) / np.exp(1j * a[..., 2]) / _chord(turn)
        return np.stack([turn, way.real, way.imag], -1)

    def rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        velocity = np.exp(1j * q[..., 2]) * _complex(v[..., 1:])
        return np.stack([velocity.real, velocity.imag, v[..., 0]], -1)

    def pulled(self, q: np.ndarray, g: np.ndarray) -> np.ndarray:
        along = np.exp(-1j * q[..., 2]) * _complex(g)
        return np.stack([g[..., 2], along.real, along.imag], -1)

    def by_increments(self, q: Sequence[Any]) -> list[dict[int, Any]]:
        s, c = sincos(q[2])
        return [{1: c, 2: -s}, {1: s, 2: c}, {0: 1.0}]

    def by_coordinates(self, q: Sequence[Any], row: Sequence[Any]) -> Sequence[Any]:
        s, c = sincos(q[2])
        return [c * row[1] - s * row[2], s * row[1] + c * row[2], row[0]]


def _complex(x: np.ndarray) -> np.ndarray:
    return x[..., 0] + 1j * x[..., 1]


def _chord(angle: np.ndarray) -> np.ndarray:
    """Return the mean of ``exp(i t)`` over t from 0 to the angle."""
    return np.exp(0.5j * angle) * np.sinc(angle / (2.0 * np.pi))


def _skate(joint: JointType) -> tuple[Step, ...]:
    return (Skate(joint.axes[0], joint.point),)


def _gimbal(joint: JointType) -> tuple[Step, ...]:
    return tuple(Axial("revolute", axis, joint.point) for axis in joint.axes)


ROWS = {
    "skate": Kind(
        _skate,
        ("length", "length", "angle"),
        ("angle", "length", "length"),
        manifold=Plane(),
    ),
    "gimbal": Kind(_gimbal, ("angle",) * 3, ("angle",) * 3, axes=3),
}


@pytest.fixture(autouse=True)
def _rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, row in ROWS.items():
        monkeypatch.setitem(KINDS, kind, row)


MASS, COM, INERTIA = 2.0, np.array([0.3, -0.1]), 0.7  # the last about the origin of the body


def _sliding() -> jounce.Robot:
    builder = jounce.RobotBuilder("skater", gravity=(0.4, -9.81, 0.0))
    matter = jounce.Inertia(MASS, (*COM, 0.0), np.diag([0.4, 0.5, INERTIA - MASS * COM @ COM]))
    builder.add("body", None, of_kind("skate", [(0, 0, 1)]), inertia=matter)
    return builder.build()


def _arm() -> jounce.Robot:
    builder = jounce.RobotBuilder("arm")
    matter = jounce.Inertia(1.5, (0.1, 0.2, -0.3), np.diag([0.4, 0.5, 0.6]))
    builder.add("rail", None, inertia=matter)
    last = None
    joints = [
        of_kind("skate", [(0.6, 0.0, 0.8)], point=(0.1, 0.0, 0.2)),
        of_kind("gimbal", [(1, 0, 0), (0, 1, 0), (0, 0, 1)], point=(0.0, 0.1, 0.0)),
        of_kind("skate", [(0, 1, 0)]),
    ]
    for i, joint in enumerate(joints):
        placement = jounce.transform((0.3, 0.1 * i, -0.2), rpy=(0.3 * i, 0.5, -0.2))
        builder.add(f"link{i}", last, joint, placement=placement, inertia=matter)
        last = f"link{i}"
    return builder.build()


def test_forces_are_those_of_newton_and_euler(rng: np.random.Generator) -> None:
    robot = _sliding()
    q, v, a = rng.normal(size=(3, 3))
    w, velocity = v[0], v[1] + 1j * v[2]
    com = complex(*COM)
    gravity = complex(0.4, -9.81) * np.exp(-1j * q[2])
    start = a[1] + 1j * a[2] + 1j * w * velocity - gravity
    force = MASS * (start + (1j * a[0] - w**2) * com)
    moment = INERTIA * a[0] + MASS * (com.conjugate() * start).imag
    expected = [moment, force.real, force.imag]
    assert_close(jounce.inverse_dynamics(robot, q, v, a)[0], expected, ROUNDOFF)


def test_a_row_alone_is_three_joints_in_line(rng: np.random.Generator) -> None:
    matter = jounce.Inertia(1.5, (0.1, 0.2, -0.3), np.diag([0.4, 0.5, 0.6]))
    axes, point = [(1, 0, 0), (0, 1, 0), (0, 0, 1)], (0.0, 0.1, 0.0)
    whole = jounce.RobotBuilder("arm")
    whole.add("hand", None, of_kind("gimbal", axes, point), inertia=matter)
    parts = jounce.RobotBuilder("arm")
    parts.add("first", None, jounce.joints.revolute(axes[0], point=point))
    parts.add("second", "first", jounce.joints.revolute(axes[1], point=point))
    parts.add("hand", "second", jounce.joints.revolute(axes[2], point=point), inertia=matter)
    arms = [whole.build(), parts.build(strict=False)]
    motion = rng.normal(size=(5, 3))
    one, other = (jounce.inverse_dynamics(arm, *motion) for arm in arms)
    assert_close(one, other, ROUNDOFF)


def test_increments_lead_back(rng: np.random.Generator) -> None:
    robot = _arm()
    q, d = robot.random_configuration(rng), rng.normal(size=robot.nv)
    assert_close(jounce.difference(robot, q, jounce.integrate(robot, q, d)), d, ROUNDOFF)
    halves = jounce.integrate(robot, jounce.integrate(robot, q, 0.5 * d), 0.5 * d)
    assert_close(halves, jounce.integrate(robot, q, d), ROUNDOFF)


def test_products_are_those_with_the_partials(rng: np.random.Generator) -> None:
    robot = _arm()
    q, (v, a, weights) = robot.random_configuration(rng), rng.normal(size=(3, robot.nv))
    partials = jounce.inverse_dynamics_partials(robot, q, v, a)[0]
    product = jounce.inverse_dynamics_gradient(robot, weights[None], q, v, a)
    assert_close(product, weights @ partials, ROUNDOFF)


def test_all_ways_to_compute_it_agree() -> None:
    for robot in (_arm(), _arm().with_floating_base()):
        result = jounce.verify(robot, samples=2, order=2)
        assert result.passed, str(result)
