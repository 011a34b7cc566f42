"""Forward dynamics of any order, and its partials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jounce.dynamics.articulated import articulated_factors
from jounce.dynamics.factorization import Factors, ZeroPivotError, factorize, less, solve
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.mass_bounds import mass_bounds
from jounce.dynamics.matrices import mass_matrix
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.rows import Rates, Rows, Scalars
from jounce.dynamics.wrenches import Loads
from jounce.errors import SingularError
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def forward_dynamics(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None = None,
    method: str | None = None,
) -> Rows:
    """Return a, da/dt, ... as rows of nv scalars; ``rates`` are v and the forces Q, dQ/dt, ...

    ``Q⁽ᵏ⁾ = M a⁽ᵏ⁾ + f_k(q, v, …, a⁽ᵏ⁻¹⁾)``: M is factored once; f_k is inverse dynamics with
    the unknown rate set to zero.  ``method`` is one of `METHODS`, which differ in operations
    only; without one the first of `fewest` is taken.
    """
    return _solve_orders(robot, q, rates, wrenches, mass_factors(robot, q, method))


def forward_dynamics_and_pivots(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None = None,
    method: str | None = None,
) -> Rows:
    """Return what `forward_dynamics` does and, as a last row, what `mass_pivots` does."""
    factors = mass_factors(robot, q, method)
    return [*_solve_orders(robot, q, rates, wrenches, factors), _ratios(robot, factors)]


def mass_pivots(robot: Robot, q: Scalars, _rates: Rates = (), method: str | None = None) -> Rows:
    """Return the pivots of M, each over a bound of its diagonal entry, one row of nv scalars.

    It tells how far M is from singular: a joint whose entry is of the size of rounding, or no
    number, can move without moving any mass.
    """
    return [_ratios(robot, mass_factors(robot, q, method))]


def _ratios(robot: Robot, factors: Factors) -> list[Any]:
    bounds = mass_bounds(lowered(robot))
    return [p / bound for p, bound in zip(factors.pivots, bounds, strict=True)]


def mass_factors(robot: Robot, q: Scalars, method: str | None = None) -> Factors:
    """Return the factors of the mass matrix, by one of `METHODS`."""
    try:
        return METHODS[method or fewest(robot)[0]](robot, q)
    except ZeroPivotError as error:
        raise singular(robot, error.args[0]) from None


def _by_elimination(robot: Robot, q: Scalars) -> Factors:
    nv = robot.nv
    (M,) = mass_matrix(robot, q, ())
    return factorize([M[i * nv : (i + 1) * nv] for i in range(nv)])


METHODS: dict[str, Callable[[Robot, Scalars], Factors]] = {
    "elimination": _by_elimination,  # O(n d²) with the depth d, few operations if d is small
    "articulated": lambda robot, q: articulated_factors(reduced(robot), q),  # O(n); no mimics
}


def fewest(robot: Robot, shallow: float = 3.5, deep: float = 18.0) -> tuple[str, ...]:
    """Return the methods one of which takes the fewest operations, one or both.

    What decides is the mean number of velocities that a velocity has below it on its branch: a
    solution takes four operations for each by elimination, and 30 to 70 a velocity by articulated
    bodies.  Between ``shallow`` and ``deep`` it is to be counted.  Mimics couple branches.
    """
    tree = reduced(robot)
    if any(joint.mimic for joint in robot.joints):
        return ("elimination",)
    ends: list[int] = []
    below = 0
    for link in tree.links:
        start = ends[link.parent] if link.parent >= 0 else 0
        ends.append(start + link.step.nv)
        below += sum(range(start, ends[-1]))
    depth = below / max(tree.nv, 1)
    return (*["elimination"] * (depth <= deep), *["articulated"] * (depth >= shallow))


def singular(robot: Robot, velocity: int, where: str = "") -> SingularError:
    """Return the error for a mass matrix that lets a velocity change without any force.

    ``where`` tells the configuration in which it is singular, if it is not so in all.
    """
    joint = next(j for j in robot.joints if j.v_slice.start <= velocity < j.v_slice.stop)
    return SingularError(
        f"the mass matrix of robot {robot.name!r} is singular{where}: joint {joint.name!r}, with "
        "those beyond it, can move without moving any mass. Give the bodies beyond it an inertia, "
        "or the joint an armature, or lock it (robot.with_locked)."
    )


def _solve_orders(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None,
    factors: Factors,
) -> Rows:
    v, *forces = rates
    found: list[Scalars] = [v]
    for force in forces:
        known = known_forces(robot, q, found, wrenches)
        found.append(solve(factors, less(force, known)))
    return [list(row) for row in found[1:]]


def known_forces(robot: Robot, q: Scalars, rates: Rates, wrenches: Loads | None) -> Scalars:
    """Return f_k of ``Q⁽ᵏ⁾ = M a⁽ᵏ⁾ + f_k``: the k + 1 rates before a⁽ᵏ⁾ are known, it is zero."""
    k = len(rates) - 1
    loads = {key: rows[: k + 1] for key, rows in (wrenches or {}).items()}
    return inverse_dynamics(robot, q, [*rates, [0.0] * robot.nv], loads)[k]


def forward_dynamics_partials(
    robot: Robot,
    q: Scalars,
    rates: Rates,
    wrenches: Loads | None = None,
    method: str | None = None,
) -> Rows:
    """Return ∂a/∂q, ∂a/∂v and ∂a/∂Q = M⁻¹ as three rows of nv² scalars; rates are v and Q.

    ``∂a/∂x = −M⁻¹ ∂Q/∂x`` at the acceleration that the force gives.
    """
    factors = mass_factors(robot, q, method)
    (a,) = _solve_orders(robot, q, rates, wrenches, factors)
    nv = robot.nv
    by_q, by_v, _ = inverse_dynamics_partials(robot, q, [rates[0], a], wrenches)
    columns = [
        [[-block[i * nv + j] for i in range(nv)] for j in range(nv)] for block in (by_q, by_v)
    ]
    columns.append([[1.0 if i == j else 0.0 for i in range(nv)] for j in range(nv)])
    solved = [[solve(factors, column) for column in matrix] for matrix in columns]
    return [[column[i] for i in range(nv) for column in matrix] for matrix in solved]
