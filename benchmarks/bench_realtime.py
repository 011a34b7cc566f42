"""Exported C++ in a control loop: how long a call takes, at worst too; it allocates nothing.

A million calls at 1 kHz would take 17 minutes; here a cycle begins every 20 µs, by a busy wait.
Without a real-time kernel the worst times are the system's: a call that does nothing is measured
beside them, and the library of Pinocchio, which computes Q without derivatives.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_most, best_times

CALLS = 1_000_000
PERIOD = 20_000  # ns
SAMPLES = 1024  # of a batch
PINOCCHIO_FLAGS = (
    "BOOST_MPL_LIMIT_LIST_SIZE=30",
    "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "BOOST_FUSION_INVOKE_MAX_ARITY=12",
    "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
)
PLACE = Path(__file__).parent / "realtime"


class Cycles(NamedTuple):
    """Times of the calls in ns, calls that the system interrupted, allocations of all cycles.

    ``undisturbed`` is the worst call that was not interrupted.
    """

    median: int
    p99: int
    p9999: int
    worst: int
    undisturbed: int
    interrupted: int
    allocations: int


def run(console: Console) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        console.print("no C++ compiler")
        return
    title = f"{CALLS:,} calls of C++ every {PERIOD / 1000:g} µs"
    table = Table("", "p50 [µs]", "p99", "p99.99", "worst", "not interrupted", "interrupted calls",
                  "allocations", title=title)  # fmt: skip
    for name in ("panda.urdf", "talos_reduced.urdf"):
        robot = jounce.load(urdf(name), mimic=False)
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder) / "model.txt"
            Pinocchio(name).model.saveToText(str(saved))
            program = built(robot, Path(folder), compiler, peer=True)
            for words, what in (
                ("nothing", "nothing"), ("Q, Q̇, Q̈", "compute"), ("Pinocchio, Q", str(saved)),
            ):  # fmt: skip
                _row(table, f"{robot.name}: {words}", cycles(program, CALLS, PERIOD, what))
    console.print(table)
    _batches(console)


def _batches(console: Console) -> None:
    """Time exported C of a fixed batch beside the kernel, on one thread."""
    kernel = jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=2)
    arrays = list(np.random.default_rng(0).normal(size=(8, SAMPLES, 7)))
    actions: dict[str, Action] = {"kernel": lambda: kernel(*arrays[:5])}
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in (("double", np.float64), ("single", np.float32)):
            place = Path(folder) / name
            kernel.export_c(place, "f", float32=name == "single", batch=SAMPLES)
            flags = ["-std=c99", "-O3", "-march=native", "-shared", "-fPIC"]
            subprocess.run(["cc", *flags, "f.c", "-o", "f.so", "-lm"], cwd=place, check=True)
            function = ctypes.CDLL(str(place / "f.so")).f
            own = [np.ctypeslib.as_ctypes(x.astype(kind)) for x in arrays]  # they own the memory
            actions[name] = partial(function, *own)
        best = best_times(actions, rounds=60)
    table = Table(
        "", "ns a sample", "of the kernel's", title=f"Panda, Q to order 2, {SAMPLES} samples"
    )
    for name, seconds in best.items():
        words = name if name == "kernel" else f"exported C, {name} precision"
        table.add_row(words, f"{1e9 * seconds / SAMPLES:.0f}", f"{seconds / best['kernel']:.2f}×")
    console.print(table)


def built(robot: jounce.Robot, folder: Path, compiler: str, *, peer: bool = False) -> Path:
    """Return the program that runs the loop, compiled; a peer is the library of Pinocchio."""
    jounce.kernel(robot, "inverse_dynamics", order=2).export_cpp(folder, "f")
    hook, program = folder / "allocations.o", folder / "loop"
    cc = shutil.which("cc") or "cc"
    subprocess.run([cc, "-O2", "-c", PLACE / "allocations.c", "-o", hook], check=True)
    flags = ["-std=c++17", "-O2", "-march=native", "-DJOUNCE_NO_EIGEN", "-I", folder]
    more = [] if not peer else ["-DWITH_PINOCCHIO", *_pinocchio(folder, compiler)]
    subprocess.run([compiler, *flags, PLACE / "loop.cpp", hook, "-o", program, *more], check=True)
    return program


def _pinocchio(folder: Path, compiler: str) -> list[str | Path]:
    """Return what links its library: compiled as that was, or numbers would lie at other places."""
    prefix = Path(str(distribution("pin").locate_file("cmeel.prefix")))
    includes = ["-isystem", prefix / "include", "-isystem", prefix / "include" / "eigen3"]
    flags = ["-std=c++17", "-O3", "-DNDEBUG", *(f"-D{word}" for word in PINOCCHIO_FLAGS)]
    compiled = folder / "rnea.o"
    source = PLACE / "rnea.cpp"
    subprocess.run([compiler, *flags, *includes, "-c", source, "-o", compiled], check=True)
    place = prefix / "lib"
    libraries = ("pinocchio_default", "boost_serialization")
    return [compiled, f"-L{place}", f"-Wl,-rpath,{place}", *(f"-l{name}" for name in libraries)]


def cycles(program: Path, calls: int, period: int, what: str) -> Cycles:
    """Run the loop and return what it prints."""
    words = [program, str(calls), str(period), what]
    numbers = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return Cycles(*map(int, numbers))


def _row(table: Table, name: str, found: Cycles) -> None:
    times = [f"{x / 1000:.3f}" for x in found[:5]]
    table.add_row(
        name,
        *times,
        str(found.interrupted),
        at_most(found.allocations, 0, ""),
    )
