"""Inertial parameters in the order of Pinocchio and of spatial_v2.

===========  =================================  =======================================
program      ten numbers a body                 about
===========  =================================  =======================================
Jounce       m, m c, Ixx Iyy Izz Ixy Ixz Iyz    the origin of the body frame
Pinocchio    m, m c, Ixx Ixy Iyy Ixz Iyz Izz    the joint frame (``toDynamicParameters``)
spatial_v2   m, m c, Ixx Iyy Izz Iyz Ixz Ixy    the origin of the body frame
===========  =================================  =======================================

A joint frame of Pinocchio is the frame of the body the joint carries.  The columns of a
regressor are reordered like the parameters they multiply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.errors import ArgumentError, ShapeError
from jounce.model.checks import as_floats

# place of each of their numbers among ours
PINOCCHIO = (0, 1, 2, 3, 4, 7, 5, 8, 9, 6)
SPATIAL_V2 = (0, 1, 2, 3, 4, 5, 6, 9, 8, 7)


def to_pinocchio(values: Any, *, bodies: Sequence[int] | None = None) -> np.ndarray:
    """Return parameters, or columns of a regressor, in the order of Pinocchio.

    ``values`` has 10 n numbers on its last axis.  ``bodies`` is the number of our body for each
    of their joints, where the two programs count them differently.

    >>> import jounce
    >>> from jounce.adapters.parameter_order import to_pinocchio
    >>> to_pinocchio([1, 2, 3, 4, 11, 22, 33, 12, 13, 23]).tolist()
    [1.0, 2.0, 3.0, 4.0, 11.0, 12.0, 22.0, 13.0, 23.0, 33.0]
    """
    return _reordered(values, PINOCCHIO, bodies)


def from_pinocchio(values: Any, *, bodies: Sequence[int] | None = None) -> np.ndarray:
    """Return parameters, or columns of a regressor, of Pinocchio in our order."""
    return _reordered(values, PINOCCHIO, bodies, back=True)


def to_spatial_v2(values: Any, *, bodies: Sequence[int] | None = None) -> np.ndarray:
    """Return parameters, or columns of a regressor, in the order of spatial_v2_extended."""
    return _reordered(values, SPATIAL_V2, bodies)


def from_spatial_v2(values: Any, *, bodies: Sequence[int] | None = None) -> np.ndarray:
    """Return parameters, or columns of a regressor, of spatial_v2_extended in our order."""
    return _reordered(values, SPATIAL_V2, bodies, back=True)


def _reordered(
    values: Any, order: Sequence[int], bodies: Sequence[int] | None, *, back: bool = False
) -> np.ndarray:
    """Return the numbers in their order; with ``back`` those in their order in ours."""
    blocks = _blocks(values)
    rows, columns = _bodies(bodies, blocks.shape[-2]), list(order)
    if back:
        rows, columns = np.argsort(rows), np.argsort(columns)
    return np.ascontiguousarray(blocks[..., rows, :][..., columns].reshape(np.shape(values)))


def _blocks(values: Any) -> np.ndarray:
    array = as_floats("parameters", values)
    if array.ndim == 0 or array.shape[-1] % 10:
        raise ShapeError(f"parameters come ten a body on the last axis, got {array.shape}.")
    return array.reshape(*array.shape[:-1], array.shape[-1] // 10, 10)


def _bodies(bodies: Sequence[int] | None, count: int) -> list[int]:
    given = range(count) if bodies is None else bodies
    try:
        numbers = list(given)
        each_once = len(numbers) == count and set(numbers) == set(range(count))
    except TypeError:
        numbers, each_once = [], False
    if not each_once:
        raise ArgumentError(f"bodies must number each of the {count} bodies once, got {given!r}.")
    return [int(b) for b in numbers]
