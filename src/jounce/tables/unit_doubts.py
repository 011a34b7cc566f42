"""Whether a log looks as if its units were others than those that were said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jounce.model.components import position_kinds, position_names

if TYPE_CHECKING:
    from jounce.model.robot import Robot
    from jounce.tables.motion_table import MotionTable

SLOW = 0.5  # s between samples: nobody logs a motion so slowly, but 2 kHz in ms looks so


def unit_doubts(path: Path, robot: Robot, windows: Sequence[MotionTable]) -> Iterator[str]:
    """Yield a line about the positions and one about the time, where they are hard to believe.

    A position is, if it leaves the limits of its joint by more than their whole range.
    """
    positions = np.concatenate([window.values[0] for window in windows])
    lower, upper = robot.limits.lower, robot.limits.upper
    excess = np.maximum(positions - upper, lower - positions) - (upper - lower)
    if excess.max(initial=0.0) > 0.0:
        sample, k = np.unravel_index(np.argmax(excess), excess.shape)
        unit, other = ("m", "mm") if position_kinds(robot)[k] == "length" else ("rad", "deg")
        yield (
            f"{path}: {position_names(robot)[k]} is at {positions[sample, k]:.3g} {unit}, far "
            f"from its limits {lower[k]:.3g} … {upper[k]:.3g}; if it is in {other}, say --units "
            f"{other}"
        )
    steps = np.concatenate([np.diff(window.time) for window in windows])
    if steps.size and np.median(steps) >= SLOW:
        yield (
            f"{path}: the samples are {np.median(steps):.3g} s apart; if the time is in ms, us or "
            "ns, say --units ms, us or ns"
        )
