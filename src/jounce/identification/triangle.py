"""Rows reduced to triangles: ``rows = orthogonal · R``, by reflections of a few columns at once.

LAPACK's routine for a triangle with rows below it (dtpqrt) keeps to small blocks, so it runs on
one thread: the general factorization wakes all of BLAS for matrices as small as these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs

PANEL = 8  # columns of one block reflector
BLOCK = 512  # rows reduced at once: they stay in the cache
_dtpqrt: Any = get_lapack_funcs("tpqrt", dtype=np.float64)
Array = np.ndarray


def reduced(R: Array, rows: Array) -> Array:
    """Return the triangle of R and at most `BLOCK` more rows; both arrays may be used up."""
    factor, *_, info = _dtpqrt(0, min(PANEL, len(R)), R, rows, overwrite_a=1, overwrite_b=1)
    assert info == 0
    return factor


def upright(R: Array) -> Array:
    """Return the triangle with no negative number on its diagonal: then it is unique."""
    return np.asfortranarray(np.triu(R) * np.where(np.diag(R) < 0.0, -1.0, 1.0)[:, None])


def merged(R: Array, other: Array) -> Array:
    """Return the triangle of the rows of two."""
    return triangle(np.vstack([R, other]))


def triangle(rows: Array) -> Array:
    """Return the square triangle of rows ``(m, n)``."""
    R = np.zeros((rows.shape[1],) * 2, order="F")
    for first in range(0, len(rows), BLOCK):
        R = reduced(R, np.array(rows[first : first + BLOCK], order="F"))
    return upright(R)
