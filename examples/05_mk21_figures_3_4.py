"""Figures 3 and 4 of [MK21]: an iiwa, its torques, and their derivatives with and without error.

To the eye closed form and numerical differentiation agree; the lower row shows what one loses.
"""

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib import color_sequences
from matplotlib.figure import Figure

import jounce

iiwa = jounce.load("iiwa14")
theirs = json.loads((Path(__file__).parent / "data" / "papers.json").read_text(encoding="utf-8"))
reference, samples = np.array(theirs["MK21"]["Q"]), np.array(theirs["time"])  # (3, samples, 7)
motion = jounce.trajectory.papers_motion(iiwa.nv)
scale = np.abs(reference).max(axis=(1, 2))
found = jounce.inverse_dynamics(iiwa, *motion(samples), formulation="closed_form")
deviations = np.abs(found - reference).max(axis=(1, 2)) / scale
for name, worst in zip(("3(b)", "4(a)", "4(b)"), deviations, strict=True):
    print(f"[MK21] figure {name}: largest deviation {worst:.1e} of scale")


def differences(t, h):  # dQ/dt and d²Q/dt² by central differences of the torques
    before, now, after = (jounce.inverse_dynamics(iiwa, *motion(t + s, 2))[0] for s in (-h, 0, h))
    return np.array([(after - before) / (2 * h), (after - 2 * now + before) / h**2])


t, steps = np.linspace(0.0, 5.0, 501), np.geomspace(1e-8, 0.1, 57)
Q = jounce.inverse_dynamics(iiwa, *motion(t))
errors = np.array([np.abs(differences(t, h) - Q[1:]).max(axis=(1, 2)) for h in steps]) / scale[1:]
figure = Figure(figsize=(11, 11), layout="constrained")
axes = figure.subplots(3, 2).ravel()
axes[0].plot(t, motion(t, 0)[0], label=[joint.name for joint in iiwa.joints])
labels = ("q [rad]", "Q [N m]", "dQ/dt [N m/s]", "d²Q/dt² [N m/s²]", *2 * ("largest, of scale",))
titles = "3(a): motion|3(b): torques|4(a): their first derivative|4(b): their second derivative"
for axis, rows, circles in zip(axes[1:4], Q, reference, strict=True):
    axis.set_prop_cycle(color=color_sequences["tab10"][:7])
    axis.plot(t, rows, lw=1.1)
    axis.plot(samples, circles, "o", ms=4)
for k, name in enumerate(("dQ/dt", "d²Q/dt²")):
    axes[k + 2].plot(t[::10], differences(t[::10], 1e-3)[k], "k+", ms=4, mew=0.7)
    axes[4].semilogy(t, np.abs(differences(t, 1e-3) - Q[1:])[k].max(axis=1) / scale[k + 1])
    axes[5].loglog(steps, errors[:, k], label=f"{name}: {errors[:, k].min():.0e} at best")
    print(f"{name} by central differences: error {errors[:, k].min():.0e} of scale at best")
axes[5].axhline(deviations.max(), color="k", ls=":", label="closed form")
titles = [f"Figure {x}" for x in titles.split("|")] + ["Error of + (step 1 ms)", "Error by step"]
for axis, title, label in zip(axes, titles, labels, strict=True):
    axis.set(title=title, ylabel=label, xlabel="step [s]" if axis is axes[5] else "time [s]")
    axis.grid(alpha=0.3)
axes[5].legend(loc="upper center")
figure.suptitle("[MK21], KUKA iiwa. Lines: closed form; circles: authors' program; +: differences")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/mk21_figures_3_4.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
