"""Short expressions of a normal form: grouped by rates, sines and cosines in their best shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import sympy as sp
from sympy.simplify.fu import TR8

from jounce.symbols.normal_form import NormalForm
from jounce.symbols.values import is_decimal, presented

FEW_TERMS = 24  # of a trigonometric polynomial, to try all its shapes
FEW_ANGLES = 3
FEW_RATES = 6


class Piece(NamedTuple):
    """A product: rates · parameters · number · sines and cosines."""

    rate: Any
    fixed: Any
    number: Any
    factor: Any


class Shortener:
    """Turns polynomials of one normal form into SymPy expressions."""

    def __init__(self, form: NormalForm, rates: Any, *, decimals: bool = False) -> None:
        self.form = form
        self.moving = frozenset(rates)
        self.decimals = decimals  # whether the numbers are: then they are not factored
        self.rates = [k for g, k in form.place.items() if g in rates]
        trig = (sp.sin, sp.cos)
        self.trig = [k for g, k in form.place.items() if g.func in trig]
        fixed = {*self.rates, *self.trig}
        self.fixed = [k for k in range(len(form.generators)) if k not in fixed]
        self.shapes: dict[Any, Any] = {}

    def expression(self, p: Any) -> Any:
        """Return a polynomial as the shorter of two groupings: by rates, or by angles."""
        terms: dict[Any, dict[Any, Any]] = {}  # (rates, parameters) -> trigonometric polynomial
        for monomial, coefficient in p.terms():
            key = self._part(monomial, self.rates), self._part(monomial, self.fixed)
            terms.setdefault(key, {})[self._part(monomial, self.trig)] = coefficient
        pieces = []
        for (rate, fixed), trig in terms.items():
            number, factor = self._shape(trig).as_coeff_Mul()
            pieces.append(Piece(self._product(rate), self._product(fixed), number, factor))
        shortest = min(_by_rates(pieces), _by_angles(pieces), key=sp.count_ops)
        if self.decimals:
            shortest = _spread(shortest, self.moving)
        return presented(shortest, decimals=self.decimals)

    def _part(self, monomial: Any, places: list[int]) -> tuple[tuple[int, int], ...]:
        return tuple((k, monomial[k]) for k in places if monomial[k])

    def _product(self, powers: tuple[tuple[int, int], ...]) -> Any:
        return sp.Mul(*(self.form.generators[k] ** n for k, n in powers))

    def _shape(self, trig: dict[Any, Any]) -> Any:
        """Return the shortest of some equal forms of a polynomial in sines and cosines."""
        key = frozenset(trig.items())
        if key not in self.shapes:
            forms = [self._written(trig)]
            if 1 < len(trig) <= FEW_TERMS:
                forms += [self._written(t) for t in self._other_squares(trig)]
                forms.append(TR8(forms[0]))
            self.shapes[key] = min(forms, key=sp.count_ops)
        return self.shapes[key]

    def _other_squares(self, trig: dict[Any, Any]) -> list[dict[Any, Any]]:
        """Return the polynomial with 1 − sin² for cos² of some angles."""
        form = self.form
        p = form.ring.from_dict({self._full(m): c for m, c in trig.items()})
        cosines = [k for k in self.trig if form.generators[k].func is sp.cos]
        squared = [k for k in cosines if any(m[k] > 1 for m in p)]
        if len(squared) > FEW_ANGLES:
            return []
        subsets = chain(*(combinations(squared, n) for n in range(1, len(squared) + 1)))
        result = []
        for subset in subsets:
            sines = {k: form.poly[sp.sin(form.generators[k].args[0])] for k in subset}
            q = form.reduced(p, {k: form.ring.one - s**2 for k, s in sines.items()})
            result.append({self._part(m, self.trig): c for m, c in q.terms()})
        return result

    def _full(self, powers: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
        monomial = [0] * len(self.form.generators)
        for k, n in powers:
            monomial[k] = n
        return tuple(monomial)

    def _written(self, trig: dict[Any, Any]) -> Any:
        numbers = {m: sp.Rational(int(c.numerator), int(c.denominator)) for m, c in trig.items()}
        return sp.Add(*(c * self._product(m) for m, c in numbers.items()))


def _by_rates(pieces: Sequence[Piece]) -> Any:
    """Return Σ rates · Σ angles · Σ parameters."""
    total = []
    for rate, own in _grouped(pieces, lambda x: x.rate):
        inner = [
            factor * sp.factor_terms(sp.Add(*(x.number * x.fixed for x in same)))
            for factor, same in _grouped(own, lambda x: x.factor)
        ]
        total.append(rate * sp.factor_terms(sp.Add(*inner)))
    return sp.Add(*total)


def _by_angles(pieces: Sequence[Piece]) -> Any:
    """Return Σ angles · Σ (sum of rates) · Σ parameters: one term for every sum of rates."""
    total = []
    for factor, own in _grouped(pieces, lambda x: x.factor):
        sums: dict[Any, list[Any]] = {}
        for fixed, same in _grouped(own, lambda x: x.fixed):
            moving = sp.Add(*(x.number * x.rate for x in same))
            number, rest = _factored(moving).as_coeff_Mul()
            sums.setdefault(rest, []).append(number * fixed)
        inner = [rest * sp.factor_terms(sp.Add(*fixed)) for rest, fixed in sums.items()]
        total.append(factor * sp.factor_terms(sp.Add(*inner)))
    return sp.Add(*total)


def _spread(x: Any, moving: frozenset[Any], number: Any = sp.S.One) -> Any:
    """Return ``number · x`` with decimals before a sum in the sum, unless it is one of rates."""
    if x.is_Add:
        return sp.Add(*(_spread(term, moving, number) for term in x.args))
    own, rest = x.as_coeff_Mul()
    number *= own
    factors = list(sp.Mul.make_args(rest))
    sums = [k for k, f in enumerate(factors) if f.is_Add and not f.free_symbols & moving]
    for k in reversed(sums):
        factors[k] = _spread(factors[k], moving, number if is_decimal(number) else sp.S.One)
        number = sp.S.One if is_decimal(number) else number
    return sp.Mul(number, *factors)


def _factored(moving: Any) -> Any:
    few = 1 < len(sp.Add.make_args(moving)) <= FEW_RATES
    return sp.factor(moving) if few else sp.factor_terms(moving)


def _grouped(
    pieces: Iterable[Piece], key: Callable[[Piece], Any]
) -> Iterable[tuple[Any, list[Piece]]]:
    groups: dict[Any, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(key(piece), []).append(piece)
    return groups.items()
