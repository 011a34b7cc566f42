"""How much of the limits of a robot a motion uses."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from jounce.model.robot import Robot
from jounce.report.labels import force_unit, motion_unit, velocity_lines
from jounce.report.quantities import Motion
from jounce.report.records import Cell, Section, Table
from jounce.trajectory.limit_check import LimitRow, worst_rows
from jounce.trajectory.limits import Limits, Quantity

NEAR = 0.95  # of a limit
_NAMES = {
    "effort": "torque",
    "effort_rate": "torque rate",
    "effort_second_rate": "torque, 2nd rate",
}


def limits_of(robot: Robot) -> Limits:
    """Return the limits of any robot, in the order of its velocities; quaternions have none."""
    if robot.nq == robot.nv:
        return Limits.of(robot)
    values = {f.name: np.full(robot.nv, np.inf) for f in fields(Limits) if f.name != "names"}
    values["lower"] *= -1.0
    for joint in robot.joints:
        for f in fields(joint.limits):
            bound = getattr(joint.limits, f.name)
            if joint.mimic is None and len(bound) == joint.nv:
                values[f.name][joint.v_slice] = bound
    return Limits(names=tuple(line.name for line in velocity_lines(robot)), **values)


def limit_section(
    robot: Robot, limits: Limits, time: np.ndarray, motion: Motion, forces: np.ndarray
) -> Section:
    """Show for every joint how near it comes to its limits, and when."""
    known = {False: [_plain_positions(robot, motion[0]), *motion[1:]], True: list(forces)}
    limited = [q for q in limits.limited() if q.order < len(known[q.is_force])]
    if not limited:
        return Section("Limits", "No limits are known.")
    values = np.array([known[q.is_force][q.order] for q in limited])
    found = worst_rows(limits, tuple(limited), time, values)
    cells = {(row.joint, row.quantity): row for row in found}
    rows = []
    for k, name in enumerate(limits.names):
        row = [
            _cell(limits, q, k, cells[name, q.name], x[:, k])
            if (name, q.name) in cells
            else Cell("")
            for q, x in zip(limited, values, strict=True)
        ]
        if any(cell.text for cell in row):
            rows.append((Cell(name), *row))
    exceeded = sum(row.violated for row in found)
    verdict = {0: "All limits hold", 1: "One limit is exceeded"}
    note = f"{verdict.get(exceeded, f'{exceeded} limits are exceeded')} at the {len(time)} samples."
    headings = ("Joint", *(_heading(robot, q) for q in limited))
    return Section("Limits", note, table=Table(headings, tuple(rows)))


def _plain_positions(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the positions in the order of the velocities, zero for quaternions."""
    positions = np.zeros((len(q), robot.nv))
    for joint in robot.joints:
        if joint.nq == joint.nv:
            positions[:, joint.v_slice] = q[:, joint.q_slice]
    return positions


def _heading(robot: Robot, quantity: Quantity) -> str:
    unit = (force_unit if quantity.is_force else motion_unit)(robot, quantity.order)
    name = _NAMES.get(quantity.name, quantity.name).capitalize()
    return f"{name} [{unit}]".replace("N m", "N\u00a0m")  # kept on one line


def _cell(limits: Limits, quantity: Quantity, k: int, row: LimitRow, values: np.ndarray) -> Cell:
    """Return what coordinate k reaches, beside its bounds."""
    low, high = (float(bound[k]) for bound in limits.range_of(quantity))
    near = row.use > NEAR
    state = "bad" if row.violated else "near" if near else "good"
    reached = (np.abs(values).max(),) if low == -high else (values.min(), values.max())
    share = row.use if np.isfinite([low, high]).all() else None
    return Cell(_span(*reached), state, row.time, share, _bounds(low, high))


def _bounds(low: float, high: float) -> str:
    if np.isinf(low) or np.isinf(high):
        return f"≤ {_span(high)}" if np.isinf(low) else f"≥ {_span(low)}"
    return f"of {_span(high)}" if low == -high else f"of {_span(low, high)}"


def _span(*values: float) -> str:
    return " … ".join(f"{x:.4g}" if abs(x) < 1e4 else f"{x:.0f}" for x in values).replace("-", "−")
