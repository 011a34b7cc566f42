"""How far the end of a window is felt by a spline: the overlap that streaming needs."""

from __future__ import annotations

import numpy as np

from jounce.trajectory.spline.fit import System, divided, system_of

GRID_GAP = 4.0  # knots without a sample that a smoothing spline still bridges
SAMPLE_GAP = 20.0  # median steps that an interpolating spline still bridges
FELT = 1e-14  # of what happens at the end


def reach(degree: int, penalty: np.ndarray) -> int:
    """Return how many knots away the end of the samples is not felt any more.

    A change of the equations at the end changes the coefficients by the first columns of
    ``(BᵀB + λ P)⁻¹``, which fall off geometrically.  How fast is measured on the most
    unfavourable samples that are still connected: one in GRID_GAP knots for knots on a grid,
    steps anywhere between one and SAMPLE_GAP for knots at the samples.
    """
    if penalty.any():
        ends = {float(penalty.min()), float(penalty.max())}
        return max(_measured(degree, value, _sparse) for value in ends)
    return _measured(degree, 0.0, _uneven)


def _sparse(knots: int, degree: int) -> System:
    return system_of(np.arange(0.5, knots, GRID_GAP), degree, penalised=True)


def _uneven(knots: int, degree: int) -> System:
    steps = SAMPLE_GAP ** np.random.default_rng(0).random(knots)
    return system_of(np.cumsum(steps), degree, penalised=False)


def _measured(degree, penalty, make) -> int:
    knots = 256
    while True:
        system = make(knots, degree)
        size = system.gram.shape[1]
        columns = divided(system.factor(penalty), np.eye(size, degree + 1))
        felt = np.flatnonzero(np.abs(columns).max(axis=1) > FELT * np.abs(columns).max())
        if felt[-1] < 0.75 * size:
            return int(felt[-1]) + degree + 1
        knots *= 2
