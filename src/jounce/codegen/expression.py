"""The traced scalar: arithmetic on it records the operation in its graph.

A sign costs nothing: an `Expr` is a node of the graph and a sign, so negations travel outwards
through sums, products and quotients and meet an operation only where a result is stored.
Numbers that fold to a constant come back as Python floats.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

from jounce.codegen.opcodes import ADD, COS, DIV, MUL, NEG, SIN, SQRT, SUB

if TYPE_CHECKING:
    from jounce.codegen.graph import Graph

NUMBERS: tuple[type, ...] = (float, int)


class Expr:
    """A value of a `Graph`: node `index`, negated if `negative`; equality is identity."""

    __slots__ = ("_opposite", "graph", "index", "negative")
    __array_ufunc__ = None  # NumPy numbers and arrays leave the operation to this class

    def __init__(self, graph: Graph, index: int, negative: bool = False) -> None:
        self.graph = graph
        self.index = index
        self.negative = negative
        self._opposite: Expr | None = None

    def __neg__(self) -> Expr:
        opposite = self._opposite
        if opposite is None:
            opposite = Expr(self.graph, self.index, not self.negative)
            opposite._opposite = self
            self._opposite = opposite
        return opposite

    def __pos__(self) -> Expr:
        return self

    def __add__(self, other: Any) -> Any:
        if type(other) is Expr:
            return _sum(self, other, other.negative)
        return _sum_with_number(self, _number(other), negative=False)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is Expr:
            return _sum(self, other, not other.negative)
        return _sum_with_number(self, _number(other), negative=True)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Expr:
            other = _number(other)
            if other is NotImplemented:
                return other
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other == -1.0:
                return -self
            other = self.graph.constant(other)
        graph = self.graph
        i = self.index
        j = other.index
        key = i << 32 | j if i < j else j << 32 | i
        found = graph.products.get(key)
        if found is None:
            found = graph.commutative(MUL, graph.products, key, self, other)
        return found if self.negative is other.negative else -found

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is not Expr:
            other = _number(other)
            if other is NotImplemented:
                return other
            if other == 0.0:
                raise ZeroDivisionError("a traced value is divided by the constant zero")
            if _is_power_of_two(other):
                return self * (1.0 / other)
            other = self.graph.constant(other)
        return _quotient(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        other = _number(other)
        if other is NotImplemented:
            return other
        if other == 0.0:
            return 0.0
        return _quotient(self.graph.constant(other), self)

    def sqrt(self) -> Expr:
        """Return the square root."""
        graph = self.graph
        index = graph.node(NEG, self.index) if self.negative else self.index
        return graph.unary(SQRT, index)

    def sincos(self) -> tuple[Expr, Expr]:
        """Return sine and cosine; the sign of the argument moves to the sine."""
        sine = self.graph.unary(SIN, self.index)
        return (-sine if self.negative else sine), self.graph.unary(COS, self.index)

    def __repr__(self) -> str:
        return f"<traced {'-' if self.negative else ''}{self.graph.describe(self.index)}>"

    def _no_value(self, *_: object) -> NoReturn:
        """Refuse what would need the number behind the trace."""
        raise TypeError(
            "a traced value has no number yet: it cannot be compared, tested or converted; "
            "branch on the robot (constants), or compute both cases"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_value
    __bool__ = __float__ = __int__ = __index__ = __complex__ = _no_value
    __abs__ = __round__ = _no_value


def _sum(x: Expr, y: Expr, negative: bool) -> Any:
    """Return x + y, where `negative` is the sign to take y with.

    ±(x + y) and ±(x − y), operands ordered by index, are the only sums that become nodes.
    """
    graph = x.graph
    i = x.index
    j = y.index
    ordered = i < j
    key = i << 32 | j if ordered else j << 32 | i
    if x.negative is negative:
        found = graph.sums.get(key)
        if found is None:
            found = graph.commutative(ADD, graph.sums, key, x, y)
        return -found if negative else found
    if i == j:
        return 0.0
    found = graph.differences.get(key)
    if found is None:
        found = graph.commutative(SUB, graph.differences, key, x, y)
    return -found if (x.negative if ordered else negative) else found


def _sum_with_number(x: Expr, number: Any, *, negative: bool) -> Any:
    """Return x + number or, if `negative`, x − number."""
    if number is NotImplemented:
        return number
    if number == 0.0:
        return x
    y = x.graph.constant(number)
    return _sum(x, y, y.negative is not negative)


def _quotient(x: Expr, y: Expr) -> Any:
    """Return x / y with the signs taken out."""
    if x.index == y.index:
        return 1.0 if x.negative is y.negative else -1.0
    graph = x.graph
    key = x.index << 32 | y.index
    found = graph.quotients.get(key)
    if found is None:
        graph.require_own(x, y)
        found = graph.quotients[key] = Expr(graph, graph.node(DIV, x.index, y.index))
    return found if x.negative is y.negative else -found


def _number(value: Any) -> Any:
    """Return a Python float, or NotImplemented for what is no number."""
    if isinstance(value, NUMBERS):
        return float(value)
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:  # NumPy scalars
        return float(value)
    return NotImplemented


def _is_power_of_two(value: float) -> bool:
    """Tell whether 1 / value is exact."""
    mantissa, _ = math.frexp(value)
    return abs(mantissa) == 0.5 and 1e-300 < abs(value) < 1e300
