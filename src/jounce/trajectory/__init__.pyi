"""The public names of trajectories, tables and limits, and where they live."""

from jounce.errors import InfeasibleError as InfeasibleError
from jounce.errors import TableError as TableError
from jounce.limits.check import LimitReport as LimitReport
from jounce.limits.check import LimitRow as LimitRow
from jounce.limits.check import check_limits as check_limits
from jounce.limits.limits import MotionLimits as MotionLimits
from jounce.limits.time_scaling import ScaledTrajectory as ScaledTrajectory
from jounce.limits.time_scaling import scale_to_limits as scale_to_limits
from jounce.tables.file import open_motion as open_motion
from jounce.tables.file import read_motion as read_motion
from jounce.tables.file import read_table as read_table
from jounce.tables.file import table_writer as table_writer
from jounce.tables.file import write_table as write_table
from jounce.tables.table import MotionTable as MotionTable
from jounce.trajectory.closed import ClosedMotion as ClosedMotion
from jounce.trajectory.fourier import Fourier as Fourier
from jounce.trajectory.fourier import cosine as cosine
from jounce.trajectory.fourier import papers_motion as papers_motion
from jounce.trajectory.polynomial import Polynomial as Polynomial
from jounce.trajectory.protocol import RobotMotion as RobotMotion
from jounce.trajectory.protocol import Trajectory as Trajectory
from jounce.trajectory.spline.smoothing import Smoothing as Smoothing
from jounce.trajectory.spline.smoothing import SplineWarning as SplineWarning
from jounce.trajectory.spline.smoothing import choose_smoothing as choose_smoothing
from jounce.trajectory.spline.spline import Spline as Spline
from jounce.trajectory.spline.stream import stream_derivatives as stream_derivatives
