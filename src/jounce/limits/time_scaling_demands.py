"""What the samples of a motion demand of the limits, as polynomials in the speed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from jounce.api.dynamics import gravity_forces, inverse_dynamics
from jounce.limits.limits import MotionLimits, Quantity
from jounce.model.robot import Robot
from jounce.trajectory.protocol import RobotMotion, motion_at

CLOSE = 1e-12  # of a bound: nearer than that is on it
POWERS = 5  # c^0 … c^4


class Demands(NamedTuple):
    """One inequality ``|Σ_k coefficients[k] c^k| ≤ bound`` for each of m columns."""

    labels: tuple[tuple[str, str], ...]  # quantity and joint
    coefficients: np.ndarray  # (5, m)
    degree: np.ndarray  # (m,)
    bound: np.ndarray  # (m,)
    label: np.ndarray  # (m,): index among the labels
    time: np.ndarray  # (m,)

    def joined(self, more: Demands) -> Demands:
        """Return these and those of other samples of the same motion."""
        return Demands(
            self.labels,
            *(np.concatenate(x, axis=-1) for x in zip(self[1:], more[1:], strict=True)),
        )

    def excess(self, factor: float) -> np.ndarray:
        """Return how much of each bound is exceeded at a factor, ``(m,)``; ≤ 0: it is kept."""
        value = np.polynomial.polynomial.polyval(factor, self.coefficients)
        return (np.abs(value) - (1.0 + CLOSE) * self.bound) / np.maximum(self.bound, 1e-300)

    def beyond(self) -> np.ndarray:
        """Return factors beyond which each bound is exceeded for good, ``(m,)``, or infinity.

        All roots of a polynomial with the coefficients a lie within
        ``2 max_k |a_k / a_d|^(1 / (d − k))`` (Fujiwara's bound).
        """
        columns = np.arange(self.bound.size)
        lead = np.abs(self.coefficients[self.degree, columns])
        largest = np.zeros(self.bound.size)
        for k in range(POWERS - 1):
            below = self.degree - k
            size = np.abs(self.coefficients[k]) + (self.bound if k == 0 else 0.0)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                root = (size / lead) ** (1.0 / np.maximum(below, 1))
            largest = np.where(below > 0, np.maximum(largest, root), largest)
        return np.where(lead > 0.0, 2.0 * largest, np.inf)

    def largest_factor(self, i: int, factor: float) -> float | None:
        """Return the largest c ≤ factor, which exceeds bound i, that does not; None: no c."""
        roots: list[float] = []
        for bound in (self.bound[i], -self.bound[i]):
            shifted = self.coefficients[:, i] - bound * np.eye(POWERS)[0]
            found = np.roots(shifted[::-1])
            real = found.real[np.abs(found.imag) <= 1e-7 * np.abs(found)]
            roots += [float(x) for x in real if 0.0 < x < factor]
        return max(roots, default=None)

    def explanation(self, i: int) -> str:
        """Return why no factor satisfies inequality i."""
        quantity, joint = self.labels[self.label[i]]
        still, bound, time = self.coefficients[0, i], self.bound[i], self.time[i]
        if quantity == "effort" and abs(still) > bound:
            return (
                f"joint {joint!r} cannot hold gravity at t = {time:.6g} s of the given motion: it "
                f"takes {still:.6g}, the limit is {bound:.6g} (margin {bound - abs(still):.3g}); "
                "no speed changes that."
            )
        return (
            f"the {quantity} of joint {joint!r} exceeds its limit {bound:.6g} at t = {time:.6g} s "
            "of the given motion at any speed."
        )


def demands(robot: Robot, motion: RobotMotion, limits: MotionLimits, times: np.ndarray) -> Demands:
    """Return what the motion demands at these times of its own."""
    quantities = [q for q in limits.limited() if q.name != "position"]
    parts = _parts(robot, motion, quantities, times)
    known = Demands(
        (), np.empty((POWERS, 0)), np.empty(0, int), np.empty(0), np.empty(0, int), times[:0]
    )
    for quantity, powers in parts.items():
        bound = limits.range_of(quantity)[1]
        for i in np.flatnonzero(np.isfinite(bound)):
            coefficients = np.zeros((POWERS, times.size))
            for power, values in powers.items():
                coefficients[power] = values[:, i]
            degree, size, number = (
                np.full(times.size, x) for x in (max(powers), bound[i], len(known.labels))
            )
            label = (quantity.name, limits.names[i])
            known = Demands((*known.labels, label), *known[1:])
            known = known.joined(Demands((), coefficients, degree, size, number, times))
    return known


def played(motion: Iterable[np.ndarray], factor: float) -> list[np.ndarray]:
    """Return q and the rates at the same moments of the motion, with time so much faster."""
    return [factor**k * x for k, x in enumerate(motion)]


def _parts(
    robot: Robot, motion: RobotMotion, quantities: list[Quantity], times: np.ndarray
) -> dict[Quantity, dict[int, np.ndarray]]:
    """Return the part of each quantity that scales with each power of the speed.

    Played backwards, c = −1, friction is what changes its sign: ``Q^(k)(1) = D + F + G`` and
    ``(−1)^k Q^(k)(−1) = D − F + G``.
    """
    order = max((q.order + 2 * q.is_force for q in quantities), default=0)
    rates = motion_at(robot, motion, times, order)
    parts = {q: {q.order: rates[q.order]} for q in quantities if not q.is_force}
    forces = [q for q in quantities if q.is_force]
    if forces:
        signs = (-1.0) ** np.arange(order - 1)[:, None, None]
        forward = inverse_dynamics(robot, *rates)
        backward = inverse_dynamics(robot, *played(rates, -1.0)) * signs
        gravity = gravity_forces(robot, *rates[: order - 1])
        friction = (forward - backward) / 2.0
        inertia = (forward + backward) / 2.0 - gravity
        for q in forces:
            k = q.order
            parts[q] = {k: gravity[k], k + 1: friction[k], k + 2: inertia[k]}
    return parts
