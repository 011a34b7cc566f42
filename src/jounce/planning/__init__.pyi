"""The public names of planning, and where they live."""

from jounce.planning.planner import time_optimal as time_optimal
from jounce.planning.timed_motion import Binding as Binding
from jounce.planning.timed_motion import PlanningWarning as PlanningWarning
from jounce.planning.timed_motion import TimedMotion as TimedMotion
