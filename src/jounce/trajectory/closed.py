"""Closed motions of robots with closures, led by the joints that decide all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.api.closures import (
    check_closed,
    close,
    closure_error,
    closure_jacobian,
    independent_velocities,
    mobility,
    rates_from,
)
from jounce.api.kinematics import poses
from jounce.errors import ArgumentError, ClosureError
from jounce.model.configuration import difference, integrate
from jounce.model.robot import Robot
from jounce.trajectory.protocol import RobotMotion, checked_span, checked_times, motion_at

STEPS = 200  # in which the motion is followed from its start
CLOSED = 1e-13  # of the size of the robot
ROUNDS = 20
REACHED = 1e-5  # rad, m: nearer than that a configuration is the given one
NEAR = 0.1  # rad, m: further from closed than that no log of a mechanism is


class ClosedMotion:
    """A motion whose independent joints do as they are told and all others as the closures say.

    It is a trajectory, with rates of any order (`jounce.closed_rates`).  ``motion`` is one of all
    coordinates of the robot; those of the ``independent`` joints are followed.  The others are
    followed from the start on, so the mechanism stays in the assembly it has there; at the times
    ``at``, by default the knots of the motion, or its ends, they must be the given ones.  Without
    ``independent`` joints are chosen that leave the others best determined at the start.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar()
    >>> q = [jounce.close(robot, x, hold="crank_joint") for x in ([0.5, 0.5, 1.5], [1.0, 0.2, 1.6])]
    >>> lead = jounce.trajectory.Polynomial.rest_to_rest(q[0], q[1], 1.0)
    >>> motion = ClosedMotion(robot, lead, "crank_joint")
    >>> q, v = motion(0.3, order=1)
    >>> bool(abs(jounce.closure_error(robot, q)).max() < 1e-13)
    True
    """

    def __init__(
        self,
        robot: Robot,
        motion: RobotMotion,
        independent: str | Sequence[str] | None = None,
        *,
        at: Any = None,
    ) -> None:
        self.t0, end, self.knots = checked_span(robot, motion)
        self.robot, self.leader = robot, motion
        self.n, self.duration = robot.nq, motion.duration
        at = np.union1d(self.knots if at is None else checked_times(at, 0), (self.t0, end))
        given = motion_at(robot, motion, at, 0)[0]
        check_closed(robot, given)
        self._lead(given[0], independent)
        self._follow(np.linspace(self.t0, end, STEPS + 1), given[0])
        away = np.abs(difference(robot, given, self._closed(at, given))).max(axis=1)
        if away.max() > REACHED:
            k = int(np.argmax(away > REACHED))
            raise ClosureError(
                f"the motion of robot {robot.name!r} leaves its assembly before t = {at[k]:.6g}: "
                f"followed from the start it is {away[k]:.3g} away from what is given there. Give "
                "configurations of one assembly, or another choice of independent joints."
            )

    def _lead(self, q: np.ndarray, independent: str | Sequence[str] | None) -> None:
        """Choose the joints that lead."""
        robot = self.robot
        self.chosen = independent_velocities(robot, q, independent, plain=True)
        self.dependent = [j for j in range(robot.nv) if j not in self.chosen]
        self.slots: list[int] = []  # coordinates that are led
        for joint in robot.joints:
            own = [j for j in self.chosen if joint.v_slice.start <= j < joint.v_slice.stop]
            if own and not joint.is_flat and len(own) < joint.nv:
                raise ArgumentError(
                    f"some velocities of {joint.name!r} would be independent and some not; name "
                    "the independent joints."
                )
            first = joint.q_slice.start
            whole = [j - joint.v_slice.start for j in own] if joint.is_flat else range(joint.nq)
            self.slots += [first + k for k in whole] if own else []
        self.size = 1.0 + float(np.abs(poses(robot, q)[0][:, :3, 3]).max(initial=0.0))

    def _follow(self, times: np.ndarray, q: np.ndarray) -> None:
        """Note closed configurations and rates on the way, to start from."""
        lead = motion_at(self.robot, self.leader, times, 2)
        self.times, self.nodes = times, np.empty((times.size, self.robot.nq))
        q, v = close(self.robot, q, hold=self._names()), np.zeros(self.robot.nv)
        for i, goal in enumerate(lead[0]):
            step = times[i] - times[i - 1] if i else 0.0
            q = self._closure(integrate(self.robot, q, step * v), goal, times[i])
            v = rates_from(self.robot, q, [lead[1][i, self.chosen]], self.chosen)[0]
            self.nodes[i] = q
        rates = [x[:, self.chosen] for x in lead[1:]]
        self.rates = rates_from(self.robot, self.nodes, rates, self.chosen)

    def _names(self) -> list[str]:
        return [j.name for j in self.robot.joints
                if set(range(self.robot.nv)[j.v_slice]) <= set(self.chosen) and j.nv]  # fmt: skip

    def _closed(self, times: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """Return the closed configurations with these led coordinates, ``(m, nq)``."""
        i = np.clip(np.rint((times - self.t0) * (STEPS / self.duration)).astype(int), 0, STEPS)
        h = (times - self.times[i])[:, None]
        guess = integrate(
            self.robot, self.nodes[i], h * (self.rates[0, i] + h / 2 * self.rates[1, i])
        )
        return self._closure(guess, lead, times)

    def _closure(self, guess: np.ndarray, lead: np.ndarray, times: Any) -> np.ndarray:
        """Return the nearest closed configurations with these led coordinates, by Newton."""
        q = guess.copy()
        q[..., self.slots] = lead[..., self.slots]
        step = np.zeros((*q.shape[:-1], self.robot.nv))
        error = closure_error(self.robot, q)
        for _ in range(ROUNDS):
            if np.abs(error).max(initial=0.0) <= CLOSED * self.size:
                return q
            J = closure_jacobian(self.robot, q)[0][..., self.dependent]
            # rows may be redundant; columns are not
            square, right = J.swapaxes(-1, -2) @ J, J.swapaxes(-1, -2) @ error[..., None]
            try:
                step[..., self.dependent] = -np.linalg.solve(square, right)[..., 0]
            except np.linalg.LinAlgError:
                break
            q = integrate(self.robot, q, step)
            error = closure_error(self.robot, q)
        worst = np.abs(error).reshape(-1, error.shape[-1]).max(axis=1)
        place = float(np.broadcast_to(times, worst.shape)[int(np.nanargmax(worst))])
        raise ClosureError(
            f"robot {self.robot.name!r} cannot be closed at t = {place:.6g} of the motion: "
            f"{np.nanmax(worst):.3g} is left. The independent joints lead it out of its reach; "
            "give other points, or other independent joints."
        )

    def __call__(self, t: Any, order: int = 4) -> Any:
        """Return q and its rates 1 … order at the times t.

        One array ``(order + 1, *t.shape, n)``, or a list for a robot with quaternions.
        """
        times = checked_times(t, order)
        lead = motion_at(self.robot, self.leader, times.ravel(), order)
        motion = [self._closed(times.ravel(), lead[0])]
        if order:
            rates = [x[:, self.chosen] for x in lead[1:]]
            motion += [*rates_from(self.robot, motion[0], rates, self.chosen)]
        shaped = [x.reshape(*times.shape, x.shape[-1]) for x in motion]
        return shaped if self.robot.quaternions else np.array(shaped)


def leading_velocities(
    robot: Robot, q: np.ndarray, actuated: str | Sequence[str] | None = None
) -> list[int]:
    """Return the velocities that lead samples of a motion: the actuated ones, if they suffice."""
    if actuated is not None:
        names = [actuated] if isinstance(actuated, str) else actuated
        if sum(robot.joint(name).nv for name in names) == mobility(robot)[0]:
            return independent_velocities(robot, q, actuated)
    return independent_velocities(robot, q, None, plain=True)


def closed_samples(
    robot: Robot, motion: Sequence[np.ndarray], chosen: Sequence[int], first: int = 0
) -> tuple[list[np.ndarray], float]:
    """Return the samples of a motion put onto the closures, and the furthest way there.

    Each q ``(m, nq)`` becomes the nearest closed one; the rates ``(m, nv)`` are those that the
    closures make of the chosen velocities.  A log is closed to what its sensors tell, no nearer.
    ``first`` is the number of the first sample, in errors.
    """
    q, *rates = motion
    size = 1.0 + float(np.abs(poses(robot, q)[0][..., :3, 3]).max(initial=0.0))
    closed = q
    for _ in range(ROUNDS):
        error = closure_error(robot, closed)
        if np.abs(error).max(initial=0.0) <= CLOSED * size:
            break
        J = np.linalg.pinv(closure_jacobian(robot, closed)[0], rcond=1e-9)
        closed = integrate(robot, closed, -(J @ error[..., None])[..., 0])
    away = np.abs(difference(robot, q, closed)).max(axis=1, initial=0.0)
    if not away.max(initial=0.0) <= NEAR:
        k = int(np.argmax(~(away <= NEAR)))
        raise ClosureError(
            f"sample {first + k} of the motion is {away[k]:.3g} rad or m away from where robot "
            f"{robot.name!r} is closed. Check units and the names of the columns; "
            "jounce.closure_error tells which closure is open."
        )
    check_closed(robot, closed)
    if rates:
        rates = [*rates_from(robot, closed, [x[:, chosen] for x in rates], chosen)]
    return [closed, *rates], float(away.max(initial=0.0))
