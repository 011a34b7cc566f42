"""Memory for columns that are worked on together."""

from __future__ import annotations

import numpy as np

LINE = 8  # numbers of a line of the cache
STEP = 9  # lines or more, from the end of a column to the next


def new_columns(columns: int, samples: int) -> np.ndarray:
    """Return new memory ``(columns, samples)``, each column in one piece.

    Were a column to begin a power of two after the one before it, all columns would have the same
    few places in a cache; an odd number of lines gives each its own.

    >>> new_columns(2, 16384).strides
    (131648, 8)
    """
    width = LINE * (-(-samples // LINE) + STEP | 1)
    memory = np.empty(columns * width + LINE)
    first = -(memory.ctypes.data // 8) % LINE  # a column begins with a line
    return memory[first : first + columns * width].reshape(columns, width)[:, :samples]
