"""Loads: a Panda presses on a table ever harder; torques, rates, and the load of a bearing."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce

panda = jounce.load("panda")
posture, periods = [0.0, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8], [4.0, 5.0, 4.5, 6.0, 5.0, 4.0, 3.0]
motion = jounce.trajectory.cosine([0.3, 0.1, 0.2, -0.1, 0.2, 0.1, 0.4], periods, posture)
t = np.linspace(0.0, 2.0, 401)
q, *rates = motion(t)

push = np.zeros((3, t.size, 6))  # by the table on the flange, and its two rates: moment, force
push[0, :, 5], push[1, :, 5] = 30.0 * t, 30.0  # upward, 30 N more every second
table = {"flange": jounce.Wrench(push, representation="hybrid")}  # along the axes of the world

free = jounce.inverse_dynamics(panda, q, *rates)
Q = jounce.inverse_dynamics(panda, q, *rates, wrenches=table)
J, J1 = jounce.jacobian(panda, "flange", q, rates[0], representation="hybrid")
torque = -np.einsum("tij,ti->tj", J, push[0])
rate = -np.einsum("tij,ti->tj", J1, push[0]) - np.einsum("tij,ti->tj", J, push[1])
print(f"Q changes by −Jᵀ W: to {np.abs(Q[0] - free[0] - torque).max():.0e} N m")
print(f"dQ/dt by −d(Jᵀ W)/dt: to {np.abs(Q[1] - free[1] - rate).max():.0e} N m/s")

W = jounce.joint_wrenches(panda, q, *rates, wrenches=table)[0]  # (samples, bodies, 6)
bending = np.linalg.norm(W[:, 1, :2], axis=1)  # across the axis of joint 2, which is its z
radial = np.linalg.norm(W[:, 1, 3:5], axis=1)
print(f"joint 2: the motor carries {np.abs(Q[0, :, 1]).max():.1f} N m,", end=" ")
print(f"its bearing {bending.max():.1f} N m and {radial.max():.0f} N across")
block = jounce.Inertia(1.5, (0, 0, 0.05), 0.005 * np.eye(3))
held = jounce.inverse_dynamics(panda.with_payload("flange", block), q, *rates)
print(f"to hold 1.5 kg instead takes up to {np.abs(held[0] - free[0]).max():.1f} N m more")

axes = (figure := Figure(figsize=(11, 7), layout="constrained")).subplots(2, 2, sharex=True)
names = [joint.name for joint in panda.joints]
axes[0, 0].plot(t, Q[0], label=names)
axes[0, 0].set(ylabel="Q [N m]", title="torques while pressing")
axes[1, 0].plot(t, Q[1])
axes[1, 0].set(ylabel="dQ/dt [N m/s]", title="their rates", xlabel="time [s]")
axes[0, 1].plot(t, Q[0] - free[0])
axes[0, 1].set(ylabel="−Jᵀ W [N m]", title="share of the contact")
axes[1, 1].plot(t, radial, "k", label="radial force [N]")
axes[1, 1].plot(t, bending, "r", label="bending moment [N m]")
axes[1, 1].set(title="bearing of joint 2", xlabel="time [s]")
axes[1, 1].legend()
for axis in axes.ravel():
    axis.grid(alpha=0.3)
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/contact_loads.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
