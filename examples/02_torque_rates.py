"""Torques, torque rates and their rates of a Panda along the motion of the papers, as a picture."""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce

robot = jounce.load("panda")
t = np.linspace(0.0, 10.0, 20_001)
motion = jounce.trajectory.papers_motion(robot.nv)(t, order=4)  # (5, samples, 7): q to snap

kernel = jounce.kernel(robot, "inverse_dynamics", order=2)
kernel(*motion)  # warm up
start = time.perf_counter()
Q = kernel(*motion)  # (3, samples, 7)
elapsed = time.perf_counter() - start
print(f"Q, dQ/dt and d²Q/dt² at {t.size} samples in {elapsed * 1e3:.1f} ms", end="")
print(f" ({elapsed / t.size * 1e6:.2f} µs a sample, {kernel.operations} operations)")

worst = np.abs(Q[1]).max(axis=0)
for joint, rate, allowed in zip(robot.joints, worst, robot.limits.effort_rate, strict=True):
    print(f"  {joint.name}: largest torque rate {rate:8.1f} N m/s of {allowed:.0f} allowed")

figure = Figure(figsize=(9, 9), layout="constrained")
axes = figure.subplots(3, 1, sharex=True)
titles = ("torque Q [N m]", "torque rate dQ/dt [N m/s]", "d²Q/dt² [N m/s²]")
for axis, rows, title in zip(axes, Q, titles, strict=True):
    axis.plot(t, rows, lw=0.9, label=[joint.name for joint in robot.joints])
    axis.set_ylabel(title)
    axis.grid(alpha=0.3)
axes[2].set_xlabel("time [s]")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
figure.suptitle("Franka Emika Panda along the papers' motion")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/torque_rates.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
print(f"look at {target}")
