"""The Taylor integrator against scipy's DOP853 on the same compiled right-hand side."""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.integrate import solve_ivp

import jounce
from benchmarks.timing import at_most

SECONDS = 10.0
START = np.full(7, 0.3)


def run(console: Console) -> None:
    """Let pendulums of seven joints fall for ten seconds."""
    table = Table(title=f"free pendulum of 7 joints, {SECONDS:g} s")
    for heading in ("robot", "Taylor", "DOP853, 1e-12", "time ratio", "drift", "drift of DOP853"):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for robot in (jounce.examples.chain(7), jounce.load("panda"), jounce.load("iiwa14")):
        table.add_row(robot.name, *_compared(robot))
    console.print(table)


def _compared(robot: jounce.Robot) -> tuple[str, ...]:
    kernel, none = jounce.kernel(robot, "forward_dynamics"), np.zeros(7)

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[7:], kernel(y[:7], y[7:], none)[0]])

    jounce.simulation.taylor(robot, (START, none), t=(0.0, 0.01))  # compiles
    best, best_peer = np.inf, np.inf
    for _ in range(3):
        begin = time.perf_counter()
        ours = jounce.simulation.taylor(robot, (START, none), t=(0.0, SECONDS))
        best = min(best, time.perf_counter() - begin)
        begin = time.perf_counter()
        peer = solve_ivp(rhs, (0.0, SECONDS), np.r_[START, none], "DOP853", rtol=1e-12, atol=1e-12)
        best_peer = min(best_peer, time.perf_counter() - begin)
    theirs = np.ascontiguousarray(peer.y.T)
    return (
        f"{best:.2f} s, {ours.steps} steps",
        f"{best_peer:.2f} s, {len(peer.t) - 1} steps",
        at_most(best / best_peer, 1.0),
        at_most(_drift(robot, ours.states["q"], ours.states["v"]), 1e-12, ""),
        f"{_drift(robot, theirs[:, :7], theirs[:, 7:]):.2g}",
    )


def _drift(robot: jounce.Robot, q: np.ndarray, v: np.ndarray) -> float:
    """Return the largest change of energy over the largest kinetic energy."""
    T = jounce.kinetic_energy(robot, q, v)[0]
    E = T + jounce.potential_energy(robot, q, v)[0]
    return float(np.abs(E - E[0]).max() / T.max())
