"""Cosine motions, among them the one that the papers use for their examples."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats, check_finite
from jounce.trajectory.fourier import Fourier

# The motion of the seven joints of the Panda: greatest speed with its sign, and period.
PAPERS_SPEEDS = (2.21, -2.21, 1.2, -2.1, -2.3, 2.1, -2.5)  # rad/s
PAPERS_PERIODS = (3.68, 2.04, 2.98, 1.75, 4.43, 2.749, 1.06)  # s


def cosine(speeds: Any, periods: Any, q0: Any = 0.0) -> Fourier:
    """Return the motion ``q_i(t) = q0_i − (s_i / ω_i) cos(ω_i t)`` with ``ω_i = 2π / T_i``.

    ``speeds`` s, in rad/s or m/s, and ``periods`` T, in s, have shape ``(n,)``.  The velocity is
    ``s_i sin(ω_i t)``: each coordinate starts at rest, and its greatest speed is ``|s_i|``.
    """
    speeds, periods = as_floats("speeds", speeds), as_floats("periods", periods)
    if speeds.ndim != 1 or speeds.shape != periods.shape:
        raise ShapeError(
            "speeds and periods must have the same shape (n,), "
            f"got {speeds.shape} and {periods.shape}."
        )
    check_finite("periods", periods)
    if np.any(periods <= 0.0):
        raise ShapeError(f"periods must be positive, got {periods.tolist()}.")
    return Fourier(np.zeros((1, speeds.size)), speeds[None], 2.0 * pi / periods, q0)


def papers_motion(n: int = 7) -> Fourier:
    """Return the cosine motion of the examples of [KM21], [MK21] and [M20] for n joints.

    ``q_i(t) = −(s_i / ω_i) cos(ω_i t)``, ``ω_i = 2π / T_i``, with, for the joints 1 … 7,

        s = 2.21, −2.21, 1.2, −2.1, −2.3, 2.1, −2.5  rad/s
        T = 3.68,  2.04, 2.98, 1.75, 4.43, 2.749, 1.06  s

    The papers only cite the motion: [M20, VI] and [KM21, IV] as equation (31) of Gaz et al.,
    Dynamic identification of the Franka Emika Panda robot, IEEE Robotics and Automation Letters
    4(4), 2019; the numbers are those of the authors' programs, recovered from their output.
    Fewer joints take the first n; from the eighth on the seven are repeated.

    >>> q, v = papers_motion(2)(0.0, order=1)
    >>> v
    array([0., 0.])
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ShapeError(f"n must be an integer ≥ 1, the number of joints, got {n!r}.")
    return cosine(np.resize(PAPERS_SPEEDS, n), np.resize(PAPERS_PERIODS, n))
