"""Joint rates of any order from the twist of a frame.

Along a motion the task is ``J(q) v = V``.  Its k-th derivative is ``J v^(k) = V^(k) − b_k``, where
``b_k`` is the k-th derivative of the twist with ``v^(k) = 0``: every order needs one solve with
the same factorised Jacobian [M20, algorithm 2], and from the first derivative on one step of
iterative refinement: the twist that the rates give is compared with the task, and the difference
solved for.  Near a singularity ``b_k`` is a sum of terms that are large beside V^(k).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, derivatives, value
from jounce.algebra.se3 import Transform, components
from jounce.dynamics.factorization import Vector, dot, is_zero, orthogonalize
from jounce.dynamics.jacobian import frame_columns
from jounce.dynamics.motion import moving
from jounce.dynamics.rows import Groups, Rows
from jounce.dynamics.twists import represented
from jounce.errors import UnsupportedError
from jounce.model.directions import DIRECTIONS
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

_SUBSETS = [" ".join(d for k, d in enumerate(DIRECTIONS) if mask >> k & 1) for mask in range(1, 64)]
DIRECTION_OPTIONS = {"directions": tuple(_SUBSETS[::-1])}
INPUTS = ("", "z", "w", "zw", "d", "zd", "wd", "zwd")  # null-space motion, scale, damping
RATE_OPTIONS = DIRECTION_OPTIONS | {"inputs": INPUTS, "prescribed": ("",)}


class Task(NamedTuple):
    """A frame at a pose in a link, and the rows of its twist that are asked for.

    ``free`` are the velocities that serve the task; all others are given.
    """

    link: int
    placement: Transform
    representation: str
    rows: tuple[int, ...]
    free: tuple[int, ...]


def task_of(
    robot: Robot, frame: str, representation: str, directions: str, prescribed: str = ""
) -> Task:
    """Return the task of a frame; its free velocities are those that move the frame.

    ``directions`` and ``prescribed`` are words: names of directions, indices of velocities.
    """
    tree, served = lowered(robot), set()
    link, placement = tree.frame(robot.frame(frame))
    i = link
    while i >= 0:
        start = tree.links[i].coordinates.v
        served |= set(range(start, start + tree.links[i].step.nv))
        i = tree.links[i].parent
    rows = tuple(DIRECTIONS.index(d) for d in directions.split())
    free = tuple(sorted(served - set(map(int, prescribed.split()))))
    return Task(link, placement, representation, rows, free)


def inverse_kinematics_rates(robot: Robot, groups: Groups, inputs: str, **options: str) -> Rows:
    """Return rows ``v^(k), residual^(k), condition``, one an order, from q and V, dV/dt, ...

    ``groups`` are q, the twists, and what ``inputs`` names: ``z`` null-space motion, ``w`` scale
    (inverse root of the weights), ``d`` damping.

    With at least as many free joints as rows: the v nearest to the null-space motion z, in the
    norm of the weights ``w_j = 1 / scale_j²``, that does the task.  With ``D = diag(scale)``,

        v = z + D² Jᵀ λ,    J v + damping² λ = V,

    differentiated as a product of jets: every order is consistent with the one below.  Damping
    is a column ``damping · 1`` more for every row, whose velocities are what the task misses.
    With fewer joints than rows: the v of least residual, ``J v + e = V``, ``Jᵀ e = 0``.  Rows
    that no joint moves are left out; all of them is residual.  The condition is ``|R| |R⁻¹|`` of
    the factors of J.
    """
    q, twists, *more = groups
    asked = dict(zip(inputs, more, strict=True))
    damping = asked["d"][0] if "d" in asked else None
    tree, task = lowered(robot), task_of(robot, **options)
    twists = [dict(zip(task.rows, V, strict=True)) for V in twists]
    task, silent = _alive(task, _jacobian_rows(tree, task, q, []))
    scale = [asked["w"][j] for j in task.free] if "w" in asked else None
    is_least_norm = damping is not None or len(task.free) >= len(task.rows)
    solver = _LeastNorm if is_least_norm else _LeastSquares
    rates: list[Vector] = []
    residuals: list[dict[int, Any]] = []
    solve: Any = None
    for k, V in enumerate(twists):
        z = asked["z"][k] if "z" in asked else [0.0] * tree.nv
        J = _jacobian_rows(tree, task, q, rates)
        if solve is None:
            solve = solver(J, scale, damping)
        given = [0.0 if j in task.free else x for j, x in enumerate(z)]
        b = _twist_derivative(tree, task, q, [*rates, given])
        s = [V[r] - b[r] for r in task.rows]
        found, residual = solve(J, s, [z[j] for j in task.free])
        for j, x in zip(task.free, found, strict=True):
            given[j] = x
        if k:  # near a singularity rounding of b_k, a sum of large terms, misses the task
            reached = _twist_derivative(tree, task, q, [*rates, given])
            missing = [V[r] - reached[r] - e for r, e in zip(task.rows, residual, strict=True)]
            for j, x in zip(task.free, solve.refined(missing), strict=True):
                given[j] = given[j] + x
        rates.append(given)
        missed = {r: V[r] - b[r] for r in silent}
        residuals.append(dict(zip(task.rows, residual, strict=True)) | missed)
    order = sorted(residuals[0])
    pairs = zip(rates, residuals, strict=True)
    return [[*v, *(e[r] for r in order), solve.condition] for v, e in pairs]


def _alive(task: Task, J: list[Vector]) -> tuple[Task, tuple[int, ...]]:
    """Return the task without rows and columns of constant zeros, and those rows."""
    silent = tuple(r for r, row in zip(task.rows, J, strict=True) if all(map(is_zero, row)))
    columns = zip(task.free, zip(*J, strict=True), strict=True)
    free = tuple(j for j, column in columns if not all(map(is_zero, column)))
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
        self.factors = orthogonalize(columns)
        self.condition = self.factors.condition()
        self.multipliers: list[Vector] = []  # λ and its derivatives

    def __call__(self, J: list[Vector], s: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return v^(k) and the residual, with ``s = V^(k) − b_k`` and z^(k)."""
        y = self.factors.solve_transposed(s)
        u: Vector = [0.0] * len(self.factors.Q[0])
        if not self.is_square:
            carried = carried_over(list(zip(*J, strict=True)), self.multipliers)
            pairs = zip(z, carried, self.scale, strict=True)
            u[: self.n] = [x / d + c * d for x, c, d in pairs]
        missing = [a - dot(p, u) for a, p in zip(y, self.factors.Q, strict=True)]
        if not self.is_square:
            self.multipliers.append(self.factors.solve(missing))
        w = [a + b for a, b in zip(u, self.factors.combine(missing), strict=True)]
        v = [a * d for a, d in zip(w, self.scale, strict=False)]
        slack = w[self.n :]
        return v, [x * self.damping for x in slack] if slack else [0.0] * len(s)

    def refined(self, missing: Vector) -> Vector:
        """Return what the last v lacks where the task is missed by this: ``D Q R⁻ᵀ`` of it."""
        y = self.factors.solve_transposed(missing)
        if not self.is_square:
            last, more = self.multipliers[-1], self.factors.solve(y)
            self.multipliers[-1] = [a + b for a, b in zip(last, more, strict=True)]
        w = self.factors.combine(y)
        return [a * d for a, d in zip(w, self.scale, strict=False)]


class _LeastSquares:
    """``J v + e = V``, ``Jᵀ e = 0`` at every order; more rows than columns."""

    def __init__(self, J: list[Vector], scale: Vector | None, damping: Any) -> None:
        del scale, damping  # the solution is unique
        self.columns = [[value(row[j]) for row in J] for j in range(len(J[0]))]
        self.factors = orthogonalize(self.columns)
        self.condition = self.factors.condition()
        self.residuals: list[Vector] = []

    def __call__(self, J: list[Vector], s: Vector, z: Vector) -> tuple[Vector, Vector]:
        """Return v^(k) and the residual, with ``s = V^(k) − b_k``."""
        del z
        c = self.factors.solve_transposed(
            [-x for x in carried_over(list(zip(*J, strict=True)), self.residuals)]
        )
        right = [dot(p, s) - x for p, x in zip(self.factors.Q, c, strict=True)]
        v = self.factors.solve(right)
        e = [x - dot([col[r] for col in self.columns], v) for r, x in enumerate(s)]
        self.residuals.append(e)
        return v, e

    def refined(self, missing: Vector) -> Vector:
        """Return what the last v lacks where ``V − e`` is missed by this: ``R⁻¹ Qᵀ`` of it."""
        return self.factors.solve([dot(p, missing) for p in self.factors.Q])


def carried_over(rows: Sequence[Sequence[Any]], factors: Sequence[Vector]) -> Vector:
    """Return the k-th derivative of ``A x`` with x⁽ᵏ⁾ = 0, from x … x⁽ᵏ⁻¹⁾; rows of A are jets.

    ``Σ_{i≥1} binom(k, i) A⁽ⁱ⁾ x⁽ᵏ⁻ⁱ⁾``.
    """
    k = len(factors)
    if k == 0:
        return [0.0] * len(rows)
    jets = [Jet.from_derivatives((*column, 0.0)) for column in zip(*factors, strict=True)]
    return [derivatives(dot(row, jets), k)[k] for row in rows]


def _jacobian_rows(tree: Tree, task: Task, q: Vector, rates: Sequence[Vector]) -> list[Vector]:
    """Return the rows of the task's Jacobian, free columns only, as jets."""
    m = moving(tree, q, rates)
    columns = frame_columns(m, task.link, task.placement, task.representation)
    picked = [components(columns[j]) for j in task.free]
    return [[column[r] for column in picked] for r in task.rows]


def _twist_derivative(tree: Tree, task: Task, q: Vector, rates: Sequence[Vector]) -> Vector:
    """Return the highest derivative of the twist that the rates give, all six rows."""
    m, k = moving(tree, q, rates), len(rates) - 1
    V = task.placement.pull(m.twists[task.link])
    if task.representation != "body":
        V = represented(task.representation, V, m.placed(task.link, task.placement))
    return [derivatives(x, k)[k] for x in components(V)]
