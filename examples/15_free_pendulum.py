"""Simulation by Taylor series: a double pendulum swings freely and keeps its energy."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import jounce
from jounce.simulation import taylor

arm = jounce.load("planar2r")
start, end = np.array([[1.2, 0.4], [0.0, 0.0]]), 20.0


def energy(q, v):
    """Return the total energy, (samples,)."""
    return jounce.kinetic_energy(arm, q, v)[0] + jounce.potential_energy(arm, q, v)[0]


run = taylor(arm, start, t=(0.0, end))
q, v = run.states["q"], run.states["v"]
scale = jounce.kinetic_energy(arm, q, v)[0].max()
drift = np.abs(energy(q, v) - energy(*start)) / scale
print(f"Taylor: {run.steps} steps for {end:g} s, energy drifts by {drift.max():.0e} of scale")

again = taylor(arm, run.final * np.array([[1.0], [-1.0]]), t=(0.0, end))  # and all the way back
missed = np.abs(again.final[0] - start[0]).max()
print(f"turned round, it comes back to where it started within {missed:.0e} rad")


def rates(_, y):
    """Return dy/dt of y = (q, v) without forces."""
    return np.concatenate([y[2:], jounce.forward_dynamics(arm, y[:2], y[2:], [0.0, 0.0])[0]])


peer = solve_ivp(rates, (0.0, end), start.ravel(), "DOP853", rtol=1e-10, atol=1e-10)
peer_drift = np.abs(energy(peer.y[:2].T, peer.y[2:].T) - energy(*start)) / scale
print(f"DOP853 at 1e-10: {peer.t.size - 1} steps, energy drifts by {peer_drift.max():.0e}")

left, right = (figure := Figure(figsize=(11, 5), layout="constrained")).subplots(1, 2)
tip = jounce.frame_pose(arm, "tip", run(np.linspace(0.0, end, 4000))["q"])[0, :, :3, 3]
left.plot(tip[:, 0], tip[:, 1], lw=0.5)
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title=f"path of the tip, {end:g} s")
right.semilogy(run.times, drift + 1e-17, lw=0.8, label="Taylor")
right.semilogy(peer.t, peer_drift + 1e-17, lw=0.8, label="DOP853, tolerance 1e-10")
right.set(xlabel="time [s]", ylabel="drift of the energy, of scale", title="energy")
for axis in (left, right):
    axis.grid(alpha=0.3)
right.legend()
figure.suptitle("Free double pendulum")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/free_pendulum.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
