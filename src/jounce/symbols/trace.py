"""From a robot of SymPy numbers to a traced one: every symbol becomes an input of the graph.

The texts then run on traced values, so that equal subexpressions are one value and the size
of a result is bounded by the work it takes to compute it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from jounce.algebra.scalar import sincos
from jounce.codegen.expression import Expr
from jounce.codegen.graph import Graph
from jounce.codegen.program import Program
from jounce.dynamics.gravity import gravity_forces
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.jacobian import jacobian
from jounce.dynamics.matrices import coriolis_matrix, mass_matrix
from jounce.errors import ModelError, UnsupportedError
from jounce.model.records import mapped
from jounce.model.robot import Robot
from jounce.symbols.snapping import turned

DENOMINATOR = 5040  # factors of Taylor series up to order 7, and what users type
ROUNDOFF = 4e-16  # of a number


@dataclass(frozen=True)
class Listing:
    """A program and what its inputs and outputs mean.

    ``leaves`` are the SymPy expressions of the inputs: coordinates, rates, parameters and
    what SymPy has to evaluate itself.  ``exact`` are the rational numbers behind floats.
    """

    program: Program
    leaves: tuple[Any, ...]
    outputs: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    exact: Mapping[float, Any]

    @property
    def is_decimal(self) -> bool:
        """Whether no fraction was typed: all numbers of the robot are decimals."""
        return all(x.is_Integer for x in self.exact.values())

    def number(self, value: float) -> Any:
        """Return a constant as an exact rational number: what was typed, 1/6 for 0.1666…."""
        if abs(value) in self.exact:
            return self.exact[abs(value)] * (1 if value > 0 else -1)
        near = Fraction(value).limit_denominator(DENOMINATOR)
        if abs(near - Fraction(value)) > ROUNDOFF * abs(value):
            near = Fraction(repr(value))
        return sp.Rational(near.numerator, near.denominator)


class Tracer:
    """A robot on a graph, its coordinates and rates inputs; quantities are traced on demand."""

    def __init__(
        self, robot: Robot, q: Sequence[Any], rates: Sequence[Sequence[Any]], symbols: Sequence[Any]
    ) -> None:
        self.graph = Graph()
        self.leaves = [*q, *(x for row in rates for x in row), *symbols]
        inputs = self.graph.inputs(len(self.leaves))
        self.known: dict[Any, Any] = dict(zip(self.leaves, inputs, strict=True))
        self.exact: dict[float, Any] = {}
        self.q = inputs[: len(q)]
        rows = iter(inputs[len(q) :])
        self.rates = [[next(rows) for _ in row] for row in rates]
        self.robot = _converted(_cleaned(robot) if symbols else robot, self.value)
        self._assume_unit_quaternions()

    def rows(self, quantity: str, order: int, factorization: str, **frame: str) -> list[list[Any]]:
        """Return a quantity and its time derivatives up to an order, as rows of scalars."""
        robot, q, rates = self.robot, self.q, self.rates
        if quantity == "J":
            return jacobian(robot, q, rates[:order], **frame)
        if quantity == "Q":
            return inverse_dynamics(robot, q, rates[: order + 2])
        if quantity == "M":
            return mass_matrix(robot, q, rates[:order])
        if quantity == "C":
            return coriolis_matrix(robot, q, rates[: order + 1], factorization)
        return gravity_forces(robot, q, rates[:order])

    def listing(self, rows: Mapping[str, tuple[list[Any], tuple[int, ...]]]) -> Listing:
        """Return the program of named rows and their shapes."""
        program = self.graph.program([len(self.leaves)], [row for row, _ in rows.values()])
        shapes = tuple(shape for _, shape in rows.values())
        return Listing(program, tuple(self.leaves), tuple(rows), shapes, dict(self.exact))

    def value(self, x: Any) -> Any:
        """Return a SymPy expression as a traced value, or as a float if it is a number."""
        if x not in self.known:
            self.known[x] = self._traced(x)
        return self.known[x]

    def _traced(self, x: Any) -> Any:
        if isinstance(x, AppliedUndef | sp.Derivative):
            raise UnsupportedError(f"the robot depends on {x}; its numbers must be constant.")
        if x.is_Number:
            return self._number(x)
        if x.is_Add or x.is_Mul:
            first, *others = (self.value(y) for y in x.args)
            for other in others:
                first = first + other if x.is_Add else first * other
            return first
        if x.is_Pow and x.exp.is_Integer:
            return self._power(x.base, int(x.exp))
        if x.func in (sp.sin, sp.cos) and x.free_symbols:
            return sincos(self.value(x.args[0]))[x.func is sp.cos]
        return self._opaque(x)

    def _power(self, base: Any, exponent: int) -> Any:
        if exponent < 0:
            return 1.0 / self._power(base, -exponent)
        root = self.value(base ** (exponent // 2)) if exponent > 1 else 1.0
        return root * root * (self.value(base) if exponent % 2 else 1.0)

    def _number(self, x: Any) -> float:
        if not x.is_finite or not x.is_real:
            raise ModelError(f"the robot holds {x}; its numbers must be real and finite.")
        value = float(x)
        if x.is_Rational and value:
            self.exact[abs(value)] = abs(x)
        return value

    def _opaque(self, x: Any) -> Expr:
        """Make an input of what only SymPy can evaluate, such as sqrt(2) or tan(alpha)."""
        for part in x.atoms(AppliedUndef, sp.Derivative):
            self._traced(part)
        (value,) = self.graph.inputs(1)
        self.leaves.append(x)
        return value

    def _assume_unit_quaternions(self) -> None:
        """Let 2 / (x² + y² + z² + w²), as `from_quaternion` asks for it, be 2."""
        graph, two = self.graph, self.graph.constant(2.0)
        for x, y, z, w in quaternions(self.robot, self.q):
            norm = x * x + y * y + z * z + w * w
            graph.quotients[two.index << 32 | norm.index] = two


def quaternions(robot: Robot, q: Sequence[Any]) -> list[Sequence[Any]]:
    """Return the entries of q that are quaternions, four each."""
    return [q[part] for part in robot.quaternions]


def _converted(robot: Robot, convert: Callable[[Any], Any]) -> Robot:
    """Return a robot with every SymPy expression in it converted."""
    return mapped(robot, lambda x: convert(x) if isinstance(x, sp.Basic) else x)


def free_symbols(robot: Robot) -> tuple[Any, ...]:
    """Return the symbols a robot is made of, sorted by name, numbers in names as numbers."""
    found: set[Any] = set()

    def note(x: Any) -> Any:
        found.update(x.free_symbols)
        return x

    _converted(robot, note)
    return tuple(sorted(found, key=lambda s: (_natural(s.name), str(s._assumptions))))


def _natural(name: str) -> list[Any]:
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in
            re.split(r"(\d+)", name)]  # fmt: skip


def _cleaned(robot: Robot) -> Robot:
    """Return the robot without the 6e-17 that π/2 in a file leaves in a rotation."""
    bodies = []
    for body in robot.bodies:
        rotation = turned(body.placement.rotation, [], near=4 * ROUNDOFF)
        bodies.append(replace(body, placement=body.placement._replace(rotation=rotation)))
    return replace(robot, bodies=tuple(bodies))
