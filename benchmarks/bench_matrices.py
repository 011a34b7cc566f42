"""Mass and Coriolis matrices against Pinocchio's; see `benchmarks.peers` for how it is timed."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_least, best_times, repeated
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of

SAMPLES = 4096
CALLS = 300
ROBOTS = [(name, base) for base in (False, True) for name in ("panda.urdf", "talos_reduced.urdf")]
BARS = {"M": 5.0, "C passive": 8.0, "C kinematic": 8.0, "C christoffel": 8.0}


def run(console: Console) -> None:
    """Print all tables of the matrices."""
    console.print(throughput())
    console.print(operations())


def throughput() -> Table:
    """Compare batches on one thread with calls of C++, whose overhead in Python is taken off."""
    table = Table(
        title=f"{SAMPLES} samples, one thread: times the speed of pin.crba and "
        "pin.computeCoriolisMatrix in C++"
    )
    for heading in ("robot", "pin M", "pin C", "overhead", *BARS, "M written", "mere write"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in ROBOTS:
        rng = np.random.default_rng(0)
        peer = Pinocchio(name, floating_base=floating)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        actions = {f"pin {x}": repeated(call, CALLS) for x, call in peer.single_calls(rng).items()}
        best = best_times(actions | _batches(robot, rng), rounds=40)
        best = {key: t / (CALLS if "pin" in key else SAMPLES) for key, t in best.items()}
        table.add_row(f"{name}, floating" if floating else name, *_cells(best, robot, floating))
    return table


def _cells(best: dict[str, float], robot: jounce.Robot, floating: bool) -> list[str]:
    copy = best["pin copy"] - best["pin copy of nothing"]
    peers = {x: best[f"pin {x}"] - best[f"pin {x} of nothing"] - copy for x in "MC"}
    overhead = max(best["pin M of nothing"], best["pin C of nothing"]) + copy
    ratios = {title: peers[title[0]] / best[title] for title in BARS}
    cells = [f"{t * 1e6:.2f} µs" for t in (*peers.values(), overhead)]
    cells += [
        f"{ratio:.1f}×" if floating else at_least(ratio, BARS[title])
        for title, ratio in ratios.items()
    ]
    return [*cells, f"{8e-3 * robot.nv**2:.1f} kB", f"{best['write'] * 1e6:.2f} µs"]


def operations() -> Table:
    """Show what is computed for one sample."""
    table = Table(title="operations of one sample: order 0 / with first derivatives")
    for heading in ("robot", *BARS):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for name, floating in ROBOTS:
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        row = [" / ".join(str(_kernel(robot, x, k).operations) for k in (0, 1)) for x in BARS]
        table.add_row(f"{name}, floating" if floating else name, *row)
    return table


def _kernel(robot: jounce.Robot, title: str, order: int = 0) -> Kernel:
    """Return a kernel that is compiled when it is first called."""
    if title == "M":
        return kernel_of(kernel_spec(robot, "mass_matrix", order))
    options = {"factorization": title.removeprefix("C ")}
    return kernel_of(kernel_spec(robot, "coriolis_matrix", order, (), options))


def _batches(robot: jounce.Robot, rng: np.random.Generator) -> dict[str, Action]:
    increments = rng.uniform(-1.0, 1.0, size=(SAMPLES, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (SAMPLES, 1)), increments)
    v = rng.normal(size=(SAMPLES, robot.nv))
    out = np.empty((1, SAMPLES, robot.nv, robot.nv))
    actions: dict[str, Action] = {"write": lambda: out.fill(1.0)}
    for title in BARS:
        kernel, given = _kernel(robot, title), (q,) if title == "M" else (q, v)
        actions[title] = lambda k=kernel, x=given: k(*x, out=out, threads=1)
    return actions
