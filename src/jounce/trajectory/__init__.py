"""Motions with exact time derivatives of any order, and the tables that hold sampled ones.

A trajectory is called as ``traj(t, order=4)`` and returns ``(order + 1, *t.shape, n)``: the
first axis is the order of the time derivative, so ``q, *rates = traj(t)`` is what the functions
of Jounce take.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jounce.errors import TableError as TableError
from jounce.trajectory.cosine_motion import cosine as cosine
from jounce.trajectory.cosine_motion import papers_motion as papers_motion
from jounce.trajectory.fourier import Fourier as Fourier
from jounce.trajectory.motion_file import open_motion as open_motion
from jounce.trajectory.motion_table import MotionTable as MotionTable
from jounce.trajectory.polynomial import Polynomial as Polynomial
from jounce.trajectory.protocol import Trajectory as Trajectory
from jounce.trajectory.smoothing import Smoothing as Smoothing
from jounce.trajectory.smoothing import SplineWarning as SplineWarning
from jounce.trajectory.tables import read_motion as read_motion
from jounce.trajectory.tables import read_table as read_table
from jounce.trajectory.tables import table_writer as table_writer
from jounce.trajectory.tables import write_table as write_table

if TYPE_CHECKING:
    from jounce.trajectory.limit_check import LimitReport as LimitReport
    from jounce.trajectory.limit_check import LimitRow as LimitRow
    from jounce.trajectory.limit_check import check_limits as check_limits
    from jounce.trajectory.limits import MotionLimits as MotionLimits
    from jounce.trajectory.robot_motion import RobotMotion as RobotMotion
    from jounce.trajectory.smoothing_choice import choose_smoothing as choose_smoothing
    from jounce.trajectory.spline import Spline as Spline
    from jounce.trajectory.stream import stream_derivatives as stream_derivatives
    from jounce.trajectory.time_scaling import InfeasibleError as InfeasibleError
    from jounce.trajectory.time_scaling import ScaledTrajectory as ScaledTrajectory
    from jounce.trajectory.time_scaling import scale_to_limits as scale_to_limits

# What needs scipy, or kernels, is imported when it is first used.
_LAZY = {
    "InfeasibleError": "time_scaling",
    "LimitReport": "limit_check",
    "LimitRow": "limit_check",
    "MotionLimits": "limits",
    "RobotMotion": "robot_motion",
    "ScaledTrajectory": "time_scaling",
    "Spline": "spline",
    "check_limits": "limit_check",
    "choose_smoothing": "smoothing_choice",
    "scale_to_limits": "time_scaling",
    "stream_derivatives": "stream",
}

__all__ = [
    "Fourier",
    "InfeasibleError",
    "LimitReport",
    "LimitRow",
    "MotionLimits",
    "MotionTable",
    "Polynomial",
    "RobotMotion",
    "ScaledTrajectory",
    "Smoothing",
    "Spline",
    "SplineWarning",
    "TableError",
    "Trajectory",
    "check_limits",
    "choose_smoothing",
    "cosine",
    "open_motion",
    "papers_motion",
    "read_motion",
    "read_table",
    "scale_to_limits",
    "stream_derivatives",
    "table_writer",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'jounce.trajectory' has no attribute {name!r}")
    value = getattr(import_module(f"jounce.trajectory.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
