"""Factors of a matrix along a tree: against NumPy, without fill-in, on any scalar."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import jounce
from jounce.codegen import Graph
from jounce.dynamics.factorization import factorize, is_zero, solve
from jounce.dynamics.matrices import mass_matrix
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

pytestmark = pytest.mark.usefixtures("interpreted")

SEEDS = range(8)
Parents = list[int]


def random_parents(rng: np.random.Generator, n: int) -> Parents:
    return [int(rng.integers(-1, i)) for i in range(n)]


def branch(parents: Parents, i: int) -> list[int]:
    """Return i and everything between it and the root."""
    found = []
    while i >= 0:
        found.append(i)
        i = parents[i]
    return found


def tree_matrix(rng: np.random.Generator, parents: Parents) -> np.ndarray:
    """Return a positive definite matrix with entries on the branches of a tree only."""
    n = len(parents)
    M = np.zeros((n, n))
    for i in range(n):
        own = branch(parents, i)
        x = rng.normal(size=len(own))
        M[np.ix_(own, own)] += np.outer(x, x)
    return M + np.eye(n)


def rows_of(M: np.ndarray) -> list[list[float]]:
    return [[float(x) for x in row] for row in M]


def dense(lower: tuple[dict, ...]) -> np.ndarray:
    L = np.eye(len(lower))
    for k, row in enumerate(lower):
        for i, x in row.items():
            L[k, i] = x
    return L


@pytest.mark.parametrize("seed", SEEDS)
def test_factors_and_solution_of_tree_matrices(seed: int) -> None:
    """``M = Lᵀ D L`` with L on the branches, and ``M x = b`` as NumPy solves it."""
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 12)
    M, b = tree_matrix(rng, parents), rng.normal(size=12)
    factors = factorize(rows_of(M))
    L = dense(factors.lower)
    assert_close(L.T @ np.diag(factors.pivots) @ L, M, ROUNDOFF)
    assert_close(np.array(factors.pivots) * factors.reciprocals, np.ones(12), ROUNDOFF)
    assert_close(solve(factors, b.tolist()), np.linalg.solve(M, b), INDEPENDENT)
    for k, row in enumerate(factors.lower):
        assert set(row) == set(branch(parents, k)[1:]), "fill-in"


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(9, 9))
    M, b = A @ A.T + np.eye(9), rng.normal(size=9)
    assert_close(solve(factorize(rows_of(M)), b.tolist()), np.linalg.solve(M, b), INDEPENDENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_coupled_branches_fill_in_what_the_merged_tree_says(seed: int) -> None:
    """A congruence ``Eᵀ M E`` as of mimic joints: the last joint of a tree follows the first."""
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 10)
    E = np.delete(np.eye(10), 9, axis=1)
    E[9, 0] = -1.5
    M, b = E.T @ tree_matrix(rng, parents) @ E, rng.normal(size=9)
    factors = factorize(rows_of(M))
    assert_close(solve(factors, b.tolist()), np.linalg.solve(M, b), INDEPENDENT)
    for k, row in enumerate(factors.lower):
        assert set(row) == merged(rows_of(M), k)


def merged(matrix: list[list[float]], k: int) -> set[int]:
    """Return the structure of row k after elimination of all rows below, found on its own."""
    rows = [{j for j in range(i) if matrix[i][j]} for i in range(len(matrix))]
    for pivot in reversed(range(k + 1, len(matrix))):
        for i in rows[pivot]:
            rows[i] |= {j for j in rows[pivot] if j < i}
    return rows[k]


def test_only_the_lower_part_is_read() -> None:
    M = tree_matrix(np.random.default_rng(1), [-1, 0, 1])
    garbled = np.tril(M) + np.triu(np.full((3, 3), np.nan), 1)
    assert factorize(rows_of(garbled)) == factorize(rows_of(M))


def test_nothing_to_factor() -> None:
    assert solve(factorize([]), []) == []


@pytest.mark.parametrize("name", ["humanoid", "panda"])
def test_mass_matrix_of_a_robot_fills_in_nothing(name: str) -> None:
    """On traced scalars, where a zero is a constant: L has entries on branches only."""
    robot = jounce.load(name)
    factors = factorize(traced_mass(robot))
    allowed = [dofs for i in range(len(robot.joints)) for dofs in dofs_before(robot, i)]
    assert all(set(row) <= own for row, own in zip(factors.lower, allowed, strict=True))
    count = {"humanoid": 235, "panda": 21}[name]
    assert sum(len(row) for row in factors.lower) == count


def dofs_before(robot: jounce.Robot, i: int) -> list[set[int]]:
    """Return, for each velocity of joint i, those between it and the ground."""
    first, last = robot.joints[i].v_slice.start, robot.joints[i].v_slice.stop
    slices = [robot.joints[k].v_slice for k in branch(list(robot.parents), i)[1:]]
    inner = {k for part in slices for k in range(part.start, part.stop)}
    return [inner | set(range(first, k)) for k in range(first, last)]


def test_mimic_joints_fill_in_little() -> None:
    robot = jounce.examples.random_tree(np.random.default_rng(6), 14, ("revolute", "mimic"))
    M = traced_mass(robot)
    factors = factorize(M)
    patterns = [[0.0 if is_zero(x) else 1.0 for x in row] for row in M]
    assert [set(row) for row in factors.lower] == [merged(patterns, k) for k in range(robot.nv)]


def traced_mass(robot: jounce.Robot) -> list[list]:
    graph = Graph()
    flat = mass_matrix(robot, graph.inputs(robot.nq), [])[0]
    return [flat[i * robot.nv : (i + 1) * robot.nv] for i in range(robot.nv)]


def test_fifty_digits() -> None:
    rng = np.random.default_rng(3)
    M, b = tree_matrix(rng, [-1, 0, 1, 1, 0]), rng.normal(size=5)
    with mpmath.workdps(50):
        exact = [[mpmath.mpf(x) if x else 0.0 for x in row] for row in rows_of(M)]
        x = solve(factorize(exact), [mpmath.mpf(y) for y in b])
        residual = [
            mpmath.fsum([M[i, j] * x[j] for j in range(5)]) - mpmath.mpf(b[i]) for i in range(5)
        ]
        assert max(abs(r) for r in residual) < mpmath.mpf(10) ** -48


@pytest.mark.parametrize(
    ("value", "zero"),
    [(0.0, True), (0, True), (-0.0, True), (1e-300, False), (mpmath.mpf(0), False)],
)
def test_only_constants_are_structural_zeros(value: object, zero: bool) -> None:
    assert is_zero(value) is zero
