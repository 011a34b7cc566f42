"""The equations of motion of a robot as SymPy expressions, and as programs when they are long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.codegen.interpreter import interpret
from jounce.errors import ArgumentError, ModelError, UnsupportedError, check_name
from jounce.lazy import cached_property, required
from jounce.model.checks import checked_order
from jounce.model.robot import Robot
from jounce.symbols.snapping import snapped

if TYPE_CHECKING:
    from jounce.symbols.trace import Listing

FACTORIZATIONS = ("passive", "kinematic", "christoffel")
QUANTITIES = ("Q", "M", "C", "g")
MATRICES = ("M", "C", "J")
REPRESENTATIONS = ("body", "spatial", "hybrid")
WRITTEN_OUT = 20_000  # operations of one expression that SymPy still handles
_DOTS = {1: r"\dot", 2: r"\ddot", 3: r"\dddot", 4: r"\ddddot"}


def symbolic(
    robot: Robot,
    order: int = 2,
    *,
    factorization: str = "passive",
    simplified: bool = True,
    snap: bool = True,
    letter: str = "q",
) -> Symbolic:
    """Return Q, dQ/dt, … up to an order, M, C and g of a robot as SymPy expressions.

    Masses, lengths, inertias and gravity of the robot may be numbers or SymPy expressions;
    `symbolic_parameters` makes symbols of numbers.  Coordinates are q_1, q_2, …, their rates
    dq_1, ddq_1, …; with a spherical or free joint the rates are v_1, dv_1, … and the
    quaternions in q are of unit length.  ``letter`` replaces the q.

    Files say 1.57079632679 for a right angle.  With ``snap`` numbers of the robot within 1e-9 of
    right angles and of decimals of six digits are these, and a `SnapWarning` says how many.

    >>> import jounce
    >>> robot, _ = jounce.symbolic_parameters(jounce.examples.chain(1), gravity=True)
    >>> jounce.symbolic(robot).Q[0]
    Matrix([[ddq_1*(I_1zz + c_1x**2*m_1 + c_1y**2*m_1)]])
    """
    sp = required("sympy", "jounce.symbolic", "sympy")
    from jounce.symbols.trace import free_symbols

    if snap:
        robot = snapped(robot)

    order = checked_order(order)
    check_name("factorization", factorization, FACTORIZATIONS)
    if not re.fullmatch(r"[A-Za-z]+", letter):
        raise ArgumentError(f"letter must be letters, such as 'q', got {letter!r}.")
    speed = "v" if robot.quaternions else letter
    first = 1 if speed == letter else 0
    q = _row(sp, letter, robot.nq)
    rates = tuple(_row(sp, _rate(speed, first + k), robot.nv) for k in range(order + 2))
    parameters = free_symbols(robot)
    taken = {x.name for row in (q, *rates) for x in row} & {x.name for x in parameters}
    if taken or (speed == "v" and letter == "v"):
        raise ModelError(
            f"the robot uses the names of coordinates or rates: {', '.join(sorted(taken)) or 'v'}; "
            "rename its symbols or give another letter."
        )
    return Symbolic(robot, order, factorization, simplified, letter, speed, q, rates, parameters)


@dataclass(frozen=True)
class Symbolic:
    """Equations of motion with symbols; matrices are made when they are first asked for.

    ``q`` and ``rates[k]`` are the symbols of coordinates and rates, ``parameters`` those of
    the robot.  ``Q[k]`` is the time derivative k of ``Q = M a + C v + D v + g``.
    """

    robot: Robot
    order: int
    factorization: str
    simplified: bool
    letter: str
    speed: str
    q: tuple[Any, ...]
    rates: tuple[tuple[Any, ...], ...]
    parameters: tuple[Any, ...]

    @cached_property
    def Q(self) -> list[Any]:
        """Generalised forces and their time derivatives, nv × 1 each."""
        return [self.derivative("Q", k) for k in range(self.order + 1)]

    @cached_property
    def M(self) -> Any:
        """Mass matrix, armature included."""
        return self.derivative("M")

    @cached_property
    def C(self) -> Any:
        """Coriolis matrix of the chosen factorization."""
        return self.derivative("C")

    @cached_property
    def g(self) -> Any:
        """Gravity forces, nv × 1."""
        return self.derivative("g")

    def derivative(
        self, quantity: str, order: int = 0, *, frame: str = "", representation: str = "body"
    ) -> Any:
        """Return the time derivative of "Q", "M", "C" or "g" of an order, as a matrix.

        "J", 6 × nv, is the Jacobian of a ``frame`` in a ``representation``.
        """
        import sympy as sp

        listing = self._derivative(quantity, order, frame, representation)
        (shape,) = listing.shapes
        return sp.Matrix(*shape, self._short(listing) or self._written_out(listing, quantity))

    def listing(self, *quantities: str) -> Listing:
        """Return the traced program of some quantities; Q comes with its derivatives."""
        tracer, rows = self._tracer(), {}
        for quantity in quantities or ("Q",):
            _check(quantity, 0, self.order)
            orders = self.order if quantity == "Q" else 0
            traced = tracer.rows(quantity, orders, self.factorization)
            for k, row in enumerate(traced):
                rows["d" * k + quantity] = row, self._shape(quantity)
        return tracer.listing(rows)

    def operations(self, *quantities: str) -> int:
        """Return the number of arithmetic operations of the program of some quantities."""
        return self.listing(*quantities).program.operations

    def cse(self, *quantities: str) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
        """Return pairs (symbol, expression) to be read in order, and matrices in those symbols.

        Like `sympy.cse`, but nothing is ever written out: the size is that of the program.
        The matrices are named Q, dQ, ddQ, … (all orders), M, C, g; without arguments: Q.
        """
        import sympy as sp

        from jounce.symbols.values import replaced

        listing = self.listing(*quantities)
        pairs, flat = replaced(listing, self._names())
        rows, matrices = iter(flat), {}
        for name, shape in zip(listing.outputs, listing.shapes, strict=True):
            rows_, columns = (*shape, 1)[:2]
            matrices[name] = sp.Matrix(rows_, columns, [next(rows) for _ in range(rows_ * columns)])
        return pairs, matrices

    def code(self, language: str, *quantities: str, name: str | None = None) -> str:
        """Return a function as text: "c", "matlab", "python" (one sample) or "numpy" (any batch).

        Arguments are q, dq, … and the parameters in the order of ``parameters``; results are
        Q, dQ, … and what else was asked for, in C through ``out_Q``, …, in MATLAB in this order.
        """
        from jounce.symbols.printing import Argument, printed

        first = 1 if self.speed == self.letter else 0
        rates = [Argument(_rate(self.speed, first + k), row) for k, row in enumerate(self.rates)]
        arguments = [Argument(self.letter, self.q), *rates]
        arguments.append(Argument("parameters", self.parameters))
        if name is None:
            name = re.sub(r"\W+", "_", f"robot_{self.robot.name}", flags=re.ASCII).strip("_")
        return printed(self.listing(*quantities), language, name, arguments)

    def latex(
        self,
        quantity: str = "Q",
        order: int = 0,
        *,
        frame: str = "",
        representation: str = "body",
    ) -> str:
        r"""Return equations in LaTeX, aligned; rates are \dot{q}_1, …; M, C and J are matrices.

        A result that is too long to be written out comes as the lines of its program.
        "J" is the Jacobian of a ``frame``, as in `derivative`.
        """
        import sympy as sp

        names = self._latex_names(sp)
        listing = self._derivative(quantity, order, frame, representation)
        flat, pairs = self._short(listing), []
        if flat is None:
            from jounce.symbols.values import replaced

            pairs, flat = replaced(listing, self._names())
        rows = [f"{sp.latex(x)} &= {sp.latex(e, symbol_names=names)}" for x, e in pairs]
        left = _dotted(quantity, order)
        texts = [sp.latex(x, symbol_names=names) for x in flat]
        if quantity in MATRICES:
            nv = self.robot.nv
            lines = [" & ".join(texts[k : k + nv]) for k in range(0, len(texts), nv)]
            matrix = " \\\\\n".join(lines)
            rows.append(f"{left} &= \\begin{{bmatrix}}\n{matrix}\n\\end{{bmatrix}}")
        else:
            rows += [f"{left}_{{{i}}} &= {text}" for i, text in enumerate(texts, start=1)]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def evaluate(self, values: Mapping[Any, Any], *quantities: str) -> dict[str, np.ndarray]:
        """Return numbers, given a number or an array for every symbol (or its name).

        The program of the quantities is run; arrays broadcast and come first in the result.
        """
        listing = self.listing(*quantities)
        known = {str(symbol): np.asarray(x, dtype=float) for symbol, x in values.items()}
        missing = sorted({s.name for x in listing.leaves for s in x.free_symbols} - set(known))
        if missing:
            raise ArgumentError(f"no value given for {', '.join(missing)}.")
        columns = np.broadcast_arrays(*(_number(x, known) for x in listing.leaves)) or [np.zeros(0)]
        blocks = interpret(listing.program, [np.stack(columns, axis=-1)])
        shaped = zip(listing.outputs, blocks, listing.shapes, strict=True)
        return {name: block.reshape(*block.shape[:-1], *shape) for name, block, shape in shaped}

    def _tracer(self) -> Any:
        from jounce.symbols.trace import Tracer

        return Tracer(self.robot, self.q, self.rates, self.parameters)

    def _derivative(
        self, quantity: str, order: int, frame: str = "", representation: str = "body"
    ) -> Listing:
        """Return the program of one time derivative of one quantity."""
        _check(quantity, order, self.order, (*QUANTITIES, "J"))
        options = {}
        if quantity == "J":
            self.robot.frame(frame)  # raises where there is none, and names those there are
            check_name("representation", representation, REPRESENTATIONS)
            options = {"frame": frame, "representation": representation}
        tracer = self._tracer()
        row = tracer.rows(quantity, order, self.factorization, **options)[order]
        shape = (*self._shape(quantity), 1)[:2]
        return tracer.listing({quantity: (row, shape)})

    def _short(self, listing: Listing) -> list[Any] | None:
        """Return simplified entries, or None where that takes too long or is not wanted."""
        if not self.simplified:
            return None
        from jounce.symbols.normal_form import NormalForm
        from jounce.symbols.shortening import Shortener
        from jounce.symbols.trace import quaternions

        form = NormalForm(listing, quaternions(self.robot, self.q))
        rows = form.outputs()
        if rows is None:
            return None
        rates = {x for row in self.rates for x in row}
        short = Shortener(form, rates, decimals=listing.is_decimal)
        return [short.expression(p) for p in rows[0]]

    def _written_out(self, listing: Listing, quantity: str) -> list[Any]:
        from jounce.symbols.values import evaluated, presented, tree_sizes

        size = max(tree_sizes(listing), default=0)
        if size > WRITTEN_OUT:
            raise UnsupportedError(
                f"written out, an entry of {quantity} of {self.robot.name!r} has {size:,} "
                f"operations; use .cse({quantity!r}) or .code('python', {quantity!r}): "
                f"{listing.program.operations:,} operations in all."
            )
        return [presented(x) for x in evaluated(listing, listing.program.outputs[0])]

    def _shape(self, quantity: str) -> tuple[int, ...]:
        nv = self.robot.nv
        return (6 if quantity == "J" else nv, nv) if quantity in MATRICES else (nv,)

    def _names(self) -> Iterator[Any]:
        import sympy as sp

        taken = {x.name for row in (self.q, *self.rates, self.parameters) for x in row}
        return (sp.Symbol(f"x{k}") for k in count() if f"x{k}" not in taken)

    def _latex_names(self, sp: Any) -> dict[Any, str]:
        first = 1 if self.speed == self.letter else 0
        return {
            x: f"{_dotted(self.speed, first + k)}_{{{i}}}"
            for k, row in enumerate(self.rates)
            for i, x in enumerate(row, start=1)
        }


def _row(sp: Any, letter: str, width: int) -> tuple[Any, ...]:
    return tuple(sp.Symbol(f"{letter}_{i}") for i in range(1, width + 1))


def _rate(letter: str, order: int) -> str:
    """Name a time derivative: q, dq, ddq, …; d5q beyond the fourth."""
    return f"{'d' * order if order < 5 else f'd{order}'}{letter}"


def _dotted(letter: str, order: int) -> str:
    if order == 0:
        return letter
    return f"{_DOTS[order]}{{{letter}}}" if order in _DOTS else f"{letter}^{{({order})}}"


def _check(quantity: str, order: int, highest: int, known: tuple[str, ...] = QUANTITIES) -> None:
    check_name("quantity", quantity, known)
    if not 0 <= order <= highest:
        raise ArgumentError(
            f"order {order} of {quantity} is not traced; give symbolic(robot, order={order})."
        )


def _number(x: Any, known: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the numbers of an input; what only SymPy can evaluate goes through lambdify."""
    if x.is_Symbol:
        return known[x.name]
    import sympy as sp

    symbols = sorted(x.free_symbols, key=str)
    return np.asarray(sp.lambdify(symbols, x, "numpy")(*(known[s.name] for s in symbols)), float)
