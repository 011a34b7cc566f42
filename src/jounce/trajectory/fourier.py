"""Finite Fourier series in time, among them the cosines that the papers use as examples."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from jounce.errors import ArgumentError, ShapeError
from jounce.model.checks import as_floats, check_finite, checked_integer
from jounce.trajectory.protocol import checked_times, frozen, frozen_rows, per_coordinate

# The motion of the seven joints of the Panda: greatest speed with its sign, and period.
PAPERS_SPEEDS = (2.21, -2.21, 1.2, -2.1, -2.3, 2.1, -2.5)  # rad/s
PAPERS_PERIODS = (3.68, 2.04, 2.98, 1.75, 4.43, 2.749, 1.06)  # s


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Fourier:
    """A periodic motion as used to excite a robot for identification.

    With a and b of shape ``(harmonics, n)``, in rad/s (or m/s), the *velocity* is the Fourier
    series with these coefficients, and the position its integral (Swevers et al., Optimal robot
    excitation and identification, IEEE Trans. Robotics and Automation 13(5), 1997):

        q(t) = q0 + Σ_k [a_k sin(k ω t) − b_k cos(k ω t)] / (k ω),   k = 1 … harmonics
        q^(m)(t) = Σ_k (k ω)^(m−1) [a_k cos^(m−1)(k ω t) + b_k sin^(m−1)(k ω t)],   m ≥ 1

    where the (m−1)-th derivative of sine and cosine shifts the phase by (m−1) π/2, here by
    taking them in turn.  ``omega`` in rad/s is one number, or ``(n,)``, one per coordinate;
    ``q0`` likewise.

    >>> swing = Fourier(a=[[1.0, 0.0]], b=[[0.0, 4.0]], omega=2.0, q0=[0.0, 3.0])
    >>> swing(0.0, order=2)
    array([[0., 1.],
           [1., 0.],
           [0., 8.]])
    """

    a: np.ndarray
    b: np.ndarray
    omega: np.ndarray
    q0: np.ndarray

    def __init__(self, a: Any, b: Any, omega: Any, q0: Any = 0.0) -> None:
        a, b = frozen_rows("a", a, "harmonics"), frozen_rows("b", b, "harmonics")
        if a.shape != b.shape:
            raise ShapeError(
                f"a and b must have the same shape (harmonics, n), got {a.shape} and {b.shape}."
            )
        put = object.__setattr__
        put(self, "a", a)
        put(self, "b", b)
        put(self, "omega", frozen("omega", per_coordinate("omega", omega, a.shape[1])))
        put(self, "q0", frozen("q0", per_coordinate("q0", q0, a.shape[1])))
        if np.any(self.omega <= 0.0):
            raise ArgumentError(f"omega must be positive, got {self.omega.tolist()}.")

    def __str__(self) -> str:
        harmonics = "1 harmonic" if len(self.a) == 1 else f"{len(self.a)} harmonics"
        periods = 2.0 * np.pi / np.array([self.omega.max(), self.omega.min()])
        span = " … ".join(f"{x:.4g}" for x in dict.fromkeys(periods))
        return f"Fourier series: {self.n} coordinates, {harmonics}, periods {span} s"

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.a.shape[1]

    @property
    def harmonics(self) -> int:
        """Number of harmonics."""
        return self.a.shape[0]

    @property
    def period(self) -> np.ndarray:
        """Period ``2π/ω`` of each coordinate, ``(n,)``, in s."""
        return 2.0 * pi / self.omega

    @property
    def duration(self) -> float:
        """One period of the slowest coordinate, in s."""
        return float(self.period.max())

    @property
    def knots(self) -> np.ndarray:
        """Eighths of the shortest period within the duration, in s: they resolve the motion."""
        return np.arange(0.0, self.duration, self.period.min() / (8 * self.harmonics))

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``."""
        times = checked_times(t, order)[..., None]
        result = np.zeros((order + 1, *times.shape[:-1], self.n))
        result[0] = self.q0
        for k, (a, b) in enumerate(zip(self.a, self.b, strict=True), start=1):
            rate = k * self.omega
            sine, cosine = np.sin(rate * times), np.cos(rate * times)
            # what the derivative raises: a cos + b sin; its own derivative is quarter turned
            velocity, turned = a * cosine + b * sine, b * cosine - a * sine
            cycle = (-turned, velocity, turned, -velocity)
            for m in range(order + 1):
                result[m] += rate ** (m - 1.0) * cycle[m % 4]
        return result


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
        raise ArgumentError(f"periods must be positive, got {periods.tolist()}.")
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
    n = checked_integer("n, the number of joints,", n, 1)
    return cosine(np.resize(PAPERS_SPEEDS, n), np.resize(PAPERS_PERIODS, n))
