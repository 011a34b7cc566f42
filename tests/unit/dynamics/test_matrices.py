"""Mass and Coriolis matrices: textbook cases, mimic joints, batches, high orders, arguments."""

from __future__ import annotations

import re
from typing import Any

import mpmath
import numpy as np
import pytest

import jounce
from jounce.dynamics.matrices import coriolis_matrix, mass_matrix
from tests.architecture.sources import ROOT
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")

HERE = np.eye(4)
FACTORIZATIONS = ("passive", "kinematic", "christoffel")
every_factorization = pytest.mark.parametrize("factorization", FACTORIZATIONS)


def planar_arm(m: tuple[float, float], l: float, c: tuple[float, float], J: tuple[float, float]):
    """Return two links in the horizontal plane: masses, length, centres, moments about them."""
    b = jounce.RobotBuilder("planar", gravity=(0.0, -9.81, 0.0))
    at = np.eye(4)
    at[0, 3] = l
    for i, (parent, placement) in enumerate(((None, HERE), ("link 0", at))):
        inertia = jounce.Inertia(m[i], (c[i], 0, 0), np.diag([J[i], J[i], J[i]]))
        b.add(f"link {i}", parent, jounce.joints.revolute((0, 0, 1)), placement, inertia)
    return b.build()


def test_textbook_arm() -> None:
    """Every textbook has these; h = −m₂ l c₂ sin q₂."""
    (m1, m2), l, (c1, c2), (J1, J2) = (3.0, 2.0), 0.7, (0.3, 0.4), (0.2, 0.1)
    robot = planar_arm((m1, m2), l, (c1, c2), (J1, J2))
    q, v, a = np.array([0.3, 0.8]), np.array([1.2, -0.5]), np.array([0.4, 0.9])
    s, c = np.sin(q[1]), np.cos(q[1])
    M12 = J2 + m2 * (c2**2 + l * c2 * c)
    M = np.array(
        [[J1 + m1 * c1**2 + J2 + m2 * (l**2 + c2**2 + 2 * l * c2 * c), M12], [M12, J2 + m2 * c2**2]]
    )
    h, h1 = -m2 * l * c2 * s, -m2 * l * c2 * c * v[1]
    got = jounce.mass_matrix(robot, q, v)
    assert_close(got[0], M, ROUNDOFF)
    assert_close(got[1], h * v[1] * np.array([[2, 1], [1, 0]]), ROUNDOFF)
    C, C1 = jounce.coriolis_matrix(robot, q, v, a, factorization="christoffel")
    assert_close(C, h * np.array([[v[1], v[0] + v[1]], [-v[0], 0]]), ROUNDOFF)
    rate = h1 * np.array([[v[1], v[0] + v[1]], [-v[0], 0]])
    assert_close(C1, rate + h * np.array([[a[1], a[0] + a[1]], [-a[0], 0]]), ROUNDOFF)
    g2 = m2 * c2 * 9.81 * np.cos(q.sum())
    g1 = g2 + (m1 * c1 + m2 * l) * 9.81 * np.cos(q[0])
    assert_close(jounce.gravity_forces(robot, q)[0], [g1, g2], ROUNDOFF)


def test_one_free_body_by_hand(rng: np.random.Generator) -> None:
    """Constant M in body velocities; ``C v`` is the gyroscopic wrench ``−ad(v)ᵀ M v``."""
    b = jounce.RobotBuilder("stone")
    inertia = jounce.Inertia(2.0, (0.1, -0.2, 0.3), np.diag([0.3, 0.4, 0.5]))
    b.add("stone", None, jounce.joints.free(), HERE, inertia)
    robot = b.build()
    q, v, a = robot.random_configuration(rng), *rng.normal(size=(2, 6))
    M, M1 = jounce.mass_matrix(robot, q, v)
    x, y, z = inertia.com
    lever = 2.0 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotational = np.diag([0.3, 0.4, 0.5]) - lever @ lever / 2.0
    wanted = np.block([[rotational, lever], [-lever, 2.0 * np.eye(3)]])
    assert_close(M, wanted, ROUNDOFF)
    assert not M1.any()
    moment, force = (wanted @ v)[:3], (wanted @ v)[3:]
    turning = [*(np.cross(v[:3], moment) + np.cross(v[3:], force)), *np.cross(v[:3], force)]
    for factorization in FACTORIZATIONS:
        C = jounce.coriolis_matrix(robot, q, v, a, factorization=factorization)
        assert_close(C[0] @ v, turning, INDEPENDENT)
        assert_close(
            C[1], jounce.coriolis_matrix(robot, q, a, factorization=factorization)[0], ROUNDOFF
        )


def gripper(mimic: tuple | None) -> jounce.Robot:
    """Return two fingers on a palm, the second one free or following the first."""
    rng = np.random.default_rng(2)
    place, matter = jounce.examples.random_placement, jounce.examples.random_inertia
    b = jounce.RobotBuilder("gripper")
    b.add("palm", None, jounce.joints.spherical(), place(rng), matter(rng))
    b.add("left", "palm", jounce.joints.prismatic((0, 1, 0)), place(rng), matter(rng))
    b.add(
        "right", "palm", jounce.joints.revolute((0.6, 0.8, 0)), place(rng), matter(rng),
        armature=0.2, mimic=mimic,
    )  # fmt: skip
    return b.build()


@every_factorization
def test_mimic_joints_across_branches(factorization: str, rng: np.random.Generator) -> None:
    """``Eᵀ M E`` and ``Eᵀ C E`` at every order."""
    free, tied = gripper(None), gripper(("left", -1.5, 0.25))
    E = np.zeros((5, 4))
    E[:4, :4], E[4, 3] = np.eye(4), -1.5
    q = tied.random_configuration(rng)
    rates = rng.normal(size=(3, 4))
    full = [*q, -1.5 * q[-1] + 0.25]
    M = jounce.mass_matrix(free, full, *rates @ E.T)
    assert_orders_close(jounce.mass_matrix(tied, q, *rates), E.T @ M @ E, INDEPENDENT)
    C = jounce.coriolis_matrix(free, full, *rates @ E.T, factorization=factorization)
    got = jounce.coriolis_matrix(tied, q, *rates, factorization=factorization)
    assert_orders_close(got, E.T @ C @ E, INDEPENDENT)


@pytest.mark.slow
def test_high_orders_against_fifty_digits(rng: np.random.Generator) -> None:
    robot = jounce.examples.random_tree(rng, 6)
    q, rates = robot.random_configuration(rng), rng.normal(size=(7, robot.nv))
    with mpmath.workdps(50):
        start, *exact = ([mpmath.mpf(float(x)) for x in row] for row in (q, *rates))
        M = floats(mass_matrix(robot, start, exact), robot.nv)
        C = {f: floats(coriolis_matrix(robot, start, exact, f), robot.nv) for f in FACTORIZATIONS}
    assert_orders_close(jounce.mass_matrix(robot, q, *rates), M, INDEPENDENT)
    for factorization, wanted in C.items():
        got = jounce.coriolis_matrix(robot, q, *rates, factorization=factorization)
        assert_orders_close(got, wanted, INDEPENDENT)


def floats(rows: list[list], n: int) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in rows]).reshape(len(rows), n, n)


def test_batches_broadcast(rng: np.random.Generator) -> None:
    robot = jounce.load("planar2r")
    q, v = rng.normal(size=(3, 1, 2)), rng.normal(size=(4, 2))
    M, C = jounce.mass_matrix(robot, q, v), jounce.coriolis_matrix(robot, q, v)
    assert (M.shape, C.shape) == ((2, 3, 4, 2, 2), (1, 3, 4, 2, 2))
    assert M.flags.c_contiguous
    assert C.flags.c_contiguous
    one = jounce.coriolis_matrix(robot, q[2, 0], v[1])
    assert_close(C[:, 2, 1], one, ROUNDOFF)


def test_robots_without_matter_joints_or_gravity(rng: np.random.Generator) -> None:
    b = jounce.RobotBuilder("table")
    b.add("top", None, jounce.joints.fixed(), HERE, jounce.Inertia(1.0, (0, 0, 0), np.eye(3)))
    table, none = b.build(), np.zeros(0)
    assert jounce.mass_matrix(table, none, none).shape == (2, 0, 0)
    assert jounce.coriolis_matrix(table, np.zeros((5, 0)), none).shape == (1, 5, 0, 0)
    assert jounce.gravity_forces(table, none).shape == (1, 0)
    weightless = jounce.load("panda").with_gravity((0, 0, 0))
    assert not jounce.gravity_forces(weightless, *rng.normal(size=(3, 7))).any()
    b = jounce.RobotBuilder("ghost")
    b.add("tip", None, jounce.joints.revolute((0, 0, 1)), HERE)
    assert jounce.mass_matrix(b.build(), [0.3], [0.4]).tolist() == [[[0.0]], [[0.0]]]
    assert jounce.coriolis_matrix(b.build(), [0.3], [0.4]).tolist() == [[[0.0]]]


def test_matrices_do_not_depend_on_gravity(rng: np.random.Generator) -> None:
    robot = jounce.load("panda")
    q, v = rng.normal(size=(2, 7))
    other = robot.with_gravity((3.0, -4.0, 5.0))
    assert_close(jounce.mass_matrix(other, q, v), jounce.mass_matrix(robot, q, v), ROUNDOFF)
    for f in FACTORIZATIONS:
        pair = [jounce.coriolis_matrix(r, q, v, factorization=f) for r in (robot, other)]
        assert_close(*pair, ROUNDOFF)


BAD_ARGUMENTS = {
    "velocity": (([0.1, 0.2], [1.0]), jounce.ShapeError, "^v must have shape"),
    "position": (([0.1], [1.0, 2.0]), jounce.ShapeError, "^q must have shape"),
    "NaN": (([0.1, 0.2], [1, 2], [np.nan, 0]), jounce.NotFiniteError, r"^a\[0\] is nan"),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
@pytest.mark.parametrize("function", [jounce.mass_matrix, jounce.coriolis_matrix])
def test_bad_arguments_are_named(function, name: str) -> None:
    given, error, text = BAD_ARGUMENTS[name]
    with pytest.raises(error, match=text):
        function(jounce.load("planar2r"), *given)


def test_unknown_factorizations_are_refused() -> None:
    robot, x = jounce.load("planar2r"), [0.1, 0.2]
    with pytest.raises(jounce.UnknownNameError, match="did you mean 'passive'"):
        jounce.coriolis_matrix(robot, x, x, factorization="pasive")
    with pytest.raises(jounce.UnknownNameError, match="option of mass_matrix"):
        jounce.kernel(robot, "mass_matrix", factorization="passive")


def test_the_page_about_matrices_runs() -> None:
    page = (ROOT / "docs" / "matrices.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert names["again"].shape == (2, 7)
