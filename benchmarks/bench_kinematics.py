"""Twists of one frame to order 4 against Pinocchio's forward kinematics to order 1.

Pinocchio has no batched forward kinematics, so its C++ time is estimated: a call from Python less
the same call on a model without joints, which does nothing but cross the border.  Our batch is
timed block by block, each the best of several rounds: all of it goes through memory in every round,
and a busy machine does not count against either side.
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
BLOCK = 4_000  # samples, about half a millisecond
CALLS = 500  # of Pinocchio, about a millisecond
ROUNDS = 15
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
    for heading in ("robot", "Pinocchio, Python", "C++", *REPRESENTATIONS):
        table.add_column(heading, justify="left" if heading == "robot" else "right")
    for (name, floating), frame in FRAMES.items():
        rng = np.random.default_rng(0)
        robot = jounce.load(urdf(name), mimic=False, floating_base=floating)
        motion = _motion(robot, rng)
        actions = _peer_calls(Pinocchio(name, floating_base=floating), frame, rng)
        for representation in REPRESENTATIONS:
            actions |= _blocks(robot, frame, representation, motion)
        best = best_times(actions, rounds=ROUNDS)
        peer = _peer_times(best)
        ours = [_total(best, representation) / SAMPLES for representation in REPRESENTATIONS]
        cells = [at_least(peer.cpp / seconds, BAR) for seconds in ours]
        label = f"{name}, floating" if floating else name
        table.add_row(label, f"{peer.python * 1e6:.2f} µs", f"{peer.cpp * 1e6:.2f} µs", *cells)
    return table


def _peer_calls(peer: Pinocchio, frame: str, rng: np.random.Generator) -> dict[str, Action]:
    """Return both calls of Pinocchio, and the same on a model without joints."""
    pin: Any = peer.pin
    nothing = pin.Model()
    calls = {
        "forward": _forward(pin, peer.model, peer.data, rng),
        "frame": _acceleration(pin, peer.model, peer.data, peer.model.getFrameId(frame)),
        "no forward": _forward(pin, nothing, nothing.createData(), rng),
        "no frame": _acceleration(pin, nothing, nothing.createData(), 0),
    }
    return {name: _repeated(action) for name, action in calls.items()}


def _peer_times(best: dict[str, float]) -> Peer:
    python = best["forward"] + best["frame"]
    return Peer(python / CALLS, (python - best["no forward"] - best["no frame"]) / CALLS)


def _repeated(action: Action) -> Action:
    def repeated() -> None:
        for _ in range(CALLS):
            action()

    return repeated


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


def _blocks(
    robot: jounce.Robot, frame: str, representation: str, motion: list[np.ndarray]
) -> dict[str, Action]:
    """Return the computation of the batch, block by block."""
    options = {"frame": frame, "representation": representation}
    kernel = jounce.kernel(robot, "frame_twist", order=ORDER, **options)

    def block(start: int) -> Action:
        part = [x[start : start + BLOCK] for x in motion]
        out = np.empty((ORDER + 1, len(part[0]), 6))
        return lambda: kernel(*part, out=out, threads=1)

    return {f"{representation} {start}": block(start) for start in range(0, SAMPLES, BLOCK)}


def _total(best: dict[str, float], representation: str) -> float:
    return sum(time for name, time in best.items() if name.startswith(f"{representation} "))
