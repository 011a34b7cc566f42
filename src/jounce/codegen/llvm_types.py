"""Spelling of types and constants in LLVM IR."""

from __future__ import annotations

import struct


def vector(lanes: int) -> str:
    """Return the type of one value for all lanes."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


def integers(lanes: int) -> str:
    """Return the type of one 64-bit integer for all lanes."""
    return "i64" if lanes == 1 else f"<{lanes} x i64>"


def suffix(lanes: int) -> str:
    """Return the suffix of an intrinsic on `vector(lanes)`."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


def bits(value: float) -> str:
    """Spell a double exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def splat(value: float, lanes: int) -> str:
    """Spell a constant that is the same in all lanes."""
    return bits(value) if lanes == 1 else f"splat (double {bits(value)})"


def splat_integer(value: int, lanes: int) -> str:
    """Spell an integer constant that is the same in all lanes."""
    return str(value) if lanes == 1 else f"splat (i64 {value})"
