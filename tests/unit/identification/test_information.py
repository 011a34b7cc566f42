"""R factors of logs: the same as all rows at once, whatever the order."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, NotFiniteError, ShapeError, TableError, UnknownNameError
from jounce.identification import Information
from jounce.identification.information import BATCHES, BLOCK
from jounce.identification.terms import Terms
from tests.tolerances import assert_close

LEAST_SQUARES = 1e-10  # of scale: rounding times the condition of random motions
ALL = ("viscous", "coulomb", "offset")


def rows_of(terms: Terms, q, v, a) -> np.ndarray:
    """Return the full regressor ``(samples nv, parameters)``, written out."""
    eye = np.eye(terms.robot.nv)
    columns = {
        "viscous": v,
        "coulomb": v / np.sqrt(v**2 + terms.coulomb_speed**2),
        "offset": np.ones_like(v),
        "armature": a,
    }
    motors = [columns[kind][..., None] * eye for kind in terms.motors]
    Y = np.concatenate([jounce.regressor(terms.robot, q, v, a)[0], *motors], axis=-1)
    return Y.reshape(-1, Y.shape[-1])


def samples(robot: jounce.Robot, rng: np.random.Generator, count: int):
    q = np.stack([robot.random_configuration(rng) for _ in range(count)])
    return q, *rng.normal(size=(3, count, robot.nv))


@pytest.mark.parametrize("name", ["panda", "planar2r", "free", "mimic"])
def test_all_that_least_squares_need(name: str, rng: np.random.Generator) -> None:
    robot = {
        "free": lambda: jounce.load("planar2r").with_floating_base(),
        "mimic": lambda: jounce.examples.random_tree(rng, 5, ["revolute", "mimic", "prismatic"]),
    }.get(name, lambda: jounce.load(name))()
    q, v, a, Q = samples(robot, rng, 600)
    told = Information(robot, friction=ALL, armature=True).add(q, v, a, Q)
    W = rows_of(told.terms, q, v, a)
    sigma = rng.uniform(0.5, 2.0, robot.nv)
    weights = np.tile(1.0 / sigma, len(q))
    theta, _, rank, _ = np.linalg.lstsq(W * weights[:, None], Q.ravel() * weights, rcond=1e-9)
    A, b = told.weighted(sigma)
    names, map = told.terms.base
    assert rank == len(names) == len(A)
    assert_close(np.linalg.solve(A, b), map @ theta, LEAST_SQUARES)
    error = (Q.ravel() - W @ theta).reshape(Q.shape)
    assert_close(told.residuals(theta), np.sqrt(np.mean(error**2, axis=0)), LEAST_SQUARES)
    other = rng.normal(size=len(theta))  # and away from the minimum
    error = (Q.ravel() - W @ other).reshape(Q.shape)
    assert_close(told.residuals(other), np.sqrt(np.mean(error**2, axis=0)), LEAST_SQUARES)


def test_any_order_of_merging_gives_one_triangle(rng: np.random.Generator) -> None:
    robot = jounce.load("panda")
    data = samples(robot, rng, 5 * BLOCK + 77)
    whole = Information(robot).add(*data)
    thirds = zip(*(np.array_split(x, 3) for x in data), strict=True)
    parts = [Information(robot).add(*third) for third in thirds]
    for i, j, k in permutations(range(3)):
        for merged in ((parts[i] + parts[j]) + parts[k], parts[i] + (parts[j] + parts[k])):
            assert merged.samples == whole.samples
            for R, wanted in zip(merged.factors, whole.factors, strict=True):
                assert_close(R, wanted, LEAST_SQUARES)
    assert np.all(np.diag(whole.factors[0]) >= 0.0)
    streamed = Information(robot)
    for part in zip(*(np.array_split(x, 11) for x in data), strict=True):
        streamed.add(*part)
    for R, wanted in zip(streamed.factors, whole.factors, strict=True):
        assert_close(R, wanted, LEAST_SQUARES)


def test_what_the_robot_has_and_nobody_looks_for_is_taken_off(rng: np.random.Generator) -> None:
    builder = jounce.RobotBuilder("arm")
    rod = jounce.Inertia(1.0, (0, 0, -0.5), np.diag([0.08, 0.08, 0.001]))
    builder.add("a", None, jounce.joints.revolute((0, 1, 0)), inertia=rod, armature=0.3, damping=2)
    builder.add("b", "a", jounce.joints.revolute((1, 0, 0)), inertia=rod, armature=0.1, damping=1)
    robot = builder.build()
    q, v, a, _ = samples(robot, rng, 50)
    Q = jounce.inverse_dynamics(robot, q, v, a)[0]
    for options in (
        {"friction": ()},
        {"friction": ("viscous",)},
        {"friction": (), "armature": True},
    ):
        told = Information(robot, **options).add(q, v, a, Q)
        assert told.residuals(told.terms.start()).max() < 1e-13, options


def test_lasting_errors_are_noticed(rng: np.random.Generator) -> None:
    robot = jounce.load("planar2r")
    q, v, a, _ = samples(robot, rng, 40 * BATCHES[1])
    clean = jounce.inverse_dynamics(robot, q, v, a)[0]
    white = rng.normal(size=v.shape)
    found = {}
    for last in (1, 20):
        error = np.repeat(white[: len(white) // last + 1], last, axis=0)[: len(white)]
        told = Information(robot, friction=()).add(q, v, a, clean + error)
        found[last] = told.lasting(told.terms.base[1] @ told.terms.start())
    assert 1.0 <= found[1] < 1.7
    assert 14.0 < found[20] < 30.0


def test_saved_and_loaded(tmp_path: Path, rng: np.random.Generator) -> None:
    robot = jounce.load("panda")
    told = Information(robot, armature=True, coulomb_speed=0.02).add(*samples(robot, rng, 300))
    told.save(tmp_path / "told.npz")
    again = Information.load(tmp_path / "told.npz")
    assert again.terms == told.terms
    assert again.samples == 300
    for R, wanted in zip(again.factors, told.factors, strict=True):
        np.testing.assert_array_equal(R, wanted)
    assert (again + told).samples == 600
    (tmp_path / "no.npz").write_bytes(b"PK nonsense")
    with pytest.raises(TableError, match=r"no\.npz: not a file of Information"):
        Information.load(tmp_path / "no.npz")


def test_refusals(rng: np.random.Generator) -> None:
    robot = jounce.load("planar2r")
    q, v, a, Q = samples(robot, rng, 10)
    told = Information(robot)
    Q[3, 1] = np.nan
    with pytest.raises(NotFiniteError, match=r"Q\[3, 1\] is nan"):
        told.add(q, v, a, Q)
    with pytest.raises(ShapeError, match="same samples"):
        told.add(q, v[:5], a, np.zeros_like(v))
    with pytest.raises(UnknownNameError, match="did you mean 'coulomb'"):
        Information(robot, friction=("colomb",))
    with pytest.raises(ArgumentError, match="different parameters"):
        told + Information(robot, friction=())
    with pytest.raises(ArgumentError, match="coulomb_speed must be positive"):
        Information(robot, coulomb_speed=0.0)
