"""What the forces are made of: bodies, motors and friction, velocity by velocity.

With π the inertial parameters, in joint i::

    Q_i = Y_i π + d_i v_i + c_i v_i / √(v_i² + v_s²) + o_i + J_i a_i

d viscous and c Coulomb friction, o an offset, J the inertia of the motor (armature), all seen at
the velocity.  Coulomb's is smoothed over the speed v_s, so it can be differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.api.partials import motor_signals
from jounce.dynamics.friction import motor_signal
from jounce.errors import UnsupportedError, check_type
from jounce.identification.base_parameters import base_parameters
from jounce.identification.numerical import pivoted, random_regressor
from jounce.lazy import cached_property
from jounce.model.parameters import (
    FRICTION,
    checked_speed,
    friction_kinds,
    motor_kinds,
    motor_parts,
    parameter_names,
    parameters,
)
from jounce.model.records import COULOMB_SPEED
from jounce.model.robot import Robot

OPTIONS = ("friction", "armature", "coulomb_speed")  # what is looked for
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
        return motor_kinds(self.friction, self.armature)

    @property
    def options(self) -> dict[str, Any]:
        """What is looked for, as `Information` takes it."""
        return {name: getattr(self, name) for name in OPTIONS}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for every parameter, such as ``Ixx(link7)`` and ``Fv(joint7)``."""
        return parameter_names(self.robot, self.motors)

    def place(self, kind: str) -> slice:
        """Return where the nv parameters of a kind of motor parameter stand."""
        first = self.robot.n_parameters + self.robot.nv * self.motors.index(kind)
        return slice(first, first + self.robot.nv)

    @cached_property
    def base(self) -> tuple[tuple[str, ...], Array]:
        """Names and map of the base parameters: those of bodies, then of motors; β = map θ."""
        found = base_parameters(self.robot, friction=self.friction, armature=self.armature)
        return found.names, found.map

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What each velocity sees."""
        nv = self.robot.nv
        columns = [self.names.index(name) for name in self.base[0]]
        rng = np.random.default_rng(0)  # as many samples a row as there are for all rows
        W = np.vstack([random_regressor(self.robot, rng) for _ in range(nv)])
        return tuple(self._row(W[i::nv], np.array(columns), i) for i in range(nv))

    def _row(self, W: Array, columns: Array, i: int) -> Row:
        """Keep independent columns of bodies; a motor's are always its own."""
        matter = self.robot.n_parameters
        inertial = np.flatnonzero(columns < matter)
        seen = inertial[np.any(W[:, columns[inertial]] != 0.0, axis=0)]
        X = W[:, columns[seen]]
        lengths = np.linalg.norm(X, axis=0)
        pivots, others = pivoted(X / lengths, INDEPENDENT)
        rank = len(others)
        share, kept = np.hstack([np.eye(rank), others]), pivots[:rank]
        motors = [(kind, self.place(kind).start + i) for kind in self.motors]
        motors = [(kind, place) for kind, place in motors if place in columns]
        full = np.zeros((rank + len(motors), len(columns)))
        full[:rank, seen[pivots]] = share * lengths[pivots] / lengths[kept, None]
        for k, (_, place) in enumerate(motors):
            full[rank + k, int(np.flatnonzero(columns == place)[0])] = 1.0
        order = np.argsort(columns[seen[kept]])
        full[:rank] = full[order]
        return Row(columns[seen[kept]][order], tuple(kind for kind, _ in motors), full)

    def motor_signals(self, v: Array, a: Array) -> dict[str, Array]:
        """Return what the parameters of a kind are multiplied by, ``(*batch, nv)`` each."""
        signals = motor_signals(self.robot, self.motors, [v, a], self.coulomb_speed)
        return {kind: signal[0] for kind, signal in signals.items()}

    def known_forces(self, v: Array, a: Array) -> Array | float:
        """Return the forces of what the robot has of the kinds that are not looked for."""
        total: Any = 0.0
        for kind, i, size, factor, speed in motor_parts(self.robot):
            if kind not in self.motors:
                own = [factor * v[..., i], factor * a[..., i]]
                (signal,) = motor_signal(kind, own, speed)
                unit = np.eye(self.robot.nv)[i]
                total = total + np.multiply.outer(factor * size * signal, unit)
        return total

    def start(self) -> Array:
        """Return the parameters that the robot has before anything is found out.

        Those of links that follow a joint are counted with it, Coulomb's as if it moved fast.
        """
        return parameters(self.robot, friction=self.friction, armature=self.armature)


@lru_cache(maxsize=64)
def terms_of(
    robot: Robot, friction: tuple[str, ...], armature: bool, coulomb_speed: float
) -> Terms:
    """Return the checked terms, made once."""
    check_type("robot", robot, Robot)
    if not robot.nv:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves; no force tells.")
    if robot.closures:
        raise UnsupportedError(
            f"parameters are identified of trees only and robot {robot.name!r} has closures, whose "
            "forces no log tells: open the mechanism, log its motion so, and give "
            "robot.without_closures()."
        )
    return Terms(robot, friction_kinds(friction), bool(armature), checked_speed(coulomb_speed))
