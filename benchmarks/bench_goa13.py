"""The figure of [GOA13]: M, C, g of a 25-joint floating humanoid and their time derivatives.

The paper compares the matrices together with their first derivatives to two evaluations of the
matrices, the least a difference quotient would need: 0.71.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.timing import Action, best_times
from jounce.codegen import Graph
from jounce.dynamics.gravity import gravity_force_jets
from jounce.dynamics.matrices import coriolis_matrix_jets, mass_matrix_jets
from jounce.dynamics.motion import moving
from jounce.dynamics.rows import as_rows
from jounce.model.lowering.reduced import reduced

SAMPLES = 1024
PAPER = 0.71


def run(console: Console) -> None:
    """Print operations and times."""
    robot = jounce.load("humanoid")
    table = Table(
        title=f"{robot.name}, {robot.nv} velocities: M, C (passive), g and first derivatives "
        f"against two evaluations (paper: {PAPER})"
    )
    for heading in ("cost of", "M, C, g", "and derivatives", "over two evaluations"):
        table.add_column(heading, justify="left" if heading == "cost of" else "right")
    counts = operations(robot, 0), operations(robot, 1)
    table.add_row("one sample, operations", *map(str, counts), _ratio(*counts))
    times = durations(robot)
    texts = [f"{t * 1e6:.2f} µs" for t in times]
    table.add_row(f"one of {SAMPLES} samples, one thread", *texts, _ratio(*times))
    console.print(table)


def _ratio(once: float, both: float) -> str:
    return f"{both / (2 * once):.2f} [dim](paper {PAPER})[/dim]"


def operations(robot: jounce.Robot, order: int) -> int:
    """Count all three in one program; ``dM/dt = C + Cᵀ`` as in the paper."""
    graph = Graph()
    widths = [robot.nq, *[robot.nv] * (order + 1)]
    q, *rates = (graph.inputs(width) for width in widths)
    tree = reduced(robot, regrouped=False)
    m = moving(tree, q, rates)
    C = as_rows((x for row in coriolis_matrix_jets(m, "passive") for x in row), order)
    M = as_rows((x for row in mass_matrix_jets(moving(tree, q)) for x in row), 0)
    g = as_rows(gravity_force_jets(m), order)
    rows = [*M, *C, *g]
    if order:
        n = robot.nv
        rows.append([C[0][i * n + j] + C[0][j * n + i] for i in range(n) for j in range(i, n)])
    return graph.program(widths, rows).operations


def durations(robot: jounce.Robot) -> tuple[float, float]:
    """Return seconds a sample of order 0 and of orders 0 and 1, all three kernels."""
    rng = np.random.default_rng(0)
    increments = rng.uniform(-1.0, 1.0, size=(SAMPLES, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (SAMPLES, 1)), increments)
    v, a = rng.normal(size=(2, SAMPLES, robot.nv))
    best = best_times({str(k): _kernels(robot, k, [q, v, a]) for k in (0, 1)}, rounds=30)
    return best["0"] / SAMPLES, best["1"] / SAMPLES


def _kernels(robot: jounce.Robot, order: int, motion: list[np.ndarray]) -> Action:
    names = {"mass_matrix": 0, "coriolis_matrix": 1, "gravity_forces": 0}
    calls = []
    for name, more in names.items():
        kernel = jounce.kernel(robot, name, order=order)
        given = motion[: 1 + order + more]
        calls.append((kernel, given, np.empty_like(kernel(*given, threads=1))))
    return lambda: [kernel(*given, out=out, threads=1) for kernel, given, out in calls]
