"""Checks of the numbers users give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.errors import ArgumentError
from jounce.model.checks import checked_integer


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), np.int32(3)])
def test_integers_of_python_and_numpy_pass(value: Any) -> None:
    got = checked_integer("order", value)
    assert got == 3
    assert type(got) is int


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float64(3), "3", None, -1, [3]])
def test_what_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match="order must be an integer ≥ 0, got"):
        checked_integer("order", value)


def test_the_least_one_is_named() -> None:
    assert checked_integer("threads", 1, 1) == 1
    with pytest.raises(ArgumentError, match="threads must be an integer ≥ 1, got 0"):
        checked_integer("threads", 0, 1)
