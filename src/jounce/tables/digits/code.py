"""Machine code of a function in IR that works on memory, where it can be had."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from jounce.codegen.machine_code import load_module
from jounce.kernels.kernel import INTERPRET

WORD = ctypes.c_int64  # of numbers and addresses alike


def function_of(text: str, name: str, arguments: int) -> Any:
    """Return a function of so many words to a word, or None; it runs without the lock of Python.

    There is none without llvmlite, where compiling is switched off, and where the first byte of a
    number is its highest.
    """
    if sys.byteorder != "little" or os.environ.get(INTERPRET):
        return None
    try:
        engine, address = load_module(text, name)
    except ImportError:
        return None
    function: Any = ctypes.CFUNCTYPE(WORD, *[WORD] * arguments)(address)
    function.keep = engine
    return function
