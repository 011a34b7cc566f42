"""Exported code: compilers that are there, and the numbers that compiled functions give."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.kernels.export import sample
from jounce.kernels.kernel import Kernel
from tests.architecture.sources import ROOT

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
STANDINS = ROOT / "tests" / "data" / "standins"
ALLOCATIONS = ROOT / "benchmarks" / "realtime" / "allocations.c"
EIGEN = Path(str(distribution("cmeel-eigen").locate_file("cmeel.prefix/include/eigen3")))
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
needs_octave = pytest.mark.skipif(shutil.which("octave-cli") is None, reason="no Octave")
each_compiler = pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(x, marks=pytest.mark.skipif(shutil.which(x) is None, reason=f"no {x}"))
        for x in ("g++", "clang++")
    ],
)


def compiled(command: Sequence[str | Path]) -> None:
    """Run a compiler; what it says is the reason of a failure."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    assert not done.stderr, done.stderr[:4000]


def cpp(compiler: str, source: Path, program: Path, *flags: str | Path) -> Path:
    """Compile a file of C++17 with all warnings; headers beside it and of the system are found."""
    words = [compiler, "-std=c++17", "-O2", *WARNINGS, "-isystem", EIGEN, "-I", source.parent]
    compiled([*words, *flags, source, "-o", program])
    return program


def called(library: Path, name: str, arrays: Sequence[np.ndarray]) -> None:
    """Call a function that takes pointers only."""
    getattr(ctypes.CDLL(str(library)), name)(*(ctypes.c_void_p(x.ctypes.data) for x in arrays))


def printed(program: Path, rows: int, given: str = "") -> np.ndarray:
    """Run an example program and return what it prints, a row for each order."""
    done = subprocess.run([program], capture_output=True, text=True, check=True, input=given)
    return parsed(done.stdout, rows)


def parsed(text: str, rows: int) -> np.ndarray:
    """Return the numbers of lines such as ``out0[1] = 0.5``."""
    found = [re.fullmatch(r"out(\d+)\[(\d+)\] = (\S+)", x) for x in text.splitlines()]
    assert all(found)
    values: list[list[float]] = [[] for _ in range(rows)]
    for match in found:
        assert match is not None
        assert int(match[2]) == len(values[int(match[1])])
        values[int(match[1])].append(float(match[3]))
    return np.array(values)


def run_kernel(kernel: Kernel) -> np.ndarray:
    """Run a kernel on the sample of its example program."""
    return of_rows(kernel, sample(kernel.spec))


def of_rows(kernel: Kernel, rows: Sequence[np.ndarray]) -> np.ndarray:
    """Run a kernel on one array for every pointer of the exported function; results are flat."""
    left, given = iter(rows), []
    for argument in kernel.signature.arguments:
        values = np.array([next(left) for _ in range(max(argument.orders, 1))], dtype=float)
        given.append(values if argument.orders else values[0])
    result: Any = kernel(*given, check=True)
    tail = len(kernel.signature.tail)
    batch = result.shape[: result.ndim - tail] if tail else result.shape
    return result.reshape(*batch, -1)


def octave(place: Path, name: str, rows: Sequence[Any], results: int) -> list[np.ndarray]:
    """Call a function of a directory in Octave; return its results with their shapes."""
    given = ", ".join("[" + " ".join(repr(float(x)) for x in row) + "]" for row in rows)
    names = [f"r{k}" for k in range(results)]
    lines = [f"[{', '.join(names)}] = {name}({given});"]
    for x in names:  # the first axis is the fastest
        lines.append(f"printf('%d ', size({x})); printf('\\n'); printf('%.17g ', {x}(:));")
        lines.append("printf('\\n');")
    (place / "calling.m").write_text("\n".join(["1;", *lines, ""]))
    command = ["octave-cli", "--norc", "--quiet", "calling.m"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    return [
        np.array(numbers.split(), dtype=float).reshape([int(x) for x in sizes.split()], order="F")
        for sizes, numbers in zip(said[::2], said[1::2], strict=True)
    ]
