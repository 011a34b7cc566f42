"""Paths of a pose in time, with the twist and its derivatives: splines, screw motions, files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from jounce.algebra.jet import Jet
from jounce.algebra.rigid import (
    continuous,
    pose_exponential,
    pose_logarithm,
    pose_of,
    quaternion_of,
)
from jounce.algebra.se3 import body_twist
from jounce.algebra.vector import Vec3
from jounce.errors import ArgumentError, ShapeError, TableError
from jounce.files import csv_rows
from jounce.ik.pose_solver import checked_poses
from jounce.model.checks import as_floats, check_finite, check_increasing, unit_norms
from jounce.trajectory.polynomial import Polynomial
from jounce.trajectory.protocol import checked_times

DEGREES = (3, 5, 7, 9)
# s(τ) from 0 to 1 with four vanishing derivatives at both ends
REST_TO_REST = Polynomial([[x] for x in (0, 0, 0, 0, 0, 126, -420, 540, -315, 70)])
COLUMNS = ("t", "x", "y", "z", "qx", "qy", "qz", "qw")


class PosePath(Protocol):
    """A pose that moves from ``start`` to ``end``, both in s."""

    @property
    def start(self) -> float:
        """Time at which the path begins."""
        ...

    @property
    def end(self) -> float:
        """Time at which the path ends."""
        ...

    def __call__(self, t: Any, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses ``(*t.shape, 4, 4)`` and body twists ``(order, *t.shape, 6)``."""
        ...


class PoseSpline:
    """A smooth path through poses ``(n, 4, 4)`` at times ``(n,)``.

    Position and quaternion are splines of degree 5 (or 3, 7, 9), the quaternion is normalised:
    the path has degree − 1 continuous derivatives.  ``ends="rest"`` starts and ends with
    (degree − 1) / 2 vanishing derivatives: velocity and acceleration, to the fourth with degree
    9; ``ends="free"`` lets the data decide and needs degree + 1 poses.  Turn less than 120° from
    pose to pose.

    >>> import numpy as np
    >>> end = np.eye(4)
    >>> end[0, 3] = 1.0
    >>> pose, twists = PoseSpline([0.0, 2.0], [np.eye(4), end])(1.0, order=2)
    >>> pose[0, 3].round(6), twists[0, 3].round(6)
    (np.float64(0.5), np.float64(0.9375))
    """

    def __init__(self, times: Any, poses: Any, *, degree: int = 5, ends: str = "rest") -> None:
        from scipy.interpolate import make_interp_spline

        self.times, self.poses = _checked_samples(times, poses)
        self.start, self.end = self.times[[0, -1]].tolist()
        if degree not in DEGREES or ends not in ("rest", "free"):
            raise ArgumentError(
                f"degree must be {', '.join(map(str, DEGREES))} and ends 'rest' or 'free', got "
                f"{degree!r} and {ends!r}."
            )
        if ends == "free" and len(self.times) <= degree:
            raise ShapeError(
                f"a spline of degree {degree} with free ends needs {degree + 1} poses, got "
                f"{len(self.times)}; give more, a lower degree, or ends='rest'."
            )
        points = np.concatenate([self.poses[:, :3, 3], _same_side(self.poses)], axis=1)
        zero = [(k, np.zeros(7)) for k in range(1, (degree + 1) // 2)]
        conditions = (zero, zero) if ends == "rest" else None
        # in mean steps: fourth derivatives in s would swamp the poses they stand beside
        self._step = (self.end - self.start) / (len(self.times) - 1)
        knots = (self.times - self.start) / self._step
        self._spline = make_interp_spline(knots, points, k=degree, bc_type=conditions)

    def __call__(self, t: Any, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses ``(*t.shape, 4, 4)`` and body twists ``(order, *t.shape, 6)``.

        Twists by `jounce.algebra.se3.body_twist`, of the quaternion before normalisation.
        """
        t = checked_times(t, order)
        u = (t - self.start) / self._step
        rows = np.array([self._spline(u, nu=k) / self._step**k for k in range(order + 1)])
        jets = [Jet.from_derivatives(rows[..., i]) for i in range(7)]
        pose = pose_of(rows[0, ..., :3], rows[0, ..., 3:])
        if order == 0:
            return pose, np.zeros((0, *t.shape, 6))
        angular, linear = body_twist(Vec3(*jets[:3]), Vec3(*jets[3:6]), jets[6])
        twist = np.array([x.derivatives() for x in (*angular, *linear)])
        return pose, np.ascontiguousarray(np.moveaxis(twist, 0, -1))


class ScrewMotions:
    """From each of the poses ``(n, 4, 4)`` to the next by the one screw that joins them.

    ``T(t) = T_i exp(X_i s)`` between the times ``(n,)``; s rests at every pose, with four
    vanishing derivatives: the joint motion along the path has four continuous derivatives.
    The body twist is ``X_i ṡ``, its derivatives ``X_i s̈``, …, in the world as in the body.

    >>> import numpy as np
    >>> end = np.eye(4)
    >>> end[2, 3] = 1.0
    >>> pose, twists = ScrewMotions([0.0, 2.0], [np.eye(4), end])(1.0)
    >>> pose[2, 3].round(6), twists.shape
    (np.float64(0.5), (4, 6))
    """

    def __init__(self, times: Any, poses: Any) -> None:
        self.times, self.poses = _checked_samples(times, poses)
        self.start, self.end = self.times[[0, -1]].tolist()
        steps = np.linalg.solve(self.poses[:-1], self.poses[1:])
        self.screws = pose_logarithm(steps)

    def __call__(self, t: Any, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses ``(*t.shape, 4, 4)`` and body twists ``(order, *t.shape, 6)``."""
        t = checked_times(t, order)
        part = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.screws) - 1)
        length = np.diff(self.times)[part]
        tau = np.clip((t - self.times[part]) / length, 0.0, 1.0)
        s = [row / length**m for m, row in enumerate(REST_TO_REST(tau, order=order)[..., 0])]
        X = self.screws[part]
        pose = self.poses[part] @ pose_exponential(X * s[0][..., None])
        twists = np.array([X * rate[..., None] for rate in s[1:]]).reshape(order, *t.shape, 6)
        return pose, twists


def read_poses(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return times ``(n,)`` and poses ``(n, 4, 4)`` from columns t, x, y, z, qx, qy, qz, qw.

    Quaternions must have unit norm to 1e-6.  Errors say the file and the line.
    """
    lines = csv_rows(Path(path))
    header = lines[0][1] if lines else []
    missing = [name for name in COLUMNS if header.count(name) != 1]
    if missing:
        raise TableError(
            f"{os.fspath(path)}:1: a path has one column each of {', '.join(COLUMNS)}; look at "
            f"{', '.join(missing)}. Columns found: {', '.join(header) or 'none'}."
        )
    order = [header.index(name) for name in COLUMNS]
    rows = [_numbers(f"{os.fspath(path)}:{n}", row, order, len(header)) for n, row in lines[1:]]
    if len(rows) < 2:
        raise TableError(f"{os.fspath(path)}:1: a path needs two poses, got {len(rows)}.")
    values = np.array(rows)
    return values[:, 0], pose_of(values[:, 1:4], values[:, 4:])


def _numbers(where: str, row: list[str], order: list[int], width: int) -> list[float]:
    try:
        values = [float(text) for text in row]
    except ValueError:
        values = []
    if len(values) != width or not np.isfinite(values).all():
        raise TableError(f"{where}: expected {width} finite numbers, got {', '.join(row)!r}.")
    picked = [values[i] for i in order]
    unit_norms(f"{where}: the quaternion (qx qy qz qw)", np.array(picked[4:]), TableError)
    return picked


def _checked_samples(times: Any, poses: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return increasing times ``(n,)`` and poses ``(n, 4, 4)``, two or more."""
    times, poses = as_floats("times", times), checked_poses("poses", poses)
    if times.ndim != 1 or len(times) < 2 or poses.shape != (len(times), 4, 4):
        raise ShapeError(
            f"a path needs times (n,) and poses (n, 4, 4) with n ≥ 2, got {times.shape} and "
            f"{poses.shape}."
        )
    check_finite("times", times)
    check_increasing("times", times)
    return times, poses


def _same_side(poses: np.ndarray) -> np.ndarray:
    """Return quaternions whose signs follow each other."""
    quaternions = quaternion_of(poses[:, :3, :3])
    cosines = np.sum(quaternions[1:] * quaternions[:-1], axis=1)  # of half the angles
    k = int(np.argmin(np.abs(cosines)))
    if abs(cosines[k]) < 0.5:
        raise ArgumentError(
            f"the path turns more than 120° from pose {k} to pose {k + 1}; give poses between them."
        )
    return continuous(quaternions)
