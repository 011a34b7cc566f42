"""The closed forms of MK21 and KM21 against the authors' programs and the 34-digit reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jounce.literature import km21_closed_form
from jounce.literature.chain import SerialChain, from_robot
from jounce.literature.mk21_second_order import closed_form
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

SERIAL = [name for name in oracle.NAMES if name not in oracle.TREES]
each_robot = pytest.mark.parametrize("name", SERIAL)


def chain_of(name: str) -> SerialChain:
    return from_robot(oracle.robot(name))


def motion(sample: dict[str, Any]) -> np.ndarray:
    return np.array(sample["q_derivatives"])[:5]


def check(got: Any, wanted: Any, scale: float = 0.0) -> None:
    assert_orders_close(got, np.asarray(wanted)[:3], INDEPENDENT, scale=scale)


def triple(block: dict[str, Any], name: str) -> list[Any]:
    return [block[name], block[f"{name}dot"], block[f"{name}ddot"]]


@each_robot
def test_forces(name: str) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        got = closed_form(chain, motion(sample))
        check(got.Q, sample["exact"]["Q"])
        check(got.Q, sample["authors"]["closed_form_2nd"]["Q"])
        check(got.Q_grav, sample["exact"]["Qgrav"], scale=1.0)  # zero for a vertical first joint
        check(got.Q_grav, triple(sample["authors"]["closed_form_2nd"], "Qgrav"), scale=1.0)


@each_robot
def test_forces_without_gravity_and_with_wrench(name: str) -> None:
    chain = chain_of(name)
    weightless = replace(chain, gravity=np.zeros(3))
    for sample in oracle.samples(name):
        load = np.zeros((3, chain.n, 6))
        load[:, -1] = sample["wrench_last_body"][:3]
        check(closed_form(chain, motion(sample), load).Q, sample["exact"]["Q_with_wrench"])
        got = closed_form(weightless, motion(sample)).Q
        check(got, sample["authors"]["nth_closed_form"]["Q_nograv"])


@each_robot
def test_matrices(name: str) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        got, authors = closed_form(chain, motion(sample)), sample["authors"]["closed_form_2nd"]
        M, C = np.array(sample["exact"]["M"]), np.array(sample["exact"]["C_authors"])
        size = float(np.abs(M[0]).max())  # planar2R: Ṁ is zero where the elbow is stretched
        check(got.M, M, scale=size)
        check(got.M, triple(authors, "M"), scale=size)
        check(got.C, C, scale=size)
        check(got.C, triple(authors, "C"), scale=size)
        check(got.V, triple(authors, "V"))
        J = np.array(sample["exact"]["J"]).swapaxes(0, 1)
        check(got.J, J, scale=float(np.abs(J[0]).max()))


@each_robot
def test_passive_coriolis_matrix(name: str) -> None:
    chain = chain_of(name)
    for sample in oracle.samples(name):
        got = closed_form(chain, motion(sample), passive=True)
        size = float(np.abs(got.M[0]).max())
        check(got.C, sample["exact"]["C_skew_garofalo"], scale=size)
        check(got.Q, sample["exact"]["Q"])
        assert_close(got.M[1], got.C[0] + got.C[0].T, ROUNDOFF, scale=size)


@each_robot
def test_any_order(name: str) -> None:
    """KM21's closed form to the highest order of the reference; all its parts."""
    chain = chain_of(name)
    for sample in oracle.samples(name):
        q, exact = np.array(sample["q_derivatives"]), sample["exact"]
        got = km21_closed_form.closed_form(chain, q)
        assert len(got.Q) == 5
        compare(got.Q, exact["Q"])
        compare(got.Q_grav, exact["Qgrav"], scale=1.0)
        size = float(np.abs(exact["M"][0]).max())
        compare(got.M, exact["M"], scale=size)
        compare(got.C, exact["C_authors"], scale=size)
        compare(got.V, np.array(exact["V"]).swapaxes(0, 1))
        J = np.array(exact["J"]).swapaxes(0, 1)
        compare(got.J, J, scale=float(np.abs(J[0]).max()))
        authors = sample["authors"]["nth_closed_form"]
        weightless = km21_closed_form.closed_form(replace(chain, gravity=np.zeros(3)), q)
        compare(weightless.Q, authors["Q_nograv"])
        compare(got.M, authors["M"], scale=size)
        compare(got.C, authors["C"], scale=size)
        compare(got.V, authors["V"])


def compare(got: np.ndarray, wanted: Any, scale: float = 0.0) -> None:
    """Compare the orders that both have, at least three."""
    orders = min(len(got), len(wanted))
    assert orders >= 3
    assert_orders_close(got[:orders], np.asarray(wanted)[:orders], INDEPENDENT, scale=scale)


@each_robot
def test_coefficients_of_the_rates(name: str) -> None:
    """``Q^(n) − Qgrav^(n) = Σ P_k q^(k)`` [KM21, (37)]."""
    q = np.array(oracle.samples(name)[-1]["q_derivatives"])
    got = km21_closed_form.closed_form(chain_of(name), q)
    for n in range(5):
        terms = [got.coefficient(k, n) @ q[k] for k in range(1, n + 3)]
        largest = float(np.abs(terms).max())
        assert_close(np.sum(terms, axis=0), got.Q[n] - got.Q_grav[n], ROUNDOFF, scale=largest)
        assert_close(got.coefficient(n + 2, n), got.M[0], ROUNDOFF)
        assert_close(got.coefficient(1, n), got.C[n], ROUNDOFF)
