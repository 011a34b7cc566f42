"""Figure 2 of [M20]: torques of a Panda and their first and second derivatives.

Computed with spatial twists, as in the paper, and compared with the authors' own spatial program.
The authors' other representation, body-fixed twists, must give the same torques.
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
reference, samples = np.array(theirs["M20"]["Q"]), np.array(theirs["time"])  # (3, samples, 7)
motion = jounce.trajectory.papers_motion(panda.nv)

scale = np.abs(reference).max(axis=(1, 2), keepdims=True)
for formulation in ("spatial", "body"):
    found = jounce.inverse_dynamics(panda, *motion(samples), formulation=formulation)
    for order, worst in enumerate((np.abs(found - reference) / scale).max(axis=(1, 2))):
        what = f"[M20] figure 2, order {order}, {formulation} twists"
        print(f"{what}: largest deviation {worst:.1e} of scale")

t = np.linspace(0.0, 5.0, 1001)
Q = jounce.inverse_dynamics(panda, *motion(t), formulation="spatial")
figure = Figure(figsize=(10, 9), layout="constrained")
axes = figure.subplots(3, 1, sharex=True)
units = ("Q [N m]", "dQ/dt [N m/s]", "d²Q/dt² [N m/s²]")
for order, (axis, unit) in enumerate(zip(axes, units, strict=True)):
    axis.set_prop_cycle(color=color_sequences["tab10"][:7])
    axis.plot(t, Q[order], lw=1.1, label=[joint.name for joint in panda.joints])
    axis.plot(samples, reference[order], "o", ms=3.5)
    axis.set_ylabel(unit)
    axis.grid(alpha=0.3)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
axes[2].set_xlabel("time [s]")
figure.suptitle("Figure 2 of [M20], Franka Emika Panda. Circles: the authors' spatial program")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/m20_figure_2.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
