"""Series-elastic joints: what the motors of a springy Panda must do, and what ignoring that costs.

The motor torque needs the second derivative of the joint torque, so the snap of the motion.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.elastic import SeriesElastic
from jounce.simulation import PlannedForces, taylor

panda = jounce.load("panda")
stiffness = [600.0, 600.0, 400.0, 400.0, 100.0, 100.0, 100.0]  # N m/rad
motors = [0.6, 0.6, 0.4, 0.4, 0.1, 0.1, 0.1]  # kg m², seen at the joint
arm = SeriesElastic(panda, stiffness, motors)

q0, periods = [0.0, 0.3, 0.0, -1.5, 0.0, 1.8, 0.0], [0.8, 0.7, 0.9, 0.6, 0.5, 0.8, 0.5]
motion = jounce.trajectory.cosine([1.2, 0.9, -0.8, 1.1, 1.5, -1.2, 2.0], periods, q0)
t = np.linspace(0.0, 0.8, 401)
drive = arm.feedforward(*motion(t))  # theta, theta1, theta2, torque, spring_torque, …
rigid = jounce.inverse_dynamics(panda, *motion(t, 2))[0] + motors * motion(t, 2)[2]
bend = np.degrees(drive.theta - motion(t)[0])
print(f"springs bend by up to {np.abs(bend).max():.1f}°, so the motor torques differ", end=" ")
print(f"from those of a rigid robot by up to {np.abs(drive.torque - rigid).max():.2f} N m")


def as_if_rigid(t, order):
    """Return the torques, with derivatives, that a robot without springs would need."""
    rates = motion(t, order + 2)
    return jounce.inverse_dynamics(panda, *rates) + motors * rates[2:]


plan = PlannedForces(arm, motion)
until = 0.8
for name, forces in (("feedforward with springs", plan), ("torques as if rigid", as_if_rigid)):
    run = taylor(arm, plan.state(0.0), forces, (0.0, until), order=12)
    miss = np.abs(run.final[0] - motion(until, 0)[0]).max()
    print(f"open loop, {name}: {miss:.1e} rad off after {until} s")

figure = Figure(figsize=(10, 9), layout="constrained")
axes = figure.subplots(3, 1, sharex=True)
axes[0].plot(t, drive.spring_torque, label=[joint.name for joint in panda.joints])
axes[0].set(ylabel="spring torque [N m]", title="Panda with series-elastic joints")
axes[1].plot(t, drive.torque - rigid)
axes[1].set_ylabel("motor torque less rigid one [N m]")
axes[2].plot(t, bend)
axes[2].set(ylabel="bend of the springs [°]", xlabel="time [s]")
for axis in axes:
    axis.grid(alpha=0.3)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/elastic_feedforward.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
