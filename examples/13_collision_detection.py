"""Collision detection without force sensors: the generalised momentum observer on a Panda.

The residual r = K (p − ∫(Q + Cᵀ v − g + r) dt), p = M v, follows the torques of contact with the
time constant 1/K and needs no acceleration.  It rests on dM/dt = C + Cᵀ: C must be passive.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.simulation import taylor

panda = jounce.load("panda")
posture, periods = [0, 0.2, 0, -1.6, 0, 1.7, 0], [2.0, 1.7, 2.3, 1.9, 1.5, 2.1, 1.3]
motion = jounce.trajectory.cosine([0.9, 0.6, -0.7, 0.8, 1.0, -0.8, 1.2], periods, posture)
push = np.array([0, 0, 0, 0, 30.0, 0])  # 30 N along y of the world, at the elbow
begin, end, K, threshold, log = 0.6, 0.75, 100.0, 1.0, []


def controller(t, q, v):
    wanted, v_d, a_d = motion(t, 2)
    command = a_d + 30.0 * (v_d - v) + 225.0 * (wanted - q)
    motors = jounce.inverse_dynamics(panda, q, v, command)[0]
    J = jounce.jacobian(panda, "link5", q, representation="hybrid")[0]
    log.append((q, v, motors, J.T @ push * (begin <= t < end)))
    return motors + log[-1][3]  # the robot feels both, the observer knows the first


taylor(panda, motion(0.0, 1), t=(0.0, 1.2), controller=controller, sample_time=1e-3, tol=1e-10)
q, v, commanded, contact = np.array(log).swapaxes(0, 1)
t = 1e-3 * np.arange(len(q))
C = jounce.coriolis_matrix(panda, q, v, factorization="passive")[0]
p = np.einsum("tij,tj->ti", jounce.mass_matrix(panda, q)[0], v)
known = commanded + np.einsum("tji,tj->ti", C, v) - jounce.gravity_forces(panda, q)[0]
r, integral = np.zeros_like(p), p[0].copy()
for k in range(1, len(t)):
    integral += 1e-3 * (known[k - 1] + r[k - 1])
    r[k] = K * (p[k] - integral)

alarm = t[np.argmax(np.abs(r).max(axis=1) > threshold)]
last = np.searchsorted(t, end) - 1
print(f"without contact the residual stays below {np.abs(r[t < begin]).max():.3f} N m")
print(f"contact at {begin} s, above {threshold} N m {1e3 * (alarm - begin):.0f} ms later")
print("joint torques of contact: ", contact[last].round(1), "N m")
print("estimated by the observer:", r[last].round(1), "N m")
axis = (figure := Figure(figsize=(9, 5), layout="constrained")).subplots()
axis.plot(t, contact, "k:", lw=1.2)
axis.plot(t, r, label=[joint.name for joint in panda.joints])
axis.axvline(alarm, color="r", lw=0.8, label=f"alarm after {1e3 * (alarm - begin):.0f} ms")
axis.set(xlabel="time [s]", ylabel="residual, torque of contact (dotted) [N m]", xlim=(0.4, 1.0))
axis.set_title("Momentum observer, Panda pushed at the elbow")
axis.legend(ncols=2)
axis.grid(alpha=0.3)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/collision_detection.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
