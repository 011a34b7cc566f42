"""The fastest motion of a Panda through five points, under limits of torque and torque rate.

One speed for the whole path is set by its worst place.  A speed for every place is limited all
the time; without limits of torque rates its torques jump, with them they do not.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.planning import time_optimal
from jounce.trajectory import MotionLimits, Polynomial, check_limits, scale_to_limits

panda = jounce.load("panda")
low, high = panda.limits.lower, panda.limits.upper
points = low + (high - low) * np.random.default_rng(1).uniform(0.3, 0.7, (5, 7))

limits = MotionLimits.of(panda, effort_rate=200.0)  # N m/s
without = MotionLimits.of(panda, effort_rate=None, jerk=None)
steady = Polynomial.through(np.linspace(0.0, 4.0, 5), points, smoothness=3)
motions = {
    "one speed": scale_to_limits(panda, steady, limits),
    "without rates": time_optimal(panda, points, without),
    "with rates": time_optimal(panda, points, limits),
}
for name, motion in motions.items():
    worst = check_limits(panda, motion, limits).worst
    print(f"{name}: {motion.duration:.3f} s; {worst.quantity} of {worst.joint}", end=" ")
    print(f"uses {100 * worst.use:.0f} % of its limit")
best = motions["with rates"]
print(f"no motion along this curve is faster than {best.lower_bound:.3f} s")
for row in best.binding[:3]:
    print(f"{row.start:.3f} … {row.end:.3f} s: {row.quantity} of {row.joint}")

figure = Figure(figsize=(12, 7), layout="constrained")
axes = figure.subplots(2, 3, sharey="row")
for column, (name, motion) in zip(axes.T, motions.items(), strict=True):
    t = np.linspace(0.0, motion.duration, 2001)
    Q = jounce.inverse_dynamics(panda, *motion(t, order=3))
    for axis, rows, bound in zip(column, Q, (limits.effort, limits.effort_rate), strict=True):
        axis.plot(t, rows / bound, lw=1.0, label=[joint.name for joint in panda.joints])
        axis.set_ylim(-1.6, 1.6)
        for limit in (-1.0, 1.0):
            axis.axhline(limit, color="k", ls=":")
        axis.grid(alpha=0.3)
    column[0].set_title(f"{name}: {motion.duration:.2f} s")
    column[1].set_xlabel("time [s]")
axes[0, 0].set_ylabel("torque / limit")
axes[1, 0].set_ylabel("torque rate / limit")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/time_optimal.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
