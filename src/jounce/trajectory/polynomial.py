"""Polynomials in time."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, inf, perm
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import ShapeError
from jounce.model.checks import as_floats
from jounce.trajectory.protocol import checked_duration, checked_time, checked_times, frozen_rows

if TYPE_CHECKING:
    from jounce.trajectory.spline.spline import Spline


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Polynomial:
    """``q(t) = Σ_k coefficients[k] (t − t0)^k``, for every coordinate its own coefficients.

    ``coefficients`` has shape ``(degree + 1, n)``, lowest power first.  The derivatives are
    ``q^(m)(t) = Σ_{k≥m} k!/(k−m)! coefficients[k] (t − t0)^(k−m)``, by Horner's scheme.
    ``duration`` says how long the motion lasts from ``t0`` on; it limits nothing.

    >>> ramp = Polynomial([[1.0, 0.0], [0.5, -2.0]], t0=1.0)
    >>> ramp(3.0, order=1)
    array([[ 2. , -4. ],
           [ 0.5, -2. ]])
    """

    coefficients: np.ndarray
    t0: float
    duration: float

    def __init__(self, coefficients: Any, t0: float = 0.0, *, duration: float = inf) -> None:
        put = object.__setattr__
        put(self, "coefficients", frozen_rows("coefficients", coefficients, "degree + 1"))
        put(self, "t0", checked_time("t0", t0))
        put(self, "duration", inf if duration == inf else checked_duration("duration", duration))

    def __str__(self) -> str:
        rows, n = self.coefficients.shape
        end = "" if self.duration == inf else f" … {self.t0 + self.duration:g}"
        return f"polynomial of degree {rows - 1}: {n} coordinates, from {self.t0:g}{end} s"

    @classmethod
    def from_derivatives(cls, q: Any, *rates: Any, t0: float = 0.0) -> Polynomial:
        """Return the Taylor polynomial with the given position and rates at ``t0``.

        ``q`` and each of the rates has shape ``(n,)``; ``coefficients[k] = q^(k)(t0) / k!``.
        """
        rows = [as_floats(f"derivative {k}", x) for k, x in enumerate((q, *rates))]
        for k, row in enumerate(rows):
            if row.ndim != 1 or row.shape != rows[0].shape:
                raise ShapeError(
                    f"every derivative must have the shape (n,) of q, {rows[0].shape}; "
                    f"derivative {k} has {row.shape}."
                )
        return cls(np.array([row / factorial(k) for k, row in enumerate(rows)]), t0)

    @staticmethod
    def rest_to_rest(
        q0: Any, q1: Any, duration: float, *, smoothness: int = 4, t0: float = 0.0
    ) -> Spline:
        """Return the polynomial from q0 to q1 whose derivatives 1 … smoothness vanish at the ends.

        Its degree is ``2 s + 1``, s being the smoothness: 1 is the cubic, 2 starts and ends
        without acceleration, 4 without snap.  It is kept as Bernstein polynomials, whose
        coefficients are q0 and q1, because powers of t lose all digits for large s; hence the
        type, a `Spline` of one piece, defined from ``t0`` to ``t0 + duration``.

        >>> move = Polynomial.rest_to_rest([0.0], [2.0], 4.0)
        >>> move([0.0, 2.0, 4.0], order=0)[0, :, 0]
        array([0., 1., 2.])
        """
        t0, duration = checked_time("t0", t0), checked_duration("duration", duration)
        return Polynomial.through([t0, t0 + duration], [q0, q1], smoothness=smoothness)

    @staticmethod
    def through(
        times: Any, points: Any, *, smoothness: int = 4, start: Any = None, end: Any = None
    ) -> Spline:
        """Return the smoothest motion through points, at rest at both ends unless told.

        It is a polynomial of degree ``2 s + 1`` between one point and the next, s being the
        smoothness.  ``points`` have shape ``(m, n)``, ``times`` ``(m,)``.  ``start`` and
        ``end``, of shape ``(≤ s, n)``, are the derivatives 1, 2, … there; those up to s that are
        not given vanish.  Derivatives up to 2 s are continuous, and no other motion through these
        points with these ends has a smaller ``∫ (q^(s+1))² dt``: smoothness 2 is minimum jerk,
        3 minimum snap.
        """
        from jounce.trajectory.spline.spline import through_points

        return through_points(times, points, smoothness, start, end)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.coefficients.shape[1]

    @property
    def degree(self) -> int:
        """Highest power of t."""
        return self.coefficients.shape[0] - 1

    def __call__(self, t: Any, order: int = 4) -> np.ndarray:
        """Return the derivatives 0 … order at the times t, ``(order + 1, *t.shape, n)``."""
        elapsed = (checked_times(t, order) - self.t0)[..., None]
        result = np.zeros((order + 1, *elapsed.shape[:-1], self.n))
        for m in range(min(order, self.degree) + 1):
            for k in range(self.degree, m - 1, -1):
                result[m] *= elapsed
                result[m] += perm(k, m) * self.coefficients[k]
        return result
