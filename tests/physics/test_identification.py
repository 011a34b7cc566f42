"""Known robots from noisy logs, as files: the truth lies within the stated errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.identification import excitation, identify
from jounce.identification.excitation import CRITERIA, TRIES, _Search
from jounce.identification.terms import Terms
from jounce.model.records import Friction
from jounce.trajectory import MotionLimits, MotionTable, check_limits, write_table
from tests.unit.identification.test_identify import truth_of

pytest.importorskip("clarabel")
RATE = 250.0  # Hz
POSITION, FORCE = 1e-5, 0.1  # rad and N m, standard deviations


def ur5() -> jounce.Robot:
    """Return an arm of six joints by its published geometry and masses."""
    a, d = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0), (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
    alpha = (np.pi / 2, 0.0, 0.0, np.pi / 2, -np.pi / 2, 0.0)
    masses = (3.7, 8.393, 2.33, 1.219, 1.219, 0.1879)
    coms = [(0, -0.02, 0), (0.2125, 0, 0.1), (0.15, 0, 0.02), (0, -0.01, 0.01), (0, 0.01, 0.01)]
    coms.append((0, 0, -0.02))
    matter = [
        jounce.Inertia(m, c, np.diag([0.02, 0.025, 0.03]) * m)
        for m, c in zip(masses, coms, strict=True)
    ]
    rows = [jounce.DH(*row) for row in zip(a, alpha, d, np.zeros(6), strict=True)]
    return jounce.from_dh(rows, matter)


def rough(robot: jounce.Robot, rng: np.random.Generator) -> jounce.Robot:
    """Return another robot: other matter, and friction."""
    truth = truth_of(robot, rng)
    joints = [
        replace(
            joint,
            damping=(float(rng.uniform(0.2, 2.0)),),
            friction=(Friction(float(rng.uniform(0.2, 1.0)), float(rng.normal() * 0.3)),),
        )
        for joint in truth.joints
    ]
    return replace(truth, joints=tuple(joints))


def limits_of(robot: jounce.Robot) -> MotionLimits:
    known = {"velocity": 2.0, "acceleration": 8.0, "lower": -2.5, "upper": 2.5}
    return MotionLimits.of(robot) if robot.name == "panda" else MotionLimits.of(robot, **known)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_truth_lies_within_three_standard_deviations(name: str, tmp_path: Path) -> None:
    """Of 100 logs with noise, by files, splines and all; and unseen torques within 1 %."""
    robot = ur5() if name == "ur5" else jounce.load(name)
    truth = rough(robot, np.random.default_rng(0))
    exciting = excitation(robot, limits_of(robot), duration=10.0, starts=1)
    t = np.arange(0.0, 10.0, 1.0 / RATE)
    q, v, a = exciting.motion(t, order=2)
    Q = jounce.inverse_dynamics(truth, q, v, a)[0]
    names = [joint.name for joint in robot.joints]
    off, errors = [], []
    unseen = excitation(robot, limits_of(robot), duration=10.0, starts=1, seed=7).motion(t, order=2)
    wanted = jounce.inverse_dynamics(truth, *unseen)[0]
    for seed in range(100):
        rng = np.random.default_rng(seed)
        positions = q + POSITION * rng.normal(size=q.shape)
        forces = Q + FORCE * rng.normal(size=Q.shape)
        write_table(tmp_path / "log.npz", MotionTable(t, names, positions[None], forces[None]))
        found = identify(robot, tmp_path / "log.npz")
        theta = np.zeros(len(found.names))
        theta[: robot.n_parameters] = jounce.parameters(truth)
        kinds = {
            "viscous": [j.damping[0] for j in truth.joints],
            "coulomb": [j.friction[0].coulomb for j in truth.joints],
            "offset": [j.friction[0].offset for j in truth.joints],
        }
        for kind, values in kinds.items():
            theta[found.terms.place(kind)] = values
        base = found.terms.base[1] @ theta
        off.append((found.base.values - base) / found.base.uncertainty)
        error = jounce.inverse_dynamics(found.robot, *unseen)[0] - wanted
        errors.append(np.sqrt(np.mean(error**2)) / np.sqrt(np.mean(wanted**2)))
    assert np.mean(np.abs(off) < 3.0) >= 0.99
    assert np.sqrt(np.mean(np.square(off))) > 0.7  # and the errors are not overstated
    assert max(errors) < 0.01


@pytest.mark.slow
def test_excitation_beats_chance_and_condition_numbers() -> None:
    """200 random series within the limits, and a search for the least condition number.

    Both need not begin at rest; the second has the same harmonics, limits and descent.
    """
    robot = jounce.load("panda")
    limits = MotionLimits.of(robot)
    found = excitation(robot, limits, duration=10.0)
    assert check_limits(robot, found.motion, limits).ok
    search = _Search(Terms(robot), limits, 10.0, 5, 0.1, False)
    search.weights = 100.0 / limits.effort
    rng = np.random.default_rng(0)
    series = [search.random_start(rng) for _ in range(200 // TRIES)]  # each the best of TRIES
    best = max(search.score(search.fourier(x)) for x in series)
    other = excitation(robot, limits, duration=10.0, criterion="condition", at_rest=False, starts=1)
    assert check_limits(robot, other.motion, limits).ok
    chance = min(
        np.exp(CRITERIA["condition"](search.samples(search.fourier(x)))[0]) for x in series
    )
    assert other.condition < chance  # it is no poor opponent
    assert found.log_det > other.log_det
    assert search.score(found.motion) > best
