"""A recorded motion: from noisy joint angles to torques and torque rates."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.trajectory import Spline

panda = jounce.load("panda")
truth = jounce.trajectory.papers_motion(panda.nv)
t = np.arange(0.0, 5.0, 1e-3)  # encoders at 1 kHz
noise = 1e-5  # rad
rng = np.random.default_rng(3)
angles = truth(t, order=0)[0] + noise * rng.standard_normal((t.size, panda.nv))

record = Spline.fit(t, angles, noise=noise, order=3)  # the smoothest motion within the noise
inner = t[200:-200]  # the ends of a record are less certain
Q = jounce.inverse_dynamics(panda, *record(inner, order=3))
Q_true = jounce.inverse_dynamics(panda, *truth(inner, order=3))

differences = [angles]
for _ in range(3):
    differences.append(np.gradient(differences[-1], t, axis=0))
Q_naive = jounce.inverse_dynamics(panda, *np.array(differences)[:, 200:-200])

for name, found in (("smoothing spline", Q), ("differences", Q_naive)):
    error = np.sqrt(np.mean((found - Q_true) ** 2, axis=(1, 2)))
    print(f"{name}: torques to {error[0]:.1e} N m rms, torque rates to {error[1]:.1e} N m/s rms")
print(f"noise of the record as the spline sees it: {record.smoothing.noise.max():.1e} rad")

figure = Figure(figsize=(10, 7), layout="constrained")
axes = figure.subplots(2, 1, sharex=True)
for axis, order, unit in ((axes[0], 0, "Q [N m]"), (axes[1], 1, "dQ/dt [N m/s]")):
    axis.plot(inner, Q_naive[order, :, 1], color="0.85", lw=0.4, label="differences")
    axis.plot(inner, Q[order, :, 1], lw=1.4, label="smoothing spline")
    axis.plot(inner, Q_true[order, :, 1], "k--", lw=0.8, label="truth")
    margin = 1.3 * np.abs(Q_true[order, :, 1]).max()
    axis.set(ylabel=f"{unit}, joint 2", ylim=(-margin, margin))
    axis.grid(alpha=0.3)
axes[0].legend(ncols=3)
axes[1].set_xlabel("time [s]")
figure.suptitle("Panda, angles recorded at 1 kHz with noise of 0.01 mrad")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/recorded_motion.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
