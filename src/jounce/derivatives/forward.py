"""Forward dynamics of any order, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.derivatives.forces import Loads, forces
from jounce.derivatives.kinematics import Rows, Scalars
from jounce.derivatives.partials import mixed_partials
from jounce.dynamics.factorization import Factors, ZeroPivotError, factorize, solve
from jounce.dynamics.mass_bounds import mass_bounds
from jounce.dynamics.matrices import mass_matrix
from jounce.dynamics.motion import link_motions
from jounce.errors import SingularError
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def accelerations(
    robot: Robot,
    q: Scalars,
    v: Scalars,
    given: Sequence[Scalars],
    wrenches: Loads | None = None,
) -> Rows:
    """Return a, da/dt, ... as rows of nv scalars from the forces Q, dQ/dt, ...

    ``Q⁽ᵏ⁾ = M a⁽ᵏ⁾ + f_k(q, v, …, a⁽ᵏ⁻¹⁾)``: M is factored once; f_k is inverse dynamics with
    the unknown rate set to zero.
    """
    return _solve_orders(robot, q, v, given, wrenches, mass_factors(robot, q))


def accelerations_and_pivots(
    robot: Robot,
    q: Scalars,
    v: Scalars,
    given: Sequence[Scalars],
    wrenches: Loads | None = None,
) -> Rows:
    """Return what `accelerations` does and, as a last row, what `pivots` does."""
    factors = mass_factors(robot, q)
    return [*_solve_orders(robot, q, v, given, wrenches, factors), _ratios(robot, factors)]


def pivots(robot: Robot, q: Scalars, _rates: Sequence[Scalars] = ()) -> Rows:
    """Return the pivots of M, each over a bound of its diagonal entry, one row of nv scalars.

    It tells how far M is from singular: a joint whose entry is of the size of rounding, or no
    number, can move without moving any mass.
    """
    return [_ratios(robot, mass_factors(robot, q))]


def _ratios(robot: Robot, factors: Factors) -> list[Any]:
    bounds = mass_bounds(lowered(robot))
    return [p / bound for p, bound in zip(factors.pivots, bounds, strict=True)]


def mass_factors(robot: Robot, q: Scalars) -> Factors:
    """Return the factors of the mass matrix."""
    tree = reduced(robot)
    jets = mass_matrix(tree, link_motions(tree, q, []))
    try:
        return factorize([[_value(x) for x in row] for row in jets])
    except ZeroPivotError as error:
        raise singular(robot, error.args[0]) from None


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
    v: Scalars,
    given: Sequence[Scalars],
    wrenches: Loads | None,
    factors: Factors,
) -> Rows:
    rates: list[Scalars] = [v]
    for force in given:
        known = known_forces(robot, q, rates, wrenches)
        rates.append(solve(factors, [a - b for a, b in zip(force, known, strict=True)]))
    return [list(row) for row in rates[1:]]


def known_forces(
    robot: Robot, q: Scalars, rates: Sequence[Scalars], wrenches: Loads | None
) -> Scalars:
    """Return f_k of ``Q⁽ᵏ⁾ = M a⁽ᵏ⁾ + f_k``: the k + 1 rates before a⁽ᵏ⁾ are known, it is zero."""
    k = len(rates) - 1
    loads = {key: rows[: k + 1] for key, rows in (wrenches or {}).items()}
    return forces(robot, q, [*rates, [0.0] * robot.nv], loads)[k]


def _value(x: Any) -> Any:
    return x.coeffs[0] if hasattr(x, "coeffs") else x


def acceleration_partials(
    robot: Robot, q: Scalars, v: Scalars, force: Scalars, wrenches: Loads | None = None
) -> Rows:
    """Return ∂a/∂q, ∂a/∂v and ∂a/∂Q = M⁻¹ as three rows of nv² scalars.

    ``∂a/∂x = −M⁻¹ ∂Q/∂x`` at the acceleration that the force gives.
    """
    factors = mass_factors(robot, q)
    (a,) = _solve_orders(robot, q, v, [force], wrenches, factors)
    nv = robot.nv
    (table,) = mixed_partials(robot, q, [v, a], wrenches)
    blocks = [table[: nv * nv], table[nv * nv : 2 * nv * nv]]
    unit = [[1.0 if i == j else 0.0 for i in range(nv)] for j in range(nv)]
    inverse = _transposed([solve(factors, e) for e in unit])
    partials = [
        _transposed([solve(factors, [-block[i * nv + j] for i in range(nv)]) for j in range(nv)])
        for block in blocks
    ]
    return [[x for row in matrix for x in row] for matrix in (*partials, inverse)]


def _transposed(columns: list[list[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]
