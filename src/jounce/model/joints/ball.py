"""Steps with a quaternion: the velocity is a twist in the child frame, not the rate of q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.algebra.inertia import NO_INERTIA, SpatialInertia
from jounce.algebra.jet import Jet, integral
from jounce.algebra.rigid import (
    conjugate,
    join,
    left_jacobian,
    multiply,
    normalized,
    pose_of,
    quaternion_exponential,
    quaternion_logarithm,
    rotate,
    solve_left_jacobian,
)
from jounce.algebra.se3 import Motion, Transform, body_twist, components
from jounce.algebra.series import integrated, quaternion_series, rotated
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import from_quaternion, integrate_body_rate
from jounce.algebra.spatial_matrix import ad_matrix, hat, pulling, right_jacobian
from jounce.algebra.vector import ZERO, Vec3
from jounce.model.joints.step import Manifold, Step

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Ball(Step):
    """One step of a joint: spherical, q = (x y z w), v = ω; or free, q = (p, x y z w), v = (ω, v).

    ω and v are in the child frame.
    """

    motion: str
    point: Vec3 = ZERO

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return 4 if self.motion == "spherical" else 7

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return 3 if self.motion == "spherical" else 6

    @property
    def frame(self) -> Transform:
        """Its frame in the child body: the axes of the child, origin in the centre."""
        return Transform(UNROTATED, self.point)

    def pose(self, q: Sequence[Any], turn: Any = 0.0) -> Transform:
        """Return the pose in its frame."""
        return Transform(from_quaternion(*q[-4:]), Vec3(*q[:3]) if self.nq > 4 else ZERO)

    def moved(self, q: Sequence[Any], speeds: Sequence[Jet], order: int, turn: Any) -> Transform:
        """Return the pose as a jet of this order, from q and the jets of the velocities.

        It follows from R' = R hat(ω), p' = R v [GOA13, Remark 7].
        """
        angular, linear = self.twist(speeds)
        rotation = integrate_body_rate(from_quaternion(*q[-4:]), angular, order)
        if self.motion == "spherical":
            return Transform(rotation, ZERO)
        velocity = rotation.rotate(linear) if order else ZERO
        position = Vec3(*(integral(r, x, order) for r, x in zip(velocity, q[:3], strict=True)))
        return Transform(rotation, position)

    def twist(self, speeds: Sequence[Any]) -> Motion:
        """Return ``Ξ v``, the twist in its frame."""
        return Motion(Vec3(*speeds[:3]), Vec3(*speeds[3:]) if self.nv > 3 else ZERO)

    def invariant_part(self, inertia: SpatialInertia) -> SpatialInertia:
        """Return the part of an inertia that the motion leaves unchanged: mass in the centre."""
        if self.motion == "free":
            return NO_INERTIA
        return SpatialInertia(inertia.mass, ZERO, NO_INERTIA.rotational)


@dataclass(frozen=True, slots=True)
class Attitude(Manifold):
    """Quaternions x y z w, after a position or alone, as arrays ``(*batch, 7 or 4)``.

    Velocities and increments are (ω, v) or ω, in the child frame.
    """

    has_position: bool

    is_flat = False
    has_quaternion = True

    def integrate(self, q: Array, d: Array) -> Array:
        """Return q composed with the exponential of the increment d, ``C exp(d)``."""
        p, x, w, v = q[..., :-4], q[..., -4:], d[..., :3], d[..., 3:]
        turned = normalized(multiply(x, quaternion_exponential(w)))
        if not self.has_position:
            return turned
        return join(p + rotate(x, left_jacobian(w, v)), turned)

    def difference(self, a: Array, b: Array) -> Array:
        """Return the increment that leads from a to b, ``log(A⁻¹ B)``."""
        back = conjugate(a[..., -4:])
        w = quaternion_logarithm(multiply(back, b[..., -4:]))
        if not self.has_position:
            return w
        return join(w, solve_left_jacobian(w, rotate(back, b[..., :3] - a[..., :3])))

    def integrate_partials(self, d: Array) -> tuple[Array, Array]:
        """Return the partials of `integrate` by q and by d, as increments: ``Ad(exp(d))⁻¹``, J.

        J is the right Jacobian of the exponential.
        """
        w, v = d[..., :3], d[..., 3:]
        R = pose_of(np.zeros_like(w), quaternion_exponential(w))[..., :3, :3]
        if not self.has_position:
            return np.swapaxes(R, -1, -2), self._right_jacobian(d)
        return pulling(R, left_jacobian(w, v)), self._right_jacobian(d)

    def difference_partials(self, d: Array) -> tuple[Array, Array]:
        """Return the partials of the `difference` d by a and by b: ``−J(−d)⁻¹``, ``J(d)⁻¹``."""
        return -np.linalg.inv(self._right_jacobian(-d)), np.linalg.inv(self._right_jacobian(d))

    def _right_jacobian(self, d: Array) -> Array:
        ad = ad_matrix(d) if self.has_position else hat(d)
        return right_jacobian(ad, np.linalg.norm(d[..., :3], axis=-1))

    def rate(self, q: Array, v: Array) -> Array:
        """Return ``dq/dt``: ``½ x ∘ (ω, 0)`` of the quaternion x, ``R v`` of the position."""
        x, w = q[..., -4:], v[..., :3]
        turning = 0.5 * multiply(x, join(w, np.zeros((*w.shape[:-1], 1))))
        return join(rotate(x, v[..., 3:]), turning) if self.has_position else turning

    def pulled(self, q: Array, g: Array) -> Array:
        """Return ``Γᵀ g``: partials by increments from those by coordinates."""
        x = q[..., -4:]
        turning = 0.5 * multiply(conjugate(x), g[..., -4:])[..., :3]
        return join(turning, rotate(conjugate(x), g[..., :3])) if self.has_position else turning

    def pulled_rate(self, q: Array, v: Array, g: Array) -> Array:
        """Return the rate of ``Γᵀ g`` while q moves with v and g stays.

        Γ is linear in the quaternion, and ``d/dt (Rᵀ g) = −ω × Rᵀ g``.
        """
        x, w = q[..., -4:], v[..., :3]
        turning = 0.5 * multiply(conjugate(self.rate(q, v)[..., -4:]), g[..., -4:])[..., :3]
        if not self.has_position:
            return turning
        return join(turning, -np.cross(w, rotate(conjugate(x), g[..., :3])))

    def by_increments(self, q: Sequence[Any]) -> list[dict[int, Any]]:
        """Return the rows of Γ: ``½ x ∘ δ`` of the quaternion x, ``R δ`` of the position."""
        x, y, z, w = q[-4:]
        halves = [(w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z)]
        turning = [{k: h * 0.5 for k, h in enumerate(half)} for half in halves]
        rows = from_quaternion(x, y, z, w).rows if self.has_position else ()
        return [*({3 + k: r for k, r in enumerate(row)} for row in rows), *turning]

    def by_coordinates(self, q: Sequence[Any], row: Sequence[Any]) -> Sequence[Any]:
        """Return ``row Γ⁺``: the increment is ``2 x⁻¹ ∘ dx`` of the quaternion, ``Rᵀ dp``.

        Along the length of a quaternion nothing changes.
        """
        x, y, z, w = q[-4:]
        rows = from_quaternion(x, y, z, w).rows if self.has_position else ()
        shifted = [r.dot(Vec3(*row[3:])) for r in rows]
        a, b, c = (g * (2.0 / (x * x + y * y + z * z + w * w)) for g in row[:3])
        turned = [w * a - z * b + y * c, z * a + w * b - x * c]
        return [*shifted, *turned, x * b - y * a + w * c, -(x * a + y * b + z * c)]

    def rates(self, values: Array) -> tuple[Array, Array]:
        """Return q and the rates of v from q and its derivatives, ``(K + 1, m, nq)``.

        The quaternions need not have unit length; see `jounce.algebra.se3.body_twist`.
        """
        *x, x_p, y_p, z_p, w = (Jet.from_derivatives(part) for part in np.moveaxis(values, -1, 0))
        parts = components(body_twist(Vec3(*x) if x else ZERO, Vec3(x_p, y_p, z_p), w))
        shape = len(values) - 1, values.shape[1]
        rates = [np.reshape(part.derivatives(), shape) for part in (parts if x else parts[:3])]
        q = join(values[0, :, :-4], normalized(values[0, :, -4:]))
        return q, np.stack(rates, axis=-1)

    def series(self, q: Array, v: Array) -> Array:
        """Return Taylor coefficients of q from the first one and those of v."""
        x = quaternion_series(q[-4:], v[:, :3])
        if not self.has_position:
            return x
        return join(integrated(q[:3], rotated(x, v[:, 3:])), x)

    def random(self, low: Array, high: Array, rng: np.random.Generator) -> Array:
        """Return any attitude, at a position within ±1 m; there are no limits."""
        x = normalized(rng.normal(size=4))
        return join(rng.uniform(-1, 1, 3), x) if self.has_position else x
