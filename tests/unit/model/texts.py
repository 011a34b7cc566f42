"""The algorithm texts run on floats: what the kernels compute, without compiling them.

A test that needs many robots once each is much faster this way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.dynamics.inverse import inverse_dynamics as forces_text
from jounce.dynamics.poses import poses as poses_text
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def forces(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return what `jounce.inverse_dynamics` returns, for one sample."""
    rows = [np.asarray(rate, float).tolist() for rate in rates]
    result = forces_text(robot, np.asarray(q, float).tolist(), rows, tree=lowered(robot))
    return np.array(result, float).reshape(len(rates) - 1, robot.nv)


def poses(robot: Robot, q: Any) -> np.ndarray:
    """Return ``T_world_body`` of every body, for one sample."""
    rows = poses_text(robot, np.asarray(q, float).tolist(), [])
    return np.array(rows[0], float).reshape(robot.n_bodies, 4, 4)
