"""Taylor coefficients of the parts of a state: products, integrals, rotations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import factorial

import numpy as np

from jounce.model.robot import Robot

Series = tuple[np.ndarray, ...]  # Taylor coefficients (order + 1, width) of every part of a state


def are_finite(parts: Iterable[np.ndarray]) -> bool:
    """Tell whether all numbers are finite."""
    return all(np.isfinite(part).all() for part in parts)


def evaluate(series: np.ndarray, h: float) -> np.ndarray:
    """Return the sum of Taylor coefficients times powers of h; the first is added last."""
    return h ** _counts(len(series) - 1)[:, 0] @ series[1:] + series[0]


def padded(forces: np.ndarray, count: int) -> np.ndarray:
    """Return exactly ``count`` derivatives of the forces, missing ones zero."""
    if len(forces) == count:
        return forces
    rows = np.zeros((count, forces.shape[-1]))
    rows[: min(count, len(forces))] = forces[:count]
    return rows


def coefficients(start: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients from a value and its derivatives."""
    result = np.empty((len(rates) + 1, start.size))
    result[0] = start
    np.multiply(rates, _inverse_factorials(len(rates)), out=result[1:])
    return result


def derivatives(series: np.ndarray) -> np.ndarray:
    """Return the derivatives from Taylor coefficients."""
    return series * np.array([[float(factorial(k))] for k in range(len(series))])


def integrated(start: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients of the integral, as many as the rate has."""
    result = np.empty(rate.shape)
    result[0] = start
    np.divide(rate[:-1], _counts(len(rate) - 1), out=result[1:])
    return result


@cache
def _inverse_factorials(count: int) -> np.ndarray:
    return np.array([[1.0 / factorial(k + 1)] for k in range(count)])


@cache
def _counts(count: int) -> np.ndarray:
    return np.arange(1.0, count + 1.0)[:, None]


def configuration_series(robot: Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return Taylor coefficients of q from those of v; quaternions by ``q' = ½ q ∘ ω``."""
    if robot.nq == robot.nv:
        return integrated(q, v)
    result = np.zeros((len(v), robot.nq))
    result[0] = q
    for joint in robot.joints:
        own, rate = result[:, joint.q_slice], v[:, joint.v_slice]
        if joint.kind == "spherical":
            _quaternion_series(own, rate)
        elif joint.kind == "free":
            _quaternion_series(own[:, 3:], rate[:, :3])
            own[:, :3] = integrated(own[0, :3], _rotated(own[:, 3:], rate[:, 3:]))
        elif joint.mimic is None:
            own[:] = integrated(own[0], rate)
    return result


def _quaternion_series(q: np.ndarray, w: np.ndarray) -> None:
    """Fill in the coefficients after the first: ``(k + 1) q_{k+1} = ½ Σ q_i ∘ ω_{k−i}``."""
    turn = np.zeros((len(w), 4, 4))  # right multiplication by ω as a matrix
    x, y, z = w.T
    turn[:, 0, 1:] = np.stack([z, -y, x], axis=1)
    turn[:, 1, 2:] = np.stack([x, y], axis=1)
    turn[:, 2, 3] = z
    turn -= np.swapaxes(turn, 1, 2)
    for k in range(len(q) - 1):
        q[k + 1] = np.einsum("kij,kj->i", turn[k::-1], q[: k + 1]) * (0.5 / (k + 1))


def _rotated(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the coefficients of ``q ∘ x ∘ q*``."""
    half = _series_product(q, np.c_[x, np.zeros(len(x))])
    return _series_product(half, q * np.array([-1.0, -1.0, -1.0, 1.0]))[:, :3]


def _series_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the coefficients of the product of quaternions."""
    u, s, v, t = a[:, None, :3], a[:, None, 3:], b[None, :, :3], b[None, :, 3:]
    pairs = np.concatenate(
        [s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, axis=-1, keepdims=True)], axis=-1
    )
    return np.array([pairs[: k + 1, : k + 1][::-1].trace() for k in range(len(a))])
