"""Force rates of a Stewart platform: the plate circles, tilts and heaves; six slides drive it.

The motion of the plate decides that of all legs, at every order; what the slides must exert comes
with its time derivatives, and so do the loads of the balls that hold the plate.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce

robot = jounce.examples.stewart()
slides = [f"slide_{i}" for i in range(6)]
freedoms, redundant = jounce.mobility(robot)
print(f"{robot.n_closure_rows} rows hold {robot.nv} velocities: {freedoms} freedoms")

# the twist of the plate in its own frame, and three derivatives: a sum of sines
t = np.linspace(0.0, 2.0, 401)
sizes = np.array([0.3, 0.25, 0.1, 0.25, 0.2, 0.3])  # rad/s, m/s
phases = np.array([0.0, 1.6, 0.5, 0.3, 1.9, 1.0])
w = 2 * np.pi * np.array([0.5, 0.5, 1.0, 0.5, 0.5, 1.0])
twists = [sizes * w**k * np.sin(w * t[:, None] + phases + k * np.pi / 2) for k in range(4)]

q = [robot.neutral]
for k in range(1, len(t)):  # Taylor steps of the plate, then close
    h = t[k] - t[k - 1]
    step = sum(x[k - 1] * h ** (n + 1) / (1, 2, 6, 24)[n] for n, x in enumerate(twists))
    moved = jounce.closed_rates(robot, q[-1], step, independent="plate_joint")[0]
    q.append(jounce.close(robot, jounce.integrate(robot, q[-1], moved), hold="plate_joint"))
q = np.array(q)
rates = jounce.closed_rates(robot, q, *twists, independent="plate_joint")
Q, loads = jounce.constrained_inverse_dynamics(robot, q, *rates, actuated=slides)
power = np.einsum("ti,ti->t", Q[0], rates[0][:, [robot.joint(n).v_slice.start for n in slides]])
print(f"closed to {np.abs(jounce.closure_error(robot, q)).max():.0e} m at {len(t)} instants")
print(f"largest force {np.abs(Q[0]).max():.0f} N, rate {np.abs(Q[1]).max():.0f} N/s")
print(
    f"largest load of a ball {np.linalg.norm(loads[0].reshape(len(t), 6, 3), axis=-1).max():.0f} N"
)

figure = Figure(figsize=(10, 8), layout="constrained")
axes = figure.subplots(4, 1, sharex=True)
units = ("force [N]", "rate [N/s]", "second rate [N/s²]")
for axis, rows, unit in zip(axes, Q, units, strict=False):
    axis.plot(t, rows, lw=1.1, label=slides)
    axis.set_ylabel(unit)
axes[3].plot(t, power, "k", lw=1.1)
axes[3].set_ylabel("power of all slides [W]")
axes[3].set_xlabel("time [s]")
for axis in axes:
    axis.grid(alpha=0.3)
axes[0].legend(ncols=6, fontsize=8)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/stewart.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
