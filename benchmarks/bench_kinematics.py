"""Twists of one frame to order 4 against Pinocchio's forward kinematics to order 1.

Pinocchio has no batched forward kinematics, so its C++ time is estimated: a call from Python less
the same call on a model without joints, which does nothing but cross the border.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import Action, at_least, best_times

SAMPLES = 100_000
ORDER = 4
BAR = 5.0
REPRESENTATIONS = ("body", "spatial", "hybrid")
FRAMES = {  # robot, floating: a frame at a hand
    ("panda.urdf", False): "panda_hand",
    ("panda.urdf", True): "panda_hand",
    ("talos_reduced.urdf", False): "arm_right_7_link",
    ("talos_reduced.urdf", True): "arm_right_7_link",
}


class Peer(NamedTuple):
    """Seconds a sample: as called from Python, and what of it is C++."""

    python: float
    cpp: float


def run(console: Console) -> None:
    """Print the table of kinematics."""
    console.print(throughput())


def throughput() -> Table:
    """Compare a batch on one thread with Pinocchio's C++ time of one sample."""
    title = (
        f"V…V⁽{'⁰¹²³⁴'[ORDER]}⁾ of one frame, {SAMPLES} samples, one thread: times the speed of "
        "pin.forwardKinematics(q, v, a) + getFrameAcceleration (V, V̇)"
    )
    table = Table(title=title, caption="C++: a call less the same call on a model without joints")
    headings = ("robot", "Pinocchio, Python", "C++", *REPRESENTATIONS)
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for (name, floating), frame in FRAMES.items():
        rng = np.random.default_rng(0)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        peer = pinocchio_times(Pinocchio(name, floating_base=floating), frame, rng)
        motion = _motion(robot, rng)
        actions = {r: _batch(robot, frame, r, motion) for r in REPRESENTATIONS}
        best = best_times(actions, rounds=7)
        cells = [at_least(peer.cpp / (best[r] / SAMPLES), BAR) for r in REPRESENTATIONS]
        label = f"{name}, floating" if floating else name
        table.add_row(label, f"{peer.python * 1e6:.2f} µs", f"{peer.cpp * 1e6:.2f} µs", *cells)
    return table


def pinocchio_times(peer: Pinocchio, frame: str, rng: np.random.Generator) -> Peer:
    """Return the time of both calls from Python, and without the way there and back."""
    pin: Any = peer.pin
    nothing = pin.Model()
    actions = {
        "forward": _forward(pin, peer.model, peer.data, rng),
        "frame": _acceleration(pin, peer.model, peer.data, peer.model.getFrameId(frame)),
        "no forward": _forward(pin, nothing, nothing.createData(), rng),
        "no frame": _acceleration(pin, nothing, nothing.createData(), 0),
    }
    best = best_times(actions, rounds=40, loops=1000)
    python = best["forward"] + best["frame"]
    return Peer(python, python - best["no forward"] - best["no frame"])


def _forward(pin: Any, model: Any, data: Any, rng: np.random.Generator) -> Action:
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1.0, 1.0, size=model.nv))
    v, a = rng.normal(size=(2, model.nv))
    forward = pin.forwardKinematics
    return lambda: forward(model, data, q, v, a)


def _acceleration(pin: Any, model: Any, data: Any, frame: int) -> Action:
    acceleration, flag = pin.getFrameAcceleration, pin.ReferenceFrame.LOCAL
    return lambda: acceleration(model, data, frame, flag)


def _motion(robot: jounce.Robot, rng: np.random.Generator) -> list[np.ndarray]:
    increments = rng.uniform(-1.0, 1.0, size=(SAMPLES, robot.nv))
    q = jounce.integrate(robot, np.tile(robot.neutral, (SAMPLES, 1)), increments)
    return [q, *(rng.normal(size=(SAMPLES, robot.nv)) for _ in range(ORDER + 1))]


def _batch(
    robot: jounce.Robot, frame: str, representation: str, motion: list[np.ndarray]
) -> Action:
    options = {"frame": frame, "representation": representation}
    kernel = jounce.kernel(robot, "frame_twist", order=ORDER, **options)
    out = np.empty((ORDER + 1, SAMPLES, 6))
    return lambda: kernel(*motion, out=out, threads=1)
