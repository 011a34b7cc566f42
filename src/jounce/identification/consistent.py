"""The physical robot that fits best: pseudo-inertias are positive, friction is not negative.

A body has mass everywhere ≥ 0 exactly if its pseudo-inertia is positive semidefinite [WKS18]::

    P(π) = [[½ tr(I) 1 − I, h], [hᵀ, m]] ⪰ 0          I about the body origin, h = m c

With P₀ = L Lᵀ of the model, ``P = L (1 + X) Lᵀ``: the unknowns X, one symmetric 4 × 4 matrix a
body, have no unit and do not depend on the frame.  With A β = b the data, over their standard
deviations, and f the parameters of motors::

    minimise ½ |A β(X, f) − b|² + weight · prior      subject to 1 + X ⪰ ε 1,  f ≥ 0

The prior decides what the data do not.  ``entropic`` is the distance of the two distributions of
mass, ``Σ tr X − log det (1 + X)`` [LWP20]; ``euclidean`` is half the sum of the squared changes
of the parameters, each over its usual size in this robot.  Both count a change by the whole size
as one standard deviation, so data that tell anything outweigh them.  Without a prior the second
remains with a weight that only makes the answer unique, as it does for motors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from jounce.errors import SolverError
from jounce.identification.terms import Terms
from jounce.lazy import required

PRIORS = ("entropic", "euclidean", None)
FLOOR = 1e-6  # ε: of the model's matter, what a body keeps that needs none
THIN = 1e-4  # of the mean body: what a body without matter, or flat, is given to start from
UNIQUE = 1e-6  # weight of what only makes the answer unique
Array = np.ndarray

_COLUMNS, _ROWS = np.tril_indices(4)  # the upper triangle, column by column
_WEIGHTS = np.where(np.equal(_ROWS, _COLUMNS), 1.0, np.sqrt(2.0))  # so that lengths are kept


def pseudo_inertia(parameters: Array) -> Array:
    """Return P ``(*batch, 4, 4)`` of parameters ``(*batch, 10)`` of one body."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = np.moveaxis(np.asarray(parameters), -1, 0)
    half = 0.5 * (xx + yy + zz)
    rows = [
        [half - xx, -xy, -xz, hx],
        [-xy, half - yy, -yz, hy],
        [-xz, -yz, half - zz, hz],
        [hx, hy, hz, m],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def body_parameters(P: Array) -> Array:
    """Return the parameters ``(*batch, 10)`` of a pseudo-inertia: the inverse of the above."""
    P = np.asarray(P)
    xx, yy, zz = (P[..., i, i] for i in range(3))
    entries = [P[..., 3, 3], P[..., 0, 3], P[..., 1, 3], P[..., 2, 3]]
    entries += [yy + zz, xx + zz, xx + yy, -P[..., 0, 1], -P[..., 0, 2], -P[..., 1, 2]]
    return np.stack(entries, axis=-1)


def motor_sizes(terms: Terms, squares: Array, samples: int) -> Array:
    """Return what a motor parameter would be if it alone made the forces of its joint."""
    v, a, Q = np.sqrt(squares / max(samples, 1)) + 1e-9
    by = {"viscous": v, "coulomb": np.ones_like(v), "offset": np.ones_like(v), "armature": a}
    return np.concatenate([Q / by[kind] for kind in terms.motors] or [np.zeros(0)])


class Solution(NamedTuple):
    """The parameters θ, and the second derivative of the prior by θ, ``(n, n)``."""

    parameters: Array
    stiffness: Array


def solve(
    terms: Terms, A: Array, b: Array, sizes: Array, prior: str | None, weight: float
) -> Solution:
    """Return the physical parameters θ that fit ``A β = b`` best, β the base parameters.

    ``sizes`` are those of the parameters of motors.
    """
    scale = _Scale(terms, sizes)
    pull = scale.pull(prior, weight)
    count = len(terms.names)
    map = A @ terms.base[1]
    fit = np.vstack([map @ scale.by_unknown, pull])
    wanted = np.concatenate([b - map @ scale.start, np.zeros(len(pull))])
    every, program = slice(0, count), _Program(fit, wanted)
    positive = np.ones(count, dtype=bool)
    positive[: terms.robot.n_parameters] = False
    if "offset" in terms.motors:
        positive[terms.place("offset")] = False
    program.add("nonnegative", [(every, np.eye(count)[positive])], np.zeros(positive.sum()))
    for i in range(terms.robot.n_bodies):
        own = slice(10 * i, 10 * i + 10)
        if prior == "entropic":
            _entropy(program, own, weight)
        else:
            program.add("matrix", [(own, np.eye(10))], (1.0 - FLOOR) * _packed(np.eye(4)))
    x = program.solved()[:count]
    for first in range(0, terms.robot.n_parameters, 10):
        x[first : first + 10] = _inside(x[first : first + 10], 1.0)
    return Solution(scale.start + scale.by_unknown @ x, scale.stiffness(x, pull, prior, weight))


def references(terms: Terms) -> tuple[Array, Array]:
    """Return the pseudo-inertias ``(n, 4, 4)`` of the model, and that of its mean body.

    Where the model has no matter, or matter on a plane only, a part of the mean body is added,
    so that every change of every body has a size.
    """
    P = pseudo_inertia(terms.start()[: terms.robot.n_parameters].reshape(-1, 10))
    mass = max(float(P[:, 3, 3].mean()), 1e-3)
    spread = float(np.trace(P[:, :3, :3], axis1=1, axis2=2).mean()) / (3.0 * mass)
    mean = mass * np.diag([max(spread, 1e-4)] * 3 + [1.0])
    size = np.sqrt(np.diag(mean))
    smallest = np.linalg.eigvalsh(P / size / size[:, None])[:, 0]
    return P + np.clip(THIN - smallest, 0.0, None)[:, None, None] * mean, mean


def solve_body(A: Array, b: Array, P0: Array) -> Array:
    """Return the physical parameters π ``(10,)`` of one body that fit ``A π = b`` best.

    P0 is only a scale: a pseudo-inertia of about the right size.
    """
    L = np.linalg.cholesky(P0)
    by_unknown = body_parameters(L @ _basis() @ L.T).T
    fit = np.vstack([A @ by_unknown, np.sqrt(UNIQUE) * np.eye(10)])
    wanted = np.concatenate([b, np.zeros(10)])
    program = _Program(fit, wanted)
    program.add("matrix", [(slice(0, 10), np.eye(10))], -FLOOR * _packed(np.eye(4)))
    return by_unknown @ _inside(program.solved()[:10], 0.0)


def _inside(x: Array, offset: float) -> Array:
    """Return a packed X so that ``offset + X`` is positive, which solvers leave to a tolerance."""
    smallest = offset + np.linalg.eigvalsh(_unpacked(x))[0]
    return x + max(0.5 * FLOOR - smallest, 0.0) * _packed(np.eye(4))


class _Scale:
    """θ = start + by_unknown x: of a body x is X, packed; of a motor the parameter itself."""

    def __init__(self, terms: Terms, sizes: Array) -> None:
        P0, mean = references(terms)
        matter = terms.robot.n_parameters
        roots = np.linalg.cholesky(P0)
        self.start = np.zeros(len(terms.names))
        self.start[:matter] = body_parameters(P0).ravel()
        self.by_unknown = np.eye(len(terms.names))
        for i, L in enumerate(roots):
            own = slice(10 * i, 10 * i + 10)
            self.by_unknown[own, own] = body_parameters(L @ _basis() @ L.T).T
        mass, inertia = mean[3, 3], 2.0 * mean[0, 0]
        moment = np.sqrt(mass * inertia)
        body = [mass, *[moment] * 3, *[inertia] * 6]
        self.sizes = np.concatenate([np.tile(body, len(P0)), sizes])
        self.matter = matter

    def pull(self, prior: str | None, weight: float) -> Array:
        """Return the rows of the squared part of the prior, in the unknowns."""
        weights = np.full(len(self.start), UNIQUE)
        if prior == "euclidean":
            weights[: self.matter] = weight
        rows = np.sqrt(weights)[:, None] * self.by_unknown / self.sizes[:, None]
        return rows[self.matter :] if prior == "entropic" else rows

    def stiffness(self, x: Array, pull: Array, prior: str | None, weight: float) -> Array:
        """Return the second derivative of the prior by θ.

        Of the entropic one by X: ``d² = tr (1 + X)⁻¹ dX (1 + X)⁻¹ dX``.
        """
        second = pull.T @ pull
        if prior == "entropic":
            for first in range(0, self.matter, 10):
                own = slice(first, first + 10)
                turned = np.linalg.solve(np.eye(4) + _unpacked(x[own]), _basis())
                second[own, own] += weight * np.einsum("aij,bji->ab", turned, turned)
        back = np.linalg.inv(self.by_unknown)
        return back.T @ second @ back


def _entropy(program: _Program, own: slice, weight: float) -> None:
    """Add ``weight (tr X − log det (1 + X))`` of one body.

    ``log det (1 + X) ≥ Σ t`` where ``[[1 + X, Z], [Zᵀ, diag Z]] ⪰ 0`` for a lower triangle Z with
    ``exp t_i ≤ Z_ii``.
    """
    program.linear[own] += weight * _packed(np.eye(4))
    Z, t = program.unknowns(10), program.unknowns(4)
    program.linear[t] = -weight
    size = 36
    at = {(i, j): j * (j + 1) // 2 + i for j in range(8) for i in range(j + 1)}
    by_X, by_Z = np.zeros((size, 10)), np.zeros((size, 10))
    by_X[:10] = np.eye(10)  # the upper left corner comes first
    for k, (i, j) in enumerate(zip(_COLUMNS.tolist(), _ROWS.tolist(), strict=True)):  # i ≥ j
        by_Z[at[i, 4 + j], k] = np.sqrt(2.0)
        if i == j:
            by_Z[at[4 + i, 4 + i], k] = 1.0
    constant = np.concatenate([_packed(np.eye(4)), np.zeros(size - 10)])
    program.add("matrix", [(own, by_X), (Z, by_Z)], constant)
    diagonal = [k for k in range(10) if _ROWS[k] == _COLUMNS[k]]
    for i in range(4):
        by_t, by_diagonal = np.zeros((3, 4)), np.zeros((3, 10))
        by_t[0, i], by_diagonal[2, diagonal[i]] = 1.0, 1.0
        program.add("exponential", [(t, by_t), (Z, by_diagonal)], np.array([0.0, 1.0, 0.0]))


class _Program:
    """``½ |fit x − wanted|² + linear x`` over x with every ``G x + constant`` in its cone."""

    def __init__(self, fit: Array, wanted: Array) -> None:
        rows, count = fit.shape
        self.quadratic, self.linear = np.zeros(count), np.zeros(count)
        self._rows: list[list[tuple[slice, Array]]] = []
        self._constants: list[Array] = []
        self._cones: list[tuple[str, int]] = []
        z = self.unknowns(rows)  # fit x − wanted
        self.add("zero", [(slice(0, count), fit), (z, -np.eye(rows))], -wanted)
        self.quadratic[z] = 1.0

    def unknowns(self, count: int) -> slice:
        """Return where this many more unknowns stand."""
        first = len(self.linear)
        self.quadratic = np.append(self.quadratic, np.zeros(count))
        self.linear = np.append(self.linear, np.zeros(count))
        return slice(first, first + count)

    def add(self, cone: str, rows: list[tuple[slice, Array]], constant: Array) -> None:
        """Ask that ``Σ rows x + constant`` lies in a cone; a matrix is packed."""
        if len(constant):
            self._rows.append(rows)
            self._constants.append(constant)
            self._cones.append((cone, len(constant)))

    def solved(self) -> Array:
        """Return x at the minimum."""
        clarabel = required("clarabel", "a fit without consistent=False", "identify")
        kinds = {
            "zero": clarabel.ZeroConeT,
            "nonnegative": clarabel.NonnegativeConeT,
            "matrix": lambda n: clarabel.PSDTriangleConeT(int((8 * n + 1) ** 0.5) // 2),
            "exponential": lambda _: clarabel.ExponentialConeT(),
        }
        G = sparse.vstack([self._sparse(rows) for rows in self._rows]).tocsc()
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        solver = clarabel.DefaultSolver(
            sparse.diags(self.quadratic).tocsc(),
            self.linear,
            -G,
            np.concatenate(self._constants),
            [kinds[cone](size) for cone, size in self._cones],
            settings,
        )
        found = solver.solve()
        if str(found.status) not in ("Solved", "AlmostSolved"):
            raise SolverError(
                f"the solver found no physical parameters ({found.status}); look at the result of "
                "consistent=False, and check the units and signs of the log."
            )
        return np.array(found.x)

    def _sparse(self, rows: list[tuple[slice, Array]]) -> Any:
        blocks = sparse.lil_matrix((len(rows[0][1]), len(self.linear)))
        for where, block in rows:
            blocks[:, where] = block
        return blocks.tocsr()


def _basis() -> Array:
    """Return the symmetric matrices ``(10, 4, 4)`` that a packed vector counts."""
    return np.array([_unpacked(row) for row in np.eye(10)])


def _packed(matrix: Array) -> Array:
    """Return the upper triangle column by column, scaled so that lengths are kept."""
    return matrix[_ROWS, _COLUMNS] * _WEIGHTS


def _unpacked(vector: Array) -> Array:
    matrix = np.zeros((4, 4))
    matrix[_ROWS, _COLUMNS] = matrix[_COLUMNS, _ROWS] = vector / _WEIGHTS
    return matrix
