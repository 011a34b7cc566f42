"""Public functions: partials of matrices by state and by inertial parameters, second partials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.api.call import evaluate
from jounce.kernels.description import kernel_spec
from jounce.kernels.table import QUANTITIES
from jounce.kernels.uncompiled import (
    MEMORY_LIMIT,
    check_memory,
    compiles_in_seconds,
    run_uncompiled,
)
from jounce.model.robot import Robot


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
    by_q, by_v = _tensor(
        robot, "coriolis_partials", (q, v), memory_limit, factorization=factorization
    )
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
    name = "coriolis_parameter_partials"
    return _tensor(robot, name, (q, v), memory_limit, factorization=factorization)[0]


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
    return _tensor(robot, "jacobian_partials", (q, *rates), memory_limit, **options)


def com_jacobian_partials(
    robot: Robot, q: Any, *rates: Any, memory_limit: int = MEMORY_LIMIT
) -> np.ndarray:
    """Return ∂J/∂q, ∂(dJ/dt)/∂q, ... of the centre of mass, ``(K + 1, *batch, 3, nv, nv)``.

    J itself, `com_jacobian`, has the partials of the centre of mass.

    >>> import jounce
    >>> arm, q, v = jounce.load("planar2r"), [0.1, 0.2], [1, 2]
    >>> dJ = jounce.com_jacobian_partials(arm, q)[0]
    >>> bool(abs(dJ @ v - jounce.com_jacobian(arm, q, v)[1]).max() < 1e-15)
    True
    """
    return _tensor(robot, "com_jacobian_partials", (q, *rates), memory_limit)


def inverse_dynamics_second_partials(
    robot: Robot, q: Any, v: Any, a: Any, *, memory_limit: int = MEMORY_LIMIT
) -> SecondPartials:
    """Return the second partials of Q by q and q, v and v, q and v, a and q.

    Coordinates of spherical and free joints vary by the increment of `jounce.integrate`.  Such
    increments do not commute: ``qq[i, j, k]`` is the partial by k of that by j.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> second = jounce.inverse_dynamics_second_partials(arm, [0.1, 0.2], [1, 2], [3, 4])
    >>> bool(abs(second.aq - jounce.mass_matrix_partials(arm, [0.1, 0.2])).max() < 1e-15)
    True
    """
    name = "inverse_dynamics_second_partials"
    return SecondPartials(*_tensor(robot, name, (q, v, a), memory_limit))


def _tensor(
    robot: Robot, name: str, motion: Sequence[Any], memory_limit: int, **options: str
) -> np.ndarray:
    """Return the rows of a quantity: compiled, unless the robot is too large for it."""
    order = len(motion) - 1 - QUANTITIES[name].extra_rates
    spec = kernel_spec(robot, name, order, (), options)
    check_memory(spec, motion, memory_limit)
    if compiles_in_seconds(spec):
        return evaluate(robot, name, motion, None, **options)
    return run_uncompiled(spec, motion)
