"""From logs to robots: known truths, physical results, and doubts by name."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.identification import Identified, Information, identify
from jounce.identification import consistent as cones
from jounce.trajectory import Fourier
from tests.tolerances import INDEPENDENT, assert_close

pytest.importorskip("clarabel")
FRICTION = {"viscous": 1.5, "coulomb": 0.7, "offset": -0.3}


def motion(robot: jounce.Robot, seed: int = 0, count: int = 1500, scale: float = 0.6):
    """Return samples q, v, a of a motion in which all joints take part."""
    rng = np.random.default_rng(seed)
    series = Fourier(
        *rng.normal(size=(2, 5, robot.nv)) * scale, 0.2 * np.pi, rng.normal(size=robot.nv)
    )
    return tuple(series(np.linspace(0.0, 10.0, count), order=2))


def truth_of(robot: jounce.Robot, rng: np.random.Generator, change: float = 0.3) -> jounce.Robot:
    """Return the robot with other matter: every pseudo-inertia turned into another one."""
    P = cones.pseudo_inertia(jounce.parameters(robot).reshape(-1, 10))
    for i, one in enumerate(P):
        L = np.linalg.cholesky(one + 1e-9 * np.trace(one) * np.eye(4))
        L = L @ (np.eye(4) + change * rng.uniform(-1, 1, (4, 4)) / 2)
        P[i] = L @ L.T
    return robot.with_parameters(cones.body_parameters(P).ravel())


def forces(truth: jounce.Robot, q, v, a, friction=FRICTION) -> np.ndarray:
    brake = {"viscous": v, "coulomb": v / np.sqrt(v**2 + 0.01**2), "offset": np.ones_like(v)}
    Q = jounce.inverse_dynamics(truth, q, v, a)[0]
    return Q + sum(size * brake[kind] for kind, size in friction.items())


@pytest.fixture(scope="module")
def panda() -> jounce.Robot:
    return jounce.load("panda")


@pytest.fixture(scope="module")
def noisy(panda: jounce.Robot) -> tuple[jounce.Robot, Identified]:
    rng = np.random.default_rng(1)
    truth = truth_of(panda, rng)
    logs = []
    for seed in (0, 1):
        q, v, a = motion(panda, seed)
        Q = forces(truth, q, v, a)
        logs.append((q, v, a, Q + rng.normal(size=Q.shape) * 0.1))
    return truth, identify(panda, logs[0], validate=logs[1])


def true_values(found: Identified, truth: jounce.Robot) -> np.ndarray:
    theta = np.zeros(len(found.names))
    theta[: truth.n_parameters] = jounce.parameters(truth)
    for kind in found.terms.friction:
        theta[found.terms.place(kind)] = FRICTION[kind]
    return theta


def test_without_noise_the_truth_comes_back(panda: jounce.Robot, rng) -> None:
    truth = truth_of(panda, rng)
    q, v, a = motion(panda)
    found = identify(panda, (q, v, a, forces(truth, q, v, a)), consistent=False)
    wanted = found.terms.base[1] @ true_values(found, truth)
    assert_close(found.base.values, wanted, INDEPENDENT)
    assert_close(found.terms.base[1] @ found.parameters, wanted, INDEPENDENT)
    assert_close(found.friction["coulomb"], np.full(7, 0.7), INDEPENDENT)


def test_truth_lies_within_the_stated_errors(noisy: tuple[jounce.Robot, Identified]) -> None:
    truth, found = noisy
    wanted = true_values(found, truth)
    base = found.terms.base[1] @ wanted
    off = np.abs(found.base.values - base) / found.base.uncertainty
    assert np.mean(off < 3.0) > 0.95
    assert 0.5 < np.sqrt(np.mean(off**2)) < 2.0  # the errors are not overstated either
    assert np.mean(np.abs(found.parameters - wanted) < 3.0 * found.uncertainty) > 0.95
    assert found.residuals.training == pytest.approx(np.full(7, 0.1), rel=0.1)
    assert found.residuals.validation == pytest.approx(np.full(7, 0.1), rel=0.15)


def test_unseen_motions_are_predicted(noisy: tuple[jounce.Robot, Identified], panda) -> None:
    truth, found = noisy
    state = motion(panda, 7)
    wanted = forces(truth, *state)
    predicted = jounce.inverse_dynamics(found.robot, *state)[0]  # its friction included
    error = np.sqrt(np.mean((predicted - wanted) ** 2)) / np.sqrt(np.mean(wanted**2))
    assert error < 0.01


@pytest.mark.parametrize("prior", ["entropic", "euclidean", None])
def test_every_body_is_physical(panda: jounce.Robot, prior: str | None) -> None:
    rng = np.random.default_rng(3)
    q, v, a = motion(panda, count=300)
    Q = forces(panda, q, v, a) + rng.normal(size=v.shape) * 5.0  # least squares leave the cone
    free = identify(panda, (q, v, a, Q), consistent=False)
    P = cones.pseudo_inertia(free.parameters[:70].reshape(-1, 10))
    assert np.linalg.eigvalsh(P).min() < 0.0
    found = identify(panda, (q, v, a, Q), prior=prior)
    P = cones.pseudo_inertia(found.parameters[:70].reshape(-1, 10))
    assert np.linalg.eigvalsh(P).min() > 0.0
    assert min(found.friction[kind].min() for kind in ("viscous", "coulomb")) > -1e-6
    panda.with_parameters(found.parameters[:70])  # strict: raises if a body cannot be


def test_the_cone_problem_is_at_its_minimum(panda: jounce.Robot) -> None:
    """No physical parameters nearby have a smaller cost, written out without cones."""
    rng = np.random.default_rng(5)
    q, v, a = motion(panda, count=300)
    Q = forces(panda, q, v, a) + rng.normal(size=v.shape) * 2.0
    told = Information(panda).add(q, v, a, Q)
    terms, sigma, weight = told.terms, np.full(7, 2.0), 3.0
    sizes = cones.motor_sizes(terms, told.squares, told.samples)
    A, b = told.weighted(sigma)
    P0, _ = cones.references(terms)

    def cost(theta: np.ndarray) -> float:
        fit = np.sum(told.squared_errors(terms.base[1] @ theta) / sigma**2) / 2.0
        P = cones.pseudo_inertia(theta[:70].reshape(-1, 10))
        R = np.linalg.solve(P0, P)
        distance = np.trace(R, axis1=1, axis2=2) - np.linalg.slogdet(R)[1] - 4.0
        return fit + weight * distance.sum()

    theta = cones.solve(terms, A, b, sizes, "entropic", weight).parameters
    least = cost(theta)
    L = np.linalg.cholesky(cones.pseudo_inertia(theta[:70].reshape(-1, 10)))
    for _ in range(200):
        near = theta.copy()
        turned = np.eye(4) + 1e-3 * rng.normal(size=(7, 4, 4))
        P = L @ turned @ np.swapaxes(L @ turned, 1, 2)
        near[:70] = cones.body_parameters(P).ravel()
        near[70:] *= 1.0 + 1e-3 * rng.normal(size=21)
        assert cost(near) > least - 1e-6 * abs(least)


def test_the_prior_decides_what_data_do_not(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    log = q, v, a, forces(panda, q, v, a) + np.random.default_rng(0).normal(size=v.shape) * 0.1
    found = identify(panda, log)
    assert_close(found.parameters[:70], jounce.parameters(panda), 0.1)
    assert np.all(np.isfinite(found.uncertainty))
    alone = identify(panda, log, prior=None).uncertainty
    assert np.isinf(alone[0])  # the mass of the first link
    Izz = found.names.index("Izz(link7)")
    assert np.isfinite(alone[Izz])


def test_entropic_distance_knows_no_frames() -> None:
    """The same arm with its body frames elsewhere is found to be the same arm."""
    screws = [(0, 0, 1, 0, 0, 0), (0, 1, 0, -0.4, 0, 0), (1, 0, 0, 0, 0.4, 0.2)]
    rng = np.random.default_rng(2)
    coms, shifts = rng.normal(size=(3, 3)) * 0.2, rng.normal(size=(3, 3))
    found = []
    for shift in (np.zeros((3, 3)), shifts):
        places = np.tile(np.eye(4), (3, 1, 1))
        places[:, :3, 3] = shift
        matter = [
            jounce.Inertia(2.0, c - s, np.eye(3) * 0.1) for c, s in zip(coms, shift, strict=True)
        ]
        arm = jounce.from_screws(screws, places, matter, representation="spatial")
        q, v, a = motion(arm, count=300)
        Q = jounce.inverse_dynamics(arm, q, v, a)[0]
        Q = 1.4 * Q + np.random.default_rng(0).normal(size=Q.shape)
        robot = identify(arm, (q, v, a, Q), friction=(), prior_weight=50.0).robot
        com = [np.array(body.inertia.com) + s for body, s in zip(robot.bodies, shift, strict=True)]
        found.append(np.column_stack([[body.inertia.mass for body in robot.bodies], com]))
    assert np.abs(found[0][:, 0] - 2.0).max() > 0.1  # the data moved it
    assert_close(found[1], found[0], 1e-5)


def test_information_and_logs_may_be_mixed(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    Q = forces(panda, q, v, a)
    told = Information(panda, friction=("viscous",), coulomb_speed=0.02).add(q, v, a, Q)
    found = identify(panda, told, (q, v, a, Q), consistent=False)
    assert found.samples == 2 * len(q)
    assert found.terms == told.terms
    assert "samples" in found.report()


# ---------------------------------------------------------------- doubts and refusals


def said(found: Identified, *words: str) -> bool:
    return any(all(word in line for word in words) for line in found.warnings)


def test_a_good_log_raises_no_doubt(noisy: tuple[jounce.Robot, Identified]) -> None:
    _, found = noisy
    assert not [line for line in found.warnings if "hardly decide" not in line]


def test_a_short_log(panda: jounce.Robot) -> None:
    q, v, a = motion(panda, count=30)
    with pytest.raises(ArgumentError, match=r"30 samples; the force of joint1 depends on \d+ par"):
        identify(panda, (q, v, a, forces(panda, q, v, a)))


def test_a_joint_that_stands_still(panda: jounce.Robot) -> None:
    q, v, a = (x.copy() for x in motion(panda))
    q[:, 3], v[:, 3], a[:, 3] = 0.4, 0.0, 0.0
    noise = np.random.default_rng(0).normal(size=v.shape) * 0.1
    found = identify(panda, (q, v, a, forces(panda, q, v, a) + noise))
    assert said(found, "joint4 hardly moved")
    assert said(found, "do not decide", "Fv(joint4)")
    assert np.linalg.eigvalsh(cones.pseudo_inertia(found.parameters[:70].reshape(-1, 10))).min() > 0


def test_nan_and_shapes(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    Q = forces(panda, q, v, a)
    Q[5, 2] = np.nan
    with pytest.raises(NotFiniteError, match=r"Q\[5, 2\]"):
        identify(panda, (q, v, a, Q))
    with pytest.raises(ShapeError, match=r"Q must have shape \(\*batch, 7\)"):
        identify(panda, (q, v, a, Q[:, :6]))
    with pytest.raises(ArgumentError, match=r"\(q, v, a, Q\)"):
        identify(panda, (q, v, a))
    with pytest.raises(ArgumentError, match="at least one log"):
        identify(panda)
    with pytest.raises(ArgumentError, match="prior must be"):
        identify(panda, (q, v, a, Q), prior="gaussian")


def test_forces_of_another_robot(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    Q = forces(jounce.load("iiwa14"), q, v, a)
    assert said(identify(panda, (q, v, a, Q)), "no physical robot fits as well") or said(
        identify(panda, (q, v, a, Q)), "unexplained"
    )
    swapped = forces(panda, q, v, a)[:, ::-1]
    assert said(identify(panda, (q, v, a, swapped)), "unexplained", "joint")


def test_a_wrong_sign_and_a_wrong_unit(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    Q = forces(panda, q, v, a)
    wrong = Q * np.where(np.arange(7) == 1, -1.0, 1.0)
    assert said(identify(panda, (q, v, a, wrong)), "joint2", "sign of its column is wrong")
    wrong = Q * np.where(np.arange(7) == 3, 1000.0, 1.0)
    found = identify(panda, (q, v, a, wrong))
    assert said(found, "joint4", "times that of the model")
    assert not said(found, "joint2", "times")


def test_validation_that_is_worse(panda: jounce.Robot) -> None:
    q, v, a = motion(panda)
    rng = np.random.default_rng(0)
    Q = forces(panda, q, v, a)
    log = q, v, a, Q + rng.normal(size=Q.shape) * 0.1
    held = q, v, a, Q + rng.normal(size=Q.shape) * np.where(np.arange(7) == 5, 1.0, 0.1)
    found = identify(panda, log, validate=[held])
    assert said(found, "joint6", "on the validation logs")
    assert not said(found, "joint5", "on the validation logs")
