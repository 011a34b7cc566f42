"""Partials of the forces and regressors against Pinocchio's; operations; compilation.

See `benchmarks.peers` for how Pinocchio is timed: calls from Python, less the same call on a robot
without joints and less the copy of the regressor that only a call from Python makes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_least, at_most, best_times, repeated
from jounce.codegen.graph import Graph
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.variation import motion_partials
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of

SAMPLES = 4096
CALLS = 200
BARS = {"panda.urdf": (4.0, 4.0), "talos_reduced.urdf": (3.0, 4.0)}  # ∂Q, regressor
ROBOTS = [(name, floating) for floating in (False, True) for name in BARS]
TENSORS = (
    "mass_matrix_partials",
    "coriolis_partials",
    "gravity_partials",
    "mass_matrix_parameter_partials",
    "coriolis_parameter_partials",
    "inverse_dynamics_second_partials",
)


def run(console: Console) -> None:
    """Print all tables of partials."""
    console.print(throughput())
    console.print(orders())
    console.print(operations())
    console.print(tensors())
    console.print(compilation())


def throughput() -> Table:
    """Compare batches on one thread with calls of C++."""
    table = Table(
        title=f"{SAMPLES} samples, one thread: times the speed of pin.computeRNEADerivatives and "
        "pin.computeJointTorqueRegressor in C++"
    )
    for heading in ("robot", "pin ∂Q", "pin Y", "∂Q/∂(q, v, a)", "Y", "Y written"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in ROBOTS:
        rng = np.random.default_rng(0)
        peer = Pinocchio(name, floating_base=floating)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        actions = {k: repeated(call, CALLS) for k, call in peer.partials_calls(rng).items()}
        actions["our Y"] = _batch(robot, "regressor", 0, rng)
        actions["our dQ"] = _batch(robot, "inverse_dynamics_partials", 0, rng)
        best = best_times(actions, rounds=30)
        best = {k: t / (SAMPLES if "our" in k else CALLS) for k, t in best.items()}
        written = f"{8e-3 * robot.nv * robot.n_parameters:.1f} kB"
        cells = _cells(best, name, floating)
        table.add_row(f"{name}, floating" if floating else name, *cells, written)
    return table


def _cells(best: dict[str, float], name: str, floating: bool) -> list[str]:
    peers = (
        best["dQ"] - best["dQ of nothing"],
        best["Y"] - best["Y of nothing"] - best["copy of Y"],
    )
    ratios = peers[0] / best["our dQ"], peers[1] / best["our Y"]
    verdicts = [
        f"{ratio:.1f}×" if floating else at_least(ratio, bar)
        for ratio, bar in zip(ratios, BARS[name], strict=True)
    ]
    return [*(_micro(t) for t in peers), *verdicts]


def orders() -> Table:
    """Time all partials of Q and of its time derivatives."""
    table = Table(title="all partials ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾ of one sample, one thread")
    for heading in ("robot", "of Q", "of Q, Q̇", "of Q…Q̈"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    rng = np.random.default_rng(0)
    panda = jounce.load("panda")
    arm = jounce.load(urdf("panda.urdf"), mimic=False)
    for title, robot in (("panda, 7 joints", panda), ("panda.urdf, 9 joints", arm)):
        actions = {str(k): _batch(robot, "inverse_dynamics_partials", k, rng) for k in range(3)}
        best = [t / SAMPLES for t in best_times(actions, rounds=25).values()]
        cells = [_micro(t) for t in best[:2]]
        table.add_row(title, *cells, at_most(best[2] * 1e6, 6.0, " µs"))
    return table


def operations() -> Table:
    """Compare the analytic text with tangent numbers on the text of inverse dynamics."""
    table = Table(title="operations of one sample: tangent numbers → analytic text")
    for heading in ("robot", "of Q", "of Q…Q̈"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in ROBOTS:
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        cells, tangents = [], partial(motion_partials, inverse_dynamics)
        for order in (0, 2) if "panda" in name else (0,):
            a, b = (
                _operations(robot, text, order) for text in (tangents, inverse_dynamics_partials)
            )
            cells.append(f"{a} → {b} ([dim]{b / a - 1:+.0%}[/dim])")
        table.add_row(f"{name}, floating" if floating else name, *cells)
    return table


def tensors() -> Table:
    """Time the tensors of the Panda."""
    table = Table(title="tensors of one sample, panda with 7 joints, one thread")
    for heading in ("tensor", "operations", "time", "written"):
        table.add_column(heading, justify="left" if heading == "tensor" else "right")
    robot, rng = jounce.load("panda"), np.random.default_rng(0)
    for name in TENSORS:
        best = best_times({name: _batch(robot, name, 0, rng)}, rounds=15)[name] / SAMPLES
        kernel = _kernel(robot, name, 0)
        size = 8e-3 * kernel.signature.rows * np.prod(kernel.signature.tail)
        table.add_row(name, str(kernel.operations), _micro(best), f"{size:.1f} kB")
    return table


def compilation() -> Table:
    """Time the compiler from nothing, tracing included, each in a process of its own."""
    table = Table(title="compilation, tracing included, from nothing")
    for heading in ("kernel", "panda.urdf", "talos_reduced.urdf"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    for quantity in ("inverse_dynamics_partials", "forward_dynamics_partials", "regressor"):
        cells = [
            at_most(_compile(name, quantity, 0), bar, " s")
            for name, bar in (("panda.urdf", 2.5), ("talos_reduced.urdf", 5.0))
        ]
        table.add_row(quantity, *cells)
    for quantity, order in (("inverse_dynamics_partials", 2), *((name, 0) for name in TENSORS)):
        cell = at_most(_compile("panda.urdf", quantity, order), 2.5, " s")
        table.add_row(f"{quantity} of Q…Q̈" if order else quantity, cell, "")
    return table


_COMPILE = """
import time, jounce
robot = jounce.load({path!r}, mimic=False)
jounce.kernel(jounce.load("planar2r"), "inverse_dynamics")
begin = time.perf_counter()
jounce.kernel(robot, {quantity!r}, order={order})
print(time.perf_counter() - begin)
"""


def _compile(name: str, quantity: str, order: int) -> float:
    program = _COMPILE.format(path=str(urdf(name)), quantity=quantity, order=order)
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "JOUNCE_CACHE_DIR": place},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


def _operations(robot: jounce.Robot, text: object, order: int) -> int:
    assert callable(text)
    graph = Graph()
    widths = [robot.nq, *[robot.nv] * (order + 2)]
    stream = iter(graph.inputs(sum(widths)))
    q, *rates = [[next(stream) for _ in range(width)] for width in widths]
    return graph.program(widths, text(robot, q, rates)).operations


def _kernel(robot: jounce.Robot, quantity: str, order: int) -> Kernel:
    return kernel_of(kernel_spec(robot, quantity, order))


def _batch(robot: jounce.Robot, quantity: str, order: int, rng: np.random.Generator) -> Action:
    kernel = _kernel(robot, quantity, order)
    increments = rng.uniform(-1.0, 1.0, size=(SAMPLES, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (SAMPLES, 1)), increments)
    count = len(kernel.signature.arguments) - 1
    motion = [q, *(rng.normal(size=(SAMPLES, robot.nv)) for _ in range(count))]
    out = np.empty((kernel.signature.rows, SAMPLES, *kernel.signature.tail))
    return lambda: kernel(*motion, out=out, threads=1)


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"
