"""Partials of the dynamics: linearise a Panda about a posture and design an LQR for it."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import solve_continuous_are

import jounce
from jounce.simulation import taylor

panda = jounce.load("panda")
n = panda.nv
goal = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
rest = np.zeros(n)
holding = jounce.gravity_forces(panda, goal)[0]

# a(q, v, Q) ≈ da_dq (q − goal) + da_dv v + da_dQ (Q − holding)
da_dq, da_dv, da_dQ = jounce.forward_dynamics_partials(panda, goal, rest, holding)
A = np.block([[np.zeros((n, n)), np.eye(n)], [da_dq, da_dv]])
B = np.vstack([np.zeros((n, n)), da_dQ])
fastest = np.linalg.eigvals(A).real.max()
print(f"the open loop has a pole at {fastest:+.2f} 1/s: it {'falls' if fastest > 0 else 'stays'}")

dQ_dq = jounce.inverse_dynamics_partials(panda, goal, rest, rest)[0, 0]
print(f"da/dq = −M⁻¹ ∂Q/∂q to {np.abs(da_dq + da_dQ @ dQ_dq).max():.0e} 1/s²")

cost = np.diag([100.0] * n + [1.0] * n)
effort = 0.02 * da_dQ.T @ da_dQ  # count the acceleration that a torque causes
gain = np.linalg.solve(effort, B.T @ solve_continuous_are(A, B, cost, effort))
slowest = np.linalg.eigvals(A - B @ gain).real.max()
print(f"closed loop: slowest pole at {slowest:+.2f} 1/s")


def controller(_, q, v):
    return holding - gain @ np.concatenate([q - goal, v])


start = goal + np.array([0.3, 0.2, -0.3, 0.3, 0.4, -0.3, 0.5])
run = taylor(panda, (start, rest), t=(0.0, 1.0), controller=controller, sample_time=1e-3, tol=1e-10)
print(f"error {np.abs(start - goal).max():.2f} rad at the start,", end=" ")
print(f"{np.abs(run.final[0] - goal).max():.1e} rad after 1 s")

figure = Figure(figsize=(9, 6.5), layout="constrained")
upper, lower = figure.subplots(2, 1, sharex=True)
upper.plot(run.times, run.states["q"] - goal, label=[joint.name for joint in panda.joints])
upper.set(ylabel="q − goal [rad]", title="Panda, LQR from analytic partials, 1 kHz")
lower.plot(run.times[:-1], run.forces - holding)
lower.set(ylabel="Q − holding torque [N m]", xlabel="time [s]")
upper.legend(ncols=4, fontsize="small")
for axis in (upper, lower):
    axis.grid(alpha=0.3)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/lqr.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
