"""Memory for columns that are worked on together, and for threads that are not."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

LINE = 8  # numbers of a line of the cache
PAGE = 4096  # bytes
APART = 8 * PAGE  # between what two threads write: processors fetch ahead of where one writes
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


def new_scratch(size: int) -> Any:
    """Return new memory of so many bytes, of any content, with nobody else's near it.

    Kernels go through it in steps, from group to group of the samples that take turns, and a
    processor that has seen some of them fetches what would be next: lines that another thread
    writes, were its memory there. Both would take up to twice as long. So as much as is used lies
    unused behind it, and some pages more: processors also fetch ahead of where one writes.

    >>> ctypes.addressof(new_scratch(1000)) % PAGE
    0
    """
    memory = np.empty(2 * size + PAGE + APART, np.uint8)
    first = -memory.ctypes.data % PAGE
    return (ctypes.c_char * size).from_buffer(memory.data, first)
