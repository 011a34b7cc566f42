"""How fast the kernels of a robot are, beside Pinocchio where it is installed.

Batches run on one thread, Pinocchio's by ``rneaInParallel`` and ``abaInParallel``, so that no
Python is between the samples of either; calls are single samples from Python.  Everything takes
turns and the best of several rounds counts, in processor time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from jounce.comparison.measurement import best_seconds
from jounce.errors import SingularError, UnsupportedError
from jounce.kernels.kernel import kernel
from jounce.model.configuration import integrate
from jounce.model.robot import Robot

Action = Callable[[], object]
ROUND = 5e-3  # s that a round of single calls lasts


class Speed(NamedTuple):
    """One thing that was timed: seconds of a sample, ours and Pinocchio's if it has it."""

    title: str
    operations: int
    seconds: float
    peer: str | None
    peer_seconds: float | None


class Speeds(NamedTuple):
    """All that was timed, and how far Q is from Pinocchio's, of the largest one."""

    rows: list[Speed]
    deviation: float | None
    notes: list[str]


class _Contest(NamedTuple):
    title: str
    quantity: str
    order: int
    peer: str | None
    single: bool = False


CONTESTS = (
    _Contest("Q", "inverse_dynamics", 0, "rneaInParallel"),
    _Contest("Q…Q⁽²⁾", "inverse_dynamics", 2, "rneaInParallel"),
    _Contest("Q…Q⁽⁴⁾", "inverse_dynamics", 4, "rneaInParallel"),
    _Contest("a", "forward_dynamics", 0, "abaInParallel"),
    _Contest("M", "mass_matrix", 0, None),
    _Contest("C", "coriolis_matrix", 0, None),
    _Contest("∂Q/∂(q, v, a)", "inverse_dynamics_partials", 0, None),
    _Contest("regressor", "regressor", 0, None),
    _Contest("Q, one call", "inverse_dynamics", 0, "rnea", True),
    _Contest("Q…Q⁽²⁾, one call", "inverse_dynamics", 2, "rnea", True),
)


def measure(
    robot: Robot,
    *,
    samples: int = 4096,
    rounds: int = 15,
    progress: Callable[[int], None] | None = None,
) -> Speeds:
    """Time the kernels of a robot; ``progress`` is told of every one that is compiled."""
    if robot.nv == 0:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves: nothing to time.")
    rng = np.random.default_rng(0)
    q = integrate(
        robot, np.tile(robot.neutral, (samples, 1)), rng.uniform(-1, 1, (samples, robot.nv))
    )
    motion = [q, *rng.normal(size=(6, samples, robot.nv))]
    actions: dict[str, Action] = {}
    operations, deviation, notes = {}, None, []
    if find_spec("pinocchio") is None:
        notes.append("Pinocchio is not installed (pip install pin)")
    else:
        try:
            actions, deviation = _pinocchio(robot, motion)
        except UnsupportedError as error:
            notes.append(f"not compared: {error}")
    for contest in CONTESTS:
        try:
            code = kernel(robot, contest.quantity, order=contest.order)
        except SingularError as error:
            notes.append(f"not timed: {contest.title}; {error}")
            continue
        arrays = motion[: len(code.signature.arguments)]
        operations[contest.title] = code.operations
        actions[contest.title] = _single(code, arrays) if contest.single else _batch(code, arrays)
        if progress is not None:
            progress(1)
    singles = {c.title for c in CONTESTS if c.single} | {"rnea"}
    best = best_seconds(list(actions.values()), rounds, lambda: None, at_least=ROUND)
    per_sample = {
        name: (seconds or 0.0) / (1 if name in singles else samples)
        for name, seconds in zip(actions, best, strict=True)
    }
    rows = [
        Speed(
            c.title, operations[c.title], per_sample[c.title], c.peer, per_sample.get(c.peer or "")
        )
        for c in CONTESTS
        if c.title in operations
    ]
    return Speeds(rows, deviation, notes)


def _pinocchio(robot: Robot, motion: list[np.ndarray]) -> tuple[dict[str, Action], float]:
    """Return batches and a call of Pinocchio, on the same motion, by the names of its functions.

    And the largest difference between the forces, friction aside, of the largest one.
    """
    import pinocchio  # pyright: ignore[reportMissingImports]

    from jounce.adapters.pinocchio import pinocchio_model, pinocchio_order

    pin: Any = pinocchio
    model = pinocchio_model(robot)
    orders = pinocchio_order(robot, model)
    if orders is None:
        raise UnsupportedError("Pinocchio has other coordinates for a planar joint.")
    order_q, order_v = orders
    q = np.asfortranarray(motion[0][:, order_q].T)
    v, a = (np.asfortranarray(x[:, order_v].T) for x in motion[1:3])
    pool, data, out = pin.ModelPool(model, 1), model.createData(), np.zeros_like(v, order="F")
    q0, v0, a0 = (np.ascontiguousarray(x[:, 0]) for x in (q, v, a))
    actions: dict[str, Action] = {
        "rneaInParallel": lambda: pin.rneaInParallel(1, pool, q, v, a, out),
        "abaInParallel": lambda: pin.abaInParallel(1, pool, q, v, a, out),
        "rnea": lambda: pin.rnea(model, data, q0, v0, a0),
    }
    actions["rneaInParallel"]()
    smooth = replace(robot, joints=tuple(replace(j, friction=()) for j in robot.joints))
    ours = kernel(smooth, "inverse_dynamics")(*motion[:3])[0]
    damping = np.concatenate([np.ravel(joint.damping) for joint in robot.joints])
    ours = (ours - damping * motion[1])[:, order_v].T
    return actions, float(np.abs(ours - out).max() / np.abs(out).max())


def _batch(code: Any, arrays: list[np.ndarray]) -> Action:
    out = code(*arrays)
    return lambda: code(*arrays, out=out, threads=1)


def _single(code: Any, arrays: list[np.ndarray]) -> Action:
    first = [np.array(x[0]) for x in arrays]
    return lambda: code(*first)
