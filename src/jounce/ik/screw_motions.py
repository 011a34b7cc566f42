"""Paths made of screw motions from pose to pose."""

from __future__ import annotations

from math import perm
from typing import Any

import numpy as np

from jounce.algebra.rigid import pose_exponential, pose_logarithm
from jounce.ik.pose_paths import checked_samples
from jounce.trajectory.protocol import checked_times

# s(τ) from 0 to 1 with four vanishing derivatives at both ends: the powers 5 … 9 of τ.
REST_TO_REST = {5: 126.0, 6: -420.0, 7: 540.0, 8: -315.0, 9: 70.0}


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
        self.times, self.poses = checked_samples(times, poses)
        self.start, self.end = self.times[[0, -1]].tolist()
        steps = np.linalg.solve(self.poses[:-1], self.poses[1:])
        self.screws = pose_logarithm(steps)

    def __call__(self, t: Any, order: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses ``(*t.shape, 4, 4)`` and body twists ``(order, *t.shape, 6)``."""
        t = checked_times(t, order)
        part = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.screws) - 1)
        length = np.diff(self.times)[part]
        tau = np.clip((t - self.times[part]) / length, 0.0, 1.0)
        s = [
            sum(perm(k, m) * c * tau ** (k - m) for k, c in REST_TO_REST.items() if k >= m)
            / length**m
            for m in range(order + 1)
        ]
        X = self.screws[part]
        pose = self.poses[part] @ pose_exponential(X * s[0][..., None])
        twists = np.array([X * rate[..., None] for rate in s[1:]]).reshape(order, *t.shape, 6)
        return pose, twists
