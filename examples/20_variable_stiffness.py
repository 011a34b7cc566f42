"""Variable stiffness: two motors a joint pull against each other; motion and stiffness are planned.

An arm stiffens while it moves.  The plan gives all motor torques; simulated open loop with them,
the arm follows the motion and the stiffness.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.elastic import Antagonistic
from jounce.simulation import PlannedForces, taylor
from jounce.trajectory import Polynomial

arm = Antagonistic(jounce.load("planar2r"), spring=200.0, motor_inertia=0.1)
end = 0.6
motion = Polynomial.rest_to_rest([-1.2, 0.3], [-0.4, 0.9], end)
stiffness = Polynomial.rest_to_rest([200.0, 150.0], [600.0, 400.0], end)  # N m/rad

plan = PlannedForces(arm, motion, stiffness)
run = taylor(arm, plan.state(0.0), plan, (0.0, end))
t = np.linspace(0.0, end, 301)
state = run(t)
q, found = state["q"], 200.0 * (state["agonist"] - state["antagonist"])
wanted = stiffness(t, 0)[0]
print(f"{run.steps} steps of Taylor series for {end} s, open loop:")
print(f"motion within {np.abs(q - motion(t, 0)[0]).max():.0e} rad of the plan,", end=" ")
print(f"stiffness within {np.abs(found - wanted).max():.0e} N m/rad")

torques = np.array([plan(x, 0)[0] for x in t])  # of both motors of both joints
axes = (figure := Figure(figsize=(11, 4), layout="constrained")).subplots(1, 3)
axes[0].plot(t, q, label=["joint1", "joint2"])
axes[0].set(title="motion", ylabel="q [rad]")
axes[1].plot(t, found)
axes[1].set(title="stiffness", ylabel="K [N m/rad]")
axes[2].plot(t, torques, label=[f"motor {m} of joint {j}" for m in (1, 2) for j in (1, 2)])
axes[2].set(title="motors", ylabel="torque [N m]")
for axis in axes:
    axis.set_xlabel("time [s]")
    axis.grid(alpha=0.3)
axes[0].legend()
axes[2].legend(fontsize="small")
figure.suptitle("An antagonistic arm stiffens while it moves")
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/variable_stiffness.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
