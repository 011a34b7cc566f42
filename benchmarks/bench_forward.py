"""Forward dynamics of any order: speed against Pinocchio's order 0, digits after inverse."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import mpmath
import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_least, at_most, best_times, repeated
from jounce.dynamics.forward import forward_dynamics
from jounce.dynamics.inverse import inverse_dynamics
from jounce.kernels.description import kernel_spec
from jounce.kernels.tracing import trace_by

SAMPLES = 4096
CALLS = 300
ORDERS = (0, 2, 4)
TITLES = ("a", "a…ä", "a…a⁽⁴⁾")
STATES = 20
RATES = ("a", "j", "s", "q⁽⁵⁾", "q⁽⁶⁾")
BARS = {  # robot, floating: samples of a for each of Pinocchio's
    ("panda.urdf", False): 4.0,
    ("talos_reduced.urdf", False): 3.0,
    ("panda.urdf", True): 4.0,
    ("talos_reduced.urdf", True): 3.0,
}


CHAINS = (25, 50, 100, 200)
COLD = 5.0  # s, chain(100) from nothing


def run(console: Console) -> None:
    """Print what forward dynamics takes, and what it gives back."""
    _speed(console)
    _methods(console)
    _deep_trees(console)
    _round_trip(console)
    _inevitable(console)


def _speed(console: Console) -> None:
    """Print the times of batches; the peer is the faster one of its two ways."""
    table = Table(title=f"{SAMPLES} samples, one thread: times the speed of Pinocchio's a in C++")
    for heading in ("robot", "pin.aba", "abaInParallel", *TITLES, "operations"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for (name, floating), bar in BARS.items():
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        best = _times(robot, Pinocchio(name, floating_base=floating))
        peer = min(best["call"], best["batch"])
        ratios = [peer / best[title] for title in TITLES]
        counts = [jounce.kernel(robot, "forward_dynamics", order=k).operations for k in ORDERS]
        table.add_row(
            f"{name}, floating" if floating else name,
            *(f"{best[x] * 1e6:.2f} µs" for x in ("call", "batch")),
            at_least(ratios[0], bar),
            *(f"{ratio:.1f}×" for ratio in ratios[1:]),
            " / ".join(map(str, counts)),
        )
    console.print(table)


def _times(robot: jounce.Robot, peer: Pinocchio) -> dict[str, float]:
    """Return seconds a sample; of the call from Python that on no joints is taken off."""
    rng = np.random.default_rng(0)
    calls = {x: repeated(f, CALLS) for x, f in peer.single_calls(rng).items() if x[0] == "a"}
    batches = {title: _batch(robot, k, rng) for title, k in zip(TITLES, ORDERS, strict=True)}
    batches["batch"] = peer.aba_batch(SAMPLES, rng)
    best = best_times({f"pin {x}": f for x, f in calls.items()} | batches, rounds=25)
    call = (best["pin a"] - best["pin a of nothing"]) / CALLS
    return {"call": call} | {title: best[title] / SAMPLES for title in batches}


def _batch(robot: jounce.Robot, order: int, rng: np.random.Generator) -> Action:
    kernel = jounce.kernel(robot, "forward_dynamics", order=order)
    increments = rng.uniform(-1.0, 1.0, size=(SAMPLES, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (SAMPLES, 1)), increments)
    given = [q, *(rng.normal(size=(SAMPLES, robot.nv)) for _ in range(order + 2))]
    out = np.empty((order + 1, SAMPLES, robot.nv))
    return lambda: kernel(*given, out=out, threads=1)


def _methods(console: Console) -> None:
    """Print both ways to factor M; kernels take the one with fewer operations."""
    table = Table(title="articulated bodies against elimination: operations")
    for heading in ("robot", *TITLES, "∂a"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in BARS:
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        specs = [kernel_spec(robot, "forward_dynamics", k) for k in ORDERS]
        specs.append(kernel_spec(robot, "forward_dynamics_partials"))
        table.add_row(
            f"{name}, floating" if floating else name,
            *(
                " against ".join(str(trace_by(spec, m).operations) for m in _NEW_FIRST)
                for spec in specs
            ),
        )
    console.print(table)


_NEW_FIRST = ("articulated", "elimination")
_MAKE = """
import time, jounce
robot = jounce.examples.chain({n})
jounce.kernel(jounce.load("planar2r"), "inverse_dynamics")
begin = time.perf_counter()
jounce.kernel(robot, "forward_dynamics").compile()
print(time.perf_counter() - begin)
"""


def _deep_trees(console: Console) -> None:
    """Print how the work grows along chains, and the time to compile them from nothing."""
    table = Table(title="forward dynamics of chains: operations, and compilation from nothing")
    headings = ("joints", "a", "a joint", "by elimination", "a…ä", "a joint ", "cold")
    for heading in headings:
        table.add_column(heading, justify="right")
    for n in CHAINS:
        robot = jounce.examples.chain(n)
        zero, two = (kernel_spec(robot, "forward_dynamics", k) for k in (0, 2))
        counts = [trace_by(spec, "articulated").operations for spec in (zero, two)]
        eliminated = trace_by(zero, "elimination").operations if n <= 100 else "–"
        seconds = min(_cold_seconds(n) for _ in range(2))
        table.add_row(
            str(n),
            str(counts[0]),
            f"{counts[0] / n:.0f}",
            str(eliminated),
            str(counts[1]),
            f"{counts[1] / n:.0f}",
            at_most(seconds, COLD, " s") if n == 100 else f"{seconds:.1f} s",
        )
    console.print(table)


def _cold_seconds(n: int) -> float:
    """Return the seconds to trace and compile a kernel in a new process with an empty cache."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [sys.executable, "-c", _MAKE.format(n=n)],
            env={**os.environ, "JOUNCE_CACHE_DIR": place},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


def _round_trip(console: Console) -> None:
    """Solve the forces of random rates of size one for the rates again."""
    table = Table(title=f"forward after inverse dynamics, {STATES} states: median relative error")
    for heading in ("robot", *RATES, "worst of the forces", "condition of M"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name in ("panda", "iiwa14"):
        robot, rng = jounce.load(name), np.random.default_rng(0)
        q = np.array([robot.random_configuration(rng) for _ in range(STATES)])
        v, *rates = rng.standard_normal((1 + len(RATES), STATES, robot.nv))
        Q = jounce.inverse_dynamics(robot, q, v, *rates)
        found = jounce.forward_dynamics(robot, q, v, *Q)
        again = jounce.inverse_dynamics(robot, q, v, *found)
        errors, misses = (
            np.abs(x - y).max(axis=-1) / np.abs(y).max(axis=-1)
            for x, y in ((found, rates), (again, Q))
        )
        condition = np.median(np.linalg.cond(jounce.mass_matrix(robot, q)[0]))
        medians = (f"{x:.0e}" for x in np.median(errors, axis=-1))
        table.add_row(name, *medians, f"{misses.max():.0e}", f"{condition:.0e}")
    console.print(table)


def _inevitable(console: Console) -> None:
    """Round the exact forces of one state to doubles, and solve them with 50 digits."""
    robot, rng = jounce.load(urdf("panda.urdf"), mimic=False), np.random.default_rng(0)
    q = robot.random_configuration(rng)
    v, *rates = rng.standard_normal((1 + len(RATES), robot.nv))
    found = jounce.forward_dynamics(robot, q, v, *jounce.inverse_dynamics(robot, q, v, *rates))
    with mpmath.workdps(50):
        exact = [[mpmath.mpf(float(x)) for x in row] for row in (q, v, *rates)]
        Q = inverse_dynamics(robot, exact[0], exact[1:])
        rounded = [[mpmath.mpf(float(x)) for x in row] for row in Q]
        solved = np.array(forward_dynamics(robot, exact[0], [exact[1], *rounded]), dtype=float)
    table = Table(title=f"{robot.name}, {robot.nv} joints, one state at unit rates: relative error")
    for heading in ("solved by", *RATES):
        table.add_column(heading, justify="left" if heading == "solved by" else "right")
    for name, result in {"50 digits, forces rounded to doubles": solved, "ours": found}.items():
        errors = np.abs(result - rates).max(axis=-1) / np.abs(rates).max(axis=-1)
        table.add_row(name, *(f"{x:.0e}" for x in errors))
    console.print(table)
