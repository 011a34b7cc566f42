"""Figures 1 to 5 of [KM21]: a Panda, its motion, and its torques to the third derivative.

The circles come from the authors' own program.  Their scripts take inertias about the centres of
mass for inertias about the origins of the bodies: the dashed curves are those of that robot.
"""

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib import color_sequences
from matplotlib.figure import Figure

import jounce

panda = jounce.load("panda")
theirs = json.loads((Path(__file__).parent / "data" / "papers.json").read_text(encoding="utf-8"))
about_com = np.array([body.inertia.rotational for body in panda.bodies])
parameters = jounce.parameters(panda).reshape(7, 10)
parameters[:, 4:] = about_com[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]  # Ixx Iyy Izz Ixy Ixz Iyz
misread = panda.with_parameters(parameters.ravel(), strict=False)

motion = jounce.trajectory.papers_motion(panda.nv)
t, samples = np.linspace(0.0, 5.0, 1001), np.array(theirs["time"])
worst = np.abs(motion(samples, order=0)[0] - theirs["q"]).max() / np.abs(theirs["q"]).max()
print(f"[KM21] figure 1: largest deviation {worst:.1e} of scale")
deviations = []
for robot, key, whose in ((panda, "Q", "panda"), (misread, "Q_scripts", "that of the scripts")):
    reference = np.array(theirs["KM21"][key])  # (4 orders, samples, 7)
    found = jounce.inverse_dynamics(robot, *motion(samples, order=5))
    scale = np.abs(reference).max(axis=(1, 2), keepdims=True)
    deviations.append((np.abs(found - reference) / scale).max(axis=2))
    for order, worst in enumerate(deviations[-1].max(axis=1)):
        print(f"[KM21] figure {order + 2}, {whose}: largest deviation {worst:.1e} of scale")
figure = Figure(figsize=(11, 11), layout="constrained")
axes = figure.subplots(3, 2, sharex=True).ravel()
axes[0].plot(t, motion(t, order=0)[0], label=[joint.name for joint in panda.joints])
axes[0].set(title="Figure 1: motion", ylabel="q [rad]", ylim=(-1.7, 2.6))
units = ("Q [N m]", "dQ/dt [N m/s]", "d²Q/dt² [N m/s²]", "d³Q/dt³ [N m/s³]")
curves = [jounce.inverse_dynamics(robot, *motion(t, order=5)) for robot in (misread, panda)]
for order, (axis, unit) in enumerate(zip(axes[1:5], units, strict=True)):
    axis.set_prop_cycle(color=color_sequences["tab10"][:7])
    axis.plot(t, curves[0][order], "--", lw=0.6)
    axis.plot(t, curves[1][order], lw=1.1)
    axis.plot(samples, theirs["KM21"]["Q"][order], "o", ms=3)
    axis.set(title=f"Figure {order + 2}: inverse dynamics of order {order}", ylabel=unit)
    axes[5].semilogy(samples, deviations[0][order], "o-", lw=0.6, ms=4, label=f"order {order}")
axes[5].axhline(1e-11, color="k", ls=":", label="allowed")
axes[5].set(title="Deviation from the authors' program", ylabel="largest of all joints, of scale")
for axis in axes:
    axis.grid(alpha=0.3)
axes[0].legend(ncols=4, fontsize="small")
axes[5].legend(ncols=3, fontsize="small")
figure.supxlabel("time [s]")
figure.suptitle("[KM21], Panda. Circles: authors' program; dashed: inertias as in their scripts")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/km21_figures.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
