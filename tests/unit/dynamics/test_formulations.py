"""All formulations of inverse dynamics against 50 digits, to order 10, on every kind of tree."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import jounce
from jounce.comparison.reference import mapped, orthogonal
from jounce.dynamics.inverse import FORMULATIONS, inverse_dynamics
from jounce.model.examples import KINDS
from jounce.model.lowering.tree import lowered
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

ORDER = 10
REPRESENTATIONS = ("body", "spatial", "hybrid")
Rng = np.random.Generator

every_formulation = pytest.mark.parametrize("formulation", FORMULATIONS)


class Case(NamedTuple):
    """A motion of a robot, its loads, and the forces it takes, right to 50 digits."""

    robot: jounce.Robot
    q: np.ndarray
    rates: np.ndarray
    loads: dict[tuple[str, str], np.ndarray]
    exact: np.ndarray


def tree(n: int, **options: Any) -> Callable[[Rng], jounce.Robot]:
    return lambda rng: jounce.examples.random_tree(rng, n, **options)


MOTORS: dict[str, Any] = {"armature": True, "damping": True, "oblique_gravity": True}
TREES: dict[str, Callable[[Rng], jounce.Robot]] = {
    **{f"tree {seed}": tree(11, **MOTORS) for seed in range(3)},
    "serial": tree(11, branching=0.0, oblique_gravity=True),
    "star": tree(11, branching=1.0, oblique_gravity=True),
    "massless links": tree(11, massless=0.8, oblique_gravity=True),
    "floating base": tree(7, floating_base=True, **MOTORS),
    "gravity along z": tree(7),
    "no gravity": lambda rng: tree(7)(rng).with_gravity((0, 0, 0)),
    "payload at the tip": lambda rng: loaded(tree(7, oblique_gravity=True)(rng), rng),
}
BODIES = {
    f"one body, {kind}": tree(1, kinds=(kind,), **MOTORS)
    for kind in KINDS
    if kind not in ("fixed", "mimic")
}


def loaded(robot: jounce.Robot, rng: Rng) -> jounce.Robot:
    return robot.with_payload(robot.bodies[-1].name, jounce.examples.random_inertia(rng))


def case(name: str, *, loads: bool = False, rates: np.ndarray | None = None) -> Case:
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    robot = (TREES | BODIES)[name](rng)
    q = robot.random_configuration(rng)
    drawn = rng.normal(size=(ORDER + 2, robot.nv))
    if rates is not None:
        drawn *= rates[:, None]
    wrenches = {
        (frame.name, REPRESENTATIONS[i % 3]): rng.normal(size=(ORDER + 1, 6)) * 5.0
        for i, frame in enumerate(robot.frames)
        if loads
    }
    return Case(robot, q, drawn, wrenches, fifty_digits(robot, q, drawn, wrenches))


def fifty_digits(robot: jounce.Robot, q: Any, rates: Any, loads: Any) -> np.ndarray:
    """Return Q by the wrench recursion on the robot as it is, nothing regrouped.

    That form is the referee because it magnifies the rounding of the robot's constants least.
    """
    with mpmath.workdps(50):
        wrenches = {key: precise(rows) for key, rows in loads.items()}
        motion = precise([q])[0], precise(rates)
        rows = inverse_dynamics(robot, *motion, wrenches, "body", tree=lowered(robot))
        return np.array([[float(x) for x in row] for row in rows])


def precise(rows: Any) -> list[list[Any]]:
    return [[mpmath.mpf(float(x)) for x in row] for row in rows]


def by_text(given: Case, formulation: str) -> np.ndarray:
    loads = {key: rows.tolist() for key, rows in given.loads.items()}
    motion = given.q.tolist(), given.rates.tolist()
    return np.array(inverse_dynamics(given.robot, *motion, loads, formulation))


@every_formulation
@pytest.mark.parametrize("name", TREES | BODIES)
def test_to_order_ten(name: str, formulation: str) -> None:
    given = case(name)
    assert_orders_close(by_text(given, formulation), given.exact, INDEPENDENT)


@every_formulation
@pytest.mark.parametrize("name", ["tree 0", "floating base"])
def test_under_wrenches_in_every_representation(name: str, formulation: str) -> None:
    given = case(name, loads=True)
    assert {r for _, r in given.loads} == set(REPRESENTATIONS)
    assert_orders_close(by_text(given, formulation), given.exact, INDEPENDENT)


@every_formulation
@pytest.mark.parametrize("name", ["tree 1", "floating base"])
def test_from_zero_velocity(name: str, formulation: str) -> None:
    rates = np.ones(ORDER + 2)
    rates[0] = 0.0
    given = case(name, rates=rates)
    assert_orders_close(by_text(given, formulation), given.exact, INDEPENDENT)


@every_formulation
@pytest.mark.parametrize("name", ["tree 2", "floating base"])
def test_at_rest_only_order_zero_remains(name: str, formulation: str) -> None:
    given = case(name, rates=np.zeros(ORDER + 2))
    got = by_text(given, formulation)
    assert_close(got[0], given.exact[0], INDEPENDENT)
    assert not given.exact[1:].any()
    assert_close(got[1:], given.exact[1:], INDEPENDENT, scale=float(np.abs(got[0]).max()))


@every_formulation
@pytest.mark.parametrize("slow_down", [1e-2, 1e2])
def test_slow_and_fast_motions(slow_down: float, formulation: str) -> None:
    """Time runs slower or faster: the k-th rate is k powers of it larger or smaller.

    In slow motion gravity is large against all else: what is quadratic in it must not arise.
    """
    given = case("tree 0", rates=slow_down ** -np.arange(1.0, ORDER + 3))
    assert_orders_close(by_text(given, formulation), given.exact, INDEPENDENT)


@every_formulation
@pytest.mark.usefixtures("interpreted")
def test_traced_and_interpreted(formulation: str) -> None:
    assert_kernel(case("floating base"), formulation)


@every_formulation
def test_compiled(formulation: str) -> None:
    assert_kernel(case("one body, planar"), formulation)


@pytest.mark.slow
@every_formulation
def test_compiled_tree(formulation: str) -> None:
    assert_kernel(case("gravity along z"), formulation)


def assert_kernel(given: Case, formulation: str) -> None:
    robot, q, rates, _, exact = given
    got = jounce.inverse_dynamics(robot, q, *rates, formulation=formulation)
    assert_orders_close(got, exact, INDEPENDENT)


@pytest.mark.parametrize("name", ["tree 0", "floating base"])
def test_fifty_digits_are_fifty_digits(name: str) -> None:
    """No text brings floats of its own into numbers of 50 digits: all agree to 45, at order 6."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    robot = TREES[name](rng)
    q, rates = robot.random_configuration(rng), rng.normal(size=(8, robot.nv))
    with mpmath.workdps(50):
        exact = orthogonal(mapped(lowered(robot), mpmath.mpf))
        motion = precise([q])[0], precise(rates)
        found = [
            np.array(inverse_dynamics(robot, *motion, formulation=name, tree=exact))
            for name in FORMULATIONS
        ]
        for other in found[1:]:
            for row, wanted in zip(other, found[0], strict=True):
                assert np.abs(row - wanted).max() < 1e-45 * np.abs(wanted).max()


def test_order_ten_is_the_derivative_of_order_zero() -> None:
    """The referee itself: Q along a polynomial motion, differentiated by mpmath."""
    robot = tree(4, kinds=("revolute", "helical", "prismatic"))(np.random.default_rng(8))
    assert robot.nv == 4
    with mpmath.workdps(60):
        coefficients = precise(np.random.default_rng(9).normal(size=(robot.nv, 6)))

        def rate(t: Any, k: int) -> list[Any]:
            return [mpmath.polyval(derived(row[::-1], k), t) for row in coefficients]

        def force(t: Any) -> Any:
            return inverse_dynamics(robot, rate(t, 0), [rate(t, 1), rate(t, 2)])[0][0]

        start = mpmath.mpf("0.25")
        rates = [rate(start, k) for k in range(1, ORDER + 3)]
        got = inverse_dynamics(robot, rate(start, 0), rates)
        wanted = [c * mpmath.factorial(k) for k, c in enumerate(mpmath.taylor(force, start, ORDER))]
        first = [float(row[0]) for row in got]
        assert_orders_close(first, [float(x) for x in wanted], INDEPENDENT)


def derived(coefficients: list[Any], times: int) -> list[Any]:
    """Return the derivative of a polynomial, highest power first."""
    for _ in range(times):
        degree = len(coefficients) - 1
        coefficients = [c * (degree - i) for i, c in enumerate(coefficients[:-1])] or [
            mpmath.mpf(0)
        ]
    return coefficients
