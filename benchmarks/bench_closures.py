"""Contacts of any order: speed against Pinocchio's constraintDynamics, which has order 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import urdf
from benchmarks.timing import Action, at_least, best_times, repeated
from jounce.adapters.pinocchio import pinocchio_model, pinocchio_order
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import kernel_of

SAMPLES = 4096
CALLS = 300
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
ORDERS = {0: 4.0, 2: 1.0}  # order, and how many times Pinocchio's speed it must have


def run(console: Console) -> None:
    """Print seconds a sample of a quadruped on four points, and the ratio to the peer."""
    robot = jounce.load(urdf("solo12.urdf"), floating_base=True)
    whole = robot.with_closures(*(jounce.Closure(foot, directions="linear") for foot in FEET))
    rng = np.random.default_rng(0)
    q = jounce.integrate(robot, robot.neutral, 0.3 * rng.standard_normal((SAMPLES, robot.nv)))
    J = jounce.closure_jacobian(whole, q)[0]
    v = rng.standard_normal((SAMPLES, robot.nv))
    v -= (np.linalg.pinv(J) @ (J @ v[..., None]))[..., 0]
    actions: dict[str, Action] = _peer(whole, q[0], v[0], rng.standard_normal(robot.nv))
    kernels = {}
    for order in ORDERS:
        kernel = kernel_of(kernel_spec(whole, "constrained_forward_dynamics", order)).compile()
        forces = rng.standard_normal((order + 1, SAMPLES, robot.nv))
        out = kernel(q, v, forces)
        kernels[order] = kernel
        actions[f"order {order}"] = lambda k=kernel, f=forces, o=out: k.call(q, v, f, out=o)
    best = best_times(actions)
    peer = (best["peer"] - best["nothing"]) / CALLS
    table = Table(title=f"solo12 on four points, {SAMPLES} samples, one thread")
    for heading in ("order", "µs a sample", "times Pinocchio's order 0", "operations"):
        table.add_column(heading, justify="right")
    table.add_row("Pinocchio", f"{peer * 1e6:.2f}", "1", "")
    for order, bar in ORDERS.items():
        each = best[f"order {order}"] / SAMPLES
        count = str(kernels[order].operations)
        table.add_row(str(order), f"{each * 1e6:.2f}", at_least(peer / each, bar), count)
    console.print(table)


def _peer(robot: jounce.Robot, q: Any, v: Any, Q: Any) -> dict[str, Action]:
    """Return many calls of constraintDynamics, and of the same on no joints at all."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    def call(model: Any, frames: Any, *state: Any) -> Action:
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for frame in frames:
            place = model.frames[model.getFrameId(frame)]
            kind = pin.ContactType.CONTACT_3D
            models.append(
                pin.RigidConstraintModel(kind, model, place.parentJoint, place.placement, pin.LOCAL)
            )
        datas.extend(m.createData() for m in models)
        data = model.createData()
        settings = pin.ProximalSettings(1e-12, 1e-10, 10)
        pin.initConstraintDynamics(model, data, models, datas)
        solve = pin.constraintDynamics
        return repeated(lambda: solve(model, data, *state, models, datas, settings), CALLS)

    model = pinocchio_model(robot.without_closures())
    order = pinocchio_order(robot, model)
    assert order is not None
    none = np.zeros(0)
    return {
        "peer": call(model, FEET, q[order[0]], v[order[1]], Q[order[1]]),
        "nothing": call(pin.Model(), (), none, none, none),
    }
