"""Truncated Taylor series in time as arrays, lowest order first on axis 0.

`jounce.algebra.jet` is the same for scalars of any kind; here one operation of NumPy serves all
components, which is what simulation and the closed form need.
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np

from jounce.algebra.rigid import conjugate, multiply

Array = np.ndarray
Series = tuple[Array, ...]  # coefficients (order + 1, width) of every part of a state


def coefficients(start: Array, rates: Array) -> Array:
    """Return Taylor coefficients from a value and its derivatives."""
    result = np.empty((len(rates) + 1, *np.shape(rates)[1:]))
    result[0] = start
    np.multiply(rates, _inverse_factorials(len(rates), np.ndim(rates)), out=result[1:])
    return result


def derivatives(series: Array) -> Array:
    """Return the derivatives from Taylor coefficients."""
    factors = np.array([float(factorial(k)) for k in range(len(series))])
    return series * factors.reshape(-1, *[1] * (series.ndim - 1))


def differentiated(series: Array) -> Array:
    """Return Taylor coefficients of the time derivative, one fewer."""
    return series[1:] * _counts(len(series) - 1, series.ndim)


def integrated(start: Array, rate: Array) -> Array:
    """Return Taylor coefficients of the integral, as many as the rate has."""
    result = np.empty(rate.shape)
    result[0] = start
    np.divide(rate[:-1], _counts(len(rate) - 1, rate.ndim), out=result[1:])
    return result


def evaluate(series: Array, h: float) -> Array:
    """Return the sum of coefficients ``(order + 1, width)`` times powers of h, the first last."""
    return h ** _counts(len(series) - 1, 1) @ series[1:] + series[0]


def quaternion_series(start: Array, w: Array) -> Array:
    """Return the coefficients of ``q' = ½ q ∘ ω``: ``(k + 1) q_{k+1} = ½ Σ q_i ∘ ω_{k−i}``."""
    turn = np.zeros((len(w), 4, 4))  # right multiplication by ω as a matrix
    x, y, z = w.T
    turn[:, 0, 1:] = np.stack([z, -y, x], axis=1)
    turn[:, 1, 2:] = np.stack([x, y], axis=1)
    turn[:, 2, 3] = z
    turn -= np.swapaxes(turn, 1, 2)
    q = np.empty((len(w), 4))
    q[0] = start
    for k in range(len(q) - 1):
        q[k + 1] = np.einsum("kij,kj->i", turn[k::-1], q[: k + 1]) * (0.5 / (k + 1))
    return q


def rotated(q: Array, x: Array) -> Array:
    """Return the coefficients of ``q ∘ x ∘ q*``, of quaternions and vectors."""
    half = _quaternion_product(q, np.c_[x, np.zeros(len(x))])
    return _quaternion_product(half, conjugate(q))[:, :3]


def _quaternion_product(a: Array, b: Array) -> Array:
    pairs = multiply(a[:, None], b[None])
    return np.array([pairs[: k + 1, : k + 1][::-1].trace() for k in range(len(a))])


@cache
def _inverse_factorials(count: int, axes: int) -> Array:
    return np.array([1.0 / factorial(k + 1) for k in range(count)]).reshape(-1, *[1] * (axes - 1))


@cache
def _counts(count: int, axes: int) -> Array:
    return np.arange(1.0, count + 1.0).reshape(-1, *[1] * (axes - 1))
