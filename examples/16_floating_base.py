"""A floating base: a humanoid in flight turns itself by circling its arms.

Its centre of mass falls along a parabola and its angular momentum stays zero: a falling cat.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import jounce

robot = jounce.load("humanoid")
place = {joint.name: joint.v_slice.start - 6 for joint in robot.joints}
a, b, middle = np.zeros((3, robot.nv - 6))
for side, sign in (("left", 1.0), ("right", -1.0)):  # each hand runs round a circle
    a[place[f"{side}_shoulder_roll"]] = 10.0 * sign
    b[place[f"{side}_shoulder_pitch"]] = 10.0
    middle[place[f"{side}_shoulder_roll"]] = sign
arms = jounce.trajectory.Fourier([a], [b], 4 * np.pi, middle)


def rates(t, y):  # of the base: position, quaternion, twist; its acceleration leaves no forces
    joints, v, a = arms(t, 2)
    q, v, a = np.r_[y[:7], joints], np.r_[y[7:], v], np.r_[np.zeros(6), a]
    missing = jounce.inverse_dynamics(robot, q, v, a)[0, :6]
    a[:6] = -np.linalg.solve(jounce.mass_matrix(robot, q)[0, :6, :6], missing)
    return np.r_[jounce.configuration_rate(robot, q, v)[:7], a[:6]]


t = np.linspace(0.0, 2.0, 401)
joints, v = arms(t, 1)
M = jounce.mass_matrix(robot, np.r_[robot.neutral[:7], joints[0]])[0, :6]
start = np.r_[robot.neutral[:7], -np.linalg.solve(M[:, :6], M[:, 6:] @ v[0])]  # no momentum
flight = solve_ivp(rates, t[[0, -1]], start, "DOP853", t, rtol=1e-10, atol=1e-12).y.T
q, v = np.hstack([flight[:, :7], joints]), np.hstack([flight[:, 7:], v])
com = jounce.center_of_mass(robot, q)[0] - 0.5 * np.outer(t**2, robot.gravity)
fallen = com - com[0]
spin = jounce.centroidal_momentum(robot, q, v)[0, :, :3]
turned = np.degrees(Rotation.from_quat(q[:, 3:7]).as_rotvec())
print(f"centre of mass: within {np.abs(fallen).max():.0e} m of the parabola")
print(f"angular momentum: within {np.abs(spin).max():.0e} N m s of zero")
print(f"attitude after {t[-1]:g} s: turned by {turned[-1].round(1)}° about x, y, z")
left, right = (figure := Figure(figsize=(11, 4.5), layout="constrained")).subplots(1, 2)
left.plot(t, turned, label=["about x", "about y", "about z"])
left.set(ylabel="attitude of the pelvis [°]", title="Humanoid in flight, circling its arms")
right.semilogy(t[1:], np.abs(spin).max(axis=1)[1:], label="angular momentum [N m s]")
right.semilogy(t[1:], np.abs(fallen).max(axis=1)[1:], label="centre of mass off parabola [m]")
right.set_title("errors of what is conserved")
for axis in (left, right):
    axis.set_xlabel("time [s]")
    axis.grid(alpha=0.3)
    axis.legend()
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/floating_base.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
