"""Robots made to order: a serial chain of any length and random trees of every joint kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.algebra.vector import ZERO
from jounce.errors import ArgumentError
from jounce.model import joints as kinds_
from jounce.model.builder import STANDARD_GRAVITY, RobotBuilder
from jounce.model.checks import checked_integer
from jounce.model.inertia import NO_MATTER, Inertia
from jounce.model.joints import JointType
from jounce.model.mechanisms import delta, fourbar, stewart
from jounce.model.placement import transform
from jounce.model.robot import Robot

__all__ = [
    "chain",
    "delta",
    "fourbar",
    "random_inertia",
    "random_joint",
    "random_placement",
    "random_tree",
    "stewart",
]

KINDS = (*kinds_.KINDS, "mimic")
_ONE_DOF = tuple(kind for kind, row in kinds_.KINDS.items() if len(row.velocities) == 1)
_AT_MOST_TWO_DOF = (
    "mimic",
    *(kind for kind, row in kinds_.KINDS.items() if len(row.velocities) <= 2),
)
_CHAIN_AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0.6, 0, 0.8))


def chain(n: int) -> Robot:
    """Return a serial chain of ``n`` revolute joints, always the same one for the same n.

    Axes run through z, y, x and an oblique one; the links are rods of 0.3 m that get lighter
    towards the tip, with their centre of mass off the axes.

    >>> import jounce
    >>> jounce.examples.chain(12).nv
    12
    """
    n = checked_integer("n", n, 1)
    builder = RobotBuilder(f"chain{n}", description=f"Serial chain of {n} revolute joints.")
    for i in range(n):
        builder.add(
            f"link_{i}",
            f"link_{i - 1}" if i else None,
            kinds_.revolute(_CHAIN_AXES[i % len(_CHAIN_AXES)]),
            transform((0, 0, 0.3 if i else 0), rpy=(0, 0, 0.3 * (i % 5))),
            _rod(2.0 / (1.0 + 0.1 * i), i),
            f"joint_{i}",
        )
    return builder.build()


def random_tree(
    rng: np.random.Generator,
    n: int = 8,
    kinds: Sequence[str] = KINDS,
    *,
    branching: float = 0.5,
    massless: float = 0.0,
    floating_base: bool = False,
    oblique_gravity: bool = False,
    armature: bool = False,
    damping: bool = False,
) -> Robot:
    """Return a random tree of ``n`` links, welded ones included.

    ``kinds`` are dealt round in random order, so all occur once n is at least their number;
    ``"mimic"`` is a one-DoF joint that follows an earlier one (revolute if there is none).
    With probability ``branching`` a link hangs on any earlier link or on the ground, else on
    the link before.  With probability ``massless`` a link has no matter, if its joint has one
    DoF and enough matter follows for a regular mass matrix.  ``floating_base`` makes the first
    joint free and hangs everything on it.  Inertias are those of point clouds, so they are
    consistent; axes, points and placements are random.

    >>> import numpy as np, jounce
    >>> robot = jounce.examples.random_tree(np.random.default_rng(0), n=11)
    >>> len({joint.kind for joint in robot.joints})
    9
    """
    _check(n, kinds)
    parents = _parents(rng, n, branching, floating_base)
    dealt = _deal(rng, n, kinds, floating_base)
    empty = _massless(rng, parents, dealt, massless)
    gravity = _oblique(rng) if oblique_gravity else STANDARD_GRAVITY
    builder = RobotBuilder("random_tree", gravity, description="Random tree.")
    sources: list[str] = []
    for i, (parent, kind) in enumerate(zip(parents, dealt, strict=True)):
        mimic = _follow(rng, sources) if kind == "mimic" else None
        if kind == "mimic":
            kind = str(rng.choice(_ONE_DOF)) if mimic else "revolute"
        joint = random_joint(rng, kind)
        if mimic is None and kind in _ONE_DOF:
            sources.append(f"joint_{i}")
        builder.add(
            f"link_{i}",
            f"link_{parent}" if parent >= 0 else None,
            joint,
            random_placement(rng),
            NO_MATTER if i in empty else random_inertia(rng),
            f"joint_{i}",
            rng.uniform(0.01, 0.1, joint.nv) if armature else 0.0,
            rng.uniform(0.1, 1.0, joint.nv) if damping else 0.0,
            mimic=mimic,
        )
    return builder.build()


def random_joint(rng: np.random.Generator, kind: str) -> JointType:
    """Return a joint of this kind with random axes, point and pitch."""
    axis, other, point = rng.normal(size=3), rng.normal(size=3), rng.uniform(-0.1, 0.1, 3)
    row = kinds_.KINDS[kind]
    pitch = float(rng.uniform(-0.1, 0.1)) if row.has_pitch else 0.0
    return kinds_.of_kind(kind, (axis, other)[: row.axes], point if row.has_point else ZERO, pitch)


def random_inertia(rng: np.random.Generator, points: int = 8) -> Inertia:
    """Return the inertia of a cloud of random point masses: any body can have it.

    With p_l the points and m_l the masses, about the origin: ``I = Σ m_l (p_l·p_l 1 − p_l p_lᵀ)``.
    """
    p = rng.normal(scale=0.1, size=(points, 3)) + rng.uniform(-0.1, 0.1, 3)
    m = rng.uniform(0.05, 0.4, points)
    mass = float(m.sum())
    second_moment = np.einsum("l,li,lj->ij", m, p, p)
    rotational = np.trace(second_moment) * np.eye(3) - second_moment
    return Inertia(mass, m @ p / mass, rotational, about="origin")


def random_placement(rng: np.random.Generator) -> np.ndarray:
    """Return a random pose, 4x4, with a translation of a few decimetres."""
    T = np.eye(4)
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    T[:3, :3] = Q * np.linalg.det(Q)
    T[:3, 3] = rng.uniform(-0.3, 0.3, 3)
    return T


def _rod(mass: float, index: int) -> Inertia:
    """Return a rod of 0.3 m along z, 5 cm thick, its middle slightly off the z axis."""
    length, width = 0.3, 0.05
    across, along = mass * (length**2 + width**2) / 12.0, mass * width**2 / 6.0
    side = 0.01 * (1 + index % 3)
    return Inertia(mass, (side, -0.5 * side, length / 2), np.diag([across, across, along]))


def _check(n: int, kinds: Sequence[str]) -> None:
    checked_integer("n", n, 1)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        given: Any = unknown[0] if unknown else "none"
        raise ArgumentError(f"unknown joint kind {given!r}; known: {', '.join(KINDS)}.")


def _parents(rng: np.random.Generator, n: int, branching: float, floating: bool) -> list[int]:
    ground = 0 if floating else -1
    jumps = rng.random(n) < branching
    return [-1] + [int(rng.integers(ground, i)) if jumps[i] else i - 1 for i in range(1, n)]


def _deal(rng: np.random.Generator, n: int, kinds: Sequence[str], floating: bool) -> list[str]:
    dealt = ["free"] if floating else []
    while len(dealt) < n:
        dealt += [str(kind) for kind in rng.permutation(list(kinds))]
    return dealt[:n]


def _massless(
    rng: np.random.Generator, parents: list[int], dealt: list[str], probability: float
) -> set[int]:
    """Draw the links without matter: never two in a row, each with a child of at most two DoF."""
    followed = {parents[i] for i, kind in enumerate(dealt) if kind in _AT_MOST_TWO_DOF}
    empty: set[int] = set()
    for i, drawn in enumerate(rng.random(len(parents)) < probability):
        one_dof = dealt[i] in (*_ONE_DOF, "mimic")
        if drawn and one_dof and i in followed and parents[i] not in empty:
            empty.add(i)
    return empty


def _follow(rng: np.random.Generator, sources: list[str]) -> tuple[str, float, float] | None:
    if not sources:
        return None
    factor, offset = rng.uniform(0.5, 1.5) * rng.choice([-1.0, 1.0]), rng.uniform(-0.5, 0.5)
    return str(rng.choice(sources)), float(factor), float(offset)


def _oblique(rng: np.random.Generator) -> tuple[float, ...]:
    g = rng.normal(size=3)
    return tuple((9.80665 * g / np.linalg.norm(g)).tolist())
