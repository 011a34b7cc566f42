"""Paths of a pose in time, with the twist and its derivatives."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from jounce.algebra.jet import Jet
from jounce.algebra.rigid import continuous, pose_of, quaternion_of
from jounce.algebra.se3 import body_twist
from jounce.algebra.vector import Vec3
from jounce.errors import ShapeError
from jounce.ik.tasks import checked_poses
from jounce.model.checks import as_floats, check_finite
from jounce.trajectory.protocol import checked_times


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

    Position and quaternion are splines of degree 5 (or any odd degree from 3), the quaternion
    is normalised: the path has degree − 1 continuous derivatives.  ``ends="rest"`` starts and
    ends with vanishing velocity and acceleration (degree 5); ``ends="free"`` lets the data
    decide and needs degree + 1 poses.  Turn less than 120° from pose to pose.

    >>> import numpy as np
    >>> end = np.eye(4)
    >>> end[0, 3] = 1.0
    >>> pose, twists = PoseSpline([0.0, 2.0], [np.eye(4), end])(1.0, order=2)
    >>> pose[0, 3].round(6), twists[0, 3].round(6)
    (np.float64(0.5), np.float64(0.9375))
    """

    def __init__(self, times: Any, poses: Any, *, degree: int = 5, ends: str = "rest") -> None:
        from scipy.interpolate import make_interp_spline

        self.times, self.poses = checked_samples(times, poses)
        self.start, self.end = self.times[[0, -1]].tolist()
        if degree not in (3, 5, 7) or ends not in ("rest", "free"):
            raise ShapeError(
                f"degree must be 3, 5 or 7 and ends 'rest' or 'free', got {degree!r} and {ends!r}."
            )
        if ends == "free" and len(self.times) <= degree:
            raise ShapeError(
                f"a spline of degree {degree} with free ends needs {degree + 1} poses, got "
                f"{len(self.times)}; give more, a lower degree, or ends='rest'."
            )
        points = np.concatenate([self.poses[:, :3, 3], _same_side(self.poses)], axis=1)
        zero = [(k, np.zeros(7)) for k in range(1, (degree + 1) // 2)]
        conditions = (zero, zero) if ends == "rest" else None
        self._spline = make_interp_spline(self.times, points, k=degree, bc_type=conditions)

    def __call__(self, t: Any, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses ``(*t.shape, 4, 4)`` and body twists ``(order, *t.shape, 6)``.

        Twists by `jounce.algebra.se3.body_twist`, of the quaternion before normalisation.
        """
        t = checked_times(t, order)
        rows = np.array([self._spline(t, nu=k) for k in range(order + 1)])
        jets = [Jet.from_derivatives(rows[..., i]) for i in range(7)]
        pose = pose_of(rows[0, ..., :3], rows[0, ..., 3:])
        if order == 0:
            return pose, np.zeros((0, *t.shape, 6))
        angular, linear = body_twist(Vec3(*jets[:3]), Vec3(*jets[3:6]), jets[6])
        twist = np.array([x.derivatives() for x in (*angular, *linear)])
        return pose, np.ascontiguousarray(np.moveaxis(twist, 0, -1))


def checked_samples(times: Any, poses: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return increasing times ``(n,)`` and poses ``(n, 4, 4)``, two or more."""
    times, poses = as_floats("times", times), checked_poses("poses", poses)
    if times.ndim != 1 or len(times) < 2 or poses.shape != (len(times), 4, 4):
        raise ShapeError(
            f"a path needs times (n,) and poses (n, 4, 4) with n ≥ 2, got {times.shape} and "
            f"{poses.shape}."
        )
    check_finite("times", times)
    if np.any(np.diff(times) <= 0):
        raise ShapeError(f"times must increase strictly, got {times.tolist()}.")
    return times, poses


def _same_side(poses: np.ndarray) -> np.ndarray:
    """Return quaternions whose signs follow each other."""
    quaternions = quaternion_of(poses[:, :3, :3])
    cosines = np.sum(quaternions[1:] * quaternions[:-1], axis=1)  # of half the angles
    k = int(np.argmin(np.abs(cosines)))
    if abs(cosines[k]) < 0.5:
        raise ShapeError(
            f"the path turns more than 120° from pose {k} to pose {k + 1}; give poses between them."
        )
    return continuous(quaternions)
