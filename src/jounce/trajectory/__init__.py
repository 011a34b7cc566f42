"""Motions with exact time derivatives of any order, and the tables that hold sampled ones.

A trajectory is called as ``traj(t, order=4)`` and returns ``(order + 1, *t.shape, n)``: the
first axis is the order of the time derivative, so ``q, *rates = traj(t)`` is what the functions
of Jounce take.
"""

from jounce.trajectory.cosine_motion import cosine as cosine
from jounce.trajectory.cosine_motion import papers_motion as papers_motion
from jounce.trajectory.fourier import Fourier as Fourier
from jounce.trajectory.motion_table import MotionTable as MotionTable
from jounce.trajectory.motion_table import TableError as TableError
from jounce.trajectory.polynomial import Polynomial as Polynomial
from jounce.trajectory.protocol import Trajectory as Trajectory
from jounce.trajectory.tables import read_motion as read_motion
from jounce.trajectory.tables import read_table as read_table
from jounce.trajectory.tables import write_table as write_table

__all__ = [
    "Fourier",
    "MotionTable",
    "Polynomial",
    "TableError",
    "Trajectory",
    "cosine",
    "papers_motion",
    "read_motion",
    "read_table",
    "write_table",
]
