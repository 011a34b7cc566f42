"""Base parameters: the combinations of inertial parameters that motions and forces reveal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import ArgumentError, ShapeError, check_name, check_type
from jounce.identification.numerical import numerical_null_space
from jounce.identification.structural import structural_null_space
from jounce.kernels.tracing import refuse_symbols
from jounce.model.checks import as_floats
from jounce.model.parameters import Kinds, motor_kinds, parameter_names
from jounce.model.robot import Robot

METHODS = ("both", "structural", "numerical")
SMALL = 1e-10  # coefficients below are rounding
Array = np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class BaseParameters:
    """The identifiable combinations of a robot: ``π_base = map π`` and ``Q = Y_base π_base``.

    ``columns`` are the columns of the regressor that remain; ``structural`` and ``numerical``
    those that remain by the rules of geometry and by the random regressor (None: not asked).
    """

    parameter_names: tuple[str, ...]
    columns: tuple[int, ...]
    map: Array
    structural: tuple[int, ...] | None
    numerical: tuple[int, ...] | None

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """One name a base parameter: that of the column which remains."""
        return tuple(self.parameter_names[c] for c in self.columns)

    @property
    def formulas(self) -> tuple[str, ...]:
        """Every base parameter as a sum of inertial parameters."""
        return tuple(self._formula(row, c) for row, c in zip(self.map, self.columns, strict=True))

    @property
    def differing(self) -> tuple[int, ...]:
        """Columns that remain by one of the two methods only; empty unless both were asked."""
        if self.structural is None or self.numerical is None:
            return ()
        return tuple(sorted(set(self.structural) ^ set(self.numerical)))

    def values(self, parameters: Any) -> Array:
        """Return the base parameters of parameters ``(*batch, 10 n_bodies)``, motors after them."""
        return self._checked("parameters", parameters) @ self.map.T

    def reduced(self, regressor: Any) -> Array:
        """Return the columns of a regressor that remain, ``(…, nv, count)``."""
        return np.ascontiguousarray(self._checked("regressor", regressor)[..., list(self.columns)])

    def report(self) -> str:
        """Return all base parameters, and where the two methods differ."""
        lines = [f"{self.count} base parameters of {len(self.parameter_names)}"]
        if self.structural is not None and self.numerical is not None:
            counts = f"structural {len(self.structural)}, numerical {len(self.numerical)}"
            lines.append(f"{counts}; {'they differ in' if self.differing else 'they agree'}")
            lines += [
                f"  column {c}, {self.parameter_names[c]}: {self._side(c)}" for c in self.differing
            ]
        width = max((len(name) for name in self.names), default=0)
        rows = zip(self.columns, self.names, self.formulas, strict=True)
        lines += [f"{c:5d}  {name:<{width}}  = {formula}" for c, name, formula in rows]
        return "\n".join(lines)

    def _checked(self, what: str, values: Any) -> Array:
        array, count = as_floats(what, values), len(self.parameter_names)
        if array.ndim == 0 or array.shape[-1] != count:
            raise ShapeError(
                f"{what} must have {count} numbers on the last axis, one a parameter, got shape "
                f"{array.shape}; friction and armature must be asked of base_parameters and of "
                "regressor alike."
            )
        return array

    def _side(self, column: int) -> str:
        if column in (self.structural or ()):
            return "kept by structure, yet the random regressor shows no effect of its own"
        return "dropped by structure, yet the random regressor shows an effect"

    def _formula(self, row: Array, own: int) -> str:
        others = sorted(np.flatnonzero(row), key=lambda c: (c != own, c))
        text = ""
        for c in others:
            size = abs(row[c])
            sign = "− " if row[c] < 0 else "+ "
            factor = "" if abs(size - 1.0) < SMALL else f"{size:.6g} "
            text += f" {sign}{factor}{self.parameter_names[c]}"
        return text.removeprefix(" + ").strip()


def base_parameters(
    robot: Robot,
    *,
    method: str = "both",
    rng: Any = 0,
    tolerance: float = 1e-8,
    friction: Kinds = False,
    armature: bool = False,
) -> BaseParameters:
    """Return the base parameters of a robot under its gravity.

    ``structural`` follows from geometry: inertias that a joint leaves unchanged are counted with
    its parent, parallel axes and the direction of gravity included.  ``numerical`` finds the
    rank of a regressor at random motions (``rng``: a seed or a generator) by QR with pivoting.
    ``both`` does both, trusts the second, and the report says where they differ.  What is below
    ``tolerance`` of the largest counts as zero: geometry rounded to six digits needs 1e-4.
    ``friction`` and ``armature`` add the parameters of motors, in the order of `jounce.regressor`.

    >>> import jounce
    >>> from jounce.identification import base_parameters
    >>> base = base_parameters(jounce.load("planar2r"))
    >>> base.count, base.formulas[-1]
    (6, 'Izz(link2)')
    >>> base.differing
    ()
    """
    check_type("robot", robot, Robot)
    check_name("method", method, METHODS)
    if not 0.0 < tolerance < 1.0:
        raise ArgumentError(f"tolerance must lie between 0 and 1, such as 1e-8, got {tolerance!r}.")
    if not robot.n_bodies:
        return BaseParameters((), (), np.zeros((0, 0)), (), ())
    try:
        return _found(robot, method, rng, tolerance, motor_kinds(friction, armature))
    except TypeError as error:
        refuse_symbols(robot, error)
        raise


def _found(
    robot: Robot, method: str, rng: Any, tolerance: float, motors: tuple[str, ...]
) -> BaseParameters:
    names = parameter_names(robot, motors)
    armature = "armature" in motors
    first_motor = len(names) - robot.nv * armature
    preference = _preference(robot, first_motor, len(names))
    structural = numerical = None
    dropped: list[int] = []
    null = np.zeros((len(names), 0))
    if method != "numerical":
        null = structural_null_space(robot, tolerance, armature=armature)
        friction = [robot.n_parameters] * (first_motor - robot.n_parameters)
        null = np.insert(null, friction, 0.0, axis=0)  # each column its own
        dropped = _dependent(null, preference, [])
        structural = _rest(names, dropped)
    if method != "structural":
        found = numerical_null_space(robot, np.random.default_rng(rng), tolerance, motors)
        extended = _dependent(found, preference, dropped)
        numerical = _rest(names, extended)
        if extended != dropped:  # the same space is exact from structure, rounded from numbers
            null, dropped = found, extended
    columns = _rest(names, dropped)
    return BaseParameters(names, columns, _map(null, columns, dropped), structural, numerical)


def _map(null: Array, columns: tuple[int, ...], dropped: list[int]) -> Array:
    """Return ``π_base = π_b − N_b N_d⁻¹ π_d``: what the dropped parameters add to the others."""
    result = np.zeros((len(columns), len(null)))
    result[range(len(columns)), list(columns)] = 1.0
    if dropped:
        share = np.linalg.solve(null[dropped].T, null[list(columns)].T).T
        result[:, dropped] = -np.where(np.abs(share) > SMALL, share, 0.0)
    return result


def _dependent(null: Array, preference: list[int], first: list[int]) -> list[int]:
    """Return as many rows of N as it has columns, with a regular N_d, preferred ones first."""
    chosen: list[int] = []
    rest = null.copy()  # rows less their part along the chosen ones
    for threshold in (0.3, 1e-2, 1e-7):
        for row in [*first, *preference]:
            if len(chosen) == null.shape[1] or row in chosen:
                continue
            length = float(np.linalg.norm(rest[row]))
            if length > threshold * max(float(np.linalg.norm(null[row])), 1e-3):
                direction = rest[row] / length
                rest -= np.outer(rest @ direction, direction)
                chosen.append(row)
    return sorted(chosen)


def _preference(robot: Robot, first_motor: int, end: int) -> list[int]:
    """Return all columns that may be dropped, those to drop first in front.

    Motor inertias, from ``first_motor`` to ``end``, then bodies from the tips to the ground; of a
    body first the mass, the first moment along the joint axis and the moments of inertia across
    it: so what remains names the body it is measured at.
    """
    order = list(range(first_motor, end))
    for body in reversed(range(robot.n_bodies)):
        axes = robot.joints[body].type.axes
        axis = np.abs(np.array([float(x) for x in axes[-1]])) if axes else np.zeros(3)
        along = sorted(range(3), key=lambda k: (-round(axis[k], 6), -k))
        across = sorted(range(3), key=lambda k: (round(axis[k], 6), -k))
        own = [0, *(1 + k for k in along), *(4 + k for k in across), 7, 8, 9]
        order += [10 * body + k for k in own]
    return order


def _rest(names: tuple[str, ...], dropped: list[int]) -> tuple[int, ...]:
    return tuple(c for c in range(len(names)) if c not in set(dropped))
