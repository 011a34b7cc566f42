"""Power and energy along a motion, and whether the one is the rate of the other."""

from __future__ import annotations

import numpy as np

from jounce.api.dynamics import kinetic_energy, potential_energy
from jounce.model.robot import Robot
from jounce.report.quantities import Motion
from jounce.report.records import Cell, Line, Plot, Section, Table

AGREEMENT = 1e-9  # of scale; power and rate of energy further apart contradict each other


def energy_section(robot: Robot, time: np.ndarray, motion: Motion, forces: np.ndarray) -> Section:
    """Show energies and powers, and check that ``Q·v = d(T + U)/dt + Σ D v²``.

    The left side comes from inverse dynamics, the right side from the energies, differentiated
    in time.
    """
    kinetic, kinetic_rate = kinetic_energy(robot, *motion[:3])
    potential, potential_rate = potential_energy(robot, *motion[:3])
    energy, rate = kinetic + potential, kinetic_rate + potential_rate
    power, loss = np.sum(forces[0] * motion[1], axis=-1), damping_power(robot, motion[1])
    energies = {"kinetic T": kinetic, "potential U": potential, "T + U": energy}
    powers = {"joints Q·v": power, "d(T + U)/dt": rate}
    if loss.any():
        powers["damping"] = loss
    note = "What the joints put in is what the robot gains and what damping takes."
    plots = (_plot("Energy", "J", energies, hue=0), _plot("Power", "W", powers, hue=3))
    return Section("Power and energy", note, plots, _balance(time, power, rate, loss, energy))


def damping_power(robot: Robot, v: np.ndarray) -> np.ndarray:
    """Return the power ``Σ D v²`` that damping takes, ``(samples,)``."""
    power = np.zeros(len(v))
    for joint in robot.joints:
        source = joint if joint.mimic is None else robot.joints[joint.mimic.source]
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        power += np.sum(np.array(joint.damping) * (ratio * v[:, source.v_slice]) ** 2, axis=-1)
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
