"""6 × 6 matrices of twists, poses and inertias as NumPy arrays, batch axes first."""

from __future__ import annotations

import numpy as np

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import Motion, Transform, components
from jounce.algebra.vector import Vec3

Array = np.ndarray
_UNITS = [Motion(Vec3(*row[:3]), Vec3(*row[3:])) for row in np.eye(6).tolist()]


def hat(x: Array) -> Array:
    """Return the matrices of ``x ×`` of vectors ``(…, 3)``, as ``(…, 3, 3)``."""
    return -np.cross(x[..., None, :], np.eye(3))  # row i is −x × e_i


def ad_matrix(V: Array) -> Array:
    """Return ``ad(V)`` of twists ``(…, 6)``, as ``(…, 6, 6)``."""
    w, v = hat(V[..., :3]), hat(V[..., 3:])
    return _blocks(w, np.zeros_like(w), v, w)


def dual_matrix(h: Array) -> Array:
    """Return the x with ``x u = −ad(u)ᵀ h`` of momenta or wrenches ``(…, 6)``."""
    L, P = hat(h[..., :3]), hat(h[..., 3:])
    return _blocks(-L, -P, -P, np.zeros_like(P))


def pull_matrix(T: Transform, batch: tuple[int, ...] = ()) -> Array:
    """Return ``Ad(T⁻¹)``, which takes twists into the frame at T, whose entries may be jets."""
    result = np.zeros((*batch, 6, 6))
    for j, unit in enumerate(_UNITS):
        for i, x in enumerate(components(T.pull(unit))):
            result[..., i, j] = x.coeffs[0] if hasattr(x, "coeffs") else x
    return result


def inertia_matrix(inertia: SpatialInertia) -> Array:
    """Return the matrix of an inertia [KM21, (12)]: columns are the momenta of unit twists."""
    return np.array([components(inertia.apply(unit)) for unit in _UNITS], float).T


def _blocks(a: Array, b: Array, c: Array, d: Array) -> Array:
    return np.concatenate([np.concatenate([a, b], -1), np.concatenate([c, d], -1)], -2)
