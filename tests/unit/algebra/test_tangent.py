"""Tangent numbers: exact first partials of whatever runs on them."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as np
import pytest

from jounce.algebra.jet import Jet
from jounce.algebra.scalar import sincos, sqrt
from jounce.algebra.tangent import Tangent, partial
from tests.tolerances import ROUNDOFF, assert_close

Rule = tuple[Callable[..., Any], Callable[..., tuple[Any, Any]]]
FUNCTIONS: dict[str, Rule] = {  # f(x, y) and its two partials
    "sum": (lambda x, y: x + y, lambda _x, _y: (1.0, 1.0)),
    "difference": (lambda x, y: x - y, lambda _x, _y: (1.0, -1.0)),
    "product": (lambda x, y: x * y, lambda x, y: (y, x)),
    "quotient": (lambda x, y: x / y, lambda x, y: (1 / y, -x / y**2)),
    "negative": (lambda x, _y: -x, lambda _x, _y: (-1.0, 0.0)),
    "constant left": (lambda x, _y: 2.0 - x * 3.0, lambda _x, _y: (-3.0, 0.0)),
    "constant over": (lambda _x, y: 2.0 / y, lambda _x, y: (0.0, -2.0 / y**2)),
    "over constant": (lambda x, y: (x * y) / 4.0, lambda x, y: (y / 4, x / 4)),
    "sine": (lambda x, y: sincos(x * y)[0], lambda x, y: (y * cos(x * y), x * cos(x * y))),
    "cosine": (lambda x, _y: sincos(x)[1], lambda x, _y: (-sin(x), 0.0)),
    "root": (lambda x, y: sqrt(x * y), lambda x, y: (0.5 * (y / x) ** 0.5, 0.5 * (x / y) ** 0.5)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rules(name: str) -> None:
    function, partials = FUNCTIONS[name]
    x, y = 0.7, 1.3
    result = function(Tangent(x, {0: 1.0}), Tangent(y, {5: 1.0}))
    assert_close(result.value, float(function(x, y)), ROUNDOFF)
    got = [partial(result, 0), partial(result, 5)]
    assert_close(got, partials(x, y), ROUNDOFF)
    assert partial(result, 3) == 0.0


def test_what_is_no_tangent_number_has_no_partials() -> None:
    assert partial(1.5, 0) == 0.0


def test_operands_stay_as_they_are() -> None:
    x, y = Tangent(1.0, {0: 1.0}), Tangent(2.0, {0: 3.0, 1: 1.0})
    _ = (x + y, x * y, -x, x / y)
    assert (x.parts, y.parts) == ({0: 1.0}, {0: 3.0, 1: 1.0})


def test_numpy_scalars_on_the_left_defer() -> None:
    result = np.float64(2.0) * Tangent(np.array([1.0, 3.0]), {0: 1.0})
    assert isinstance(result, Tangent)
    assert result.value.tolist() == [2.0, 6.0]


@pytest.mark.parametrize("swap", [False, True])
def test_jets_and_tangent_numbers_over_jets_mix(swap: bool) -> None:
    """x = a + b t varied by a: the partial of x² is 2 x, a jet again."""
    x, y = Tangent(Jet((1.0, 2.0)), {0: 1.0}), Jet((3.0, 4.0))
    product = y * x if swap else x * y
    total = y - x if swap else x - y
    assert product.value.coeffs == (3.0, 10.0)
    assert partial(product, 0).coeffs == (3.0, 4.0)
    assert partial(total, 0) == (-1.0 if swap else 1.0)
    assert partial(y + x, 0) == 1.0
