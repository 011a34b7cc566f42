"""Joints that follow others, which may follow others in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jounce.errors import ModelError, check_name
from jounce.model.joints import KINDS
from jounce.model.records import Joint


class Follows(NamedTuple):
    """What a joint follows, by name: ``q = multiplier * q_joint + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


def follows(joint: Joint, joints: Sequence[Joint]) -> Follows | None:
    """Return what one of the joints of a robot follows, if it does."""
    if joint.mimic is None:
        return None
    return Follows(joints[joint.mimic.source].name, *joint.mimic[1:])


def followed(joint: str, mimics: Mapping[str, Follows], kinds: Mapping[str, str]) -> Follows:
    """Return the joint that moves ``joint`` in the end: mimics of mimics are composed.

    ``kinds`` are the kinds of all joints, by name.
    """
    path, multiplier, offset = [joint], 1.0, 0.0
    while path[-1] in mimics:
        follower = path[-1]
        source, factor, shift = mimics[follower]
        check_name("joint", source, kinds)
        if source in path:
            shown = " → ".join([*path, source])
            raise ModelError(f"mimic joints follow each other in a cycle: {shown}.")
        for name in (follower, source):
            if len(KINDS[kinds[name]].positions) != 1:
                raise ModelError(
                    f"joint {follower!r} mimics {source!r}, but {name!r} is {kinds[name]}: both "
                    "must be revolute, continuous, prismatic or helical."
                )
        multiplier, offset = multiplier * factor, multiplier * shift + offset
        path.append(source)
    return Follows(path[-1], multiplier + 0.0, offset + 0.0)
