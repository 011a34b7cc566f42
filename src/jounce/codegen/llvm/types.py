"""Spelling of types and constants in LLVM IR, and what every module declares."""

from __future__ import annotations

import struct


def vector(lanes: int) -> str:
    """Return the type of one value for all lanes."""
    return f"<{lanes} x double>"


def integers(lanes: int) -> str:
    """Return the type of one 64-bit integer for all lanes."""
    return f"<{lanes} x i64>"


def suffix(lanes: int) -> str:
    """Return the suffix of an intrinsic on `vector(lanes)`."""
    return f"v{lanes}f64"


def bits(value: float) -> str:
    """Spell a double exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def splat(value: float) -> str:
    """Spell a constant that is the same in all lanes."""
    return f"splat (double {bits(value)})"


def splat_integer(value: int) -> str:
    """Spell an integer constant that is the same in all lanes."""
    return f"splat (i64 {value})"


def load_word(name: str, word: int | str, base: str, kind: str = "i64") -> str:
    """Return the lines that load a word of the block at `%base` into `%name`."""
    return f"""\
  %{name}.p = getelementptr i64, ptr %{base}, i64 {word}
  %{name} = load {kind}, ptr %{name}.p
"""


def declarations(lanes: int) -> str:
    """Return the functions from outside and the attributes that modules refer to."""
    v, s = vector(lanes), suffix(lanes)
    return f"""\
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare {v} @llvm.fma.{s}({v}, {v}, {v})
declare {v} @llvm.sqrt.{s}({v})
declare {v} @llvm.fabs.{s}({v})
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = {{ nounwind noinline }}
attributes #1 = {{ nounwind noinline cold }}
attributes #2 = {{ nounwind }}
"""
