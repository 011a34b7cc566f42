"""The closed form of any order against the 34-digit reference and the authors' programs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import jounce
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

SERIAL = [name for name in oracle.NAMES if name not in oracle.TREES]
each_robot = pytest.mark.parametrize("name", oracle.NAMES)
each_serial = pytest.mark.parametrize("name", SERIAL)


@cache
def form(name: str, factorization: str = "passive") -> jounce.ClosedForm:
    return jounce.closed_form(oracle.robot(name), *oracle.motion(name), factorization=factorization)


def by_body(values: np.ndarray, bodies: int) -> np.ndarray:
    """Return ``(orders, samples, 6n, …)`` as ``(orders, samples, n, 6, …)``."""
    return values.reshape(*values.shape[:2], bodies, 6, *values.shape[3:])


def check(got: np.ndarray, wanted: Any, scales: np.ndarray | None = None) -> None:
    """Compare sample by sample, order by order, as far as the reference goes."""
    wanted = np.asarray(wanted)  # (samples, orders, …)
    for s in range(len(wanted)):
        scale = float(scales[s]) if scales is not None else 0.0
        assert_orders_close(got[: wanted.shape[1], s], wanted[s], INDEPENDENT, scale=scale)


def mass_scale(name: str) -> np.ndarray:
    """Return the size of M: planar2R has rates that vanish where the elbow is stretched."""
    return np.abs(oracle.exact(name, "M")[:, 0]).max((-1, -2))


@each_robot
def test_mass_matrix(name: str) -> None:
    check(form(name).M, oracle.exact(name, "M"), mass_scale(name))


@each_robot
@pytest.mark.parametrize(
    ("factorization", "key"), [("kinematic", "C_authors"), ("passive", "C_skew_garofalo")]
)
def test_coriolis_matrix(name: str, factorization: str, key: str) -> None:
    check(form(name, factorization).C, oracle.exact(name, key), mass_scale(name))


@pytest.mark.parametrize("name", ["panda_gaz", "kuka_steiner", "planar2R", "tree6_open"])
def test_christoffel_matrix_of_spatial_v2(name: str) -> None:
    C = oracle.other(name, "spatial_v2_extended", "C_christoffel")
    assert_close(form(name, "christoffel").C[0], C, INDEPENDENT)


@each_robot
def test_gravity_forces(name: str) -> None:
    scales = np.abs(oracle.exact(name, "Q")[:, 0]).max(-1)  # zero for a vertical first joint
    check(form(name).g, oracle.exact(name, "Qgrav"), scales)


@each_robot
def test_twists_and_jacobians(name: str) -> None:
    closed, n = form(name), oracle.robot(name).n_bodies
    check(by_body(closed.V, n), oracle.exact(name, "V").swapaxes(1, 2))
    J = oracle.exact(name, "J").swapaxes(1, 2)
    check(by_body(closed.J, n), J, np.abs(J[:, 0]).max((-1, -2, -3)))


@each_robot
def test_forces(name: str) -> None:
    check(form(name).Q, oracle.exact(name, "Q"))
    for factorization in ("kinematic", "christoffel"):
        check(form(name, factorization).Q, oracle.exact(name, "Q"))


@each_robot
def test_forces_without_gravity(name: str) -> None:
    robot = oracle.robot(name).with_gravity((0, 0, 0))
    got = jounce.inverse_dynamics(robot, *oracle.motion(name), formulation="closed_form")
    check(got, oracle.exact(name, "Q_nograv"))


@each_robot
def test_forces_with_wrench_on_the_last_body(name: str) -> None:
    robot = oracle.robot(name)
    load = {robot.bodies[-1].name: oracle.wrenches(name)}
    got = jounce.inverse_dynamics(
        robot, *oracle.motion(name, rates=5), wrenches=load, formulation="closed_form"
    )
    check(got, oracle.exact(name, "Q_with_wrench"))


@each_robot
def test_coefficients_give_the_forces(name: str) -> None:
    """``Q⁽ⁿ⁾ = Σ P_k q⁽ᵏ⁾ + g⁽ⁿ⁾`` [KM21, (37)] of the reference, orders 0 to 4."""
    closed, (_, *rates) = form(name, "kinematic"), oracle.motion(name)
    got = [
        closed.g[n]
        + sum((closed.coefficient(k, n) @ rates[k - 1][..., None])[..., 0] for k in range(1, n + 3))
        for n in range(5)
    ]
    check(np.array(got), oracle.exact(name, "Q"))


@each_serial
def test_the_authors_nth_order_program(name: str) -> None:
    closed, scales = form(name, "kinematic"), mass_scale(name)
    authors = [s["authors"]["nth_closed_form"] for s in oracle.samples(name)]
    check(closed.M, [a["M"] for a in authors], scales)
    check(closed.C, [a["C"] for a in authors], scales)
    check(by_body(closed.V, oracle.robot(name).n_bodies), [a["V"] for a in authors])
    where = [i for i, a in enumerate(authors) if "Q" in a]  # where their gravity is right
    check(closed.Q[:, where], [authors[i]["Q"] for i in where])


@each_serial
def test_the_authors_second_order_program(name: str) -> None:
    closed, scales = form(name, "kinematic"), mass_scale(name)
    authors = [s["authors"]["closed_form_2nd"] for s in oracle.samples(name)]

    def triple(key: str) -> list[Any]:
        return [[a[key], a[f"{key}dot"], a[f"{key}ddot"]] for a in authors]

    check(closed.M, triple("M"), scales)
    check(closed.C, triple("C"), scales)
    check(by_body(closed.V, oracle.robot(name).n_bodies), triple("V"))
    forces = np.abs(oracle.exact(name, "Q")[:, 0]).max(-1)
    check(closed.g, triple("Qgrav"), forces)
    check(closed.Q, [a["Q"] for a in authors])
