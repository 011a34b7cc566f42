"""Third-order inverse dynamics of a Panda along the papers' motion: table, picture and report."""

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from jounce.report import write_report
from jounce.trajectory import papers_motion

ORDER = 3
robot = jounce.load("panda")
t = np.linspace(0.0, 10.0, 2001)
motion = papers_motion(robot.nv)(t, order=ORDER + 2)  # q, v, a, jerk, snap, crackle: (6, 2001, 7)

reference = jounce.inverse_dynamics(robot, *motion)  # Q … Q⁽³⁾: (4, 2001, 7)
scale = np.abs(reference).max(axis=(1, 2))
table = Table(title=f"{robot.name}: Q … Q⁽³⁾ at {t.size} samples of the papers' motion")
for heading in ("formulation", "operations", "µs a sample", "largest deviation, of scale"):
    table.add_column(heading, justify="right" if heading != "formulation" else "left")


def timed(compute, motion):
    """Return the result and the best seconds of three calls; the first one compiles."""
    seconds = []
    for _ in range(4):
        begin = time.perf_counter()
        result = compute(*motion)
        seconds.append(time.perf_counter() - begin)
    return result, min(seconds[1:])


worst = 0.0
for formulation in ("momentum", "body", "spatial", "hybrid", "closed_form"):
    if formulation == "closed_form":  # NumPy, so fewer samples will do
        few, operations = motion[:, :200], "–"
        compute = partial(jounce.inverse_dynamics, robot, formulation=formulation)
    else:
        compute = jounce.kernel(robot, "inverse_dynamics", order=ORDER, formulation=formulation)
        few, operations = motion, str(compute.operations)
    Q, seconds = timed(compute, few)
    deviation = (np.abs(Q - reference[:, : Q.shape[1]]).max(axis=(1, 2)) / scale).max()
    worst = max(worst, deviation)
    cost = f"{1e6 * seconds / Q.shape[1]:.2f}"
    table.add_row(formulation, operations, cost, f"{deviation:.1e}")
Console(width=100).print(table)
print(f"largest deviation between the formulations: {worst:.1e} of scale")

target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/report.html")
target.parent.mkdir(parents=True, exist_ok=True)
write_report(target, robot, t, *motion, source="the cosine motion of the papers")
print(f"look at {target.resolve()} in a browser")
