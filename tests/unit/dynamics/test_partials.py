"""Mixed partials of the forces against differences at 60 digits and against tangent numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

mpmath = pytest.importorskip("mpmath")

import jounce  # noqa: E402
from jounce.dynamics.inverse import inverse_dynamics  # noqa: E402
from jounce.dynamics.variation import motion_partials  # noqa: E402
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")
ONE_DOF = ("revolute", "continuous", "prismatic", "helical", "cylindrical", "universal", "planar")
FRAMES = ("body", "spatial", "hybrid")


def motion_of(robot: jounce.Robot, rates: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [robot.random_configuration(rng), *rng.normal(size=(rates, robot.nv))]


def moved(robot: jounce.Robot, q: Any, step: Any) -> list[Any]:
    """Return q after a tiny increment in the child frames; its square is far below 60 digits."""
    result = list(q)
    for joint in robot.joints:
        at, d = joint.q_slice.start, step[joint.v_slice]
        if joint.kind not in ("spherical", "free"):
            for k in range(joint.nq):
                result[at + k] += d[k]
            continue
        x, y, z, w = (q[k] for k in range(joint.q_slice.stop - 4, joint.q_slice.stop))
        a, b, c = (u / 2 for u in d[:3])
        turned = (w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)
        turned = (*turned, -(x * a + y * b + z * c))
        for k, u in enumerate(turned):
            result[joint.q_slice.stop - 4 + k] += u
        if joint.kind == "free":
            p, axis = mpmath.matrix(d[3:]), mpmath.matrix([x, y, z])
            twice = 2 * cross(axis, p)
            shift = p + w * twice + cross(axis, twice)
            for k in range(3):
                result[at + k] += shift[k]
    return result


def cross(a: Any, b: Any) -> Any:
    return mpmath.matrix(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def mp(values: Any) -> np.ndarray:
    return np.array([mpmath.mpf(float(x)) for x in values], dtype=object)


def unit_quaternions(robot: jounce.Robot, q: np.ndarray) -> np.ndarray:
    """Return q at 60 digits with quaternions of unit length to 60 digits."""
    result = mp(q)
    for joint in robot.joints:
        if joint.kind in ("spherical", "free"):
            own = slice(joint.q_slice.stop - 4, joint.q_slice.stop)
            result[own] = result[own] / mpmath.sqrt(sum(x * x for x in result[own]))
    return result


def differences(
    robot: jounce.Robot, motion: list[np.ndarray], j: int, direction: np.ndarray, loads: Any
) -> np.ndarray:
    """Return the change of Q, Q', ... along one direction of q⁽ʲ⁾, by central differences."""
    h = mpmath.mpf(10) ** -20
    sides = []
    for sign in (1, -1):
        q, *rates = unit_quaternions(robot, motion[0]), *(mp(x) for x in motion[1:])
        step = mp(direction) * (sign * h)
        if j == 0:
            q = moved(robot, q, step)
        else:
            rates[j - 1] = rates[j - 1] + step
        sides.append(np.array(inverse_dynamics(robot, list(q), rates, loads), dtype=object))
    return ((sides[0] - sides[1]) / (2 * h)).astype(float)


def assert_differences(
    robot: jounce.Robot, motion: list[np.ndarray], loads: Any, rng: np.random.Generator
) -> None:
    """Compare every ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾, along a random direction, with differences at 60 digits."""
    P = jounce.inverse_dynamics_partials(robot, *motion, wrenches=loads)
    orders, rates = P.shape[:2]
    with mpmath.workdps(60):
        rows = {(frame, w.representation): complete(w, orders) for frame, w in loads.items()}
        for j in range(rates):
            direction = rng.normal(size=robot.nv)
            wanted = differences(robot, motion, j, direction, rows)
            for k in range(orders):
                scale = float(np.abs(P[k, j]).max())
                assert_close(P[k, j] @ direction, wanted[k], INDEPENDENT, scale=scale, what=(k, j))


def complete(wrench: jounce.Wrench, orders: int) -> list[np.ndarray]:
    rows = [mp(row) for row in wrench.values[:orders]]
    return rows + [mp(np.zeros(6))] * (orders - len(rows))


@pytest.mark.parametrize("links", [len(jounce.examples.KINDS), 5], ids=["every kind", "floating"])
def test_against_differences_at_60_digits(links: int, rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(
        rng, links, floating_base=links == 5, oblique_gravity=True, armature=True, damping=True
    )
    assert_differences(robot, motion_of(robot, 6, rng), {}, rng)


def followers(rng: np.random.Generator) -> jounce.Robot:
    """Return a chain on a ball whose last joints turn and screw as the second one does."""
    J, T, I = jounce.joints, jounce.examples.random_placement, jounce.examples.random_inertia
    b = jounce.RobotBuilder("followers")
    b.add("ball", None, J.spherical(), T(rng), I(rng))
    b.add("first", "ball", J.revolute((1, 2, 3)), T(rng), I(rng), joint_name="source")
    b.add("second", "first", J.revolute((3, 1, 0)), T(rng), I(rng), mimic=("source", -1.7, 0.3))
    b.add("third", "second", J.helical((0, 1, 1), 0.1), T(rng), I(rng), mimic=("source", 0.6, 0.1))
    return b.build()


@pytest.mark.parametrize("follow", [False, True], ids=["balls", "mimics"])
@pytest.mark.parametrize("representation", FRAMES)
def test_wrenches_stay_in_their_representation(
    representation: str, follow: bool, rng: np.random.Generator
) -> None:
    """On a tool and on a body in between, with a rate more and a rate less than is used."""
    kinds = ("revolute", "spherical", "helical")
    tree = jounce.examples.random_tree(rng, 4, kinds, floating_base=True, branching=0.0)
    robot = followers(rng) if follow else tree
    placement = jounce.examples.random_placement(rng)
    robot = robot.with_frame("tool", robot.bodies[-1].name, placement)
    long, short = rng.normal(size=(4, 6)), rng.normal(size=(2, 6))
    loads = {
        "tool": jounce.Wrench(long, representation),
        robot.bodies[1].name: jounce.Wrench(short, representation),
    }
    assert_differences(robot, motion_of(robot, 4, rng), loads, rng)


@pytest.mark.parametrize("seed", range(4))
def test_against_tangent_numbers(seed: int, rng: np.random.Generator) -> None:
    """The analytic text and the generic one agree on every joint kind, to order 2."""
    robot = jounce.examples.random_tree(
        rng,
        (11, 6, 6, 6)[seed],
        floating_base=seed == 1,
        oblique_gravity=True,
        damping=seed == 2,
        massless=0.3,
    )
    motion = motion_of(robot, 4, rng)
    P = jounce.inverse_dynamics_partials(robot, *motion)
    q, *rates = (list(x) for x in motion)
    rows = motion_partials(inverse_dynamics, robot, q, rates)
    wanted = np.array(rows, dtype=float).reshape(P.shape)
    for k in range(3):
        for j in range(5):
            scale = float(np.abs(wanted[k]).max())
            assert_close(P[k, j], wanted[k, j], 10 * ROUNDOFF, scale=scale, what=(k, j))


def test_what_does_not_move_it(rng: np.random.Generator) -> None:
    """Forces do not depend on where a free base is; nor Q⁽ᵏ⁾ on rates beyond k + 2."""
    robot = jounce.examples.random_tree(rng, 4, ONE_DOF, floating_base=True)
    P = jounce.inverse_dynamics_partials(robot, *motion_of(robot, 4, rng))
    scale = float(np.abs(P[0, 0]).max())
    assert_close(P[0, 0, :, 3:6], np.zeros((robot.nv, 3)), ROUNDOFF, scale=scale)
    assert not P[0, 3:].any()
    assert not P[1, 4:].any()


def test_one_body_at_rest(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 1, ("revolute",), oblique_gravity=True)
    q, rest = robot.random_configuration(rng), np.zeros(1)
    by_q, by_v, by_a = jounce.inverse_dynamics_partials(robot, q, rest, rest)[0]
    assert_close(by_q, jounce.gravity_partials(robot, q), ROUNDOFF)
    assert_close(by_v, [[0.0]], ROUNDOFF, scale=1.0)
    assert_close(by_a, jounce.mass_matrix(robot, q)[0], ROUNDOFF)


def test_nothing_that_moves(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 1, ("fixed",))
    assert jounce.inverse_dynamics_partials(robot, [], [], [], []).shape == (2, 4, 0, 0)


def test_second_partials_against_differences_at_60_digits(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(
        rng, 8, (*ONE_DOF, "mimic"), oblique_gravity=True, armature=True
    )
    motion = motion_of(robot, 2, rng)
    second = jounce.inverse_dynamics_second_partials(robot, *motion)
    pairs = {"qq": (0, 0), "vv": (1, 1), "qv": (0, 1), "aq": (2, 0)}
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -15
        for name, (first, other) in pairs.items():
            x, y = rng.normal(size=(2, robot.nv))
            total: Any = 0
            for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                arrays = [mp(array) for array in motion]
                arrays[first] = arrays[first] + mp(x) * (s * h)
                arrays[other] = arrays[other] + mp(y) * (t * h)
                Q = inverse_dynamics(robot, list(arrays[0]), arrays[1:])[0]
                total = total + np.array(Q, dtype=object) * (s * t)
            wanted = (total / (4 * h * h)).astype(float)
            got = np.einsum("ijh,j,h->i", getattr(second, name), x, y)
            scale = float(np.abs(getattr(second, name)).max())
            assert_close(got, wanted, INDEPENDENT, scale=scale, what=name)
