"""The limits of the coordinates of a robot, which joints that follow others make tighter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from jounce.errors import ModelError
from jounce.model.records import Joint, Limits

RATES = ("velocity", "acceleration", "jerk")


def coordinate_limits(joints: Sequence[Joint]) -> Limits:
    """Return limits as arrays, lower and upper in the order of q, the others in that of v.

    A joint that follows, ``q = m q_s + o``, bounds the position and the rates of its source s:
    ``lower ≤ m q_s + o ≤ upper``, ``|q_s^(k)| ≤ bound / |m|``; its effort is not that of s, and
    bounds nothing.  Together they may leave no range: ``lower > upper``.
    """
    own = [joint.limits for joint in joints if joint.mimic is None]
    limits = Limits(
        **{f.name: np.array([x for l in own for x in getattr(l, f.name)]) for f in fields(Limits)}
    )
    for joint in joints:
        if joint.mimic is not None and joint.mimic.multiplier != 0.0:
            _tighten(limits, joint, joints[joint.mimic.source], *joint.mimic[1:])
    return limits


def position_range(joints: Sequence[Joint]) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of q, or raise where joints that follow another leave it no range."""
    limits = coordinate_limits(joints)
    for i, joint in enumerate(joints):
        if np.any(limits.lower[joint.q_slice] > limits.upper[joint.q_slice]):
            followers = [j.name for j in joints if j.mimic and j.mimic.source == i]
            raise ModelError(
                f"the limits of joint {joint.name!r} and of {', '.join(map(repr, followers))}, "
                "which follows it, leave no range; correct them (inverse kinematics runs without "
                "them: limits=False)."
            )
    return limits.lower, limits.upper


def _tighten(
    limits: Limits, follower: Joint, source: Joint, multiplier: float, offset: float
) -> None:
    at, given = source.q_slice, follower.limits
    ends = [(np.array(end) - offset) / multiplier + 0.0 for end in (given.lower, given.upper)]
    limits.lower[at] = np.maximum(limits.lower[at], np.minimum(*ends))
    limits.upper[at] = np.minimum(limits.upper[at], np.maximum(*ends))
    for name in RATES:
        bound, at = getattr(limits, name), source.v_slice
        bound[at] = np.minimum(bound[at], np.array(getattr(given, name)) / abs(multiplier))
