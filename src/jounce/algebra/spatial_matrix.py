"""6 × 6 matrices of twists, poses and inertias as NumPy arrays, batch axes first."""

from __future__ import annotations

from math import factorial

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


def right_jacobian(ad: Array, angle: Array) -> Array:
    """Return the J with ``exp(d + δ) = exp(d) exp(J δ)`` to first order, of ``ad(d)``.

    ``ad`` is ``(…, 6, 6)`` of screws or ``(…, 3, 3)`` of rotation vectors, ``angle`` θ their turn::

        J = Σ (−ad)ⁿ / (n + 1)! = 1 − c₁ ad + c₂ ad² − c₃ ad³ + c₄ ad⁴

        c₁ = (4 − θ sin θ − 4 cos θ) / 2θ²        c₂ = (4θ − 5 sin θ + θ cos θ) / 2θ³
        c₃ = (2 − θ sin θ − 2 cos θ) / 2θ⁴        c₄ = (2θ − 3 sin θ + θ cos θ) / 2θ⁵

    as ``ad⁵ = −2θ² ad³ − θ⁴ ad``.  For small turns the c come from their series.
    """
    is_small = angle < 1.5
    x = np.where(is_small, 1.5, angle)
    s, c = np.sin(x), np.cos(x)
    closed = (
        (4 - x * s - 4 * c) / (2 * x**2), (4 * x - 5 * s + x * c) / (2 * x**3),
        (2 - x * s - 2 * c) / (2 * x**4), (2 * x - 3 * s + x * c) / (2 * x**5),
    )  # fmt: skip
    x2 = np.where(is_small, angle, 0.0) ** 2
    result, power = np.broadcast_to(np.eye(ad.shape[-1]), ad.shape), ad
    for k, coefficient in enumerate(closed):
        series = np.polynomial.polynomial.polyval(x2, _JACOBIAN_SERIES[k])
        factor = (-1) ** (k + 1) * np.where(is_small, series, coefficient)
        result = result + factor[..., None, None] * power
        power = power @ ad
    return result


def _jacobian_series(k: int) -> list[float]:
    """Return the coefficients of c₁ … c₄ as series in θ²: (−1)ⁿ (n − 2 or 1) / (2n + 0 or 1)!."""
    first, odd = 1 + k // 2, k % 2
    return [(-1) ** n * (n - 2 + k // 2) / factorial(2 * n + odd) for n in range(first, first + 12)]


_JACOBIAN_SERIES = [_jacobian_series(k) for k in range(4)]


def pulling(R: Array, p: Array) -> Array:
    """Return ``Ad(T⁻¹)`` of poses with rotations ``(…, 3, 3)`` and positions ``(…, 3)``."""
    back = np.swapaxes(R, -1, -2)
    return _blocks(back, np.zeros_like(back), -back @ hat(p), back)


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
