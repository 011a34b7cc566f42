"""Inertias that no force can tell apart, from a regressor at random motions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from jounce.api.partials import motor_signals
from jounce.dynamics.regressor import regressor
from jounce.model.configuration import integrate
from jounce.model.robot import Robot

Array = np.ndarray


def numerical_null_space(
    robot: Robot, rng: np.random.Generator, tolerance: float, motors: Sequence[str] = ()
) -> Array:
    """Return changes of the parameters that change no force, as columns ``(parameters, r)``.

    With W the stacked regressor of random motions, its columns scaled to unit length by D,
    ``W D⁻¹ P = Q (R₁ R₂)``: the columns of ``D⁻¹ P (−R₁⁻¹ R₂; 1)``.  Pivots below ``tolerance``
    of the first count as zero.
    """
    W = random_regressor(robot, rng, motors)
    lengths = np.linalg.norm(W, axis=0)
    scales = np.where(lengths > tolerance * lengths.max(initial=0.0), lengths, np.inf)
    pivots, share = pivoted(W / scales, tolerance)  # columns of zeros come last
    rank, rest = share.shape
    vectors = np.zeros((rank + rest, rest))
    vectors[pivots[:rank]] = -share
    vectors[pivots[rank:]] = np.eye(rest)
    finite = np.where(np.isfinite(scales), scales, 1.0)
    return np.linalg.qr(vectors / finite[:, None])[0] if rest else vectors


def pivoted(X: Array, tolerance: float) -> tuple[Array, Array]:
    """Return P and ``R₁⁻¹ R₂`` of ``X P = Q (R₁ R₂)``: columns that P puts last are X₁ times it.

    Pivots below ``tolerance`` of the first count as zero.
    """
    factors: Any = qr(X, mode="r", pivoting=True)
    R, pivots = factors
    sizes = np.abs(np.diag(R))
    rank = int(np.sum(sizes > tolerance * sizes.max(initial=0.0)))
    return pivots, solve_triangular(R[:rank, :rank], R[:rank, rank:])


def random_regressor(robot: Robot, rng: np.random.Generator, motors: Sequence[str] = ()) -> Array:
    """Return the regressors of random motions on top of one another, ``(rows, parameters)``.

    ``motors`` are the kinds of motor parameters whose columns follow.
    """
    samples = max(20, -(-3 * robot.n_parameters // max(robot.nv, 1)))
    start = np.broadcast_to(robot.neutral, (samples, robot.nq))
    q = integrate(robot, start, rng.uniform(-3.0, 3.0, (samples, robot.nv)))
    v, a = rng.normal(size=(2, samples, robot.nv)) * 3.0
    (row,) = regressor(robot, list(q.T), [list(v.T), list(a.T)])
    columns = [np.broadcast_to(x, samples) for x in row]
    Y = np.stack(columns, axis=-1).reshape(1, samples, robot.nv, robot.n_parameters)
    signals = motor_signals(robot, motors, [v, a]).values()
    full = np.concatenate([Y, *(x[..., None] * np.eye(robot.nv) for x in signals)], axis=-1)
    return np.ascontiguousarray(full.reshape(samples * robot.nv, -1))
