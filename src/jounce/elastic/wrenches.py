"""Wrenches on the links of a robot with drives, and those that stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jounce.api.call import Wrench, as_wrenches
from jounce.errors import NotFiniteError, ShapeError
from jounce.model.checks import as_floats
from jounce.model.robot import Robot

Wrenches = Mapping[str, Any] | None


def constant_wrenches(robot: Robot, wrenches: Wrenches) -> dict[str, Wrench]:
    """Return wrenches that stay in their own representation, values ``(1, 6)``, by frame."""
    return {
        robot.frame(frame).name: Wrench(_constant(frame, wrench.values), wrench.representation)
        for frame, wrench in as_wrenches(wrenches).items()
    }


def _constant(frame: str, values: Any) -> np.ndarray:
    load = np.atleast_2d(as_floats(f"wrench on {frame}", values))
    if load.shape != (1, 6):
        raise ShapeError(
            f"wrench on {frame} must have shape (6,) or (1, 6), got {np.shape(values)}: here it "
            "stays, in its own representation."
        )
    if not np.isfinite(load).all():
        raise NotFiniteError(f"wrench on {frame} must be finite, got {load[0]}.")
    return load
