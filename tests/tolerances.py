"""The only tolerances of the test suite, and the comparisons that use them."""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT = 0.0  # bit for bit: interpreter against compiled code without FMA
ROUNDOFF = 1e-13  # of scale: the same quantity by another route of ours
SINGLE = 2e-6  # of scale: single precision against double
LAST_DIGITS = 1e-15  # of scale: the same operations, products fused into sums or not
INDEPENDENT = 1e-12  # of scale: against another program


def assert_close(
    actual: Any, desired: Any, tolerance: float, *, scale: float = 0.0, what: str = ""
) -> None:
    """Fail unless ``actual`` is ``desired`` to ``tolerance`` times the scale.

    The scale is the max-norm of ``desired``, or ``scale`` where that is larger (a reference
    that is zero has no scale of its own).  NaN is never close, but EXACT compares bits.
    """
    actual, desired = _floats(actual), _floats(desired)
    assert actual.shape == desired.shape, f"{what} shape {actual.shape}, wanted {desired.shape}"
    if tolerance == EXACT:
        different = actual.view(np.uint64) != desired.view(np.uint64)
        assert not different.any(), f"{what} differs in {different.sum()} of {different.size}"
        return
    if not desired.size:
        return
    error = np.abs(actual - desired).max()
    scale = max(scale, np.abs(desired).max())
    ratio = error / scale if scale else error
    assert error <= tolerance * scale, (
        f"{what} error {error:.3g} is {ratio:.3g} of scale {scale:.3g}, allowed {tolerance:g}"
    )


def assert_orders_close(
    actual: Any, desired: Any, tolerance: float, *, scale: float = 0.0, what: str = ""
) -> None:
    """Compare results whose first axis is the time-derivative order, each at its own scale."""
    actual, desired = _floats(actual), _floats(desired)
    assert actual.shape == desired.shape, f"{what} shape {actual.shape}, wanted {desired.shape}"
    for order, (got, wanted) in enumerate(zip(actual, desired, strict=True)):
        assert_close(got, wanted, tolerance, scale=scale, what=f"{what} order {order}:".strip())


def _floats(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.float64)
