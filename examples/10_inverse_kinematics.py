"""Inverse kinematics along a path, to the fourth order: what the drives of an iiwa must do."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.ik import PoseSpline, follow

iiwa = jounce.load("iiwa14")
q0 = np.array([0.1, 0.5, 0.2, -1.2, 0.3, 0.9, 0.1])
first = jounce.frame_pose(iiwa, "flange", q0)[0]

corners = np.repeat(first[None], 5, axis=0)  # a rhombus that keeps its orientation, 4 s
corners[1:4, :3, 3] += [[0.0, 0.15, 0.1], [0.0, 0.0, 0.2], [0.0, -0.15, 0.1]]
path = PoseSpline([0.0, 1.0, 2.0, 3.0, 4.0], corners)

t = np.linspace(0.0, 4.0, 401)
motion = follow(iiwa, "flange", path, t, q0)
q, rates = motion.q, motion.rates  # (401, 7) and v, a, jerk, snap: (4, 401, 7)

poses, twists = path(t)
reached = jounce.frame_pose(iiwa, "flange", q)[0]
print(f"poses met to {np.abs(reached - poses).max():.0e} m and rad")
found = jounce.frame_twist(iiwa, "flange", q, *rates)
for order, (ours, wanted) in enumerate(zip(found, twists, strict=True)):
    error = np.abs(ours - wanted).max() / np.abs(wanted).max()
    print(f"twist, derivative {order}: met to {error:.0e} of scale")

Q = jounce.inverse_dynamics(iiwa, q, *rates)
for name, row, limit in zip("1234567", np.abs(Q[0]).max(axis=0), iiwa.limits.effort, strict=True):
    print(f"joint {name}: torque at most {row:5.1f} of {limit:.0f} N m")

figure = Figure(figsize=(11, 9), layout="constrained")
axes = figure.subplots(3, 2).ravel()
axes[0].plot(poses[:, 1, 3], poses[:, 2, 3], label="wanted", lw=3, alpha=0.4)
axes[0].plot(reached[:, 1, 3], reached[:, 2, 3], "k--", lw=1, label="reached")
axes[0].set(title="path of the flange", xlabel="y [m]", ylabel="z [m]", aspect="equal")
axes[0].legend()
labels = ("v [rad/s]", "a [rad/s²]", "jerk [rad/s³]", "snap [rad/s⁴]", "dQ/dt [N m/s]")
titles = ("velocity", "acceleration", "jerk", "snap", "torque rate")
names = [joint.name for joint in iiwa.joints]
for axis, rows, title, label in zip(axes[1:], [*rates, Q[1]], titles, labels, strict=True):
    axis.plot(t, rows, lw=1.1, label=names)
    axis.set(title=f"{title} of the joints", xlabel="time [s]", ylabel=label)
for axis in axes:
    axis.grid(alpha=0.3)
figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=7)
figure.suptitle("KUKA LBR iiwa along a path of poses")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/inverse_kinematics.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
