"""What a joint is made of: steps, and coordinates that belong to velocities.

A kind of joint is a row of `jounce.model.joints.kinds.KINDS`: a chain of steps that are there, or
a class of its own.  What is written here holds where velocities are the rates of coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.algebra.inertia import NO_INERTIA, SpatialInertia
from jounce.algebra.jet import Jet, integral
from jounce.algebra.se3 import Motion, Transform, components
from jounce.algebra.series import integrated

Array = np.ndarray


class Step:
    """A motion with constant screws: pose and twist of a frame as functions of q and v."""

    __slots__ = ()

    has_axis = False  # z, about which its frame may be turned and along which it may be slid
    turns = False  # about that axis; if not, its frame may be shifted anywhere

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        raise NotImplementedError

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.nq

    @property
    def frame(self) -> Transform:
        """Its frame in the child body."""
        raise NotImplementedError

    def pose(self, q: Sequence[Any], turn: Any = 0.0) -> Transform:
        """Return the pose in its frame; ``turn`` adds to the angle about its axis."""
        raise NotImplementedError

    def twist(self, speeds: Sequence[Any]) -> Motion:
        """Return ``Ξ v``, the twist in its frame."""
        raise NotImplementedError

    def moved(self, q: Sequence[Any], speeds: Sequence[Jet], order: int, turn: Any) -> Transform:
        """Return the pose as a jet of this order, from q and the jets of the velocities."""
        jets = [integral(speed, x, order) for speed, x in zip(speeds, q, strict=True)]
        return self.pose(jets, turn)

    @property
    def screws(self) -> tuple[Motion, ...]:
        """The constant screws Ξ in its frame, one a velocity, orthonormal where there are more."""
        return tuple(self.twist([float(i == k) for i in range(self.nv)]) for k in range(self.nv))

    @property
    def brackets(self) -> list[tuple[int, int, int, float]]:
        """``i, j, k, c`` with ``ad(Ξ_i) Ξ_j = Σ c Ξ_k``, by j and k; empty where screws commute."""
        screws = self.screws
        count = range(len(screws) if len(screws) > 1 else 0)
        found = (
            (i, j, k, float(np.dot(components(screws[i].cross(screws[j])), components(screws[k]))))
            for j in count
            for k in count
            for i in count
        )
        return [bracket for bracket in found if bracket[-1]]

    def invariant_part(self, inertia: SpatialInertia) -> SpatialInertia:
        """Return the part of an inertia in its frame that the motion leaves unchanged."""
        return NO_INERTIA


class Manifold:
    """How coordinates and velocities belong together, as arrays ``(*batch, nq)``."""

    is_flat = True  # velocities are the rates of coordinates
    has_quaternion = False  # as the last four coordinates, x y z w

    def integrate(self, q: Array, d: Array) -> Array:
        """Return q moved along the increment d."""
        return q + d

    def difference(self, a: Array, b: Array) -> Array:
        """Return the increment that leads from a to b."""
        return b - a

    def integrate_partials(self, d: Array) -> tuple[Array, Array]:
        """Return the partials of `integrate` by q and by d, as increments."""
        unit = np.broadcast_to(np.eye(d.shape[-1]), (*d.shape, d.shape[-1]))
        return unit, unit

    def difference_partials(self, d: Array) -> tuple[Array, Array]:
        """Return the partials of the `difference` d by a and by b."""
        unit, _ = self.integrate_partials(d)
        return -unit, unit

    def rate(self, q: Array, v: Array) -> Array:
        """Return ``dq/dt``."""
        return v

    def pulled(self, q: Array, g: Array) -> Array:
        """Return ``Γᵀ g``: partials by increments from those by coordinates."""
        return g

    def pulled_rate(self, q: Array, v: Array, g: Array) -> Array:
        """Return the rate of ``Γᵀ g`` while q moves with v and g stays."""
        return np.zeros_like(g)

    def by_increments(self, q: Sequence[Any]) -> list[dict[int, Any]]:
        """Return the rows of Γ, partials of scalars q by increments; zeros may be left out."""
        return [{i: 1.0} for i in range(len(q))]

    def by_coordinates(self, q: Sequence[Any], row: Sequence[Any]) -> Sequence[Any]:
        """Return ``row Γ⁺``: partials by scalars q from those by increments."""
        return row

    def rates(self, values: Array) -> tuple[Array, Array]:
        """Return q and the rates of v from q and its derivatives, ``(K + 1, m, nq)``."""
        return values[0], values[1:]

    def series(self, q: Array, v: Array) -> Array:
        """Return Taylor coefficients of q from the first one and those of v."""
        return integrated(q, v)

    def random(self, low: Array, high: Array, rng: np.random.Generator) -> Array:
        """Return random coordinates within these limits."""
        return rng.uniform(low, high)
