"""Loads from logs with and without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, UnknownNameError
from jounce.identification import consistent as cones
from jounce.identification import payload
from tests.tolerances import assert_close
from tests.unit.identification.test_identify import forces, motion, truth_of

pytest.importorskip("clarabel")
LOAD = jounce.Inertia(1.5, (0.03, 0.02, 0.1), [[4e-3, 1e-3, 0], [1e-3, 5e-3, 0], [0, 0, 3e-3]])
LEAST_SQUARES = 1e-9  # of scale: rounding times the condition of the motion


@pytest.fixture(scope="module")
def panda() -> jounce.Robot:
    return jounce.load("panda")


@pytest.mark.parametrize("frame", ["flange", "link5"])
def test_exact_forces_give_the_load(panda: jounce.Robot, frame: str) -> None:
    rng = np.random.default_rng(1)
    truth = truth_of(panda, rng)
    with_load, bare = motion(panda, 0), motion(panda, 1)
    log = *with_load, forces(truth.with_payload(frame, LOAD), *with_load)
    empty = *bare, forces(truth, *bare)
    found = payload(panda, frame, log, without=empty, consistent=False)
    assert_close(found.parameters, LOAD.parameters, LEAST_SQUARES)
    assert_close(found.com, LOAD.com, LEAST_SQUARES)
    assert found.frame == frame


def test_the_model_may_be_trusted_instead(panda: jounce.Robot) -> None:
    state = motion(panda)
    log = *state, forces(panda.with_payload("flange", LOAD), *state)
    found = payload(panda, "flange", log, consistent=False)
    assert_close(found.parameters, LOAD.parameters, LEAST_SQUARES)


def test_errors_are_as_large_as_said(panda: jounce.Robot) -> None:
    state, bare = motion(panda, 0), motion(panda, 1)
    held, free = forces(panda.with_payload("flange", LOAD), *state), forces(panda, *bare)
    off, about_com = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        log = *state, held + rng.normal(size=held.shape) * 0.3
        empty = *bare, free + rng.normal(size=held.shape) * 0.3
        found = payload(panda, "flange", log, without=[empty], consistent=False)
        off.append((found.parameters - LOAD.parameters) / found.uncertainty)
        centre = (found.com - LOAD.com) / found.com_uncertainty
        rotational = (found.rotational - np.array(LOAD.rotational)) / found.rotational_uncertainty
        about_com.append(np.r_[centre, rotational[np.triu_indices(3)]])
    for errors in (off, about_com):
        assert np.mean(np.abs(errors) < 3.0) > 0.98
        assert 0.7 < np.sqrt(np.mean(np.square(errors))) < 1.3


def test_errors_about_the_centre_of_mass_are_those_of_chance(panda: jounce.Robot) -> None:
    """Sample parameters with the stated covariance; what is undecided has no error bar."""
    state = motion(panda, count=400)
    Q = forces(panda.with_payload("flange", LOAD), *state)
    rng = np.random.default_rng(0)
    found = payload(panda, "flange", (*state, Q + 0.01 * rng.normal(size=Q.shape)))
    draws = rng.multivariate_normal(found.parameters, found.covariance, size=20_000)
    loads = [jounce.Inertia.from_parameters(draw.tolist()) for draw in draws]
    spread = np.std([np.array(load.rotational, dtype=float) for load in loads], axis=0)
    np.testing.assert_allclose(found.rotational_uncertainty, spread, rtol=0.03)
    spread = np.std([load.com for load in loads], axis=0)
    np.testing.assert_allclose(found.com_uncertainty, spread, rtol=0.03)
    assert "about the centre of mass" in found.report()
    covariance = found.covariance.copy()
    covariance[6, 6] = np.inf  # Izz
    lost = replace(found, covariance=covariance)
    unknown = np.isinf(lost.rotational_uncertainty)
    assert unknown.tolist() == (np.diag([0, 0, 1]) == 1).tolist()
    assert np.isfinite(lost.com_uncertainty).all()


def test_a_physical_load_from_noise(panda: jounce.Robot) -> None:
    small = jounce.Inertia(0.1, (0, 0, 0.05), np.diag([1e-5, 1e-5, 1e-5]))
    state = motion(panda, count=400)
    rng = np.random.default_rng(4)
    Q = forces(panda.with_payload("flange", small), *state)
    log = *state, Q + rng.normal(size=Q.shape)
    free = payload(panda, "flange", log, consistent=False)
    assert np.linalg.eigvalsh(cones.pseudo_inertia(free.parameters))[0] < 0.0
    found = payload(panda, "flange", log)
    assert np.linalg.eigvalsh(cones.pseudo_inertia(found.parameters))[0] >= 0.0
    panda.with_payload("flange", found.inertia)
    assert "larger than the value" in found.report()


def test_refusals(panda: jounce.Robot) -> None:
    with pytest.raises(ArgumentError, match="at least one log"):
        payload(panda, "flange")
    with pytest.raises(UnknownNameError, match="flange"):
        payload(panda, "flang", ())
    with pytest.raises(ArgumentError, match="does not move"):
        payload(panda.with_frame("table", None, np.eye(4)), "table", ())
