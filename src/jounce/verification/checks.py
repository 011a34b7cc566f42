"""The checks: functions from motions to one `Check` or several.

Adding one is a row of `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from jounce.algebra.matrix_jet import MatrixJet
from jounce.api.closed_form import closed_form
from jounce.api.dynamics import inverse_dynamics
from jounce.dynamics.closed_form import system
from jounce.dynamics.inverse import FORMULATIONS
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.errors import NotFiniteError, SingularError
from jounce.model.inertia import NEGATIVE_TOLERANCE, Inertia, inertia_fault
from jounce.model.parameters import parameters
from jounce.model.robot import Robot
from jounce.verification.motions import Motions, evaluated
from jounce.verification.records import Check

TOLERANCE = 1e-12  # of scale, at every order
WIDE_BODY, WIDE_ROBOT = 2.0, 0.2  # radii of gyration that are hard to believe
CONFIGURATIONS = 500  # where the mass matrix is looked at


def inertias(motions: Motions) -> list[Check]:
    """Every body has positive kinetic energy, and some distribution of mass has its inertia.

    The second is advice: published tables often miss it, and M may be sound all the same.
    """
    bodies = motions.robot.bodies
    negative = [body.name for body in bodies if _is_negative(body.inertia)]
    impossible = [b.name for b in bodies if inertia_fault(b.inertia, b.name) is not None]
    wide = _too_wide(motions.robot)

    def number(kind: str, names: list[str], what: str, required: bool = False) -> Check:
        detail = f"{what} of {', '.join(names)}" if names else ""
        return Check(f"bodies {kind} (number)", float(len(names)), 0.0, detail, required=required)

    mass = "mass or inertia about the centre of mass"
    return [
        number("with negative kinetic energy", negative, mass, required=True),
        number("that no rigid body can be", impossible, "pseudo-inertia"),
        number("whose matter lies far outside them", wide, "radius of gyration"),
    ]


def _too_wide(robot: Robot) -> list[str]:
    """Name the bodies whose radius of gyration fits neither them nor the robot.

    The radius √(Θ/m), Θ the largest principal moment about the centre of mass, is 0.29 of the
    length of a rod.  Here it is more than `WIDE_BODY` times what the body reaches (from its joint
    to its centre of mass, its frames and the joints it carries), and more than `WIDE_ROBOT` of
    what the longest chain of the robot reaches.
    """
    reaches, chains = np.zeros(robot.n_bodies), np.zeros(robot.n_bodies)
    for i, (body, joint) in enumerate(zip(robot.bodies, robot.joints, strict=True)):
        places = [child.placement.p for child in robot.bodies if child.parent == i]
        places += [frame.placement.p for frame in robot.frames if frame.body == i]
        points = np.array([body.inertia.com, *places], dtype=float)
        reaches[i] = np.linalg.norm(points - np.array(joint.type.point, dtype=float), axis=1).max()
        chains[i] = reaches[i] + (chains[body.parent] if body.parent >= 0 else 0.0)
    found = []
    if not chains.any():
        return found  # of one point, and no length to compare with
    for body, reach in zip(robot.bodies, reaches, strict=True):
        if body.inertia.mass <= 0.0:
            continue
        moment = float(np.linalg.eigvalsh(np.array(body.inertia.rotational, dtype=float))[-1])
        radius = float(np.sqrt(max(moment, 0.0) / body.inertia.mass))
        if radius > max(WIDE_BODY * reach, WIDE_ROBOT * chains.max()):
            found.append(f"{body.name} ({radius:.2g} m)")
    return found


def _is_negative(inertia: Inertia) -> bool:
    about_com = np.array(inertia.rotational)
    smallest = float(np.linalg.eigvalsh(about_com)[0])
    return inertia.mass < 0.0 or smallest < -NEGATIVE_TOLERANCE * float(np.abs(about_com).max())


def mass_is_positive(motions: Motions) -> Check:
    """Look for the smallest eigenvalue of M over many configurations; it must be positive."""
    robot = motions.robot
    name = "mass matrix is positive definite (smallest eigenvalue)"
    if not robot.nv:
        return Check(name, inf, 0.0, "no degree of freedom", above=True)
    q = motions.configurations(CONFIGURATIONS)
    M = evaluated(robot, "mass_matrix", 0, (q,))[0]
    values = np.linalg.eigvalsh(M)[:, 0]
    worst = int(np.argmin(values))
    limit = float(np.abs(M).max() * robot.nv * np.finfo(float).eps)
    moving = int(np.argmax(np.abs(np.linalg.eigh(M[worst])[1][:, 0])))
    joint = next(j for j in robot.joints if j.v_slice.start <= moving < j.v_slice.stop)
    detail = f"over {CONFIGURATIONS} configurations; mostly joint {joint.name!r}"
    return Check(name, float(values[worst]), limit, detail, above=True)


def mass_is_symmetric(motions: Motions) -> Check:
    """``M⁽ⁿ⁾ = M⁽ⁿ⁾ᵀ`` at every order, of the closed form, where it is not so by construction."""
    M = motions.closed_form().M[: motions.order + 1]
    return Check("mass matrix and its rates are symmetric", _error(M, _transposed(M), M), TOLERANCE)


def mass_rate_is_coriolis(motions: Motions) -> list[Check]:
    """``dM/dt = C + Cᵀ`` and its time derivatives [GOA13, (6)], [MK21, (63)]."""
    M = motions.text("mass_matrix", motions.order + 1)
    result = []
    for factorization in ("passive", "christoffel"):
        C = motions.text("coriolis_matrix", factorization=factorization)
        error = _error(C + _transposed(C), M[1:], M)
        result.append(Check(f"dM/dt = C + Cᵀ, {factorization} C", error, TOLERANCE))
    return result


def coriolis_forces_are_common(motions: Motions) -> list[Check]:
    """``C v`` is the same for every factorization, with its time derivatives."""
    v = _columns(motions.rates)
    first, *others = (
        (
            MatrixJet.from_derivatives(motions.text("coriolis_matrix", factorization=f)) @ v
        ).derivatives()[..., 0]
        for f in FACTORIZATIONS
    )
    Q = motions.text("inverse_dynamics")
    return [
        Check(f"C v of the {f} C and of the passive C", _error(other, first, Q), TOLERANCE)
        for f, other in zip(FACTORIZATIONS[1:], others, strict=True)
    ]


def power_is_rate_of_energy(motions: Motions) -> Check:
    """``dE/dt = Q·v − vᵀ (D v + F)`` and its time derivatives, E kinetic and potential energy."""
    v = _columns(motions.rates)
    Q = _columns(motions.text("inverse_dynamics") - motions.friction)
    power = (v.T @ (Q - system(motions.robot).damping @ v)).derivatives()[..., 0, 0]
    count = motions.order + 1
    T, U = (motions.text(f"{kind}_energy", count) for kind in ("kinetic", "potential"))
    scale = (np.abs(T) + np.abs(U))[1:]
    return Check("power is the rate of energy", _error(power, (T + U)[1:], scale), TOLERANCE)


def formulations_agree(motions: Motions) -> list[Check]:
    """Every formulation of inverse dynamics gives the same Q, under wrenches, at every order."""
    reference, *others = FORMULATIONS
    wanted = motions.loaded_forces(reference)
    found = {name: motions.loaded_forces(name) for name in others}
    found["closed_form"] = motions.closed_form().Q
    return [
        Check(f"forces: {name} and {reference}", _error(Q, wanted, wanted), TOLERANCE)
        for name, Q in found.items()
    ]


def matrices_agree(motions: Motions) -> list[Check]:
    """M, C and g of the closed form and of the recursions over composites agree."""
    form, count = motions.closed_form(), motions.order + 1
    M, Q = motions.text("mass_matrix"), motions.text("inverse_dynamics")
    errors = {
        "M": _error(form.M[:count], M, M),
        "g": _error(form.g[:count], motions.text("gravity_forces"), Q),
    }
    for factorization in FACTORIZATIONS:
        C = motions.text("coriolis_matrix", factorization=factorization)
        got = motions.closed_form(factorization).C[:count]
        errors[f"{factorization} C"] = _error(got, C, M)
    return [
        Check(f"{name} of the closed form and of composites", error, TOLERANCE)
        for name, error in errors.items()
    ]


def forward_inverts_inverse(motions: Motions) -> Check:
    """Forward dynamics of the forces gives accelerations that need just these forces.

    Compared as forces: the accelerations themselves are as uncertain as M is ill-conditioned,
    more so at every further order.
    """
    name, robot = "forward dynamics inverts inverse dynamics", motions.robot
    state, Q = (motions.q, motions.rates[0]), motions.text("inverse_dynamics")
    try:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            a = evaluated(robot, "forward_dynamics", motions.order, (*state, *Q))
            again = evaluated(robot, "inverse_dynamics", motions.order, (*state, *a))
    except (SingularError, NotFiniteError) as error:
        return Check(name, inf, TOLERANCE, str(error))
    error = _error(a, motions.rates[1:], motions.rates[1:])
    return Check(name, _error(again, Q, Q), TOLERANCE, f"accelerations to {error:.1e}")


def gravity_is_the_force_at_rest(motions: Motions) -> Check:
    """``g(q) = Q(q, 0, 0) − F(0)``, F the offsets of the joints there."""
    still = np.zeros_like(motions.rates[0])
    offsets = closed_form(motions.robot, motions.q, still).F
    rest = evaluated(motions.robot, "inverse_dynamics", 0, (motions.q, still, still))
    g = motions.text("gravity_forces", 0)
    scale = motions.text("inverse_dynamics")[:1]
    return Check(
        "gravity forces are the forces at rest", _error(rest - offsets, g, scale), TOLERANCE
    )


def code_agrees(motions: Motions) -> Check:
    """Compare the compiled kernel of inverse dynamics with its text."""
    Q = motions.text("inverse_dynamics")
    got = inverse_dynamics(motions.robot, motions.q, *motions.rates)
    return Check("machine code and text of inverse dynamics", _error(got, Q, Q), TOLERANCE)


def forces_are_linear_in_parameters(motions: Motions) -> Check:
    """``Q = Y π + armature a + D v + F`` and its time derivatives [GOA13, (15)]."""
    rates, form = motions.rates, system(motions.robot)
    Y, Q = motions.text("regressor"), motions.text("inverse_dynamics")
    motors = rates[1:] @ form.armature + rates[:-1] @ form.damping + motions.friction
    error = _error(Y @ parameters(motions.robot) + motors, Q, Q)
    return Check("forces are linear in the parameters, Q = Y π", error, TOLERANCE)


def partials_along_the_motion_are_rates(motions: Motions) -> list[Check]:
    """Contract partials with the motion: it gives the time derivative.

    ``Σ_j ∂Q⁽ᵏ⁾/∂q⁽ʲ⁾ q⁽ʲ⁺¹⁾ = Q⁽ᵏ⁺¹⁾``, ``∂M/∂q v = dM/dt``, ``∂C/∂q v + ∂C/∂v a = dC/dt``,
    ``∂g/∂q v = dg/dt``.
    """
    v, a = motions.rates[:2]
    g, M, C = (motions.text(x, 1) for x in ("gravity_forces", "mass_matrix", "coriolis_matrix"))
    C_q, C_v = motions.text("coriolis_partials", 0)
    along = {
        "g": (_along(motions.text("gravity_partials", 0)[0], v), g),
        "M": (_along(motions.text("mass_matrix_partials", 0)[0], v), M),
        "C": (_along(C_q, v) + _along(C_v, a), C),
    }
    result = [
        Check(
            f"partials of {x} along the motion are its rate", _error([found], X[1:], X), TOLERANCE
        )
        for x, (found, X) in along.items()
    ]
    if motions.order:
        Q, samples, nv = motions.text("inverse_dynamics"), *v.shape
        P = motions.text("inverse_dynamics_partials", motions.order - 1)
        P = P.reshape(motions.order, motions.order + 2, samples, nv, nv)
        found = np.einsum("kjsab,jsb->ksa", P, motions.rates)
        error = _error(found, Q[1:], Q[1:])
        result.append(Check("partials of Q along the motion are its rate", error, TOLERANCE))
    return result


CHECKS: tuple[Callable[[Motions], Check | list[Check]], ...] = (
    inertias,
    mass_is_positive,
    mass_is_symmetric,
    mass_rate_is_coriolis,
    coriolis_forces_are_common,
    power_is_rate_of_energy,
    formulations_agree,
    matrices_agree,
    forward_inverts_inverse,
    gravity_is_the_force_at_rest,
    forces_are_linear_in_parameters,
    partials_along_the_motion_are_rates,
    code_agrees,
)


def _error(actual: Any, desired: Any, scale: np.ndarray) -> float:
    """Return the largest difference of any order, over the largest of ``scale`` at that order.

    An order whose scale vanishes counts with that of order zero.
    """
    worst = 0.0
    for k, (a, d) in enumerate(zip(actual, desired, strict=True)):
        if not a.size:
            continue
        difference = float(np.abs(a - d).max())
        size = max(float(np.abs(x).max()) for x in (d, scale[k], scale[0]))
        worst = max(worst, difference / size if size else difference and inf, key=_nan_first)
    return worst


def _nan_first(x: float) -> float:
    return inf if np.isnan(x) else x


def _transposed(matrices: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrices, -1, -2)


def _along(partials: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Contract the last axis of ``(samples, …, nv)`` with a direction ``(samples, nv)``."""
    return np.einsum("s...h,sh->s...", partials, direction)


def _columns(derivatives: np.ndarray) -> MatrixJet:
    return MatrixJet.from_derivatives(derivatives[..., None])
