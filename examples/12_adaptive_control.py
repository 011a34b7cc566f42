"""Adaptive control (Slotine and Li 1987): a Panda learns the payload it was not told about."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import jounce
from jounce.simulation import taylor

panda = jounce.load("panda")
held = jounce.Inertia(2.5, (0.02, -0.01, 0.08), 0.01 * np.eye(3))
loaded = panda.with_payload("flange", held)  # the real robot
posture, periods = [0, 0.2, 0, -1.6, 0, 1.7, 0], [2.0, 1.7, 2.3, 1.9, 1.5, 2.1, 1.3]
motion = jounce.trajectory.cosine([0.9, 0.6, -0.7, 0.8, 1.0, -0.8, 1.2], periods, posture)
regressor = jounce.kernel(panda, "slotine_li_regressor")
bandwidth, damping, sample_time = 8.0, np.array([20.0, 20.0, 15.0, 15.0, 4.0, 4.0, 2.0]), 1e-3
speed = np.array([20.0, *3 * [3.0], *6 * [10.0]])  # of adaptation: m, mc, inertia


def run(adapt):  # the motion, and the mass that the controller believed
    estimate, history = jounce.parameters(panda), []

    def controller(t, q, v):
        wanted, v_d, a_d = motion(t, 2)
        v_r = v_d - bandwidth * (q - wanted)
        a_r = a_d - bandwidth * (v - v_d)
        s = v - v_r
        Y = regressor(q, v, v_r, a_r)[0]
        history.append((t, estimate[-10]))  # mass of the last body
        if adapt:
            estimate[-10:] -= sample_time * speed * (Y[:, -10:].T @ s)
        return Y @ estimate - damping * s

    rate = {"sample_time": sample_time, "tol": 1e-10}
    found = taylor(loaded, motion(0.0, 1), t=(0.0, 8.0), controller=controller, **rate)
    return found, np.array(history)


figure = Figure(figsize=(9, 7), layout="constrained")
upper, lower = figure.subplots(2, 1, sharex=True)
for adapt, label in ((False, "wrong parameters"), (True, "adapted")):
    found, history = run(adapt)
    error = np.abs(found.states["q"] - motion(found.times, 0)[0]).max(axis=1)
    first, last = error[found.times < 1.0].max(), error[found.times > 7.0].max()
    print(f"{label}: largest error {first:.1e} rad in the first second, {last:.1e} in the last")
    upper.semilogy(found.times[1:], error[1:], lw=0.9, label=label)
    lower.plot(*history.T, label=label)
print(f"mass of the last body: {history[0, 1]:.2f} kg at first, {history[-1, 1]:.2f} kg believed")
lower.axhline(loaded.bodies[-1].inertia.mass, color="k", ls=":", label="true")
upper.set(ylabel="largest tracking error [rad]", title="Panda with a payload of 2.5 kg, 1 kHz")
lower.set(ylabel="believed mass of the last body [kg]", xlabel="time [s]")
for axis in (upper, lower):
    axis.grid(alpha=0.3)
    axis.legend()
target = Path(sys.argv[1] if len(sys.argv) > 1 else "demo/adaptive_control.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=110)
