"""Robots with closed loops, made to order: four-bar, delta robot, Stewart platform.

Their dimensions are round numbers of the size of real machines; all members are uniform.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.robot import Robot

HINGE = "wx wy vx vy vz"  # all but the rotation about z
DROP = pi / 6  # of the arms of a delta robot at q = 0, below the horizontal


def fourbar(
    crank: float = 0.1, coupler: float = 0.25, rocker: float = 0.2, ground: float = 0.25
) -> Robot:
    """Return a planar four-bar with these lengths in m, in the x-y plane; gravity along −y.

    Crank and coupler are a chain, the rocker stands on the ground at ``(ground, 0)``; a hinge about
    z holds their tips together.  In space three of its five rows are redundant.

    >>> import jounce
    >>> q = jounce.close(jounce.examples.fourbar(), [0.5, 0.5, 1.5])
    >>> bool(abs(jounce.closure_error(jounce.examples.fourbar(), q)).max() < 1e-14)
    True
    """
    builder = RobotBuilder("fourbar", gravity=(0.0, -9.80665, 0.0), description="Planar four-bar.")
    turn = joints.revolute((0, 0, 1))
    builder.add("crank", None, turn, np.eye(4), _rod(crank, 0.3), "crank_joint")
    builder.add("coupler", "crank", turn, _shift(crank), _rod(coupler, 0.6), "coupler_joint")
    builder.add("rocker", None, turn, _shift(ground), _rod(rocker, 0.5), "rocker_joint")
    builder.frame("coupler_tip", "coupler", _shift(coupler))
    builder.frame("rocker_tip", "rocker", _shift(rocker))
    builder.closure("coupler_tip", "rocker_tip", directions=HINGE)
    return builder.build()


def delta(base: float = 0.2, platform: float = 0.05, arm: float = 0.25, rod: float = 0.6) -> Robot:
    """Return a delta robot: three arms, six rods in three parallelograms, a platform.

    ``base`` and ``platform`` are radii, ``arm`` and ``rod`` lengths in m.  Rods hang on universal
    joints of the arms and hold the platform, a free body, by balls; it only translates.  At q = 0
    it is closed.  The three arms are actuated.

    >>> import jounce
    >>> jounce.examples.delta().nv
    21
    """
    builder = RobotBuilder("delta", description="Delta robot with six rods; uniform members.")
    plate = Inertia(0.5, (0, 0, 0), np.diag([4e-4, 4e-4, 8e-4]))
    across = base + arm * cos(DROP) - platform  # from a corner to the elbow
    down = sqrt(rod**2 - across**2)
    low = _shift(z=-arm * sin(DROP) - down)
    builder.add("platform", None, joints.free(), low, plate, "platform_joint")
    turn, cross = joints.revolute((0, 1, 0)), joints.universal((0, 1, 0), (0, 0, 1))
    for i in range(3):
        root = _turn_z(2 * pi * i / 3) @ _shift(base) @ _turn_y(DROP)
        builder.add(f"arm_{i}", None, turn, root, _rod(arm, 0.8), f"arm_joint_{i}")
        for side in (-1, 1):
            name = f"rod_{i}{'ab'[side > 0]}"
            place = _shift(arm, 0.06 * side) @ _turn_y(atan2(down, -across) - DROP)
            builder.add(name, f"arm_{i}", cross, place, _rod(rod, 0.1), f"{name}_joint")
            builder.frame(f"{name}_tip", name, _shift(rod))
            corner = _turn_z(2 * pi * i / 3) @ _shift(platform, 0.06 * side)
            builder.frame(f"corner_{name[4:]}", "platform", corner)
            builder.closure(f"{name}_tip", f"corner_{name[4:]}", directions="linear")
    return builder.build()


def stewart(base: float = 0.6, platform: float = 0.35, height: float = 0.8) -> Robot:
    """Return a Stewart platform, 6-UPS: six legs with a universal joint and a slide, and a plate.

    ``base`` and ``platform`` are radii of the circles of the joints, in pairs 30° apart; at q = 0
    the plate is level at ``height``.  The plate, a free body, is held by balls; the six slides are
    actuated.

    >>> import jounce
    >>> robot = jounce.examples.stewart()
    >>> robot.nv, sum(len(c.rows) for c in robot.closures)
    (24, 18)
    """
    builder = RobotBuilder("stewart", description="Stewart platform 6-UPS; uniform members.")
    plate = Inertia(30.0, (0, 0, 0), np.diag([1.0, 1.0, 1.9]))
    builder.add("plate", None, joints.free(), _shift(0.0, 0.0, height), plate, "plate_joint")
    for i in range(6):
        pair, side = divmod(i, 2)
        foot = 2 * pi * pair / 3 + (pi / 12) * (2 * side - 1)
        head = 2 * pi * pair / 3 + pi / 3 - (pi / 12) * (2 * side - 1) - 2 * pi / 3 * (1 - side)
        start = np.array([base * cos(foot), base * sin(foot), 0.0])
        end = np.array([platform * cos(head), platform * sin(head), height])
        length = float(np.linalg.norm(end - start))
        leg = np.eye(4)
        leg[:3, :3] = _frame_along((end - start) / length)
        leg[:3, 3] = start
        builder.add(
            f"cylinder_{i}",
            None,
            joints.universal((0, 1, 0), (0, 0, 1)),
            leg,
            _rod(0.5, 8.0),
            f"base_joint_{i}",
        )
        builder.add(
            f"rod_{i}",
            f"cylinder_{i}",
            joints.prismatic((1, 0, 0)),
            _shift(length - 0.5),
            _rod(0.5, 3.0),
            f"slide_{i}",
        )
        builder.frame(f"rod_{i}_tip", f"rod_{i}", _shift(0.5))
        builder.frame(f"corner_{i}", "plate", _shift(*end[:2]))
        builder.closure(f"rod_{i}_tip", f"corner_{i}", directions="linear")
    return builder.build()


def _rod(length: float, mass: float) -> Inertia:
    """Return a uniform rod of a hundredth of its length in radius, along x from the origin."""
    radius = 0.01 * length
    across = mass * (length**2 + 3 * radius**2) / 12
    return Inertia(mass, (length / 2, 0, 0), np.diag([mass * radius**2 / 2, across, across]))


def _shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def _turn_z(angle: float) -> np.ndarray:
    T = np.eye(4)
    T[:2, :2] = [[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]
    return T


def _turn_y(angle: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 0], T[0, 2], T[2, 0], T[2, 2] = cos(angle), sin(angle), -sin(angle), cos(angle)
    return T


def _frame_along(x: np.ndarray) -> np.ndarray:
    """Return a rotation whose first column is the unit vector x, the second level."""
    y = np.cross((0.0, 0.0, 1.0), x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
