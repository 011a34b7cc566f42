"""SymPy, if it is there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from jounce.errors import UnsupportedError


def require_sympy(what: str) -> Any:
    """Return SymPy, or say how to get it."""
    try:
        return import_module("sympy")
    except ImportError:
        raise UnsupportedError(f"{what} needs SymPy: pip install 'jounce[sympy]'.") from None
