"""The fastest motion along a path within limits of velocity, torque, jerk and torque rate."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.optimize import root_scalar

from jounce.api.closures import mobility
from jounce.elastic.series import SeriesElastic
from jounce.errors import ArgumentError, ConvergenceError, InfeasibleError
from jounce.limits.check import LimitReport, LimitRow, Uses
from jounce.limits.extrema import Maxima, maxima
from jounce.limits.forces import MotionForces, played
from jounce.limits.limits import QUANTITIES, MotionLimits, spoken
from jounce.model.checks import checked_integer
from jounce.model.robot import Robot
from jounce.planning.constraints import (
    SECOND_ORDER,
    Constraints,
    Label,
    constraints_at,
    features_of,
)
from jounce.planning.curve import Curve, composed, path_motion
from jounce.planning.drives import SPEED, TORQUE, TORQUE_RATE, Drives, DriveUses
from jounce.planning.dry_friction import at_full_speed, finer, softest, tangent
from jounce.planning.interior_point import Points, Problem, Solution, shortest
from jounce.planning.limits_along import LimitsAlong
from jounce.planning.lower_bound import LowerBound, price_of
from jounce.planning.powers import Quantity
from jounce.planning.squared_speed import SquaredSpeed, basis_at, clamped_knots, quadrature
from jounce.planning.timed_motion import Binding, PlanningWarning, TimedMotion
from jounce.trajectory.protocol import checked_time, span_of

DEGREE = 3
FEWEST, PER_PIECE, MOST = 160, 50, 600  # pieces of b: at least, for each of the path, at most
MOST_KNOTS = 10_000  # that may be asked for
GAUSS = np.polynomial.legendre.leggauss(2)
ENDS, SPLIT = 2, 4  # so many pieces at each end are looked at in so many parts
LOOKS = 4  # places of each part that are looked at between rounds
ROUNDS, SLOWER = 4, 20
LEAST_SHARE = 0.8  # of the limits, to which rows are tightened
LEAST, CAP = 1e-2, 1e4  # of the squared speed that is feasible everywhere: ends leave b free
STRAIGHT = 1e-10  # of what limits the changes of b: less of b itself is rounding
ON_LIMIT = 1e-10  # of a limit
BROKEN = 0.02  # of a limit: beyond that the solver found no motion
BINDS = 0.99  # of a limit
COARSE = 1e-6  # of a factor of the speed that is only told
AGAIN = 3  # rounds after which dry friction is that of the speed
LEAST_DRY = 1e-4  # of the squared speed, instead of LEAST: a joint may have to turn slowly
HARDER, NO_HARDER = 3.0, 1.1  # times: steps from soft to dry friction
SLOWER_DRY = 0.003  # of a duration: more than that the rows are tightened instead
PATHS = 8  # sets of places whose curve is kept


def time_optimal(
    robot: Robot | SeriesElastic,
    path: Any,
    limits: MotionLimits | Mapping[float, MotionLimits] | None = None,
    *,
    knots: int | None = None,
    tolerance: float = 1e-3,
    smoothness: int | None = None,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
    motor_torque: Any = None,
    motor_torque_rate: Any = None,
    motor_speed: Any = None,
    actuated: str | Sequence[str] | None = None,
    independent: str | Sequence[str] | None = None,
) -> TimedMotion:
    """Return the fastest motion along a path within limits, by default the robot's own.

    ``path`` is a trajectory in any parameter, a `JointPath`, a `MotionTable`, or points
    ``(m, nq)``, through which the natural spline of the fifth degree goes; its parameter runs
    from 0 to 1 in proportion to their distances.  ``limits`` may be ``{parameter: limits}`` for
    limits that change along the path, linearly between these places.

    A motion from rest to rest has no derivatives up to ``smoothness`` at its ends: 3 is without
    jerk and without a jump of Q̇.  ``start_speed`` and ``end_speed`` are |v| at ends that are not
    at rest.

    The robot may be a `SeriesElastic`: then ``effort`` bounds the torque of the springs, and
    ``motor_torque``, ``motor_torque_rate`` and ``motor_speed`` those of the motors, one number, one
    a joint or ``{joint: number}``, or ``{parameter: …}`` of these along the path; Q̈ and its rate
    enter there, and the smoothness is 4, or 5 with limits of the rate, unless told.

    A robot with closures moves along closed configurations: ``independent`` joints follow the
    path and all others the closures (`ClosedMotion`).  ``actuated`` names the joints with motors,
    which limits of effort need; if there are as many as freedoms, these are also the independent
    ones unless told.

    The squared speed along the path is a spline with so many ``knots``; the duration is the
    shortest of these to about ``tolerance``, a part of it.  Limits are imposed at points and then
    wherever they are exceeded between them; at last the motion is played a hair slower, until
    no limit is exceeded anywhere.  A path that cannot be followed is an `InfeasibleError` that
    names joint, limit and place.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> limits = jounce.trajectory.MotionLimits.of(arm, velocity=2.0, effort=60, effort_rate=500)
    >>> motion = time_optimal(arm, [[0.0, 0.5], [1.0, 1.0], [1.5, 0.2]], limits)
    >>> motion.limits.ok, round(motion.duration, 1)
    (True, 1.1)
    """
    speeds = checked_time("start_speed", start_speed), checked_time("end_speed", end_speed)
    if min(speeds) < 0.0:
        raise ArgumentError(f"speeds at the ends must be finite and ≥ 0, got {speeds}.")
    if not 0.0 < checked_time("tolerance", tolerance) < 1.0:
        raise ArgumentError(f"tolerance must lie between 0 and 1, got {tolerance!r}.")
    motors = {SPEED: motor_speed, TORQUE: motor_torque, TORQUE_RATE: motor_torque_rate}
    drives = None
    if isinstance(robot, SeriesElastic):
        if actuated is not None:
            raise ArgumentError("the joints with motors of a SeriesElastic are known: its driven.")
        drives = Drives.of(robot, **motors)
        robot, forces = robot.links, drives.forces
        along = LimitsAlong(robot, limits, drives.bounds)
    elif any(bound is not None for bound in motors.values()):
        raise ArgumentError("limits of motors are for a SeriesElastic; give effort and velocity.")
    else:
        along = LimitsAlong(robot, limits)
        forces = MotionForces.of(robot, actuated, along.first)
    if smoothness is None:
        smoothness = max(4, drives.features) if drives else 3
    smoothness = checked_integer("smoothness", smoothness, 1)
    if independent is None and not hasattr(path, "leader"):
        independent = _leading(forces)
    motion = path_motion(robot, path, independent)
    curve = Curve(robot, motion, smoothness, (speeds[0] == 0.0, speeds[1] == 0.0))
    if knots is None:
        own = PER_PIECE * (span_of(motion)[1].size - 1)
        knots = max(FEWEST, min(own, MOST))
    pieces = checked_integer("knots", knots, 8, MOST_KNOTS)
    return _Planner(curve, along, forces, pieces, float(tolerance), drives, speeds).plan()


def _leading(forces: MotionForces) -> tuple[str, ...] | None:
    """Return the actuated joints, if they decide all others."""
    names, robot = forces.actuated, forces.robot
    if names is None or sum(robot.joint(name).nv for name in names) != mobility(robot)[0]:
        return None
    return names


def _said(quantity: str) -> str:
    """Return what people call a quantity, in a sentence."""
    return spoken(quantity).replace("-", " ")


def _falling(durations: list[float], last: float) -> tuple[float, ...]:
    """Return those that are shorter than all before them, and the last one."""
    longer = [x for x in durations if x > last]
    return *(x for k, x in enumerate(longer) if x < min(longer[:k], default=np.inf)), last


class _Places(NamedTuple):
    """Points with their rows."""

    points: Points
    rows: Constraints


class _Planner:
    """What stays the same over the rounds."""

    def __init__(
        self,
        curve: Curve,
        limits: LimitsAlong,
        forces: MotionForces,
        pieces: int,
        tolerance: float,
        drives: Drives | None,
        speeds: tuple[float, ...],
    ) -> None:
        self.curve, self.limits, self.robot = curve, limits, curve.robot
        self.tolerance, self.pieces = tolerance, pieces
        self.forces, self.drives = forces, drives
        self.near: SquaredSpeed | None = None
        self.softness = 1.0  # of dry friction
        self.uses = DriveUses(drives, limits.first) if drives else Uses(forces, limits.first)
        order = self.uses.order  # the places of one round are looked at again in the next
        self._path = lru_cache(PATHS)(lambda places: curve(np.frombuffer(places), order))
        self.features = features_of(limits, drives)
        self.degree = max(self.features, DEGREE)  # the last feature is continuous
        self.has_rates = self.features > SECOND_ORDER
        self.is_sudden = self.has_rates and forces.is_dry
        more = finer(curve, pieces) if self.is_sudden else ()
        self.knots = clamped_knots(pieces, self.degree, more)
        self.size = self.knots.size - self.degree - 1
        inner = np.unique(self.knots)
        # b changes most in the first and last pieces of a motion that starts and ends at rest
        ends = [np.linspace(inner[i], inner[i + ENDS], ENDS * SPLIT + 1) for i in (0, -1 - ENDS)]
        self.cells = np.unique(np.concatenate([inner, *ends]))
        self.is_constant = not limits.places.size
        changes = curve.place((limits.places - curve.begin) / curve.length)
        self.edges = np.unique(np.concatenate([self.cells, curve.knots, changes]))
        curve.check_smooth(self.features - 1)
        self._check_positions()
        self.ends = self._end_values(speeds)
        self.moves = any(x is not None for x in self.ends)
        self.u, self.weight = quadrature(self.cells, *GAUSS)
        self.unit = 1.0  # in which b is counted
        self.unit = self._uniform()

    def _end_values(self, speeds: tuple[float, ...]) -> list[float | None]:
        """Return b at the ends, None where they are at rest."""
        values: list[float | None] = []
        for u, speed in zip((0.0, 1.0), speeds, strict=True):
            slope = float(np.linalg.norm(self.curve(np.array([u]), 1)[1])) if speed else 1.0
            if slope == 0.0:
                raise ArgumentError(
                    f"the path stands still at its {'end' if u else 'start'}: it has no direction "
                    "in which to move there; give another path, or no speed."
                )
            squared = (speed / slope) * (speed / slope)
            if speed and not 0.0 < squared < np.inf:
                raise ArgumentError(f"a speed of {speed:g} at an end is beyond all computation.")
            values.append(squared if speed else None)
        return values

    def plan(self) -> TimedMotion:
        """Return the motion."""
        places = self._places(features=SECOND_ORDER)
        found = self._solved(places)
        again = AGAIN if self.forces.is_dry else 0
        for _ in range(again):
            self.near = self._speed(found)
            places = self._places(features=SECOND_ORDER)
            found = self._solved(places)
        lower = self._lower_bound(places, found)
        share, durations = 1.0, [self.unit**-0.5]
        kept: list[tuple[SquaredSpeed, Maxima]] = []
        while True:
            if self.is_sudden and share == 1.0:
                places, found = self._hardened(found)
            elif self.has_rates or share < 1.0 or again:
                places = self._places(share=share)
                found = self._next(places, found.x if self.is_sudden else None) or found
            at = self.u
            for k in range(ROUNDS + again):
                speed = self.near = self._speed(found)
                beyond = self._beyond(speed)
                if not beyond.size and k >= again:
                    break
                if beyond.size and not self.moves:
                    durations.append(speed.duration / self._largest(speed, beyond, 1.0, COARSE))
                guess = self._guess(places, found)
                if beyond.size:
                    more = self._places(beyond, share=share)
                    places, guess = self._joined(places, more, guess)
                if again:
                    at = np.concatenate([at, beyond])
                    places = places._replace(rows=self._rows(at, share=share))
                better = self._next(places, found.x, guess)
                if better is None:
                    break
                found = better
            speed = self._speed(found)
            if not self.moves:
                kept.append(self._slowed(speed))
                is_near = kept[-1][0].duration <= (1.0 + SLOWER_DRY) * speed.duration
                if is_near or not self.is_sudden or share < LEAST_SHARE:
                    break
            peaks = self._peaks(speed)
            if self.moves and peaks.value.max() <= 1.0 + ON_LIMIT:
                kept.append((speed, peaks))
                break
            # a slower motion would not meet its ends, or dry friction would set in elsewhere
            share -= 1.5 * max(float(peaks.value.max()) - 1.0, 1e-5)
            if share < LEAST_SHARE and self.moves:
                self._no_motion(places, found)
        if self.is_sudden and not self.moves:
            kept += self._at_one_speed()
        speed, peaks = min(kept, key=lambda motion: motion[0].duration)
        if not found.converged:
            warnings.warn(
                "the solver stopped early: the motion keeps all limits and may be slower than it "
                "could be; give another number of knots.",
                PlanningWarning,
                stacklevel=3,
            )
        return TimedMotion(
            self.forces,
            self.curve,
            speed,
            self._report(speed, peaks),
            self._binding(speed),
            _falling([] if self.moves else durations, speed.duration),
            lower,
            found.converged,
        )

    def _hardened(self, found: Solution) -> tuple[_Places, Solution]:
        """Return rows and solution with limits of rates, from soft friction to that of the robot.

        Each step starts where the one before ended; where tangents there allow no motion it is
        made shorter.
        """
        self.near = self._speed(found)
        self.softness, step = softest(self.forces, self.curve, self.near), HARDER
        places = self._places()
        found = self._solved(places)
        while self.softness > 1.0 and step > NO_HARDER:
            self.near, done = self._speed(found), self.softness
            self.softness = max(done / step, 1.0)
            harder = self._places()
            better = self._next(harder, found.x, found.multipliers)
            if better is not None and better.converged:
                places, found = harder, better
            else:
                self.softness, step = done, step**0.5
        self.softness = 1.0
        return places, found

    def _lower_bound(self, places: _Places, found: Solution) -> float:
        """Return what no motion undercuts, from the solution without limits of rates."""
        beta = places.rows.L[..., 1]
        own = found.multipliers[: beta.size].reshape(beta.shape)
        price = price_of(self.u, -(own * beta).sum(axis=1), self.pieces)
        about = self.curve, self.limits, self.forces, self.edges
        return LowerBound(*about, self._speed(found), self.unit)(price, self.ends)

    # -- what is infeasible --

    def _check_positions(self) -> None:
        """Refuse a path that leaves the range of a joint."""
        bounds: dict[str, Any] = dict.fromkeys(x.name for x in QUANTITIES[1:])
        own = self.limits.first
        only = MotionLimits.of(self.robot, **bounds, lower=own.lower, upper=own.upper)
        uses = Uses(self.forces, only)
        found = maxima(lambda u: uses(self.curve(u, 1)), self.edges, enough=ON_LIMIT)
        report = uses.report(found, found.time, self.curve(found.time, 1))
        for row in report.violations:
            raise InfeasibleError(
                f"the path leaves the range of {row.joint!r}: its position is {row.value:.6g} at "
                f"{self._where(row.time)}, {-row.margin:.3g} beyond its limit {row.bound:.6g}."
            )

    def _where(self, u: float) -> str:
        """Say where on the given path a place is."""
        begin, end = self.curve.begin, self.curve.begin + self.curve.length
        return f"{float(self.curve.parameter(np.array(u))):.6g} of the path ({begin:g} … {end:g})"

    def _uniform(self) -> float:
        """Return the largest constant b that all points allow, as far as slower is easier.

        Where only changes of b are limited, as along a straight line, that is b at the ends;
        what the rounding of such a line makes of b itself does not count.
        """
        rows = self._rows(self.u)
        size = np.abs(rows.L)
        rows.L[..., 0][size[..., 0] < STRAIGHT * size.max(axis=2)] = 0.0
        f = np.zeros((self.u.size, rows.L.shape[2]))

        def excess(b: float) -> np.ndarray:
            f[:, 0] = b
            return rows(f)[0]

        low = 1.0
        while excess(low).max() > 0.0:
            low *= 0.1
            if low < 1e-12:
                self._explain(excess(low), rows.labels)
        high = low
        while excess(high).max() <= 0.0:
            high *= 4.0
            if high > 1e12:
                moving = [x for x in self.ends if x is not None]
                if moving and rows.L[..., 1:].any():
                    return max(moving)
                raise InfeasibleError(
                    "nothing limits the speed of this motion: it stands still, or has no limits."
                )
        for _ in range(12):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if excess(middle).max() <= 0.0 else (low, middle)
        return low

    def _explain(self, excess: np.ndarray, labels: tuple[Label, ...]) -> NoReturn:
        """Raise the error for a row that no speed keeps."""
        place, row = np.unravel_index(int(np.argmax(excess)), excess.shape)
        quantity, joint = labels[row]
        here = self.u[place : place + 1]
        if quantity == "velocity":
            p1 = self.curve(here, 1)[1]
            speeds = self.limits.speeds(self.curve.parameter(here), p1)
            joint = self.limits.names[int(np.argmin(speeds))]
        what = "cannot hold gravity" if quantity == "effort" else "cannot move"
        raise InfeasibleError(
            f"joint {joint!r} {what} within its {_said(quantity)} limit at "
            f"{self._where(here[0])}, however slowly."
        )

    def _no_motion(self, places: _Places, found: Solution) -> NoReturn:
        """Raise the error for limits that the solver could not keep."""
        excess, _ = places.rows(places.points.features(found.x))
        quantity, joint = places.rows.labels[int(np.argmax(excess.max(axis=0)))]
        named = f"the {_said(quantity)} limit" + (f" of joint {joint!r}" if joint else "")
        raise InfeasibleError(
            f"no motion along the path was found that keeps {named}: speeds at the ends that "
            "cannot be reached or braked are a reason, or weights that only a swing can lift."
        )

    # -- the problem and its solution --

    def _places(
        self, more: np.ndarray | None = None, *, features: int | None = None, share: float = 1.0
    ) -> _Places:
        """Return the points of the quadrature, or more that only bound."""
        u, weight = (self.u, self.weight) if more is None else (more, np.zeros(more.size))
        rows = self._rows(u, features=features, share=share)
        first, basis = basis_at(self.knots, self.degree, u, rows.L.shape[2])
        return _Places(Points(first, basis, weight), rows)

    def _rows(
        self, u: np.ndarray, *, features: int | None = None, share: float = 1.0
    ) -> Constraints:
        """Return the rows at u, of all limits or of those about so many features."""
        return constraints_at(
            self.curve,
            self.limits,
            self.forces,
            u,
            self.unit,
            features=features or self.features,
            share=share,
            drives=self.drives,
            dry=self._dry(u) if self.forces.is_dry else None,
        )

    def _dry(self, u: np.ndarray) -> Quantity:
        """Return dry friction, near the motion of the round before if there is one."""
        if self.near is None:
            return at_full_speed(self.forces, self.curve, u, self.features)
        return tangent(self.forces, self.curve, u, self.features, self.near, self.softness)

    def _guess(self, places: _Places, found: Solution) -> np.ndarray | None:
        """Return multipliers to start with; none where those found are of other rows."""
        count = places.rows.o.size + 2 * self.size
        return found.multipliers if found.multipliers.size == count else None

    def _joined(
        self, places: _Places, more: _Places, multipliers: np.ndarray | None
    ) -> tuple[_Places, np.ndarray | None]:
        """Return the points of both, and multipliers to start with."""
        points = Points(*(np.concatenate(x) for x in zip(places.points, more.points, strict=True)))
        both = _Places(points, places.rows.joined(more.rows))
        if multipliers is None:
            return both, None
        inner, outer = np.split(multipliers, [multipliers.size - 2 * self.size])
        return both, np.concatenate([inner, np.zeros(more.rows.o.size), outer])

    def _solved(
        self,
        places: _Places,
        x: np.ndarray | None = None,
        multipliers: np.ndarray | None = None,
    ) -> Solution:
        fixed = np.zeros(self.size, dtype=bool)
        start = np.full(self.size, 0.7) if x is None else x.copy()
        least, most = LEAST_DRY if self.is_sudden else LEAST, CAP
        for i, b in zip((0, -1), self.ends, strict=True):
            if b is not None:
                value = b / self.unit
                fixed[i], start[i] = True, value
                least, most = min(least, LEAST * b / self.unit), max(most, 2.0 * value)
        problem = Problem(places.points, places.rows, least, most, fixed)
        centring = 10.0 if multipliers is None else 1e-2
        found = shortest(problem, start, 0.1 * self.tolerance, multipliers, centring)
        if not found.excess < BROKEN:
            self._no_motion(places, found)
        return found

    def _next(
        self, places: _Places, x: np.ndarray | None, multipliers: np.ndarray | None = None
    ) -> Solution | None:
        """Return the solution, or None where the tangents of dry friction allow no motion."""
        try:
            return self._solved(places, x, multipliers)
        except InfeasibleError:
            if not self.is_sudden:
                raise
            return None

    def _speed(self, found: Solution) -> SquaredSpeed:
        return SquaredSpeed(self.knots, found.x * self.unit, self.degree)

    # -- what the limits are used by, everywhere --

    def _motion(self, speed: SquaredSpeed, u: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return q and its rates at the places u, and u̇ there."""
        rates = speed.rates(u, self.uses.order)
        return composed(self._path(u.tobytes()), rates), rates[0]

    def _along(
        self, speed: SquaredSpeed, factor: float, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return uses and their slopes by u, of the motion played ``factor`` times as fast."""
        motion, rate = self._motion(speed, u)
        value, slope = self.uses(played(motion, factor))
        slope = slope / (factor * rate)[:, None]
        if self.is_constant:
            return value, slope
        parameter = self.curve.parameter(u)
        less, change = self.limits.shift(self.uses, parameter)
        rate_of_parameter = (self.curve.length * self.curve.sigma(u, 1))[:, None]
        return value - less, slope - change * rate_of_parameter

    def _peaks(self, speed: SquaredSpeed, factor: float = 1.0) -> Maxima:
        """Return where most is used of each limit."""
        return maxima(partial(self._along, speed, factor), self.edges, enough=0.5 * ON_LIMIT)

    def _beyond(self, speed: SquaredSpeed) -> np.ndarray:
        """Return the places between the points where limits are exceeded most."""
        shares = np.linspace(0.0, 1.0, LOOKS, endpoint=False)
        u = np.append((self.edges[:-1, None] + np.diff(self.edges)[:, None] * shares).ravel(), 1.0)
        value, slope = self._along(speed, 1.0, u)
        h = np.diff(u)[:, None]
        left, right, rise, fall = value[:-1], value[1:], slope[:-1] * h, slope[1:] * h
        # the cubic with these values and slopes, where its slope is about zero
        is_peak = (rise > 0.0) & (fall < 0.0)
        x = np.divide(rise, rise - fall, out=np.zeros_like(rise), where=is_peak)
        bend = right - left
        curved = 3.0 * bend - 2.0 * rise - fall + x * (rise + fall - 2.0 * bend)
        peak = left + x * (rise + x * curved)
        worst = np.argmax(peak, axis=1)[:, None]
        at = np.append(u[:-1] + h[:, 0] * np.take_along_axis(x, worst, axis=1)[:, 0], 1.0)
        most = np.append(np.take_along_axis(peak, worst, axis=1)[:, 0], value[-1].max())
        return at[most > 1.0 + 0.1 * self.tolerance]

    def _slowed(self, speed: SquaredSpeed) -> tuple[SquaredSpeed, Maxima]:
        """Return the motion at the largest factor of its speed that keeps all limits."""
        factor, places = 1.0, np.empty(0)
        for _ in range(SLOWER):
            found = self._peaks(speed, factor)
            if places.size and (found.value + found.missing).max() <= 1.0 + ON_LIMIT:
                return SquaredSpeed(self.knots, factor**2 * speed.spline.c, self.degree), found
            places = np.union1d(places, found.time[found.value > 0.9 * found.value.max()])
            factor = self._largest(speed, places, 1.0 - float(found.missing.max()))
        raise ConvergenceError(
            f"the motion still exceeds a limit after {SLOWER} rounds; give another number of knots."
        )

    def _at_one_speed(self) -> list[tuple[SquaredSpeed, Maxima]]:
        """Return the motion with one speed along the curve, if that can keep all limits.

        Where tangents of dry friction lead the solver astray it may be the fastest that is known.
        """
        try:
            one = np.full(self.size, self.unit)
            return [self._slowed(SquaredSpeed(self.knots, one, self.degree))]
        except (InfeasibleError, ConvergenceError):
            return []

    def _largest(
        self, speed: SquaredSpeed, places: np.ndarray, share: float, nearly: float = 1e-14
    ) -> float:
        """Return the largest factor near 1 at which these places keep a share of all limits."""

        def excess(factor: float) -> float:
            return float(self._along(speed, factor, places)[0].max()) - share

        low = high = 1.0
        while excess(low) > 0.0:
            low *= 0.98
            if low < 1e-3:
                raise InfeasibleError("no speed of this motion keeps all limits.")
        while excess(high) <= 0.0:
            high *= 1.02
        found = root_scalar(excess, bracket=(low, high), method="brentq", xtol=nearly)
        return found.root * (1.0 - 10.0 * nearly)

    def _report(self, speed: SquaredSpeed, peaks: Maxima) -> LimitReport:
        motion, _ = self._motion(speed, peaks.time)
        report = self.uses.report(peaks, speed.time(peaks.time), motion)
        if self.is_constant:
            return report
        rows = []
        for row in report.rows:  # bounds of the place instead of the first ones
            at = self.curve.parameter(speed.place(np.array([row.time])))
            k, along = self.limits.names.index(row.joint), self.limits.ranges[row.quantity]
            low, high = (float(x[0, k]) for x in along.sides(at))
            bound, side = (low, -1.0) if row.value - low < high - row.value else (high, 1.0)
            rows.append(LimitRow.of(row[:2], row.time, row.value, bound, side, along.scale[k],
                                    row.missing))  # fmt: skip
        return LimitReport(tuple(rows))

    def _binding(self, speed: SquaredSpeed) -> tuple[Binding, ...]:
        """Return when which limit is used up."""
        u = np.unique(np.concatenate([np.linspace(0.0, 1.0, 4 * self.pieces + 1), self.edges]))
        used = self._along(speed, 1.0, u)[0] > BINDS
        times = speed.time(u)
        found = []
        for k in np.flatnonzero(used.any(axis=0)):
            quantity, joint = self.uses.label(int(k))
            changes = np.diff(np.concatenate([[False], used[:, k], [False]]).astype(int))
            for a, b in np.flatnonzero(changes).reshape(-1, 2):
                found.append(Binding(quantity, joint, float(times[a]), float(times[b - 1])))
        return tuple(sorted(found, key=lambda row: (row.start, row.end)))
