"""The comparisons of tests/tolerances.py notice what they are there to notice."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close


def test_the_error_is_relative_to_the_largest_entry():
    assert_close([1e6, 1e-7], [1e6, 0.0], ROUNDOFF)
    with pytest.raises(AssertionError, match="of scale"):
        assert_close([1e6, 2e-7], [1e6, 0.0], ROUNDOFF)


def test_every_order_has_its_own_scale():
    desired = np.array([[1.0], [1e6]])
    assert_orders_close(desired * (1 + 5e-13), desired, INDEPENDENT)
    with pytest.raises(AssertionError, match="order 0"):
        assert_orders_close(desired + 1e-9, desired, INDEPENDENT)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e-300])
def test_zero_has_no_scale(wrong: float):
    with pytest.raises(AssertionError):
        assert_close([wrong], [0.0], ROUNDOFF)
    assert_close([1e-14], [0.0], ROUNDOFF, scale=1.0)


def test_exact_is_bit_for_bit():
    assert_close([np.nan, 0.1], [np.nan, 0.1], EXACT)
    for actual, desired in ((0.1 + 0.2, 0.3), (-0.0, 0.0)):
        with pytest.raises(AssertionError, match="differs in 1 of 1"):
            assert_close([actual], [desired], EXACT)
    assert_close(0.5, 0.5, EXACT)


def test_shapes_must_agree():
    for compare in (assert_close, assert_orders_close):
        with pytest.raises(AssertionError, match="shape"):
            compare([[1.0]], [1.0], ROUNDOFF)
