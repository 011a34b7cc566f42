"""The fastest motion along a path within limits of velocity, torque, jerk and torque rate."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from jounce.errors import ArgumentError, InfeasibleError
from jounce.limits.check import Uses
from jounce.limits.extrema import maxima
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.checks import as_floats, checked_integer
from jounce.model.robot import Robot
from jounce.planning.constraints import CAP, Constraints, constraints_at
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.interior_point import Points, Problem, Solution, shortest
from jounce.planning.squared_speed import SquaredSpeed, basis_at, clamped_knots
from jounce.planning.timed_motion import Binding, TimedMotion

DEGREE = 3
PIECES, PER_PIECE, MOST = 60, 15, 400  # of b: at least, for each piece of the path, at most
GAUSS = np.polynomial.legendre.leggauss(3)
LOOKS = 4  # places of each piece that are looked at between rounds
ENDS, SPLIT = 2, 4  # so many pieces at each end are looked at in so many parts
ROUNDS = 4
LEAST = 1e-2  # of the squared speed that is feasible everywhere
ON_LIMIT = 1e-10  # of a limit
BINDS = 0.99  # of a limit


class PlanningWarning(UserWarning):
    """A motion that keeps its limits and may be slower than it could be."""


def time_optimal(
    robot: Robot,
    path: Any,
    limits: MotionLimits | None = None,
    *,
    knots: int | None = None,
    tolerance: float = 1e-3,
    smoothness: int = 3,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> TimedMotion:
    """Return the fastest motion along a path within limits, by default the robot's own.

    ``path`` is a trajectory in any parameter, a `JointPath`, or points ``(m, nq)``, through which
    the natural spline of the fifth degree goes.  Limits of velocity, acceleration, jerk, torque
    and torque rate are what the speed is chosen by; those of snap and of the second rate of the
    torque are kept by slowing down as a whole.  At rest at both ends the derivatives of q up to
    ``smoothness`` vanish there: 3 is without jerk and without a jump of Q̇.  ``start_speed`` and
    ``end_speed`` are |v| where the motion does not begin or end at rest.

    The squared speed along the path is a spline with this many ``knots``; the duration is the
    shortest of these to about ``tolerance``, a part of it.  Limits are imposed at points and then
    wherever they are exceeded between them; at last the motion is played a hair slower, until
    no limit is exceeded anywhere.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> limits = jounce.trajectory.MotionLimits.of(arm, velocity=2.0, effort=60.0, effort_rate=500.0)
    >>> motion = time_optimal(arm, [[0.0, 0.5], [1.0, 1.0], [1.5, 0.2]], limits)
    >>> motion.limits.ok, round(motion.duration, 1)
    (True, 1.1)
    """
    limits = checked_limits(robot, limits)
    plan = _Plan(robot, path, limits, knots, tolerance, smoothness, (start_speed, end_speed))
    return plan.motion()


class _Places(NamedTuple):
    """Points with their rows."""

    u: np.ndarray
    points: Points
    rows: Constraints


class _Plan:
    """What stays the same over the rounds."""

    def __init__(
        self,
        robot: Robot,
        path: Any,
        limits: MotionLimits,
        knots: int | None,
        tolerance: float,
        smoothness: int,
        speeds: tuple[float, float],
    ) -> None:
        self.robot, self.limits = robot, limits
        self.tolerance = float(as_floats("tolerance", tolerance))
        if not 0.0 < self.tolerance < 1.0:
            raise ArgumentError(f"tolerance must lie between 0 and 1, got {tolerance!r}.")
        smoothness = checked_integer("smoothness", smoothness, 1)
        speeds = (float(as_floats("start_speed", speeds[0])), float(as_floats("end_speed", speeds[1])))
        if not min(speeds) >= 0.0:
            raise ArgumentError(f"speeds at the ends must be ≥ 0, got {speeds}.")
        motion = path_motion(robot, path)
        self.curve = Curve(robot, motion, smoothness, (speeds[0] == 0.0, speeds[1] == 0.0))
        self.uses = Uses(robot, limits)
        pieces = max(PIECES, min(PER_PIECE * (np.size(getattr(motion, "knots", ())) - 1), MOST))
        self.pieces = pieces if knots is None else checked_integer("knots", knots, 8)
        self.knots = clamped_knots(self.pieces, DEGREE)
        self.has_rates = bool(np.isfinite([limits.jerk, limits.effort_rate]).any())
        pieces = np.unique(self.knots)
        # b changes most in the first and last pieces of a motion that starts and ends at rest
        ends = [np.linspace(pieces[i], pieces[i + ENDS], ENDS * SPLIT + 1) for i in (0, -1 - ENDS)]
        self.cells = np.unique(np.concatenate([pieces, *ends]))
        self.edges = np.union1d(self.cells, self.curve.knots)
        self._check_positions()
        self.speeds = self._end_values(speeds)

    def _check_positions(self) -> None:
        """Refuse a path that leaves the range of a joint."""
        keep = MotionLimits.of(self.robot, **{
            name: None for name in ("velocity", "acceleration", "jerk", "snap", "effort",
                                    "effort_rate", "effort_second_rate")
        }, lower=self.limits.lower, upper=self.limits.upper)  # fmt: skip
        uses = Uses(self.robot, keep)
        found = maxima(lambda u: uses(self.curve(u, 1)), self.edges, enough=0.5 * ON_LIMIT)
        at = self.curve.parameter(found.time)
        for row in uses.report(found, at, self.curve(found.time, 1)).violations:
            raise InfeasibleError(
                f"the path leaves the range of {row.joint!r}: its position is {row.value:.6g} at "
                f"{self._where(row.time)}, {-row.margin:.3g} beyond its limit {row.bound:.6g}."
            )

    def _where(self, parameter: float) -> str:
        return f"{parameter:.6g} of the path ({self.curve.begin:g} … {self.curve.begin + self.curve.length:g})"

    def _end_values(self, speeds: tuple[float, float]) -> list[float | None]:
        """Return b at the ends that are not at rest."""
        values: list[float | None] = []
        for u, speed in zip((0.0, 1.0), speeds, strict=True):
            if speed == 0.0:
                values.append(None)
                continue
            slope = float(np.linalg.norm(self.curve(np.array([u]), 1)[1]))
            if slope == 0.0:
                raise ArgumentError(f"the path stands still at its end u = {u:g}; its speed is 0.")
            values.append((speed / slope) ** 2)
        return values

    def motion(self) -> TimedMotion:
        """Plan the motion."""
        step = np.diff(self.cells)
        u = (self.cells[:-1, None] + step[:, None] * (1.0 + GAUSS[0]) / 2.0).ravel()
        weight = (step[:, None] * GAUSS[1] / 2.0).ravel()
        unit = self._uniform(u)
        durations = [unit**-0.5]
        places = self._places(u, weight, unit, rates=False)
        relaxed = self._solved(places, unit)
        lower = SquaredSpeed(self.knots, relaxed.x * unit, DEGREE).duration * (1.0 - relaxed.gap)
        found = relaxed
        if self.has_rates:
            places = self._places(u, weight, unit, rates=True)
            found = self._solved(places, unit)
        for _ in range(ROUNDS):
            beyond = self._beyond(found.x * unit)
            if not beyond.size:
                break
            more = self._places(beyond, np.zeros(beyond.size), unit, rates=self.has_rates)
            places, guess = self._joined(places, more, found.multipliers)
            found = self._solved(places, unit, found.x, guess)
        speed = SquaredSpeed(self.knots, found.x * unit, DEGREE)
        return self._finished(speed, durations, lower, found.converged)

    def _places(self, u: np.ndarray, weight: np.ndarray, unit: float, *, rates: bool) -> _Places:
        rows = constraints_at(self.curve, self.limits, u, unit, rates=rates)
        first, basis = basis_at(self.knots, DEGREE, u, rows.L.shape[2])
        return _Places(u, Points(first, basis, weight), rows)

    def _joined(
        self, places: _Places, more: _Places, multipliers: np.ndarray
    ) -> tuple[_Places, np.ndarray]:
        """Return the points of both, and multipliers to start with."""
        points = Points(
            *(np.concatenate(x) for x in zip(places.points, more.points, strict=True))
        )
        inner = multipliers.size - 2 * (self.knots.size - DEGREE - 1)
        guess = np.concatenate(
            [multipliers[:inner], np.zeros(more.rows.o.size), multipliers[inner:]]
        )
        u = np.concatenate([places.u, more.u])
        return _Places(u, points, places.rows.joined(more.rows)), guess

    def _uniform(self, u: np.ndarray) -> float:
        """Return the largest constant b that all points allow, as far as slower is easier."""
        rows = constraints_at(self.curve, self.limits, u, 1.0, rates=self.has_rates)
        named = [i for i, label in enumerate(rows.labels) if label.quantity]
        f = np.zeros((u.size, rows.L.shape[2]))

        def excess(b: float) -> np.ndarray:
            f[:, 0] = b
            return rows(f)[0][:, named]

        low = 1.0
        while excess(low).max() > 0.0:
            low *= 0.1
            if low < 1e-12:
                self._explain(excess(low), u, [rows.labels[i] for i in named])
        high = low
        while excess(high).max() <= 0.0:
            high *= 4.0
            if high > 1e12:
                raise InfeasibleError(
                    "nothing limits the speed of this motion: it stands still, or has no limits."
                )
        for _ in range(12):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if excess(middle).max() <= 0.0 else (low, middle)
        return low

    def _explain(self, excess: np.ndarray, u: np.ndarray, labels: list[Any]) -> None:
        place, row = np.unravel_index(int(np.argmax(excess)), excess.shape)
        quantity, joint = labels[row]
        where = self._where(float(self.curve.parameter(u[place])))
        reason = "cannot hold gravity" if quantity == "effort" else f"cannot keep its {quantity} limit"
        raise InfeasibleError(
            f"joint {joint!r} {reason} at {where}: {100.0 * excess[place, row]:.3g} % beyond its "
            f"{quantity} limit at any speed."
        )

    def _solved(
        self,
        places: _Places,
        unit: float,
        x: np.ndarray | None = None,
        multipliers: np.ndarray | None = None,
    ) -> Solution:
        size = self.knots.size - DEGREE - 1
        fixed = np.zeros(size, dtype=bool)
        start = np.full(size, 0.7) if x is None else x.copy()
        least = LEAST
        for i, value in zip((0, size - 1), self.speeds, strict=True):
            if value is not None:
                fixed[i], start[i] = True, value / unit
                least = min(least, LEAST * value / unit)
        problem = Problem(places.points, places.rows, least, CAP, fixed)
        centring = 10.0 if multipliers is None else 1e-2
        return shortest(problem, start, 0.1 * self.tolerance, multipliers, centring)

    def _beyond(self, b: np.ndarray) -> np.ndarray:
        """Return the places between the points where limits are exceeded most."""
        speed = SquaredSpeed(self.knots, b, DEGREE)
        shares = np.linspace(0.0, 1.0, LOOKS, endpoint=False)
        u = np.append((self.edges[:-1, None] + np.diff(self.edges)[:, None] * shares).ravel(), 1.0)
        value, slope = self._along(speed)(u)
        h = np.diff(u)[:, None]
        left, right, rise, fall = value[:-1], value[1:], slope[:-1] * h, slope[1:] * h
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where((rise > 0.0) & (fall < 0.0), rise / (rise - fall), 0.0)
        # the cubic with these values and slopes, where its slope is about zero
        bend = right - left
        peak = left + x * (rise + x * (3.0 * bend - 2.0 * rise - fall + x * (rise + fall - 2.0 * bend)))
        worst = np.argmax(peak, axis=1)[:, None]
        at = u[:-1] + h[:, 0] * np.take_along_axis(x, worst, axis=1)[:, 0]
        return at[np.take_along_axis(peak, worst, axis=1)[:, 0] > 1.0 + 0.3 * self.tolerance]

    def _along(self, speed: SquaredSpeed, factor: float = 1.0) -> Callable[[np.ndarray], Any]:
        """Return uses and their slopes by u, of the motion played ``factor`` times as fast."""

        def along(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            rates = speed.rates(u, self.uses.order)
            motion = composed(self.curve(u, self.uses.order), rates)
            value, slope = self.uses([factor**k * x for k, x in enumerate(motion)])
            return value, slope / (factor * rates[0])[:, None]

        return along

    def _finished(
        self, speed: SquaredSpeed, durations: list[float], lower: float, converged: bool
    ) -> TimedMotion:
        """Return the motion at the largest factor of its speed that keeps all limits."""
        factor, places = 1.0, np.empty(0)
        while True:
            found = maxima(self._along(speed, factor), self.edges, enough=0.5 * ON_LIMIT)
            if found.value.max() + found.missing.max() <= 1.0 + ON_LIMIT and places.size:
                break
            places = np.union1d(places, found.time[found.value > 1.0 - 0.1])
            factor = self._largest(speed, places)
        speed = SquaredSpeed(self.knots, factor**2 * speed.spline.c, DEGREE)
        rates = speed.rates(found.time, self.uses.order)
        there = composed(self.curve(found.time, self.uses.order), rates)
        report = self.uses.report(found, speed.time(found.time), there)
        if not converged:
            warnings.warn(
                "the solver stopped early: the motion keeps all limits and may be slower than it "
                "could be; give more knots, or other limits.",
                PlanningWarning,
                stacklevel=5,
            )
        durations.append(speed.duration)
        binding = self._binding(speed)
        lower = min(lower, speed.duration)
        return TimedMotion(
            self.robot, self.curve, speed, report, binding, tuple(durations), lower, converged
        )

    def _largest(self, speed: SquaredSpeed, places: np.ndarray) -> float:
        """Return the largest factor near 1 at which these places keep all limits."""
        rates = composed(self.curve(places, self.uses.order), speed.rates(places, self.uses.order))

        def excess(factor: float) -> float:
            value, _ = self.uses([factor**k * x for k, x in enumerate(rates)])
            return float(value.max()) - 1.0

        low, high = 1.0, 1.0
        while excess(low) > 0.0:
            low *= 0.98
            if low < 1e-3:
                raise InfeasibleError("no speed of this motion keeps all limits.")
        while excess(high) <= 0.0:
            high *= 1.02
        return float(brentq(excess, low, high, xtol=1e-14)) * (1.0 - 1e-13)

    def _binding(self, speed: SquaredSpeed) -> tuple[Binding, ...]:
        """Return when which limit is used up."""
        u = np.unique(np.concatenate([np.linspace(0.0, 1.0, 4 * self.pieces + 1), self.edges]))
        used = self._along(speed)(u)[0] > BINDS
        times = speed.time(u)
        found = []
        for k in np.flatnonzero(used.any(axis=0)):
            quantity = self.uses.limited[self.uses.quantity[k]].name
            joint = self.limits.names[self.uses.velocity[k]]
            edges = np.flatnonzero(np.diff(np.concatenate([[False], used[:, k], [False]]).astype(int)))
            found += [Binding(quantity, joint, float(times[a]), float(times[b - 1]))
                      for a, b in edges.reshape(-1, 2)]  # fmt: skip
        return tuple(sorted(found, key=lambda row: (row.start, row.end)))
