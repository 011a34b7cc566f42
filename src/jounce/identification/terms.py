"""What the forces are made of: bodies, motors and friction, velocity by velocity.

With π the inertial parameters, in joint i::

    Q_i = Y_i π + d_i v_i + c_i v_i / √(v_i² + v_s²) + o_i + J_i a_i

d viscous and c Coulomb friction, o an offset, J the inertia of the motor (armature), all seen at
the velocity.  Coulomb's is smoothed over the speed v_s, so it can be differentiated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from jounce.errors import ArgumentError, UnsupportedError, unknown_name
from jounce.identification.base_parameters import base_parameters, parameter_names
from jounce.identification.numerical import random_regressor
from jounce.model.components import velocity_names
from jounce.model.lowering.tree import lowered
from jounce.model.records import COULOMB_SPEED, Friction
from jounce.model.robot import Robot, parameters

FRICTION = ("viscous", "coulomb", "offset")
SYMBOLS = {"viscous": "Fv", "coulomb": "Fc", "offset": "Fo", "armature": "Ia"}
INDEPENDENT = 1e-8  # of the largest pivot: columns below are sums of the others
Array = np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The columns of one velocity that are independent, and how the others follow from them.

    ``matter`` are columns of the regressor, ``motors`` names of columns of the motor; the row in
    the base parameters is these columns times ``map``.
    """

    matter: Array
    motors: tuple[str, ...]
    map: Array

    @property
    def count(self) -> int:
        """Number of independent columns."""
        return len(self.matter) + len(self.motors)


@dataclass(frozen=True)
class Terms:
    """The parameters that are looked for: of all bodies, then of motors, nv of a kind.

    ``friction`` are those of `FRICTION` that are looked for, in that order.
    """

    robot: Robot
    friction: tuple[str, ...] = FRICTION
    armature: bool = False
    coulomb_speed: float = COULOMB_SPEED

    @property
    def motors(self) -> tuple[str, ...]:
        """Kinds of motor parameters, in their order."""
        return (*self.friction, *(("armature",) if self.armature else ()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for every parameter, such as ``Ixx(link7)`` and ``Fv(joint7)``."""
        speeds = velocity_names(self.robot)
        motors = (f"{SYMBOLS[kind]}({speed})" for kind in self.motors for speed in speeds)
        return (*parameter_names(self.robot), *motors)

    def place(self, kind: str) -> slice:
        """Return where the nv parameters of a kind of motor parameter stand."""
        first = self.robot.n_parameters + self.robot.nv * self.motors.index(kind)
        return slice(first, first + self.robot.nv)

    @cached_property
    def base(self) -> tuple[tuple[str, ...], Array]:
        """Names and map of the base parameters: those of bodies, then of motors; β = map θ."""
        nv, matter = self.robot.nv, self.robot.n_parameters
        found = base_parameters(self.robot, armature=self.armature)
        own = nv * len(self.friction)
        apart = np.insert(found.map, [matter] * own, 0.0, axis=1)
        friction = np.eye(own, len(self.names), matter)
        return (*found.names, *self.names[matter : matter + own]), np.vstack([apart, friction])

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What each velocity sees."""
        nv = self.robot.nv
        columns = [self.names.index(name) for name in self.base[0]]
        rng = np.random.default_rng(0)  # as many samples a row as there are for all rows
        W = np.vstack([random_regressor(self.robot, rng) for _ in range(nv)])
        return tuple(self._row(W[i::nv], np.array(columns), i) for i in range(nv))

    def _row(self, W: Array, columns: Array, i: int) -> Row:
        """Keep independent columns of bodies; a motor's are always its own.

        With ``W P = Q (R₁ R₂)``, the columns of W that P puts last are W₁ R₁⁻¹ R₂.
        """
        matter = self.robot.n_parameters
        inertial = np.flatnonzero(columns < matter)
        seen = inertial[np.any(W[:, columns[inertial]] != 0.0, axis=0)]
        X = W[:, columns[seen]]
        lengths = np.linalg.norm(X, axis=0)
        factors: Any = qr(X / lengths, mode="economic", pivoting=True)
        _, R, pivots = factors
        sizes = np.abs(np.diag(R))
        rank = int(np.sum(sizes > INDEPENDENT * sizes.max(initial=0.0)))
        share = np.hstack([np.eye(rank), solve_triangular(R[:rank, :rank], R[:rank, rank:])])
        kept = pivots[:rank]
        motors = [(kind, self.place(kind).start + i) for kind in self.motors]
        motors = [(kind, place) for kind, place in motors if place in columns]
        full = np.zeros((rank + len(motors), len(columns)))
        full[:rank, seen[pivots]] = share * lengths[pivots] / lengths[kept, None]
        for k, (_, place) in enumerate(motors):
            full[rank + k, int(np.flatnonzero(columns == place)[0])] = 1.0
        order = np.argsort(columns[seen[kept]])
        full[:rank] = full[order]
        return Row(columns[seen[kept]][order], tuple(kind for kind, _ in motors), full)

    def motor_signal(self, kind: str, v: Array, a: Array) -> Array:
        """Return what a parameter of a motor is multiplied by, ``(*batch, nv)``."""
        if kind == "coulomb":
            return v / np.sqrt(v * v + self.coulomb_speed**2)
        return {"viscous": v, "offset": np.ones_like(v), "armature": a}[kind]

    def known_forces(self, v: Array, a: Array) -> Array | float:
        """Return the forces of what the robot has of the kinds that are not looked for."""
        total: Any = 0.0
        for kind, i, size, factor, speed in _motor_parts(self.robot):
            if kind not in self.motors:
                x = factor * v[..., i]
                signal = {"viscous": x, "armature": factor * a[..., i], "offset": 1.0}
                if kind == "coulomb":
                    signal[kind] = x / np.sqrt(x * x + speed * speed)
                total = total + np.multiply.outer(factor * size * signal[kind], self._unit(i))
        return total

    def _unit(self, i: int) -> Array:
        return np.eye(self.robot.nv)[i]

    def start(self) -> Array:
        """Return the parameters that the robot has before anything is found out.

        Those of links that follow a joint are counted with it, Coulomb's as if it moved fast.
        """
        values = np.zeros(len(self.names))
        values[: self.robot.n_parameters] = parameters(self.robot)
        for kind, i, size, factor, _ in _motor_parts(self.robot):
            if kind in self.motors:
                power = {"offset": factor, "coulomb": abs(factor)}.get(kind, factor**2)
                values[self.place(kind).start + i] += size * power
        return values


def _motor_parts(robot: Robot) -> Iterator[tuple[str, int, Any, Any, Any]]:
    """Yield kind, velocity, size, multiplier and smoothing speed of all that motors add."""
    for link in lowered(robot).links:
        _, first, factor, _ = link.coordinates
        for k, (armature, damping) in enumerate(zip(link.armature, link.damping, strict=True)):
            dry = link.friction[k] if link.friction else Friction()
            sizes = {
                "armature": armature,
                "viscous": damping,
                "coulomb": dry.coulomb,
                "offset": dry.offset,
            }
            for kind, size in sizes.items():
                if size:
                    yield kind, first + k, size, factor, dry.speed


@lru_cache(maxsize=64)
def terms_of(
    robot: Robot, friction: tuple[str, ...], armature: bool, coulomb_speed: float
) -> Terms:
    """Return the checked terms, made once."""
    if not isinstance(robot, Robot):
        raise TypeError(f"robot must be a jounce.Robot, got {type(robot).__name__}.")
    if not robot.nv:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves; no force tells.")
    for kind in friction:
        if kind not in FRICTION:
            raise unknown_name("friction", kind, FRICTION)
    if not coulomb_speed > 0.0:
        raise ArgumentError(
            f"coulomb_speed must be positive, such as {COULOMB_SPEED:g} rad/s, got "
            f"{coulomb_speed!r}."
        )
    ordered = tuple(kind for kind in FRICTION if kind in friction)
    return Terms(robot, ordered, bool(armature), float(coulomb_speed))


def as_kinds(friction: Sequence[str] | str | bool | None) -> tuple[str, ...]:
    """Return kinds of friction as a tuple: all for True, none for False or None."""
    if isinstance(friction, str):
        return (friction,)
    if friction is None or isinstance(friction, bool):
        return FRICTION if friction else ()
    return tuple(friction)
