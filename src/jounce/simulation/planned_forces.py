"""Forces that make a planned motion, as functions of time with all derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import Wrenches
from jounce.api.dynamics import inverse_dynamics
from jounce.elastic.drives import checked_trajectory
from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable_stiffness import StiffnessDrives
from jounce.errors import ArgumentError, WrongTypeError
from jounce.model.robot import Robot
from jounce.simulation.loads import Loads
from jounce.simulation.systems import THINGS


class PlannedForces:
    """The forces or motor torques of a planned motion: ``forces(t, order)`` for `taylor`.

    ``trajectory(t, order)`` is the motion of the joints, q and then the rates; drives of variable
    stiffness also need the ``stiffness(t, order)``.  ``wrenches`` that stay or are functions of
    time, as for `taylor`, are known to the plan.  ``state(t)`` is the state on the planned motion.

    >>> import jounce
    >>> arm = jounce.elastic.SeriesElastic(jounce.load("planar2r"), 500.0, 0.1)
    >>> swing = jounce.trajectory.Fourier([[0.3, 0.2]], [[0.0, 0.1]], 2.0)
    >>> plan = jounce.simulation.PlannedForces(arm, swing)
    >>> done = jounce.simulation.taylor(arm, plan.state(0.0), plan, (0.0, 0.1), order=8)
    >>> bool(abs(done.final[0] - swing(0.1, order=0)[0]).max() < 1e-12)
    True
    """

    def __init__(
        self, drives: Any, trajectory: Any, stiffness: Any = None, *, wrenches: Wrenches = None
    ) -> None:
        if not isinstance(drives, Robot | SeriesElastic | StiffnessDrives):
            raise WrongTypeError(f"cannot plan the forces of a {type(drives).__name__}; {THINGS}.")
        robot = drives if isinstance(drives, Robot) else drives.robot
        self.drives, self.loads = drives, Loads(robot, wrenches)
        self.loads.require_known()
        self.trajectory = checked_trajectory(robot, trajectory)
        if isinstance(drives, StiffnessDrives) != (stiffness is not None):
            raise ArgumentError("give stiffness(t, order) for drives of variable stiffness only.")
        self.stiffness = None if stiffness is None else checked_trajectory(robot, stiffness)

    def __call__(self, t: float, order: int = 0) -> np.ndarray:
        """Return the forces and their derivatives, ``(order + 1, n)``."""
        if isinstance(self.drives, Robot):
            motion = self.trajectory(t, order=order + 2)
            return inverse_dynamics(self.drives, *motion, wrenches=self.loads.at(t, order + 1))
        motion = (*self._stiffness(t, order + 2), *self.trajectory(t, order=order + 4))
        return self.drives.torques(*motion, wrenches=self.loads.at(t, order + 3))

    def state(self, t: float) -> tuple[np.ndarray, ...]:
        """Return the state on the planned motion at time t."""
        q, v, a, j, s = self.trajectory(t, order=4)
        if isinstance(self.drives, Robot):
            return q, v
        if isinstance(self.drives, SeriesElastic):
            return q, v, *self.drives.motor_state(q, v, a, j, wrenches=self.loads.at(t, 3))
        motion = (*self._stiffness(t, 2), q, v, a, j, s)
        return self.drives.state(*motion, wrenches=self.loads.at(t, 3))

    def _stiffness(self, t: float, order: int) -> tuple[np.ndarray, ...]:
        return () if self.stiffness is None else (self.stiffness(t, order=order),)
