"""As fast as the drives allow: a motion scaled to limits of torque *and* torque rate.

Limits of speed, acceleration, jerk and torque alone give a motion that the drives cannot follow:
their current, so the torque, changes only so fast.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.trajectory import MotionLimits, Polynomial, check_limits, scale_to_limits

panda = jounce.load("panda")
start = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
goal = np.array([0.4, -0.1, -0.3, -1.8, 0.3, 1.9, 1.2])
move = Polynomial.rest_to_rest(start, goal, duration=2.0)  # smooth to the fourth derivative

limits = MotionLimits.of(panda, effort_rate=100.0)  # N m/s, weaker drives than its own
without = MotionLimits.of(panda, effort_rate=None)
motions = {
    "torque rates ignored": scale_to_limits(panda, move, without),
    "torque rates kept": scale_to_limits(panda, move, limits),
}
for name, motion in motions.items():
    worst = check_limits(panda, motion, limits).worst
    print(f"{name}: {motion.duration:.3f} s;", end=" ")
    print(f"{worst.quantity} of {worst.joint} uses {100 * worst.use:.1f} % of its limit", end=" ")
    print(f"at t = {worst.time:.3f} s")

figure = Figure(figsize=(11, 7), layout="constrained")
axes = figure.subplots(2, 2, sharex=True, sharey="row")
for column, (name, motion) in zip(axes.T, motions.items(), strict=True):
    t = np.linspace(0.0, motion.duration, 501)
    Q = jounce.inverse_dynamics(panda, *motion(t, order=3))
    for axis, rows, bound, unit in zip(
        column, Q, (limits.effort, limits.effort_rate), ("Q [N m]", "dQ/dt [N m/s]"), strict=True
    ):
        axis.plot(t, rows, lw=1.1, label=[joint.name for joint in panda.joints])
        for limit in (-bound[0], bound[0]):
            axis.axhline(limit, color="k", ls=":")
        axis.grid(alpha=0.3)
        axis.set_ylabel(unit if axis in axes[:, 0] else "")
    column[0].set_title(f"{name}: {motion.duration:.2f} s")
    column[1].set_xlabel("time [s]")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
figure.suptitle("Panda from rest to rest; limits dotted (joints 1 to 4)")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/torque_rate_limits.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
