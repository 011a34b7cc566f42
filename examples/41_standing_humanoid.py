"""A humanoid stands on two feet and swings its arms: rates of its contact wrenches.

Both feet are held in all six directions, so the wrenches on them are shared out by the actuation of
least torque.  They come with their time derivatives, which nothing else offers.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce

robot = jounce.load("humanoid")
feet = [jounce.Closure(name) for name in ("left_foot", "right_foot")]
motors = [joint.name for joint in robot.joints if joint.kind != "free"]
arms = ["left_shoulder_pitch", "right_shoulder_pitch"]
columns = [robot.joint(name).v_slice.start for name in arms]

t = np.linspace(0.0, 2.0, 401)
w, size = 2 * np.pi, np.array([0.6, -0.4])
angles = size * (1 - np.cos(w * t[:, None]))
q = np.tile(robot.neutral, (len(t), 1))
q[:, [robot.joint(name).q_slice.start for name in arms]] += angles
rates = np.zeros((4, len(t), robot.nv))  # the body stands still, the arms swing
for k in range(4):
    rates[k][:, columns] = -size * w ** (k + 1) * np.cos(w * t[:, None] + (k + 1) * np.pi / 2)

Q, wrenches = jounce.constrained_inverse_dynamics(robot, q, *rates, actuated=motors, contacts=feet)
left, right = wrenches[..., :6], wrenches[..., 6:]
total = jounce.momentum(robot, q, *rates[:2])[1]  # rate of the momentum about the world's origin
weight = robot.mass * 9.80665
error = np.abs(left[0][:, 5] + right[0][:, 5] - weight - total[:, 5]).max()
print(f"both feet bear the weight of {weight:.0f} N and what the arms add, to {error:.0e} N")
for name, foot in (("left", left), ("right", right)):
    low, high = foot[0][:, 5].min(), foot[0][:, 5].max()
    print(f"{name} foot: {low:.0f} to {high:.0f} N, at most {np.abs(foot[1][:, 5]).max():.0f} N/s")

figure = Figure(figsize=(10, 8), layout="constrained")
axes = figure.subplots(3, 2, sharex=True)
names = ("wrench", "first rate", "second rate")
for rows, a, b, name in zip(axes, left, right, names, strict=True):
    for axis, part, what in zip(rows, (slice(3), slice(3, 6)), ("moment", "force"), strict=True):
        for foot, style in ((a, "-"), (b, "--")):
            for k, color in zip(range(3), ("C0", "C1", "C2"), strict=True):
                axis.plot(t, foot[:, part][:, k], style, color=color, lw=1.1)
        axis.set_title(f"{name}: {what} (x, y, z; right foot dashed)", fontsize=9)
        axis.grid(alpha=0.3)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/standing.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
