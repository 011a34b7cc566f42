"""The forces of a logged motion, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np

from jounce.errors import NotFiniteError
from jounce.kernels.kernel import Kernel
from jounce.tables.log import Log, Observe, Part
from jounce.tables.reader import BLOCK
from jounce.tables.table import MotionTable


def log_forces(
    log: Log,
    kernel: Kernel,
    samples: int = BLOCK,
    *,
    part: Part | None = None,
    observe: Observe = nullcontext,
) -> Iterator[MotionTable]:
    """Yield the blocks of a log, or of a part, with the forces that ``kernel`` computes.

    It is one of "inverse_dynamics" of an order that the log has the rates for.
    """
    for table in log.blocks(samples, part):
        with observe("evaluate"):
            forces = kernel(*table.motion)
        if not np.isfinite(forces).all():
            raise NotFiniteError(
                f"torques after t = {table.time[0]:g} s overflow; check the units."
            )
        yield table._replace(forces=forces)


def without_motion(table: MotionTable) -> MotionTable:
    """Return a table of times and forces only."""
    return table._replace(values=table.values[:0], rates=None)
