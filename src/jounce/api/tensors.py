"""Public functions: partials of matrices by state and by inertial parameters, second partials.

Compiled code where the robot is small enough to compile it in seconds.  For large ones the
texts of `jounce.dynamics.tensor_arrays` or, where there is none, that of the kernel run on arrays.
All agree to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from jounce.api.call import evaluate
from jounce.dynamics import tensor_arrays
from jounce.dynamics.jacobian import link_columns
from jounce.dynamics.motion import link_motions
from jounce.errors import MemoryLimitError
from jounce.kernels.arrays import check_values, checked_arrays
from jounce.kernels.quantities import (
    QUANTITIES,
    KernelSpec,
    Signature,
    kernel_spec,
    run_text,
    signature,
)
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
ARRAY_TEXTS: dict[str, Callable[..., Any]] = {
    text.__name__: text
    for text in (
        tensor_arrays.mass_matrix_partials,
        tensor_arrays.coriolis_partials,
        tensor_arrays.mass_matrix_parameter_partials,
        tensor_arrays.coriolis_parameter_partials,
        tensor_arrays.gravity_parameter_partials,
    )
}


class SecondPartials(NamedTuple):
    """Second partials of the forces, ``(*batch, nv, nv, nv)`` each.

    ``qq[i, j, k] = ∂²Q_i/∂q_j∂q_k``, likewise vv; ``qv[i, j, k] = ∂²Q_i/∂q_j∂v_k``;
    ``aq[i, j, k] = ∂²Q_i/∂a_j∂q_k = ∂M_ij/∂q_k``.
    """

    qq: np.ndarray
    vv: np.ndarray
    qv: np.ndarray
    aq: np.ndarray


def mass_matrix_partials(robot: Robot, q: Any, *, memory_limit: int = MEMORY_LIMIT) -> np.ndarray:
    """Return ∂M/∂q, ``(*batch, nv, nv, nv)``; the last axis is the coordinate that is varied.

    Coordinates of spherical and free joints vary by the increment of `jounce.integrate`.  A
    result larger than ``memory_limit`` bytes raises MemoryLimitError before anything is done.
    [GOA13, (24a)]

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> dM = jounce.mass_matrix_partials(arm, [0.1, 0.2])
    >>> bool(abs(dM @ [1, 2] - jounce.mass_matrix(arm, [0.1, 0.2], [1, 2])[1]).max() < 1e-15)
    True
    """
    return _tensor(robot, "mass_matrix_partials", (q,), memory_limit)[0]


def coriolis_partials(
    robot: Robot,
    q: Any,
    v: Any,
    factorization: str = "passive",
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ∂C/∂q and ∂C/∂v, ``(*batch, nv, nv, nv)`` each; the last axis is what is varied.

    [GOA13, (24b, c)]

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> dC_dq, dC_dv = jounce.coriolis_partials(arm, [0.1, 0.2], [1, 2])
    >>> C, C1 = jounce.coriolis_matrix(arm, [0.1, 0.2], [1, 2], [3, 4])
    >>> bool(abs(dC_dq @ [1, 2] + dC_dv @ [3, 4] - C1).max() < 1e-14)
    True
    """
    options = {"factorization": factorization}
    by_q, by_v = _tensor(robot, "coriolis_partials", (q, v), memory_limit, options)
    return by_q, by_v


def gravity_partials(robot: Robot, q: Any, *, memory_limit: int = MEMORY_LIMIT) -> np.ndarray:
    """Return ∂g/∂q, ``(*batch, nv, nv)``; the last axis is what is varied [GOA13, (24d)].

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> dg = jounce.gravity_partials(arm, [0.1, 0.2])
    >>> bool(abs(dg @ [1, 2] - jounce.gravity_forces(arm, [0.1, 0.2], [1, 2])[1]).max() < 1e-14)
    True
    """
    return _tensor(robot, "gravity_partials", (q,), memory_limit)[0]


def mass_matrix_parameter_partials(
    robot: Robot, q: Any, *, memory_limit: int = MEMORY_LIMIT
) -> np.ndarray:
    """Return ∂M/∂π, ``(*batch, nv, nv, 10 n_bodies)`` [GOA13, (13a)]; motor inertias are no part.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> M = jounce.mass_matrix_parameter_partials(arm, [0.1, 0.2]) @ jounce.parameters(arm)
    >>> bool(abs(M - jounce.mass_matrix(arm, [0.1, 0.2])[0]).max() < 1e-14)
    True
    """
    return _tensor(robot, "mass_matrix_parameter_partials", (q,), memory_limit)[0]


def coriolis_parameter_partials(
    robot: Robot,
    q: Any,
    v: Any,
    factorization: str = "passive",
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> np.ndarray:
    """Return ∂C/∂π, ``(*batch, nv, nv, 10 n_bodies)`` [GOA13, (13b)].

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> C = jounce.coriolis_parameter_partials(arm, [0.1, 0.2], [1, 2]) @ jounce.parameters(arm)
    >>> bool(abs(C - jounce.coriolis_matrix(arm, [0.1, 0.2], [1, 2])[0]).max() < 1e-14)
    True
    """
    options = {"factorization": factorization}
    return _tensor(robot, "coriolis_parameter_partials", (q, v), memory_limit, options)[0]


def gravity_parameter_partials(
    robot: Robot, q: Any, *, memory_limit: int = MEMORY_LIMIT
) -> np.ndarray:
    """Return ∂g/∂π, ``(*batch, nv, 10 n_bodies)`` [GOA13, (13c)].

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> g = jounce.gravity_parameter_partials(arm, [0.1, 0.2]) @ jounce.parameters(arm)
    >>> bool(abs(g - jounce.gravity_forces(arm, [0.1, 0.2])[0]).max() < 1e-14)
    True
    """
    return _tensor(robot, "gravity_parameter_partials", (q,), memory_limit)[0]


def jacobian_partials(
    robot: Robot,
    frame: str,
    q: Any,
    *rates: Any,
    representation: str = "body",
    memory_limit: int = MEMORY_LIMIT,
) -> np.ndarray:
    """Return ∂J/∂q, ∂(dJ/dt)/∂q, ... of a frame, ``(K + 1, *batch, 6, nv, nv)``.

    The last axis is the coordinate that is varied, the rates being kept [GOA13, (31), (32)].

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> q, v = panda.neutral, [0.1] * 7
    >>> dJ, dJ1 = jounce.jacobian_partials(panda, "flange", q, v)
    >>> J, J1 = jounce.jacobian(panda, "flange", q, v)
    >>> bool(abs(dJ @ v - J1).max() < 1e-15)
    True
    """
    options = {"frame": frame, "representation": representation}
    return _tensor(robot, "jacobian_partials", (q, *rates), memory_limit, options)


def inverse_dynamics_second_partials(
    robot: Robot, q: Any, v: Any, a: Any, *, memory_limit: int = MEMORY_LIMIT
) -> SecondPartials:
    """Return the second partials of Q by q and q, v and v, q and v, a and q.

    For joints whose velocity is dq/dt; spherical and free joints raise UnsupportedError.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> second = jounce.inverse_dynamics_second_partials(arm, [0.1, 0.2], [1, 2], [3, 4])
    >>> bool(abs(second.aq - jounce.mass_matrix_partials(arm, [0.1, 0.2])).max() < 1e-15)
    True
    """
    name = "inverse_dynamics_second_partials"
    return SecondPartials(*_tensor(robot, name, (q, v, a), memory_limit))


def _tensor(
    robot: Robot,
    name: str,
    motion: Sequence[Any],
    memory_limit: int,
    options: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Return the rows of a quantity by its kernel or, for large robots, by its array text."""
    options = options or {}
    order = len(motion) - 1 - QUANTITIES[name].extra_rates
    spec = kernel_spec(robot, name, order, (), options)
    form = signature(spec)
    _check_memory(name, motion, form, memory_limit)
    if _compiles_in_seconds(spec, form):
        return evaluate(robot, name, motion, None, **options)
    arrays, batch = checked_arrays(form, motion)
    check_values(robot, form, arrays)
    rows = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in arrays]
    result = np.empty((form.rows, prod(batch), *form.tail))
    step = _block_rows(robot, form)
    for begin in range(0, prod(batch), step):
        span = slice(begin, begin + step)
        try:
            _write(spec, [x[span] for x in rows], result[:, span])
        except TypeError as error:
            refuse_symbols(robot, error)
            raise
    return result.reshape(form.rows, *batch, *form.tail)


def _write(spec: KernelSpec, motion: Sequence[np.ndarray], result: np.ndarray) -> None:
    """Write the rows of a quantity without a compiler, for ``(samples, width)`` arrays."""
    text = ARRAY_TEXTS.get(spec.quantity)
    if text is not None:
        result[...] = text(lowered(spec.robot), *motion, **dict(spec.options))
        return
    table = run_text(spec, [column for x in motion for column in x.T])
    for rows, entries in zip(result, table, strict=True):
        for place, entry in zip(np.ndindex(rows.shape[1:]), entries, strict=True):
            rows[(slice(None), *place)] = entry


def _compiles_in_seconds(spec: KernelSpec, form: Signature) -> bool:
    counts, frame = _velocities(spec.robot), dict(spec.options).get("frame")
    if frame is not None:  # of a Jacobian: what is between it and the ground counts
        body = spec.robot.frame(frame).body
        count = counts[lowered(spec.robot).body_links[body]] if body >= 0 else 0
        return form.rows * count**3 <= COMPILED_ENTRIES
    few = sum(n * n for n in counts) <= FEWER_PAIRS.get(spec.quantity, COMPILED_PAIRS)
    return few and form.rows * prod(form.tail) <= COMPILED_ENTRIES


def _block_rows(robot: Robot, form: Signature) -> int:
    """Return how many samples to take at once: a few nv³, nv² and a result are held for each."""
    numbers = 3 * robot.nv**3 + 32 * robot.nv**2 + form.rows * prod(form.tail)
    return max(1, BLOCK_BYTES // (8 * numbers + 1))


@lru_cache(maxsize=64)
def _velocities(robot: Robot) -> tuple[int, ...]:
    """Return the number of velocities that move each link."""
    tree = lowered(robot)
    columns = link_columns(tree, link_motions(tree, list(robot.neutral), []))
    return tuple(len(own) for own in columns)


def _check_memory(name: str, motion: Sequence[Any], form: Signature, limit: int) -> None:
    """Raise before anything is allocated if a result would be larger than the limit."""
    try:
        batch = np.broadcast_shapes(*(np.shape(x)[:-1] for x in motion))
    except ValueError:
        return  # the checks of the arrays say what is wrong
    size = 8 * form.rows * prod(batch) * prod(form.tail)
    if not size <= limit:
        each = f"{form.rows} × " * (form.rows > 1) + f"{(*batch, *form.tail)}"
        raise MemoryLimitError(
            f"{name} would take {_spelled(size)} ({each} float64), more than memory_limit = "
            f"{_spelled(limit)}. Give fewer samples at once, or a larger memory_limit in bytes."
        )


def _spelled(size: float) -> str:
    """Spell a number of bytes."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"
