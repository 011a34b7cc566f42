"""Durations beside dynamic programming on a fine lattice, under limits of third order."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.planning import time_optimal
from jounce.planning.curve import path_motion
from jounce.trajectory import MotionLimits
from tests.unit.planning.test_planner import cart, limits_of

PLACES, SIMPSON = (0.0, 0.5, 1.0), (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0)  # of a cell


def derivatives(path: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
    """Return q and three derivatives by w of polynomials of s, with ``s = 10 w³ − 15 w⁴ + 6 w⁵``.

    At both ends q̇ and q̈ vanish whatever ẇ is.
    """
    s = np.poly1d([6.0, -15.0, 10.0, 0.0, 0.0, 0.0])
    joints = [np.poly1d(c)(s) for c in path.T]
    return [np.stack([np.polyval(c.deriv(k), w) for c in joints], axis=-1) for k in range(4)]


def fitted(robot: jounce.Robot, path: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return q' and the coefficients of (1, b, b', b'') in q̈, q⃛ / √b, Q and Q̇ / √b, b = ẇ².

    They are affine in these, so that four motions decide them.
    """
    p = derivatives(path, w)
    samples = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    values = []
    for b, b1, b2 in samples:
        w1, w2, w3 = np.sqrt(b), b1 / 2.0, np.sqrt(b) * b2 / 2.0
        v, a = p[1] * w1, p[2] * w1**2 + p[1] * w2
        j = p[3] * w1**3 + 3.0 * p[2] * w1 * w2 + p[1] * w3
        Q, Q1 = jounce.inverse_dynamics(robot, p[0], v, a, j)
        values.append([a, j / w1, Q, Q1 / w1])
    matrix = np.concatenate([np.ones((4, 1)), samples], axis=1)
    found = np.linalg.solve(matrix, np.reshape(values, (4, -1)))
    return p[1], found.reshape(4, *np.shape(values)[1:])


class Cell:
    """One step of the way: which steps of b it allows, and how long they take."""

    def __init__(
        self, robot: jounce.Robot, limits: MotionLimits, path: np.ndarray, start: float, h: float
    ) -> None:
        self.h = h
        p1, coefficients = fitted(robot, path, start + h * np.array(PLACES))
        with np.errstate(divide="ignore"):  # at the ends nothing moves
            self.top = 1.0 / ((p1 / limits.velocity) ** 2).max(axis=1)
        names = ("acceleration", "jerk", "effort", "effort_rate")
        self.rows = [
            (coefficients[:, i, :, joint] / getattr(limits, name)[joint], i % 2 == 1)
            for i, name in enumerate(names)
            for joint in range(robot.nv)
            if np.isfinite(getattr(limits, name)[joint])
        ]

    def times(self, b: np.ndarray, b1: np.ndarray, b2: float) -> np.ndarray:
        """Return how long it takes from each b and b' with this b'', infinite beyond a limit."""
        time, kept = np.zeros(b.size), np.arange(b.size)
        for place, weight, top, i in zip(PLACES, SIMPSON, self.top, range(3), strict=True):
            d = place * self.h
            y, y1 = b[kept] + d * b1[kept] + d**2 * b2 / 2.0, b1[kept] + d * b2
            ok = (y > 0.0) & (y <= top)
            kept, y, y1 = kept[ok], y[ok], y1[ok]
            root = np.sqrt(y)
            time[kept] += self.h * weight / root
            for c, is_rate in self.rows:
                x = c[0, i] + c[1, i] * y + c[2, i] * y1 + c[3, i] * b2
                ok = np.abs(x * root if is_rate else x) <= 1.0
                kept, y, y1, root = kept[ok], y[ok], y1[ok], root[ok]
        found = np.full(b.size, np.inf)
        found[kept] = time[kept]
        return found


def best_on_a_lattice(
    robot: jounce.Robot,
    limits: MotionLimits,
    path: np.ndarray,
    *,
    cells: int,
    levels: int,
    most: float,
    steepest: float,
) -> float:
    """Return the shortest duration from rest to rest, of all motions on a lattice of b and b'.

    b' has ``levels`` values on each side of zero, up to ``steepest``; b goes up to ``most``.
    b'' is constant in a cell of length h, so ``b + h (b'_0 + b'_1) / 2`` lies on the lattice again
    and nothing is interpolated: the least sum of times is found exactly.  Limits are imposed at the
    ends and in the middle of every cell, so it comes near the optimum from above.
    """
    h, unit1 = 1.0 / cells, steepest / levels
    unit = h * unit1 / 2.0
    k, n = np.arange(-levels, levels + 1), np.arange(1, int(most / unit) + 1)
    left = np.zeros((n.size, k.size))  # time to the end; there b is free, for the path stands still
    for start in reversed(np.arange(cells) * h):
        cell, best = Cell(robot, limits, path, float(start), h), np.full_like(left, np.inf)
        for change in sorted(range(-levels, levels + 1), key=abs):
            after, to = n[:, None] + 2 * k + change, np.broadcast_to(k + change, best.shape)
            rows, columns = np.nonzero((after >= 1) & (after <= n.size) & (np.abs(to) <= levels))
            rest = left[after[rows, columns] - 1, to[rows, columns] + levels]
            alive = rest + h / np.sqrt(most) < best[rows, columns]
            rows, columns, rest = rows[alive], columns[alive], rest[alive]
            times = cell.times(n[rows] * unit, k[columns] * unit1, change * unit1 / h)
            best[rows, columns] = np.minimum(best[rows, columns], times + rest)
        left = best
    return float(left.min())


def test_one_joint():
    """Velocity, acceleration and jerk at their limits; also against the closed form."""
    v, a, j, d = 0.9, 2.0, 12.0, 1.5
    limits = limits_of(cart(), velocity=v, acceleration=a, jerk=j)
    lattice = {"cells": 30, "levels": 20, "most": 0.45, "steepest": 2.0}
    best = best_on_a_lattice(cart(), limits, np.array([[d], [0.0]]), **lattice)
    exact = d / v + v / a + a / j
    assert exact < best < 1.01 * exact
    motion = time_optimal(cart(), [[0.0], [d]], limits)
    assert abs(motion.duration / best - 1.0) < 0.01


@pytest.mark.slow
def test_a_planar_arm():
    """Torques, torque rates and velocities of two joints bind; without rates it is 29 % faster."""
    arm = jounce.load("planar2r")
    points = np.array([[0.2, 0.5], [-0.6, 1.2], [-1.2, 1.5]])
    limits = limits_of(arm, velocity=4.0, effort=[80.0, 30.0], effort_rate=400.0)
    places = np.array([0.0, 0.5, 1.0])
    path = np.polyfit(places, next(iter(path_motion(arm, points)(places, order=0))), 2)
    lattice = {"cells": 40, "levels": 30, "most": 3.5, "steepest": 8.0}
    best = best_on_a_lattice(arm, limits, path, **lattice)
    motion = time_optimal(arm, points, limits, smoothness=2)
    assert {row.quantity for row in motion.binding} == {"velocity", "effort", "effort_rate"}
    assert motion.lower_bound < 0.75 * motion.duration < best
    assert best > motion.duration * (1.0 - 1e-3)
    assert abs(motion.duration / best - 1.0) < 0.01
