"""Joint rates of any order from the twist of a frame.

Along a motion the task is ``J(q) v = V``.  Its k-th derivative is ``J v^(k) = V^(k) − b_k``, where
``b_k`` is the k-th derivative of the twist with ``v^(k) = 0``: every order needs one solve with
the same factorised Jacobian [M20, algorithm 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, derivatives
from jounce.algebra.scalar import sqrt
from jounce.algebra.se3 import Transform
from jounce.dynamics.jacobian import frame_columns
from jounce.dynamics.motion import link_motions
from jounce.dynamics.poses import link_poses
from jounce.dynamics.twists import link_twists, motion_in
from jounce.errors import UnsupportedError
from jounce.model.lowering.tree import Tree

Vector = list[Any]


class Task(NamedTuple):
    """A frame at a pose in a link, and the rows of its twist that are asked for.

    ``free`` are the velocities that serve the task; all others are given.
    """

    link: int
    placement: Transform
    representation: str
    rows: tuple[int, ...]
    free: tuple[int, ...]


class Rates(NamedTuple):
    """Joint rates, residuals ``V^(k) − (J v)^(k)``, and ``|R| |R⁻¹|`` of the factors of J."""

    rates: list[Vector]
    residuals: list[Vector]
    condition: Any


def rates_from_twists(
    tree: Tree,
    task: Task,
    q: Vector,
    twists: Sequence[Vector],
    null_motion: Sequence[Vector] | None = None,
    scale: Vector | None = None,
    damping: Any = None,
) -> Rates:
    """Return v, dv/dt, ... from V, dV/dt, ... of the task; six entries a twist, others unused.

    With at least as many free joints as rows: the v nearest to the null-space motion z, in the
    norm of the weights ``w_j = 1 / scale_j²``, that does the task.  With ``D = diag(scale)``,

        v = z + D² Jᵀ λ,    J v + damping² λ = V,

    differentiated as a product of jets: every order is consistent with the one below.  Damping
    is a column ``damping · 1`` more for every row, whose velocities are what the task misses.
    With fewer joints than rows: the v of least residual, ``J v + e = V``, ``Jᵀ e = 0``.  Rows
    that no joint moves are left out; all of them is residual.  ``scale`` has one entry a velocity.
    """
    task, silent = _alive(task, _jacobian_rows(tree, task, q, []))
    if scale is not None:
        scale = [scale[j] for j in task.free]
    is_least_norm = damping is not None or len(task.free) >= len(task.rows)
    solver = _LeastNorm if is_least_norm else _LeastSquares
    rates: list[Vector] = []
    residuals: list[dict[int, Any]] = []
    solve: Any = None
    for k, V in enumerate(twists):
        z = null_motion[k] if null_motion is not None else [0.0] * tree.nv
        J = _jacobian_rows(tree, task, q, rates)
        if solve is None:
            solve = solver(J, scale, damping)
        given = [0.0 if j in task.free else x for j, x in enumerate(z)]
        b = _twist_derivative(tree, task, q, [*rates, given])
        s = [V[r] - b[r] for r in task.rows]
        found, residual = solve(J, s, [z[j] for j in task.free])
        for j, x in zip(task.free, found, strict=True):
            given[j] = x
        rates.append(given)
        missed = {r: V[r] - b[r] for r in silent}
        residuals.append(dict(zip(task.rows, residual, strict=True)) | missed)
    order = sorted(residuals[0])
    return Rates(rates, [[e[r] for r in order] for e in residuals], solve.condition)


def _alive(task: Task, J: list[Vector]) -> tuple[Task, tuple[int, ...]]:
    """Return the task without rows and columns of constant zeros, and those rows."""
    silent = tuple(r for r, row in zip(task.rows, J, strict=True) if all(map(_is_zero, row)))
    columns = zip(task.free, zip(*J, strict=True), strict=True)
    free = tuple(j for j, column in columns if not all(map(_is_zero, column)))
    if not free:
        raise UnsupportedError("no joint moves the frame in these directions; choose others.")
    rows = tuple(r for r in task.rows if r not in silent)
    return task._replace(rows=rows, free=free), silent


class _LeastNorm:
    """``w − B λ = u``, ``Bᵀ w = s`` with ``w = v / scale`` and ``B = D Jᵀ``, at every order."""

    def __init__(self, J: list[Vector], scale: Vector | None, damping: Any) -> None:
        n = len(J[0])
        self.scale = [1.0] * n if scale is None else scale
        self.damping = damping
        columns = []
        for r, row in enumerate(J):
            column = [value(x) * d for x, d in zip(row, self.scale, strict=True)]
            if damping is not None:
                column += [damping if r == i else 0.0 for i in range(len(J))]
            columns.append(column)
        self.n = n
        self.is_square = damping is None and len(J) == n
        self.factors: Factors = factorize(columns)
        self.condition = self.factors.condition()
        self.multipliers: list[Vector] = []  # λ and its derivatives

    def __call__(self, J: list[Vector], s: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return v^(k) and the residual, with ``s = V^(k) − b_k`` and z^(k)."""
        y = self.factors.solve_transposed(s)
        u: Vector = [0.0] * len(self.factors.Q[0])
        if not self.is_square:
            carried = _carried(J, self.multipliers)
            pairs = zip(z, carried, self.scale, strict=True)
            u[: self.n] = [x / d + c * d for x, c, d in pairs]
        missing = [a - dot(p, u) for a, p in zip(y, self.factors.Q, strict=True)]
        if not self.is_square:
            self.multipliers.append(self.factors.solve(missing))
        w = [a + b for a, b in zip(u, self.factors.combine(missing), strict=True)]
        v = [a * d for a, d in zip(w, self.scale, strict=False)]
        slack = w[self.n :]
        return v, [x * self.damping for x in slack] if slack else [0.0] * len(s)


class _LeastSquares:
    """``J v + e = V``, ``Jᵀ e = 0`` at every order; more rows than columns."""

    def __init__(self, J: list[Vector], scale: Vector | None, damping: Any) -> None:
        del scale, damping  # the solution is unique
        self.columns = [[value(row[j]) for row in J] for j in range(len(J[0]))]
        self.factors: Factors = factorize(self.columns)
        self.condition = self.factors.condition()
        self.residuals: list[Vector] = []

    def __call__(self, J: list[Vector], s: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return v^(k) and the residual, with ``s = V^(k) − b_k``."""
        del z
        c = self.factors.solve_transposed([-x for x in _carried(J, self.residuals)])
        right = [dot(p, s) - x for p, x in zip(self.factors.Q, c, strict=True)]
        v = self.factors.solve(right)
        e = [x - dot([col[r] for col in self.columns], v) for r, x in enumerate(s)]
        self.residuals.append(e)
        return v, e


def _carried(J: list[Vector], multipliers: Sequence[Vector]) -> Vector:
    """Return ``Σ_{i≥1} binom(k, i) J^(i)ᵀ λ^(k−i)``: the k-th derivative of Jᵀ λ with λ^(k) = 0."""
    k = len(multipliers)
    if k == 0:
        return [0.0] * len(J[0])
    jets = [Jet.from_derivatives((*column, 0.0)) for column in zip(*multipliers, strict=True)]
    sums = (dot([row[j] for row in J], jets) for j in range(len(J[0])))
    return [derivatives(x, k)[k] for x in sums]


def _jacobian_rows(tree: Tree, task: Task, q: Vector, rates: Sequence[Vector]) -> list[Vector]:
    """Return the rows of the task's Jacobian, free columns only, as jets."""
    motions = link_motions(tree, q, rates)
    columns = frame_columns(tree, motions, task.link, task.placement, task.representation)
    picked = [(*columns[j].angular, *columns[j].linear) for j in task.free]
    return [[column[r] for column in picked] for r in task.rows]


def _twist_derivative(tree: Tree, task: Task, q: Vector, rates: Sequence[Vector]) -> Vector:
    """Return the highest derivative of the twist that the rates give, all six rows."""
    motions = link_motions(tree, q, rates)
    V = task.placement.pull(link_twists(tree, motions)[task.link])
    if task.representation != "body":
        pose = link_poses(tree, motions)[task.link] @ task.placement
        V = motion_in(task.representation, V, pose)
    k = len(rates) - 1
    return [derivatives(x, k)[k] for x in (*V.angular, *V.linear)]


def value(x: Any) -> Any:
    """Return a jet at t = 0, or the constant itself."""
    return derivatives(x, 0)[0]


class Factors(NamedTuple):
    """``B = Q R``: orthonormal columns of Q, and the columns of the upper triangle R."""

    Q: list[Vector]
    R: list[Vector]  # R[k][j] is the entry in row j of column k, j ≤ k
    reciprocals: Vector  # of the diagonal of R

    def solve(self, b: Vector) -> Vector:
        """Return x with ``R x = b``."""
        m = len(b)
        x: Vector = [0.0] * m
        for i in reversed(range(m)):
            known = [(self.R[k][i], x[k]) for k in range(i + 1, m)]
            x[i] = _minus(b[i], known) * self.reciprocals[i]
        return x

    def solve_transposed(self, b: Vector) -> Vector:
        """Return y with ``Rᵀ y = b``."""
        y: Vector = []
        for k, right in enumerate(b):
            y.append(_minus(right, zip(self.R[k], y, strict=False)) * self.reciprocals[k])
        return y

    def combine(self, y: Vector) -> Vector:
        """Return ``Q y``."""
        return [dot(row, y) for row in zip(*self.Q, strict=True)]

    def condition(self) -> Any:
        """Return ``|R| |R⁻¹|`` in Frobenius norms, between the condition number and m times it."""
        m = len(self.R)
        units = ([1.0 if i == k else 0.0 for i in range(k + 1)] for k in range(m))
        inverse = [x for k, unit in enumerate(units) for x in self._head(k).solve(unit)]
        entries = [x for column in self.R for x in column]
        return sqrt(dot(entries, entries) * dot(inverse, inverse))

    def _head(self, k: int) -> Factors:
        return Factors(self.Q[: k + 1], self.R[: k + 1], self.reciprocals[: k + 1])


def factorize(columns: Sequence[Vector], *, again: bool = True) -> Factors:
    """Return the factors of the matrix with these columns, by Gram–Schmidt.

    ``again`` orthogonalises twice: then Q is orthonormal to roundoff whatever the condition of
    the matrix, and solutions are as good as those of Householder's method.
    """
    Q: list[Vector] = []
    R: list[Vector] = []
    reciprocals: Vector = []
    for column in columns:
        rest, entries = list(column), [0.0] * len(Q)
        for _ in range(2 if again else 1):
            for j, unit in enumerate(Q):
                part = dot(unit, rest)
                entries[j] = entries[j] + part
                rest = [x - p * part for x, p in zip(rest, unit, strict=True)]
        length = sqrt(dot(rest, rest))
        reciprocals.append(1.0 / length)
        Q.append([x * reciprocals[-1] for x in rest])
        R.append([*entries, length])
    return Factors(Q, R, reciprocals)


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the sum of products; constant zeros cost nothing."""
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        product = x * y
        total = product if _is_zero(total) else total if _is_zero(product) else total + product
    return total


def _minus(start: Any, pairs: Any) -> Any:
    for x, y in pairs:
        start = start - x * y
    return start


def _is_zero(x: Any) -> bool:
    if isinstance(x, Jet):
        return all(map(_is_zero, x.coeffs))
    return isinstance(x, float | int) and x == 0
