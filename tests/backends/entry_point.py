"""Call machine code on rows of arrays, without the kernels around it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from jounce.codegen.machine_code import MachineCode

WORD = ctypes.c_int64
SIGNATURE = ctypes.CFUNCTYPE(None, WORD, WORD, *[ctypes.c_void_p] * 5, WORD)


def run_rows(
    code: MachineCode,
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    begin: int = 0,
    end: int | None = None,
    *,
    whole: int | None = None,
) -> None:
    """Compute rows begin…end−1 of arrays (rows, width); an input of one row is repeated.

    ``whole`` is how many rows they are part of.
    """
    rows = max((len(x) for x in (*inputs, *outputs)), default=0)
    scratch = ctypes.create_string_buffer(code.scratch_bytes)
    last = rows if end is None else end
    places = (*_places(inputs, rows), *_places(outputs, rows))
    SIGNATURE(code.address)(begin, last, *places, scratch, whole or rows)


def _places(arrays: Sequence[np.ndarray], rows: int) -> tuple[Any, Any]:
    """Return the addresses and row strides (in doubles) of arrays."""
    for x in arrays:
        assert x.dtype == np.float64
        assert x.ndim == 2
        assert len(x) in (1, rows)
        assert x.size < 2 or x.shape[1] < 2 or x.strides[1] == 8, "numbers of a row lie apart"
    count = max(len(arrays), 1)
    strides = [0 if len(x) == 1 else x.strides[0] // 8 for x in arrays]
    addresses = [x.ctypes.data for x in arrays]
    return (ctypes.c_void_p * count)(*addresses), (ctypes.c_int64 * count)(*strides)
