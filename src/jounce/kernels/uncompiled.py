"""Results without a compiler, for robots so large that compiling takes longer than computing.

Where `jounce.dynamics.tensor_arrays` has a text of that name, for a tree and arrays, that one runs;
else the text of the kernel, on arrays.  They agree with compiled code to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from jounce.dynamics import tensor_arrays
from jounce.dynamics.motion import moving
from jounce.errors import MemoryLimitError
from jounce.kernels.arrays import check_values, checked_arrays
from jounce.kernels.description import KernelSpec, run_text, signature
from jounce.kernels.table import Signature
from jounce.kernels.tracing import refuse_symbols
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot

MEMORY_LIMIT = 2 << 30  # bytes a result may take unless told otherwise
COMPILED_PAIRS = 1000  # pairs of velocities on the way to the ground, over all links
FEWER_PAIRS = {  # where there is more to compile
    "coriolis_partials": 300,
    "coriolis_parameter_partials": 300,
    "inverse_dynamics_second_partials": 600,
}
COMPILED_ENTRIES = 12_000  # numbers in a result: more take longer to compile than to compute
BLOCK_BYTES = 128 << 20  # intermediate values of samples that are not compiled, beside the result


def compiles_in_seconds(spec: KernelSpec) -> bool:
    """Tell whether the code of a tensor is short enough to compile it."""
    form, counts = signature(spec), _velocities(spec.robot)
    frame = dict(spec.options).get("frame")
    if frame is not None:  # of a Jacobian: what is between it and the ground counts
        body = spec.robot.frame(frame).body
        count = counts[lowered(spec.robot).body_links[body]] if body >= 0 else 0
        return form.rows * count**3 <= COMPILED_ENTRIES
    few = sum(n * n for n in counts) <= FEWER_PAIRS.get(spec.quantity, COMPILED_PAIRS)
    return few and form.rows * prod(form.tail) <= COMPILED_ENTRIES


def run_uncompiled(spec: KernelSpec, motion: Sequence[Any]) -> np.ndarray:
    """Return the rows of a quantity, everything checked, a block of samples at a time."""
    form = signature(spec)
    arrays, batch = checked_arrays(form, motion)
    check_values(spec.robot, form, arrays)
    pairs = zip(form.arguments, arrays, strict=True)
    parts = [(x, a.width) for a, array in pairs for x in (array if a.orders else (array,))]
    count, step = prod(batch), _block_rows(spec.robot, form)
    rows = [np.broadcast_to(x, (*batch, width)).reshape(count, width) for x, width in parts]
    result = np.empty((form.rows, count, *form.tail))
    for begin in range(0, count, step):
        span = slice(begin, begin + step)
        try:
            _write(spec, [x[span] for x in rows], result[:, span])
        except TypeError as error:
            refuse_symbols(spec.robot, error)
            raise
    return result.reshape(form.rows, *batch, *form.tail)


def _write(spec: KernelSpec, motion: Sequence[np.ndarray], result: np.ndarray) -> None:
    """Write the rows of a quantity for ``(samples, width)`` arrays."""
    text = getattr(tensor_arrays, spec.quantity, None)
    if text is not None:
        result[...] = text(lowered(spec.robot), *motion, **dict(spec.options))
        return
    table = run_text(spec, [column for x in motion for column in x.T])
    for rows, entries in zip(result, table, strict=True):
        for place, entry in zip(np.ndindex(rows.shape[1:]), entries, strict=True):
            rows[(slice(None), *place)] = entry


def _block_rows(robot: Robot, form: Signature) -> int:
    """Return how many samples to take at once: a few nv³, nv² and a result are held for each."""
    numbers = 3 * robot.nv**3 + 32 * robot.nv**2 + form.rows * prod(form.tail)
    return max(1, BLOCK_BYTES // (8 * numbers + 1))


@lru_cache(maxsize=64)
def _velocities(robot: Robot) -> tuple[int, ...]:
    """Return the number of velocities that move each link."""
    columns = moving(lowered(robot), list(robot.neutral)).columns
    return tuple(len(own) for own in columns)


def check_memory(spec: KernelSpec, motion: Sequence[Any], limit: int) -> None:
    """Raise before anything is allocated if a result would be larger than the limit."""
    form = signature(spec)
    try:
        batch = np.broadcast_shapes(*(np.shape(x)[:-1] for x in motion))
    except ValueError:
        return  # the checks of the arrays say what is wrong
    size = 8 * form.rows * prod(batch) * prod(form.tail)
    if not size <= limit:
        each = f"{form.rows} × " * (form.rows > 1) + f"{(*batch, *form.tail)}"
        raise MemoryLimitError(
            f"{spec.quantity} would take {_spelled(size)} ({each} float64), more than "
            f"memory_limit = {_spelled(limit)}. Give fewer samples at once, or a larger "
            "memory_limit in bytes."
        )


def _spelled(size: float) -> str:
    """Spell a number of bytes."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"
