"""A path of a robot over u ∈ [0, 1], as smooth at its ends as the motion shall be."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, factorial
from typing import Any

import numpy as np
from scipy.interpolate import PPoly, make_interp_spline

from jounce.algebra.rigid import continuous
from jounce.errors import ArgumentError, ShapeError
from jounce.ik.joint_path import JointPath
from jounce.model.checks import check_finite, checked_configuration
from jounce.model.configuration import motion_of
from jounce.model.robot import Robot
from jounce.tables.table import MotionTable
from jounce.trajectory.closed import ClosedMotion
from jounce.trajectory.protocol import RobotMotion, checked_span, span_of
from jounce.trajectory.spline.spline import Spline

NEAR = 1e-9  # of the length of a path: points nearer than that are one point
CORNER = 1e-5  # of the largest derivative of its order: that is a jump
STRAIGHT = 1e-6  # of the first derivative, for each piece: those of higher order are rounding
STILL = 1e-9  # of the largest derivative of its order: that is zero
WIDTH = 0.15  # of u, over which a motion begins and ends
JOINS = 4  # σ is once more differentiable where that is over
LOOKS = 101  # places of a trajectory that are looked at
ROUNDING = 1e-14  # of the length of a path
BEGINS = 6  # derivatives that may vanish at an end


class Curve:
    """The path ``p(σ(u))`` with its derivatives by u.

    σ rises from 0 to 1.  At an end where the motion shall be at rest its first derivatives
    vanish, as many as it takes that those of the curve up to ``smoothness`` do: then ``u̇`` stays
    positive there.  At other ends σ' = 1.
    """

    def __init__(
        self, robot: Robot, motion: RobotMotion, smoothness: int, at_rest: tuple[bool, bool]
    ) -> None:
        self.robot, self.motion = robot, motion
        self.begin, inner = span_of(motion)
        self.length = motion.duration
        zeros = [self._flat(end, smoothness) if still else 0
                 for end, still in zip((0.0, 1.0), at_rest, strict=True)]  # fmt: skip
        self.sigma = _Ramps(*zeros)
        places = self.place((inner - self.begin) / self.length)
        self.knots = np.unique(np.concatenate([places, self.sigma.edges]))

    def _flat(self, end: float, smoothness: int) -> int:
        """Return how many derivatives of σ must vanish at an end.

        Where r derivatives of the path vanish already it begins as ``x^(r+1)``, and σ with k
        vanishing ones makes ``u^((r+1)(k+1))`` of it.
        """
        inside = self.begin + self.length * np.linspace(0.0, 1.0, 33)
        leader = getattr(self.motion, "leader", self.motion)  # what is at rest with it stays so
        rates = list(leader(inside, order=BEGINS))[1:]
        scale = [np.abs(x).max() for x in rates]
        here = [np.abs(x[0 if end == 0.0 else -1]).max() for x in rates]
        still = 0
        while still < BEGINS and here[still] <= STILL * scale[still]:
            still += 1
        return max(ceil((smoothness + 1) / (still + 1)) - 1, 0)

    def __call__(self, u: np.ndarray, order: int) -> list[np.ndarray]:
        """Return q ``(m, nq)`` and its derivatives by u, 1 … order, ``(m, nv)`` each."""
        s = np.array([self.sigma(u, k) for k in range(order + 1)]) * self.length
        # rounding must not carry an end beyond the path
        x = self.begin + np.clip(s[0], 0.0, self.length)
        return composed(list(self.motion(x, order=order)), s[1:])

    def check_smooth(self, order: int) -> None:
        """Refuse a path with a corner: derivatives 1 … order must be continuous."""
        inner = self.knots[(self.knots > 0.0) & (self.knots < 1.0)]
        sides = [self(inner + shift, order + 1) for shift in (-NEAR, NEAR)]
        scale = [np.abs(x).max() for x in self(np.linspace(0.0, 1.0, LOOKS), order + 1)]
        for k in range(1, order + 1):
            jump = np.abs(sides[1][k] - sides[0][k]) - 4.0 * NEAR * scale[k + 1]
            least = STRAIGHT * scale[1] * self.knots.size ** (k - 1)
            worst = np.argwhere(jump > CORNER * max(scale[k], least))
            if worst.size:
                where = float(self.parameter(inner[worst[0, 0]]))
                raise ArgumentError(
                    f"derivative {k} of the path jumps at {where:.6g}; "
                    f"these limits need a path with {order} continuous derivatives. Smooth it, or "
                    "plan the parts before and after one by one."
                )

    def place(self, s: np.ndarray) -> np.ndarray:
        """Return the u at which the share s of the parameter of the path is reached.

        A share that is 0 or 1 to rounding is an end.
        """
        low, high = np.zeros(s.shape), np.ones(s.shape)
        for _ in range(60):
            middle = (low + high) / 2.0
            is_below = self.sigma(middle) < s
            low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
        inside = np.where(s < ROUNDING, 0.0, (low + high) / 2.0)
        return np.where(s > 1.0 - ROUNDING, 1.0, inside)

    def parameter(self, u: np.ndarray) -> np.ndarray:
        """Return the parameter of the given path."""
        return self.begin + self.length * np.clip(self.sigma(u), 0.0, 1.0)


def composed(motion: Sequence[np.ndarray], inner: np.ndarray) -> list[np.ndarray]:
    """Return q and rates of a motion whose parameter has these derivatives, ``(K, m)``.

    With the rates ``r_1 … r_K`` by the old parameter x, ``v = r_1(x) x'``; as Taylor series about
    one place, ``v = Σ_j r_(j+1) / j! δ^j x'`` with ``δ = x'h + x''h²/2 + …``.
    """
    q, *rates = motion
    count = len(rates)
    delta = np.zeros((count + 1, *inner.shape[1:]))
    for k in range(count):
        delta[k + 1] = inner[k] / factorial(k + 1)
    power = np.array([delta[k + 1] * (k + 1) for k in range(count)])  # δ^0 x'
    result = [np.zeros_like(x) for x in rates]
    for j, rate in enumerate(rates):
        for k in range(j, count):
            result[k] += rate * (power[k] * (factorial(k) / factorial(j)))[..., None]
        power = product(power, delta[:count])
    return [q, *result]


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of two series of the same length."""
    return np.array([(a[: k + 1] * b[k::-1]).sum(axis=0) for k in range(len(a))])


class _Ramps:
    """σ, with so many vanishing derivatives at its ends, a straight line between.

    Over the first and the last part w its slope rises and falls as ``∫ x^(s−1) (1 − x)^r dx``:
    s derivatives of σ vanish at the end, and at w it is r + 1 times differentiable.  The second
    half is counted from the end, so that nothing is lost where it vanishes.
    """

    def __init__(self, left: int, right: int) -> None:
        size = max(left, right, 1) + JOINS + 2
        halves = []
        for zeros in (left, right):
            pieces = np.zeros((size, 2))  # highest power first, of u less where the piece begins
            pieces[-2] = 1.0
            if zeros:
                pieces[:, 0] = _ramp(zeros, size)
            pieces[-1, 1] = np.polyval(pieces[:, 0], WIDTH)
            halves.append(pieces)
        total = sum(half[-1, 1] + 0.5 - WIDTH for half in halves)
        self.halves = [PPoly(half / total, np.array([0.0, WIDTH, 0.5])) for half in halves]
        self.edges = np.array([0.0, WIDTH, 1.0 - WIDTH, 1.0])

    def __call__(self, u: np.ndarray, k: int = 0) -> np.ndarray:
        """Return σ or its k-th derivative."""
        left, right = (half(x, k) for half, x in zip(self.halves, (u, 1.0 - u), strict=True))
        return np.where(u < 0.5, left, float(k == 0) - (-1.0) ** k * right)


def _ramp(zeros: int, size: int) -> np.ndarray:
    """Return the rising part of σ as a polynomial of u, highest power first."""
    slope = np.poly1d([1.0, 0.0]) ** (zeros - 1) * np.poly1d([-1.0, 1.0]) ** JOINS
    rise = slope.integ()
    height = (rise / rise(1.0)).integ()
    powers = WIDTH ** (1.0 - np.arange(height.order, -1, -1))
    return np.pad(height.coeffs * powers, (size - height.coeffs.size, 0))


class _Coordinates:
    """A robot's motion along a spline of its coordinates, quaternions of any length among them."""

    def __init__(self, robot: Robot, spline: Spline) -> None:
        self.robot, self.spline, self.n = robot, spline, robot.nq
        self.t0, self.duration, self.knots = spline.t0, spline.duration, spline.knots

    def __call__(self, t: Any, order: int = 4) -> list[np.ndarray]:
        return motion_of(self.robot, self.spline(t, order=order))


def _through(points: np.ndarray) -> Spline:
    """Return the natural spline of the fifth degree through points, over their chord length.

    Through three points that is a parabola, through two a straight line.
    """
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    near = np.flatnonzero(chords <= NEAR * max(chords.sum(), 1.0))
    if near.size:
        raise ArgumentError(
            f"points {near[0]} and {near[0] + 1} of the path are the same to rounding; leave one "
            "of them out."
        )
    s = np.concatenate([[0.0], np.cumsum(chords)]) / chords.sum()
    ends = [(k, np.zeros(points.shape[1])) for k in (3, 4)]
    if len(points) == 2:
        piece = make_interp_spline(s, points, k=1)
    else:
        piece = make_interp_spline(s, points, k=5, bc_type=(ends, ends))
    return Spline((piece,), s[[0, -1]], 0.0, 1.0)


def path_motion(
    robot: Robot, path: Any, independent: str | Sequence[str] | None = None
) -> RobotMotion:
    """Return a path as a motion in some parameter; of a robot with closures as a closed one."""
    motion, at = _open_motion(robot, path)
    if robot.closures and not hasattr(motion, "leader"):
        return ClosedMotion(robot, motion, independent, at=at)
    if independent is not None:
        raise ArgumentError(
            "the path is a closed motion, which has its independent joints; leave independent out."
            if robot.closures
            else f"independent joints are named for robots with closures; {robot.name!r} has none."
        )
    return motion


def _open_motion(robot: Robot, path: Any) -> tuple[RobotMotion, np.ndarray]:
    """Return a path as a motion, and where on it the configuration is as given."""
    if isinstance(path, JointPath | MotionTable):
        q = path.q if isinstance(path, JointPath) else path.values[0]
        return _Coordinates(robot, Spline.through(path.time, _continued(robot, q))), path.time
    if hasattr(path, "duration"):
        start, end, _ = checked_span(robot, path, "path")
        return path, np.linspace(start, end, LOOKS)
    points = checked_configuration(robot, path, "path")
    check_finite("path", points)
    if points.ndim != 2 or len(points) < 2:
        raise ShapeError(
            f"a path is at least 2 points, (m, {robot.nq}), or a trajectory, got shape "
            f"{points.shape}."
        )
    motion = _Coordinates(robot, _through(_continued(robot, points)))
    return motion, motion.knots


def _continued(robot: Robot, points: np.ndarray) -> np.ndarray:
    """Return points whose quaternions have the sign that is nearer to the one before."""
    points = points.copy()
    for quaternion in robot.quaternions:
        points[:, quaternion] = continuous(points[:, quaternion])
    return points
