"""Placements: rigid motions as users give them, checked and in one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.errors import ModelError, ShapeError
from jounce.model.joints import plain

ROTATION_TOLERANCE = 1e-6


def rigid_transform(placement: Any, what: str = "a placement") -> Transform:
    """Return a 4x4 matrix (or a Transform) as a Transform, checked to be a rigid motion.

    A matrix with symbols is taken as it is, its numbers checked to be finite.
    """
    if isinstance(placement, Transform):
        placement = placement.matrix()
    elif hasattr(placement, "tolist"):  # NumPy, and SymPy whose matrices iterate over entries
        placement = placement.tolist()
    try:
        rows = [list(row) for row in placement]
    except TypeError:
        raise ShapeError(f"{what} must be a 4x4 matrix, got {placement!r}.") from None
    if [len(row) for row in rows] != [4, 4, 4, 4]:
        lengths = [len(row) for row in rows]
        raise ShapeError(f"{what} must be a 4x4 matrix, got rows of lengths {lengths}.")
    entries = [[plain(x, what) for x in row] for row in rows]
    numbers = [x for row in entries for x in row if isinstance(x, float)]
    if not np.isfinite(numbers).all() or not _is_last_row(entries[3]):
        raise ModelError(f"{what} must be finite with last row 0 0 0 1, got {entries}.")
    if len(numbers) == 16:
        entries = _nearest_rigid(np.array(entries), what).tolist()
    R = Rotation(tuple(Vec3(*row[:3]) for row in entries[:3]))  # type: ignore[arg-type]
    return Transform(R, Vec3(*(row[3] for row in entries[:3])))


def _is_last_row(row: list[Any]) -> bool:
    try:
        return all(abs(float(x) - y) < 1e-12 for x, y in zip(row, (0, 0, 0, 1), strict=True))
    except TypeError:  # a symbol
        return False


def _nearest_rigid(T: np.ndarray, what: str) -> np.ndarray:
    R = T[:3, :3]
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if error > ROTATION_TOLERANCE or np.linalg.det(R) < 0:
        raise ModelError(
            f"the rotation of {what} must be orthonormal and right-handed; "
            f"RᵀR differs from 1 by {error:.2g}, det R = {np.linalg.det(R):.3g}."
        )
    if error > 1e-12:  # typed by hand with few digits: use the nearest rotation
        U, _, Vt = np.linalg.svd(R)
        T = T.copy()
        T[:3, :3] = U @ Vt
    return T + 0.0


def composed(a: Transform, b: Transform) -> Transform:
    """Compose; the identity on either side leaves the other bit for bit."""
    if a == IDENTITY:
        return b
    return a if b == IDENTITY else a @ b


def tidy(T: Transform) -> Transform:
    """Return plain floats without negative zero, so that equal poses hash alike."""
    a, b, c = (Vec3(*map(plain, row)) for row in T.rotation.rows)
    return Transform(Rotation((a, b, c)), Vec3(*map(plain, T.p)))
