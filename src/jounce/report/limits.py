"""How much of the limits of a robot a motion uses."""

from __future__ import annotations

import numpy as np

from jounce.limits.check import LimitRow, worst_rows
from jounce.limits.limits import MotionLimits, Quantity
from jounce.limits.peaks import values_of
from jounce.model.robot import Robot
from jounce.report.labels import force_unit, motion_unit
from jounce.report.quantities import Motion
from jounce.report.records import Cell, Section, Table

NEAR = 0.95  # of a limit
_NAMES = {
    "effort": "torque",
    "effort_rate": "torque rate",
    "effort_second_rate": "torque, 2nd rate",
}


def limit_section(
    robot: Robot, limits: MotionLimits, time: np.ndarray, motion: Motion, forces: np.ndarray
) -> Section:
    """Show for every joint how near it comes to its limits, and when."""
    limited = [q for q in limits.limited() if q.order < len(forces if q.is_force else motion)]
    if not limited:
        return Section("Limits", "No limits are known.")
    values = values_of(robot, limited, motion, forces)
    found = worst_rows(limits, limited, time, values)
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


def _heading(robot: Robot, quantity: Quantity) -> str:
    unit = (force_unit if quantity.is_force else motion_unit)(robot, quantity.order)
    name = _NAMES.get(quantity.name, quantity.name).capitalize()
    return f"{name} [{unit}]".replace("N m", "N\u00a0m")  # kept on one line


def _cell(
    limits: MotionLimits, quantity: Quantity, k: int, row: LimitRow, values: np.ndarray
) -> Cell:
    """Return what a quantity of velocity k reaches, beside its bounds."""
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
