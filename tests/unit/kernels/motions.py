"""Motions to test kernels with, and the text of a kernel run on plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.kernels.description import run_text
from jounce.kernels.kernel import Kernel
from jounce.model.robot import Robot


def random_motion(
    robot: Robot, order: int, rng: np.random.Generator, batch: tuple[int, ...] = ()
) -> list[np.ndarray]:
    """Return q and ``order + 2`` rates."""
    count = int(np.prod(batch, dtype=int))
    rows = [robot.random_configuration(rng) for _ in range(count)]
    q = np.array(rows).reshape(*batch, robot.nq)
    return [q, *(rng.normal(size=(*batch, robot.nv)) for _ in range(order + 2))]


def by_text(kernel: Kernel, *arrays: Any) -> np.ndarray:
    """Run the text of a kernel on numbers: no tracing, no compiler, no interpreter."""
    values = [float(x) for array in arrays for x in np.ravel(array)]
    rows = [np.array(row, dtype=float) for row in run_text(kernel.spec, values)]
    return np.array(rows).reshape(kernel.signature.rows, *kernel.signature.tail)
