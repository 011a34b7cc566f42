"""Identification: the base parameters of a Panda from noisy torques of an exciting motion."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.identification import base_parameters

panda = jounce.load("panda")
rng = np.random.default_rng(7)
base = base_parameters(panda)
print(f"{base.count} of {len(base.parameter_names)} parameters can be found, among them")
print("  " + base.formulas[base.names.index("mcx(link6)")])


def excitation(rng):
    """Return a periodic motion of five harmonics about the middle of the joints' ranges."""
    a, b = rng.uniform(-0.5, 0.5, (2, 5, panda.nv))
    middle = (panda.limits.lower + panda.limits.upper) / 2
    return jounce.trajectory.Fourier(a, b, 2 * np.pi / 10, middle)


t = np.arange(0.0, 10.0, 0.01)
noise = np.array([1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.2])  # N m, standard deviation
motion = excitation(rng)(t, 2)
measured = jounce.inverse_dynamics(panda, *motion)[0] + noise * rng.standard_normal(motion[0].shape)

Y = base.reduced(jounce.regressor(panda, *motion)[0]) / noise[:, None]  # (samples, 7, 43)
rows, torques = Y.reshape(-1, base.count), (measured / noise).ravel()
found, *_, singular = np.linalg.lstsq(rows, torques, rcond=None)
spread = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))  # standard deviations of what was found
true = base.values(jounce.parameters(panda))
print(f"condition number {singular[0] / singular[-1]:.0f};", end=" ")
print(f"errors within {np.abs((found - true) / spread).max():.1f} standard deviations")
for k in np.argsort(-np.abs(true))[:6]:
    print(f"  {base.names[k]:12} {found[k]:8.4f} ± {spread[k]:.4f}, true {true[k]:8.4f}")

other = excitation(rng)(t, 2)  # a motion that was not used
actual = jounce.inverse_dynamics(panda, *other)[0]
predicted = base.reduced(jounce.regressor(panda, *other)[0]) @ found
relative = np.linalg.norm(predicted - actual) / np.linalg.norm(actual)
print(f"torques of another motion predicted to {100 * relative:.2f} %")

axes = (figure := Figure(figsize=(11, 5), layout="constrained")).subplots(1, 2)
axes[0].plot(t, measured[:, :4], lw=0.5, label=[joint.name for joint in panda.joints[:4]])
axes[0].plot(t, (Y @ found * noise)[:, :4], "k--", lw=0.8)
axes[0].set(xlabel="time [s]", ylabel="torque [N m]", title="Panda: measured and fitted (dashed)")
axes[0].legend(ncols=2, fontsize="small")
axes[1].axhspan(-2, 2, alpha=0.15)
axes[1].plot((found - true) / spread, "o", ms=4)
axes[1].set(xlabel="base parameter", ylabel="error [standard deviations]", ylim=(-4, 4))
for axis in axes:
    axis.grid(alpha=0.3)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/identification.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
