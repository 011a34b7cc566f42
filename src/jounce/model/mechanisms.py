"""Robots with closed loops, made to order: four-bar, delta robot, Stewart platform.

The four-bar has the lengths of Chebyshev's lambda linkage [Lambda78], the delta robot those of a
FlexPicker [W16], the Stewart platform lengths and masses of [MW02]; masses not named there are
round numbers.  All members are uniform.
"""

from __future__ import annotations

from math import atan2, cos, pi, radians, sin, sqrt

import numpy as np

from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.placement import transform
from jounce.model.robot import Robot

HINGE = "wx wy vx vy vz"  # all but the rotation about z
DROP = pi / 6  # of the arms of a delta robot at q = 0, below the horizontal
STEEL = 76e3 / 9.81  # kg/m³ [MW02]


def fourbar(
    crank: float = 0.1,
    coupler: float = 0.25,
    rocker: float = 0.25,
    ground: float = 0.2,
    *,
    directions: str = HINGE,
) -> Robot:
    """Return a planar four-bar with these lengths in m, in the x-y plane; gravity along −y.

    Crank and coupler are a chain, the rocker stands on the ground at ``(ground, 0)``; a hinge about
    z holds their tips together.  In space three of its five rows are redundant; with
    ``directions="vx vy"`` the others are left out.

    The lengths are those of Chebyshev's lambda linkage, also called Hoecken's, as 1 : 2.5 : 2.5 : 2
    [Lambda78]: the crank turns all the way round, and the point as far again beyond the tip of the
    coupler goes straight for half a turn.  Masses are round numbers: 0.3, 0.6 and 0.5 kg.

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
    builder.closure("coupler_tip", "rocker_tip", directions=directions)
    return builder.build()


def delta(
    base: float = sqrt(3.0) / 6.0 * 0.567,
    platform: float = sqrt(3.0) / 3.0 * 0.076,
    arm: float = 0.524,
    rod: float = 1.244,
    width: float = 0.131,
) -> Robot:
    """Return a delta robot: three arms, six rods in three parallelograms, a platform.

    ``base`` and ``platform`` are radii, ``arm`` and ``rod`` lengths and ``width`` that of the
    parallelograms, in m: those of an ABB FlexPicker IRB 360-1/1600, whose base and platform are
    triangles with sides of 0.567 and 0.076 m, as [W16] has them.  Masses are round numbers: 0.8 kg
    an arm, 0.1 kg a rod, 0.5 kg the platform.

    Rods hang on universal joints of the arms and hold the platform, a free body, by balls; it only
    translates.  At q = 0 it is closed.  The three arms are actuated.

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
        turned = transform(rpy=(0, 0, 2 * pi * i / 3))
        root = turned @ transform((base, 0, 0), rpy=(0, DROP, 0))
        builder.add(f"arm_{i}", None, turn, root, _rod(arm, 0.8), f"arm_joint_{i}")
        for side in (-1, 1):
            name = f"rod_{i}{'ab'[side > 0]}"
            along = atan2(down, -across) - DROP
            place = transform((arm, 0.5 * width * side, 0), rpy=(0, along, 0))
            builder.add(name, f"arm_{i}", cross, place, _rod(rod, 0.1), f"{name}_joint")
            builder.frame(f"{name}_tip", name, _shift(rod))
            corner = turned @ _shift(platform, 0.5 * width * side)
            builder.frame(f"corner_{name[4:]}", "platform", corner)
            builder.closure(f"{name}_tip", f"corner_{name[4:]}", directions="linear")
    return builder.build()


def stewart(
    base: float = 3.0,
    platform: float = 1.0,
    height: float = 2.0,
    base_angle: float = radians(2.5),
    platform_angle: float = radians(10.0),
) -> Robot:
    """Return a Stewart platform, 6-UPS: six legs with a universal joint and a slide, and a plate.

    ``base`` and ``platform`` are radii of the circles of the joints in m; these stand in three
    pairs, an angle in rad to both sides of the middle of each.  At q = 0 the plate is level at
    ``height``.  Lengths and masses are those of [MW02]: all is steel, the plate 5 cm thick; legs
    are tubes of 3 and 5 cm inner and outer radius, and rods in them, three quarters of a leg long.

    The plate, a free body, is held by balls; the six slides are actuated.

    >>> import jounce
    >>> robot = jounce.examples.stewart()
    >>> robot.nv, sum(len(c.rows) for c in robot.closures)
    (24, 18)
    """
    builder = RobotBuilder("stewart", description="Stewart platform 6-UPS; uniform members.")
    mass, along, across = _cylinder(0.05, platform)
    plate = Inertia(mass, (0, 0, 0), np.diag([across, across, along]))
    builder.add("plate", None, joints.free(), _shift(0.0, 0.0, height), plate, "plate_joint")
    turn, slide = joints.universal((0, 1, 0), (0, 0, 1)), joints.prismatic((1, 0, 0))
    for i in range(6):
        pair, side = i // 2, 2 * (i % 2) - 1
        foot = 2 * pi * pair / 3 + side * base_angle
        head = 2 * pi * pair / 3 + side * (pi / 3 - platform_angle)
        start = np.array([base * cos(foot), base * sin(foot), 0.0])
        end = np.array([platform * cos(head), platform * sin(head), height])
        length = float(np.linalg.norm(end - start))
        leg = np.eye(4)
        leg[:3, :3] = _frame_along((end - start) / length)
        leg[:3, 3] = start
        tube, rod = (_along_x(0.75 * length, *radii) for radii in ((0.05, 0.03), (0.03,)))
        builder.add(f"cylinder_{i}", None, turn, leg, tube, f"base_joint_{i}")
        place = _shift(0.25 * length)
        builder.add(f"rod_{i}", f"cylinder_{i}", slide, place, rod, f"slide_{i}")
        builder.frame(f"rod_{i}_tip", f"rod_{i}", _shift(0.75 * length))
        builder.frame(f"corner_{i}", "plate", _shift(*end[:2]))
        builder.closure(f"rod_{i}_tip", f"corner_{i}", directions="linear")
    return builder.build()


def _cylinder(length: float, outer: float, inner: float = 0.0) -> tuple[float, float, float]:
    """Return mass of a steel cylinder, and moments along and across its axis, about its middle."""
    mass = STEEL * pi * (outer**2 - inner**2) * length
    round_ = outer**2 + inner**2
    return mass, mass * round_ / 2.0, mass * (3.0 * round_ + length**2) / 12.0


def _along_x(length: float, outer: float, inner: float = 0.0) -> Inertia:
    """Return a steel cylinder along x from the origin."""
    mass, along, across = _cylinder(length, outer, inner)
    return Inertia(mass, (length / 2, 0, 0), np.diag([along, across, across]))


def _rod(length: float, mass: float) -> Inertia:
    """Return a uniform rod of a hundredth of its length in radius, along x from the origin."""
    radius = 0.01 * length
    across = mass * (length**2 + 3 * radius**2) / 12
    return Inertia(mass, (length / 2, 0, 0), np.diag([mass * radius**2 / 2, across, across]))


def _shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    return transform((x, y, z))


def _frame_along(x: np.ndarray) -> np.ndarray:
    """Return a rotation whose first column is the unit vector x, the second level."""
    y = np.cross((0.0, 0.0, 1.0), x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
