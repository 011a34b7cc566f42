"""A tree that moves: poses, twists and Jacobians of its links, as jets, from q and its rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, dt, value
from jounce.algebra.se3 import NO_FORCE, NO_MOTION, Force, Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import ZERO, Vec3
from jounce.dynamics.friction import friction_force
from jounce.lazy import cached_property
from jounce.model.lowering.tree import Link, Tree

Columns = dict[int, Motion]  # of a Jacobian, by velocity; those not named are zero


class LinkMotion(NamedTuple):
    """What one joint does: pose of the link in its placement, twist in the link frame.

    With K rates the pose is a jet of order K, the twist of order K − 1.
    """

    pose: Transform
    twist: Motion
    rates: tuple[Any, ...]  # jets of the joint's own velocities


@dataclass(frozen=True)
class Moving:
    """A tree along a motion of ``order`` rates; what is asked of it is computed once, and then."""

    tree: Tree
    motions: Sequence[LinkMotion]
    order: int

    @property
    def links(self) -> Sequence[Link]:
        """The links of the tree."""
        return self.tree.links

    def outward(self, i: int, X: Motion) -> Motion:
        """Return a motion given in the frame of the parent of link i, ``Ad(C_{i,p}) X``."""
        return self.motions[i].pose.pull(self.links[i].placement.pull(X))

    def inward(self, i: int, W: Force) -> Force:
        """Return a wrench given in the frame of link i in that of its parent."""
        return self.links[i].placement.push(self.motions[i].pose.push(W))

    def outwards(self, ground: Motion, own: Callable[[int], Motion] | None = None) -> list[Motion]:
        """Return ``X_i = Ad(C_{i,p}) X_p + own_i`` of every link."""
        result: list[Motion] = []
        for i, link in enumerate(self.links):
            X = self.outward(i, result[link.parent] if link.parent >= 0 else ground)
            result.append(X if own is None else X + own(i))
        return result

    def inwards(self, own: Callable[[int], Force]) -> list[Force]:
        """Return ``W_i = own_i + Σ_c Ad(C_{c,i})ᵀ W_c`` of every link: its own and all beyond."""
        total = [NO_FORCE] * len(self.links)
        for i in reversed(range(len(total))):
            total[i] = total[i] + own(i)
            parent = self.links[i].parent
            if parent >= 0:
                total[parent] = total[parent] + self.inward(i, total[i])
        return total

    @cached_property
    def poses(self) -> list[Transform]:
        """``T_world_link`` of every link, ``C_i = C_p A_i exp(X_i q_i)``, as jets of order K."""
        result: list[Transform] = []
        for link, motion in zip(self.links, self.motions, strict=True):
            step = link.placement @ motion.pose
            result.append(result[link.parent] @ step if link.parent >= 0 else step)
        return result

    def placed(self, link: int, T: Transform) -> Transform:
        """Return the pose in the world of a frame at T in a link, or in the ground (-1)."""
        return self.poses[link] @ T if link >= 0 else T

    @cached_property
    def twists(self) -> list[Motion]:
        """The twist of every link in its own frame.

        ``V_i = Ad(C_{i,p}) V_p + Ξ_i v_i`` [KM21, (4)], [M20, (40)].
        """
        return self.outwards(NO_MOTION, lambda i: self.motions[i].twist)

    @cached_property
    def falling_twists(self) -> list[Motion]:
        """The twists over a `falling_ground`, not the true ones."""
        return self.outwards(self.falling_ground, lambda i: self.motions[i].twist)

    @cached_property
    def falling_ground(self) -> Motion:
        """The fictitious twist ``(0, −g t)`` of the ground that stands for gravity."""
        time = Jet((0.0, 1.0, *[0.0] * (self.order - 2)))
        return Motion(ZERO, Vec3(*(time * -g for g in self.tree.gravity)))

    @cached_property
    def gravity_fields(self) -> list[Motion]:
        """The acceleration (0, −g) of the ground in every link frame."""
        return self.outwards(Motion(ZERO, -self.tree.gravity))

    @cached_property
    def columns(self) -> list[Columns]:
        """The Jacobian of every link in its own frame.

        ``B_{i,j} = Ad(C_{i,p}) B_{p,j}`` for the joints j below, ``B_{i,i} = Ξ_i``  [KM21, (9)],
        [GOA13, (27)].
        """
        result: list[Columns] = []
        for i, link in enumerate(self.links):
            below = result[link.parent] if link.parent >= 0 else {}
            columns = {v: self.outward(i, X) for v, X in below.items()}
            for k, X in enumerate(link.step.screws):
                v, own = link.coordinates.v + k, X * link.coordinates.multiplier
                columns[v] = columns[v] + own if v in columns else own
            result.append(columns)
        return result


def moving(tree: Tree, q: Sequence[Any], rates: Sequence[Sequence[Any]] = ()) -> Moving:
    """Return a tree that moves with the rates v, dv/dt, ... at q."""
    return Moving(tree, [_link_motion(link, q, rates) for link in tree.links], len(rates))


def _link_motion(link: Link, q: Sequence[Any], rates: Sequence[Sequence[Any]]) -> LinkMotion:
    where, step = link.coordinates, link.step
    speeds = tuple(
        Jet.from_derivatives(r[where.v + i] for r in rates) * where.multiplier
        for i in range(step.nv)
    )
    pose = step.moved(_own_coordinates(link, q), speeds, len(rates), link.turn)
    return LinkMotion(pose, step.twist(speeds), speeds)


def at_start(T: Transform) -> Transform:
    """Return a pose of jets at t = 0."""
    x, y, z = (Vec3(*map(value, row)) for row in T.rotation.rows)
    return Transform(Rotation((x, y, z)), Vec3(*map(value, T.p)))


def joint_poses(tree: Tree, q: Sequence[Any]) -> list[Transform]:
    """Return the pose of every link in its placement, no jets."""
    return [link.step.pose(_own_coordinates(link, q), link.turn) for link in tree.links]


def _own_coordinates(link: Link, q: Sequence[Any]) -> list[Any]:
    where = link.coordinates
    return [q[where.q + i] * where.multiplier + where.offset for i in range(link.step.nq)]


def add_forces(forces: list[Any], link: Link, motion: LinkMotion, own: Sequence[Any]) -> None:
    """Add the forces of one joint, motor inertia and friction included."""
    for k, (force, speed) in enumerate(zip(own, motion.rates, strict=True)):
        total = force + dt(speed) * link.armature[k] + speed * link.damping[k]
        if link.friction:
            total = total + friction_force(link.friction[k], speed)
        link.add(forces, k, total)
