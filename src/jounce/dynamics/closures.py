"""Closed loops and contacts: a tree some of whose frames are held to others, or to the ground.

A loop holds frame a to frame b in some directions.  Its relative twist is that of a less that of
b, in the axes of a, the linear part where the origin of b is.  The rows that are held vanish along
every motion that keeps the loop closed, and so do all their time derivatives: ``J v = 0``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jounce.algebra.jet import Jet, derivatives, value
from jounce.algebra.scalar import sqrt
from jounce.algebra.se3 import NO_MOTION, Motion, Transform
from jounce.algebra.tangent import partial
from jounce.algebra.vector import Vec3
from jounce.dynamics.factorization import (
    Factors,
    Vector,
    dot,
    factorize,
    is_zero,
    less,
    orthogonalize,
    solve,
    spread,
    times,
)
from jounce.dynamics.forward import known_forces, mass_factors
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.inverse_kinematics import carried_over
from jounce.dynamics.mass_bounds import mass_bounds
from jounce.dynamics.matrices import Matrix
from jounce.dynamics.motion import Moving, at_start, moving
from jounce.dynamics.partials import mixed_partials, own_partials
from jounce.dynamics.rows import Groups, Rates, Rows, Scalars, as_rows, matrix_rows
from jounce.dynamics.variation import varied_poses
from jounce.dynamics.wrenches import Loads
from jounce.model.closures import Contact
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot

SOFTNESS = 1e-9  # μ of `Saddle`, beside rows of length one
ROUNDS = 4
NOTHING = 1e-18  # of the squares of all rows: a row as small as that is rounding
_AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


class Loop(NamedTuple):
    """Frame a, at ``placement`` in ``link``, held to b, at ``anchor`` in ``other`` (-1: ground)."""

    link: int
    placement: Transform
    other: int
    anchor: Transform
    rows: tuple[int, ...]  # of wx wy wz vx vy vz, in the axes of a

    @property
    def kinds(self) -> list[int]:
        """Whether angular (0) and linear (1) rows are held."""
        return sorted({row // 3 for row in self.rows})


def relative_twist(loop: Loop, T_ab: Transform, a: Motion, b: Motion) -> Vector:
    """Return the relative twist, from the twists of a and b in their own frames.

    With ω, u the difference of the twists about the origin of a and r the origin of b in a::

        wx wy wz: ω          vx vy vz: u + ω × r
    """
    moved = b if len(loop.rows) == 6 else T_ab.act(b)  # all held: the frames coincide
    w, u = a.angular - moved.angular, a.linear - moved.linear
    vanishes = {0, 1, 2} <= set(loop.rows) or {3, 4, 5} <= set(loop.rows)  # ω or r
    return [*w, *(u if vanishes else u + w.cross(T_ab.p))]


def relative_rows(loop: Loop, T_ab: Transform, a: Motion, b: Motion) -> Vector:
    """Return the held rows of the relative twist.

    A single angular row i holds ``R[i+1][i+2] = 0``, as a universal joint does; the rotation about
    a moving axis alone is no constraint on the pose.  There the row is ``(e_{i+1} × R e_{i+2}) ω``.
    """
    six = relative_twist(loop, T_ab, a, b)
    angular = [r for r in loop.rows if r < 3]
    if len(angular) == 1:
        i = angular[0]
        axis = _AXES[(i + 1) % 3].cross(T_ab.rotation.rotate(_AXES[(i + 2) % 3]))
        six[i] = axis.dot(Vec3(*six[:3]))
    return [six[r] for r in loop.rows]


def rows_of_kinds(loop: Loop, T_ab: Transform, a: Motion, b: Motion) -> Vector:
    """Return all three rows of the relative twist of each kind of which one is held."""
    six = relative_twist(loop, T_ab, a, b)
    return [x for kind in loop.kinds for x in six[3 * kind : 3 * kind + 3]]


def pose_error(loop: Loop, T_ab: Transform) -> Vector:
    """Return how far a is from where b holds it, in the held directions; near zero, as `twist dt`.

    Rotations by θ are ``2 sin(θ/2)`` along their axis: all three rows, or two with the angle
    between the axes that the third leaves free; one row is as `relative_rows` says.
    """
    R, r = T_ab
    angular = [row for row in loop.rows if row < 3]
    errors: dict[int, Any] = dict(zip((3, 4, 5), -r, strict=True))
    if len(angular) == 3:
        (_, a, b), (c, _, d), (f, g, _) = R.rows
        trace = R.rows[0].x + R.rows[1].y + R.rows[2].z
        half = sqrt(1.0 + 1e-12 + trace)
        errors |= dict(enumerate(Vec3(d - g, f - b, a - c) * (1.0 / half)))
    elif len(angular) == 2:
        free = 3 - sum(angular)
        n = R.rotate(_AXES[free])
        scale = 1.0 / sqrt((1.0 + 1e-12 + n[free]) * 0.5)
        errors |= dict(enumerate(n.cross(_AXES[free]) * scale))
    elif angular:
        i = angular[0]
        errors[i] = R.rows[(i + 1) % 3][(i + 2) % 3]
    return [errors[row] for row in loop.rows]


RowsOf = Callable[[Loop, Transform, Motion, Motion], Vector]


class Closures:
    """The loops of a tree along a motion: relative poses, twists and Jacobian, as jets.

    If ``varied``, with their partials by q at all times: tangent numbers over jets.
    """

    def __init__(self, robot: Robot, q: Scalars, rates: Rates, *, varied: bool = False) -> None:
        m = moving(reduced(robot), q, rates)
        self.loops = loops_of(robot, m)
        self.moving = m = varied_poses(m) if varied else m
        self.relative = [
            m.placed(loop.link, loop.placement).inverse @ m.placed(loop.other, loop.anchor)
            for loop in self.loops
        ]

    def errors(self) -> Vector:
        """Return how far the loops are from closed, all held rows."""
        pairs = zip(self.loops, self.relative, strict=True)
        return [x for loop, T_ab in pairs for x in pose_error(loop, at_start(T_ab))]

    def twists(self) -> Vector:
        """Return the held rows of the relative twists."""
        return self._rows(self.moving.twists.__getitem__)

    def jacobian(self, rows_of: RowsOf = relative_rows) -> list[Vector]:
        """Return J, one row a held direction, or the rows of other functions."""
        links, nv = self.moving.columns, self.moving.tree.nv
        columns = [
            self._rows(lambda link, v=v: links[link].get(v, NO_MOTION), rows_of) for v in range(nv)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def _rows(self, twist: Callable[[int], Motion], rows_of: RowsOf = relative_rows) -> Vector:
        """Return rows of the relative twists from the twists of the links, loop by loop."""
        result: Vector = []
        for loop, T_ab in zip(self.loops, self.relative, strict=True):
            a = loop.placement.pull(twist(loop.link)) if loop.link >= 0 else NO_MOTION
            b = loop.anchor.pull(twist(loop.other)) if loop.other >= 0 else NO_MOTION
            result += rows_of(loop, T_ab, a, b)
        return result


def loops_of(robot: Robot, m: Moving) -> list[Loop]:
    """Return the closures of a robot as loops of its tree.

    What is held to the ground without a frame there is held where it is at the neutral
    configuration; a contact where it is.
    """
    loops = []
    for closure in robot.closures:
        link, placement = m.tree.frame(robot.frame(closure.frame))
        if closure.to is not None:
            other, anchor = m.tree.frame(robot.frame(closure.to))
        else:
            is_contact = isinstance(closure, Contact)
            there = m if is_contact else moving(m.tree, robot.neutral.tolist())
            other, anchor = -1, at_start(there.placed(link, placement))
        loops.append(Loop(link, placement, other, anchor, closure.rows))
    return loops


def closure_error(robot: Robot, q: Scalars, _rates: Rates = ()) -> Rows:
    """Return how far every held direction is from closed, one row."""
    return as_rows(Closures(robot, q, ()).errors(), 0)


def closure_jacobian(robot: Robot, q: Scalars, rates: Rates) -> Rows:
    """Return J with its time derivatives."""
    return matrix_rows(Closures(robot, q, rates).jacobian(), len(rates))


def closed_rates(robot: Robot, groups: Groups, independent: str) -> Rows:
    """Return rows ``v⁽ᵏ⁾, condition`` of all velocities from those of the independent ones.

    ``J_d x_d = −(J v)⁽ᵏ⁾ with x_d = 0``, in the least squares of all rows: redundant rows agree.
    ``independent`` are indices of velocities in words.  The condition number is that of J_d beside
    all that the frames can do: a row that is short alone is near its dead point.
    """
    q, given = groups
    chosen = [int(word) for word in independent.split()]
    others = [j for j in range(robot.nv) if j not in chosen]
    closures = Closures(robot, q, ())
    J, around = closures.jacobian(), closures.jacobian(rows_of_kinds)
    factors = orthogonalize([[value(row[j]) for row in J] for j in others])
    rates: list[Vector] = []
    for k, rate in enumerate(given):
        closures = Closures(robot, q, [*rates, spread(chosen, rate, robot.nv)])
        right = [-derivatives(s, k)[k] for s in closures.twists()]
        found = factors.solve([dot(p, right) for p in factors.Q])
        rates.append(spread([*chosen, *others], [*rate, *found], robot.nv))
    condition = factors.condition([value(row[j]) for row in around for j in others])
    return [[*x, condition] for x in rates]


class Saddle:
    """``H x − Jᵀ λ = f``, ``J x = g`` with H factored; rows of J may depend on each other.

    With the rows of J scaled so that ``A = J H⁻¹ Jᵀ`` has ones on its diagonal, λ is the limit of
    ``(A + μ) λ ← e + μ λ`` from zero: the shortest λ of all that do, if some rows are redundant.
    What is left after four rounds is μ⁴ of what A resolves.

    A row that nothing moves is zero but for rounding, and so is its right side: scaled to one, it
    would be solved all the same. Its scale goes to zero with it, as fast as its square.
    """

    def __init__(self, factors: Factors, J: Sequence[Vector]) -> None:
        self.factors = factors
        half = [factors.eliminated(row) for row in J]
        weighted = [times(row, factors.reciprocals) for row in half]
        self.sizes = sizes = [dot(a, b) for a, b in zip(half, weighted, strict=True)]
        floor = sum(sizes[1:], sizes[0]) * NOTHING
        if is_zero(floor):  # all of them
            floor = 1.0
        self.scales = [size / ((size + floor) * sqrt(size + floor)) for size in sizes]
        self.half = [[x * s for x in row] for row, s in zip(half, self.scales, strict=True)]
        self.weighted = [[x * s for x in row] for row, s in zip(weighted, self.scales, strict=True)]
        A = [[dot(a, b) for b in self.weighted] for a in self.half]
        for i, row in enumerate(A):
            row[i] = row[i] + SOFTNESS
        self.inner = factorize(A)

    def size(self, row: Vector) -> Any:
        """Return ``J_i H⁻¹ J_iᵀ`` of any row."""
        half = self.factors.eliminated(row)
        return dot(half, times(half, self.factors.reciprocals))

    def solve(self, f: Vector, g: Vector) -> tuple[Vector, Vector]:
        """Return x and λ."""
        w = times(self.factors.eliminated(f), self.factors.reciprocals)
        rows = zip(self.half, g, self.scales, strict=True)
        e = [b * s - dot(row, w) for row, b, s in rows]
        y = solve(self.inner, e)
        for _ in range(ROUNDS - 1):
            y = solve(self.inner, [a + b * SOFTNESS for a, b in zip(e, y, strict=True)])
        pushed = [
            a + dot(column, y)
            for a, column in zip(w, zip(*self.weighted, strict=True), strict=True)
        ]
        return self.factors.substituted(pushed), times(y, self.scales)


def constrained_forward_dynamics(
    robot: Robot, groups: Groups, wrenches: Loads | None = None
) -> Rows:
    """Return rows ``a⁽ᵏ⁾, λ⁽ᵏ⁾, pivots, lightness`` from q, v and the forces Q, dQ/dt, ...

    Order by order, with the unknown ``x = a⁽ᵏ⁾`` and the same matrix for all orders::

        M x − Jᵀ λ⁽ᵏ⁾ = Q⁽ᵏ⁾ − f_k + (Jᵀ λ)⁽ᵏ⁾ with λ⁽ᵏ⁾ = 0       J x = −(J v)⁽ᵏ⁺¹⁾ with x = 0

    f_k are the forces of the tree with x = 0.  A pivot is about μ where a row depends on others,
    and small where it is near its dead point, see `_strengths`.  The lightness is ``Σ 1/p²`` over
    what `mass_pivots` has: below 1/p² of a bound, no p is smaller.
    """
    q, v, forces = groups
    rates, multipliers = [v], []
    saddle: Any = None
    told: Vector = []
    for k, Q in enumerate(forces):
        closures = Closures(robot, q, [*rates, [0.0] * robot.nv])
        J = closures.jacobian()
        if saddle is None:
            factors = mass_factors(robot, q)
            saddle = Saddle(factors, _values(J))
            told = times(saddle.inner.pivots, _strengths(saddle, closures))
            heavy = times(mass_bounds(lowered(robot)), factors.reciprocals)
            told.append(dot(heavy, heavy))
        carried = carried_over(list(zip(*J, strict=True)), multipliers)
        known = known_forces(robot, q, rates, wrenches)
        f = [a - b + c for a, b, c in zip(Q, known, carried, strict=True)]
        x, found = saddle.solve(f, [-derivatives(s, k + 1)[k + 1] for s in closures.twists()])
        rates.append(x)
        multipliers.append(found)
    return [[*x, *y, *told] for x, y in zip(rates[1:], multipliers, strict=True)]


def _strengths(saddle: Saddle, closures: Closures) -> Vector:
    """Return ``J_i H⁻¹ J_iᵀ`` of each held row over the sum of all three rows of its kind.

    It has no unit, and the sum vanishes nowhere if not everywhere: some joint always moves the
    frame.  A row that is small beside it is near its dead point, whatever the others are.
    """
    sizes = [saddle.size(row) for row in _values(closures.jacobian(rows_of_kinds))]
    reciprocals: Vector = []
    for a, b, c in zip(*[iter(sizes)] * 3, strict=True):
        whole = a + b + c
        reciprocals.append(0.0 if is_zero(whole) else 1.0 / whole)
    kinds = [(k, kind) for k, loop in enumerate(closures.loops) for kind in loop.kinds]
    rows = [(k, row // 3) for k, loop in enumerate(closures.loops) for row in loop.rows]
    return times(saddle.sizes, [reciprocals[kinds.index(row)] for row in rows])


def constrained_inverse_dynamics(
    robot: Robot, groups: Groups, actuated: str, wrenches: Loads | None = None
) -> Rows:
    """Return rows ``Q⁽ᵏ⁾, λ⁽ᵏ⁾`` from q, the rates, and the compliance of the actuated joints.

    Of all forces that make the motion those of least ``Σ Qᵢ² / cᵢ``, with the compliance c of the
    actuators, zero for passive joints.  With the virtual velocity ν, at all times::

        Q = c ν,       (c + Jᵀ J) ν + Jᵀ λ = ID,       J ν = 0

    which is one saddle like that of forward dynamics; its derivatives are those of a product.
    ``Jᵀ J`` changes nothing, as J ν = 0; it makes the matrix regular where c is zero.  The entries
    of passive joints are what is left there, ``ID − Jᵀ λ``: not zero if nothing drives them.
    """
    q, rates, given = groups
    forces = inverse_dynamics(robot, q, rates, wrenches)
    compliance = spread(map(int, actuated.split()), given, robot.nv)
    J = Closures(robot, q, rates[: len(forces) - 1]).jacobian()
    still = [[0.0] * len(J)] * len(forces)
    found = _virtual(_actuation(J, compliance), J, forces, still)
    return [
        [*(y if is_zero(c) else x * c for x, c, y in zip(nu, compliance, left, strict=True)), *own]
        for nu, own, left in found
    ]


def _actuation(J: Sequence[Vector], compliance: Vector) -> Saddle:
    """Return the saddle with ``c + Jᵀ J``, at t = 0."""
    plain = _values(J)
    columns = list(zip(*plain, strict=True))
    H = [[dot(a, b) for b in columns] for a in columns]
    for i, c in enumerate(compliance):
        diagonal = H[i][i] + c
        H[i][i] = 1.0 if is_zero(diagonal) else diagonal  # neither held nor driven: c ν is zero
    return Saddle(factorize(H), plain)


def _virtual(
    saddle: Saddle, J: Sequence[Vector], forces: Sequence[Vector], openings: Sequence[Vector]
) -> list[tuple[Vector, Vector, Vector]]:
    """Return ν, λ and ``f − Jᵀ λ`` of ``c ν + Jᵀ λ = f``, ``J ν = g``, an entry a derivative."""
    columns, plain = list(zip(*J, strict=True)), list(zip(*_values(J), strict=True))
    virtual: list[Vector] = []
    multipliers: list[Vector] = []
    lefts: list[Vector] = []
    for given, opening in zip(forces, openings, strict=True):
        f = less(given, carried_over(columns, multipliers))
        g = less(opening, carried_over(J, virtual))
        x, found = saddle.solve([a + dot(c, g) for a, c in zip(f, plain, strict=True)], g)
        virtual.append(x)
        multipliers.append([-y for y in found])
        lefts.append([a - dot(c, multipliers[-1]) for a, c in zip(f, plain, strict=True)])
    return list(zip(virtual, multipliers, lefts, strict=True))


def constrained_forward_dynamics_partials(
    robot: Robot, groups: Groups, wrenches: Loads | None = None
) -> Rows:
    """Return the partials of a⁽ᵏ⁾ above those of λ⁽ᵏ⁾, a matrix for each k and each of q, v, Q⁽ʲ⁾.

    The residuals ``R = ID − Jᵀ λ − Q`` and ``S = (J v)'`` vanish with all derivatives.  With their
    partials by q, v, a, ... of `mixed_partials`, for each variable x, order by order::

        M ∂a⁽ᵏ⁾ − Jᵀ ∂λ⁽ᵏ⁾ = −∂R⁽ᵏ⁾/∂x − Σ ∂R⁽ᵏ⁾/∂a⁽ⁱ⁾ ∂a⁽ⁱ⁾ + Σ binom(k, i) J⁽ᵏ⁻ⁱ⁾ᵀ ∂λ⁽ⁱ⁾
        J ∂a⁽ᵏ⁾ = −∂S⁽ᵏ⁾/∂x − Σ ∂S⁽ᵏ⁾/∂a⁽ⁱ⁾ ∂a⁽ⁱ⁾                               i < k
    """
    q, v, forces = groups
    nv, order = robot.nv, len(forces) - 1
    found = constrained_forward_dynamics(robot, groups, wrenches)
    rates = [v, *(row[:nv] for row in found)]
    multipliers = [row[nv : nv + robot.n_closure_rows] for row in found]
    J = Closures(robot, q, rates).jacobian()
    columns = list(zip(*J, strict=True))
    saddle = Saddle(mass_factors(robot, q), _values(J))
    varied = Closures(robot, q, rates, varied=True)
    own = own_partials(robot, q, rates, wrenches)
    own[0] = list(map(less, own[0], _pull_by_q(robot, varied, multipliers)))
    R = _tables(robot, mixed_partials(robot, rates, own, order), order + 3)
    twists = [_by_q(robot, varied.twists()), J]
    _, *S = _tables(robot, mixed_partials(robot, rates, twists, order + 1), order + 3)

    def column(x: int, j: int) -> list[Vector]:
        """Return the partials by component j of the x-th of q, v, Q, dQ/dt, ..., order by order."""
        da: list[Vector] = []
        dm: list[Vector] = []
        for k in range(order + 1):
            f, g = carried_over(columns, dm), [0.0] * len(J)
            if x < 2:
                f = [a - row[j] for a, row in zip(f, R[k][x], strict=True)]
                g = [-row[j] for row in S[k][x]]
            elif x == k + 2:
                f[j] = f[j] + 1.0
            for by_force, by_twist, change in zip(R[k][2:], S[k][2:], da, strict=False):
                f = [a - dot(row, change) for a, row in zip(f, by_force, strict=True)]
                g = [a - dot(row, change) for a, row in zip(g, by_twist, strict=True)]
            moved, pushed = saddle.solve(f, g)
            da.append(moved)
            dm.append(pushed)
        return [[*a, *m] for a, m in zip(da, dm, strict=True)]

    blocks = [[column(x, j) for j in range(nv)] for x in range(order + 3)]
    return [
        [entry for row in zip(*(c[k] for c in block), strict=True) for entry in row]
        for k in range(order + 1)
        for block in blocks
    ]


def constrained_inverse_dynamics_partials(
    robot: Robot, groups: Groups, actuated: str, wrenches: Loads | None = None
) -> Rows:
    """Return the partials of Q⁽ᵏ⁾ above those of λ⁽ᵏ⁾, a matrix for each k and each of q, v, a, ...

    ``c ∂ν + Jᵀ ∂λ = ∂ID − ∂Jᵀ λ`` and ``J ∂ν = −∂J ν`` at all times, by q, v and a; the rest is
    the recursion of `mixed_partials`.  Passive joints have partials zero.
    """
    q, rates, given = groups
    forces = inverse_dynamics(robot, q, rates, wrenches)
    nv, order = robot.nv, len(forces) - 1
    compliance = spread(map(int, actuated.split()), given, robot.nv)
    J = Closures(robot, q, rates[:order]).jacobian()
    saddle = _actuation(J, compliance)
    still = [[0.0] * len(J)] * len(forces)
    virtual, multipliers, _ = zip(*_virtual(saddle, J, forces, still), strict=True)
    varied = Closures(robot, q, rates[:order], varied=True)
    own = own_partials(robot, q, rates, wrenches)
    own[0] = list(map(less, own[0], _pull_by_q(robot, varied, multipliers)))
    nu = [Jet.from_derivatives(column) for column in zip(*virtual, strict=True)]
    turn = _by_q(robot, [dot(row, nu) for row in varied.jacobian()])
    first = []
    for x, matrix in enumerate(own):
        columns = []
        for j in range(nv):
            f = as_rows((row[j] for row in matrix), order)
            g = as_rows((-row[j] for row in turn), order) if x == 0 else still
            series = [[*times(a, compliance), *m] for a, m, _ in _virtual(saddle, J, f, g)]
            columns.append([Jet.from_derivatives(entry) for entry in zip(*series, strict=True)])
        first.append(list(zip(*columns, strict=True)))
    return mixed_partials(robot, rates, first, order)


def _pull_by_q(robot: Robot, varied: Closures, multipliers: Sequence[Vector]) -> Matrix:
    """Return the partials of ``Jᵀ λ`` by q where λ stays, from closures of a varied q, as jets."""
    own = [Jet.from_derivatives(column) for column in zip(*multipliers, strict=True)]
    columns = zip(*varied.jacobian(), strict=True)
    return _by_q(robot, [dot(column, own) for column in columns])


def _by_q(robot: Robot, varied: Sequence[Any]) -> Matrix:
    """Return the partials of tangent numbers by q, one row each."""
    return [[partial(x, j) for j in range(robot.nv)] for x in varied]


def _tables(robot: Robot, rows: Rows, count: int) -> list[list[list[Vector]]]:
    """Return the matrices of `mixed_partials`, ``count`` of them for each order."""
    nv = robot.nv
    matrices = [[row[i : i + nv] for i in range(0, len(row), nv)] for row in rows]
    return [matrices[k : k + count] for k in range(0, len(matrices), count)]


def _values(matrix: Sequence[Sequence[Any]]) -> list[Vector]:
    """Return a matrix of jets at t = 0."""
    return [[value(x) for x in row] for row in matrix]
