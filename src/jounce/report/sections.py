"""The sections of a report: what is computed along a motion, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jounce.api.call import Wrench
from jounce.api.closures import OPEN, closure_error
from jounce.api.dynamics import joint_wrenches, kinetic_energy, potential_energy
from jounce.dynamics.friction import motor_signal
from jounce.elastic import SeriesElastic
from jounce.limits.check import LimitReport, LimitRow, values_of, worst_rows
from jounce.limits.limits import MotionLimits, Quantity, spoken, unknown_limits
from jounce.model.parameters import motor_parts
from jounce.model.robot import Robot
from jounce.report.labels import (
    body_lines,
    derivative,
    force_unit,
    motion_title,
    motion_unit,
    position_lines,
    velocity_lines,
)
from jounce.report.records import Cell, Line, Plot, Section, Table
from jounce.trajectory.protocol import positions

AGREEMENT = 1e-9  # of scale; power and rate of energy further apart contradict each other
NEAR = 0.95  # of a limit
_NOTES = 3  # about shapes, at most
_EXCEEDED = 5  # limits that are named in a sentence
_RATES = {1: " rate", 2: ", 2nd rate"}
Motion = Sequence[np.ndarray]  # q (samples, nq), then the rates (samples, nv)


def motion_section(
    robot: Robot, limits: MotionLimits, motion: Motion, notes: Sequence[str] = ()
) -> Section:
    """Show position, velocity, acceleration, and so on."""
    bounds = (limits.velocity, limits.acceleration, limits.jerk, limits.snap)
    lines = [position_lines(robot, limits), *(velocity_lines(robot, bound) for bound in bounds)]
    lines += [velocity_lines(robot)] * len(motion)
    plots = tuple(
        Plot(motion_title(k), motion_unit(robot, k), lines[k], values)
        for k, values in enumerate(motion)
    )
    return Section("Motion", " ".join(f"{note.rstrip('.')}." for note in notes), plots)


def force_section(robot: Robot, limits: MotionLimits, forces: np.ndarray) -> Section:
    """Show the generalised forces of the joints and their time derivatives."""
    bounds = (limits.effort, limits.effort_rate, limits.effort_second_rate)
    lines = [velocity_lines(robot, bound) for bound in (*bounds, *[None] * len(forces))]
    name = "Torque" if force_unit(robot, 0) == "N m" else "Force"
    titles = [f"{name}{_RATES.get(k, '')} {derivative('Q', k)}" for k in range(len(forces))]
    plots = tuple(
        Plot(titles[k], force_unit(robot, k), lines[k], values) for k, values in enumerate(forces)
    )
    note = "What the joints must exert along the motion, by inverse dynamics."
    if robot.closures:
        note += " Joints without motors exert nothing."
    return Section(f"Joint {name.lower()}s", note, plots)


def elastic_section(drives: SeriesElastic, motion: Motion) -> Section:
    """Show what the motors of series-elastic joints must do."""
    robot = drives.robot
    found = drives.feedforward(*motion[:5])
    soft = np.flatnonzero(np.isfinite(drives.stiffness) | (not robot.closures))
    lines, force = velocity_lines(robot), force_unit(robot, 0)
    lines = tuple(lines[k] for k in soft)
    deflection = found.theta / drives.gear_ratio - positions(robot, motion[0])
    note = (
        f"Motors behind springs: stiffness {_range(drives.stiffness[soft])} {force}/"
        f"{motion_unit(robot, 0)}, motor inertia {_range(drives.motor_inertia[soft])} kg m²."
    )
    plots = (
        Plot("Motor torque τ", force, lines, found.torque[:, soft]),
        Plot("Spring deflection θ − q", motion_unit(robot, 0), lines, deflection[:, soft]),
        Plot("Motor velocity θ\u0307", motion_unit(robot, 1), lines, found.theta1[:, soft]),
        Plot("Motor power τ θ\u0307", "W", lines, found.power[:, soft]),
    )
    return Section("Series-elastic drives", note, plots)


def closure_section(
    robot: Robot, time: np.ndarray, motion: Motion, multipliers: np.ndarray
) -> Section:
    """Show how far the closures are from closed, and what they bear."""
    openings, forces, moments = [], [], []
    errors = np.split(np.abs(closure_error(robot, motion[0])), _ends(robot), axis=1)
    loads = np.split(multipliers, _ends(robot), axis=1)
    for closure, error, load in zip(robot.closures, errors, loads, strict=True):
        is_linear = np.array(closure.rows) >= 3
        openings.append(error.max(axis=1))
        forces.append(np.linalg.norm(load[:, is_linear], axis=1))
        moments.append(np.linalg.norm(load[:, ~is_linear], axis=1))
    lines = tuple(Line(str(closure), i) for i, closure in enumerate(robot.closures))
    curves = {
        ("Force in the closure, |f|", "N"): forces,
        ("Moment in the closure, |m|", "N m"): moments,
        ("How far it is open", "m, rad"): openings,
    }
    plots = tuple(
        Plot(*name, lines, np.stack(x, axis=1), joints=False)
        for name, x in curves.items()
        if np.any(x) or x is openings
    )
    rows = [_opening(str(c), time, x) for c, x in zip(robot.closures, openings, strict=True)]
    worst = max(float(x.max()) for x in openings)
    note = (
        f"Closed to {worst:.1e} m or rad at all {len(time)} samples. Forces and moments are what a "
        "closure exerts on its first frame."
    )
    return Section("Closures", note, plots, Table(("Closure", "Open by at most"), tuple(rows)))


def _ends(robot: Robot) -> np.ndarray:
    """Return where the rows of one closure end and those of the next begin."""
    return np.cumsum([len(closure.rows) for closure in robot.closures])[:-1]


def _opening(name: str, time: np.ndarray, opening: np.ndarray) -> tuple[Cell, Cell]:
    worst = int(np.argmax(opening))
    state = "good" if opening[worst] <= OPEN else "bad"
    return Cell(name), Cell(f"{opening[worst]:.1e}", state, float(time[worst]))


def wrench_section(
    robot: Robot, motion: Motion, closures: Mapping[str, Wrench] | None = None
) -> Section:
    """Show how strongly every parent holds its body; ``closures`` pull at their frames."""
    (wrenches,) = joint_wrenches(robot.without_closures(), *motion[:3], wrenches=closures)
    lines = body_lines(robot)
    force = np.linalg.norm(wrenches[..., 3:], axis=-1)
    moment = np.linalg.norm(wrenches[..., :3], axis=-1)
    note = (
        "What the parent exerts on a body through its joint, constraint forces included. "
        "Moments are about the origin of the body frame."
    )
    plots = (
        Plot("Force in the joint, |f|", "N", lines, force),
        Plot("Moment in the joint, |m|", "N m", lines, moment),
    )
    return Section("Joint wrenches", note, plots)


def model_section(robot: Robot, notes: Sequence[str] = ()) -> Section:
    """Show what the robot is made of; ``notes`` say which of its shapes are not drawn."""
    names = (robot.base_name, *(body.name for body in robot.bodies))
    rows = []
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        com = ", ".join(f"{x:.4g}".replace("-", "−") for x in body.inertia.com)
        texts = (body.name, names[body.parent + 1], joint.name, joint.kind,
                 f"{body.inertia.mass:.4g}", com if body.inertia.mass else "")  # fmt: skip
        rows.append(tuple(Cell(text) for text in texts))
    headings = ("Body", "Carried by", "Joint", "Kind", "Mass [kg]", "Centre of mass [m]")
    more = [f"{len(notes) - _NOTES} more are not shown."] if len(notes) > _NOTES else []
    note = " ".join((robot.description, *robot.warnings, *notes[:_NOTES], *more))
    return Section("Model", note, table=Table(headings, tuple(rows)))


def _range(values: np.ndarray) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} … {high:g}"


def energy_section(robot: Robot, time: np.ndarray, motion: Motion, forces: np.ndarray) -> Section:
    """Show energies and powers, and check that ``Q·v = d(T + U)/dt + Σ (D v + F) v``.

    The left side comes from inverse dynamics, the right side from the energies, differentiated
    in time.
    """
    kinetic, kinetic_rate = kinetic_energy(robot, *motion[:3])
    potential, potential_rate = potential_energy(robot, *motion[:3])
    energy, rate = kinetic + potential, kinetic_rate + potential_rate
    power, loss = np.sum(forces[0] * motion[1], axis=-1), friction_power(robot, motion[1])
    energies = {"kinetic T": kinetic, "potential U": potential, "T + U": energy}
    powers = {"joints Q·v": power, "d(T + U)/dt": rate}
    if loss.any():
        powers["friction"] = loss
    note = "What the joints put in is what the robot gains and what friction takes."
    plots = (_plot("Energy", "J", energies, hue=0), _plot("Power", "W", powers, hue=3))
    return Section("Power and energy", note, plots, _balance(time, power, rate, loss, energy))


def friction_power(robot: Robot, v: np.ndarray) -> np.ndarray:
    """Return the power ``Σ (D v + F) v`` that damping and friction take, ``(samples,)``."""
    power = np.zeros(len(v))
    for kind, i, size, factor, speed in motor_parts(robot):
        if kind != "armature":
            x = factor * v[:, i]
            power += size * motor_signal(kind, [x, x], speed)[0] * x
    return power


def _plot(title: str, unit: str, curves: dict[str, np.ndarray], *, hue: int) -> Plot:
    lines = tuple(Line(name, hue + i, i * (title == "Power")) for i, name in enumerate(curves))
    return Plot(title, unit, lines, np.stack(list(curves.values()), axis=-1), joints=False)


def _balance(
    time: np.ndarray, power: np.ndarray, rate: np.ndarray, loss: np.ndarray, energy: np.ndarray
) -> Table:
    """Compare power with the rate of energy, and work with the energy gained."""
    scale = max(np.abs(power).max(), np.abs(rate).max(), np.abs(loss).max())
    worst = int(np.argmax(np.abs(power - rate - loss)))
    gap = float(abs(power[worst] - rate[worst] - loss[worst]))
    agrees = gap <= AGREEMENT * scale
    gain = float(energy[-1] - energy[0])
    net = power - loss
    work = float(np.sum(0.5 * (net[1:] + net[:-1]) * np.diff(time)))
    size = f"{gap:.1e} W" + (f", {gap / scale:.0e} of the largest power" if scale else "")
    verdict = Cell(f"{'agree' if agrees else 'differ'}: {size}", "good" if agrees else "bad",
                   float(time[worst]))  # fmt: skip
    rows = (
        (Cell("Power Q·v less losses, and rate of energy d(T + U)/dt"), verdict),
        (Cell("Energy gained from start to end"), Cell(_joules(gain))),
        (Cell("Work of the joints less losses, summed over the samples"), Cell(_joules(work))),
    )
    return Table(("Balance", "Largest difference, or amount"), rows)


def _joules(energy: float) -> str:
    return f"{energy:.6g} J".replace("-", "−")


def limit_section(
    robot: Robot, limits: MotionLimits, time: np.ndarray, motion: Motion, forces: np.ndarray
) -> Section:
    """Show for every joint how near it comes to its limits, and when."""
    limited = [q for q in limits.limited() if q.order < len(forces if q.is_force else motion)]
    if not limits.limited():
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
    told = [_verdict(LimitReport(tuple(found)), len(time)), *_unchecked(limits, limited)]
    headings = ("Joint", *(_heading(robot, q) for q in limited))
    return Section("Limits", " ".join(told), table=Table(headings, tuple(rows)))


def _verdict(report: LimitReport, samples: int) -> str:
    """Say how many limits are exceeded, and which, the worst first."""
    exceeded = report.violations
    count = len(exceeded)
    verdict = {
        0: "All checked limits hold" if report.rows else "No limit is checked",
        1: "One limit is exceeded",
    }
    told = verdict.get(count, f"{count} limits are exceeded") + f" at the {samples} samples"
    named = [str(row) for row in exceeded[:_EXCEEDED]] + ["…"] * (count > _EXCEEDED)
    return f"{told}: {'; '.join(named)}." if named else f"{told}."


def _unchecked(limits: MotionLimits, checked: Sequence[Quantity]) -> list[str]:
    """Say which limits are not known, and which the motion has too few rates for."""
    known = limits.limited()
    told = list(unknown_limits(quantity.name for quantity in known))
    for quantity in known:
        if quantity not in checked:
            told.append(
                f"the {spoken(quantity.name)} limit is not checked: the motion has no such rate"
            )
    return [f"{text[0].upper()}{text[1:]}." for text in told]


def _heading(robot: Robot, quantity: Quantity) -> str:
    unit = (force_unit if quantity.is_force else motion_unit)(robot, quantity.order)
    name = spoken(quantity.name).capitalize()
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
