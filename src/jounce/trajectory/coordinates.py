"""What the coordinates and velocities of a robot measure, and how joint paths call them."""

from __future__ import annotations

from jounce.errors import UnsupportedError
from jounce.model.component_names import position_names
from jounce.model.robot import Robot

# of joints that are not one angle
_POSITIONS = {
    "prismatic": ("length",),
    "cylindrical": ("angle", "length"),
    "planar": ("length", "length", "angle"),
    "spherical": ("number",) * 4,
    "free": ("length",) * 3 + ("number",) * 4,
}
_VELOCITIES = {
    **_POSITIONS,
    "spherical": ("angle",) * 3,
    "free": ("angle",) * 3 + ("length",) * 3,
}


def position_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of q whether it is an "angle", a "length" or a "number"."""
    return tuple(
        kind for j in robot.joints if j.nq for kind in _POSITIONS.get(j.kind, ("angle",) * j.nq)
    )


def velocity_kinds(robot: Robot) -> tuple[str, ...]:
    """Tell for every entry of v whether it is the rate of an "angle" or of a "length"."""
    return tuple(
        kind for j in robot.joints if j.nv for kind in _VELOCITIES.get(j.kind, ("angle",) * j.nv)
    )


def length_coordinates(robot: Robot) -> tuple[bool, ...]:
    """Tell for every entry of q whether it is a length."""
    return tuple(kind == "length" for kind in position_kinds(robot))


def quaternion_slices(robot: Robot) -> tuple[slice, ...]:
    """Return where in q the quaternions x y z w stand."""
    return tuple(slice(j.q_slice.stop - 4, j.q_slice.stop) for j in robot.joints if j.nq != j.nv)


def coordinate_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every coordinate of a robot without quaternions."""
    strange = [joint.name for joint in robot.joints if joint.nq != joint.nv]
    if strange:
        raise UnsupportedError(
            f"robot {robot.name!r}: joint {', '.join(strange)} has a quaternion among its "
            "coordinates; joint paths are for joints with one velocity a coordinate. Leave out "
            "--floating-base, or lock it with robot.with_locked."
        )
    return position_names(robot)
