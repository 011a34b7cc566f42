"""How the coordinates of a robot are called in motion tables and limits."""

from __future__ import annotations

from jounce.errors import UnsupportedError
from jounce.model.robot import Robot


def coordinate_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for every coordinate: that of its joint, numbered where it has several.

    Tables and limits have one velocity a coordinate, so quaternions are refused.
    """
    own = [joint for joint in robot.joints if joint.mimic is None]
    strange = [joint.name for joint in own if joint.nq != joint.nv]
    if strange:
        raise UnsupportedError(
            f"robot {robot.name!r}: joint {', '.join(strange)} has a quaternion among its "
            "coordinates; tables and limits are for joints with one velocity a coordinate. Leave "
            "out --floating-base, lock it with robot.with_locked, or call jounce.inverse_dynamics "
            "with arrays."
        )
    return tuple(
        joint.name if joint.nq == 1 else f"{joint.name}[{k}]"
        for joint in own
        for k in range(joint.nq)
    )


def length_coordinates(robot: Robot) -> tuple[bool, ...]:
    """Tell for every coordinate whether it is a length; the others are angles."""
    lengths: list[bool] = []
    for joint in robot.joints:
        kinds = {"cylindrical": (False, True), "planar": (True, True, False)}
        alone = (joint.kind == "prismatic",) * joint.nq
        lengths += kinds.get(joint.kind, alone) if joint.mimic is None else ()
    return tuple(lengths)
