"""From logs to a robot that is physical, with what is known about its errors.

With R of all logs (`Information`), σ_i the residual of velocity i, β the base parameters::

    β = argmin Σ_i |R_i (β; −1)|² / σ_i²        σ_i² = l |R_i (β; −1)|² / (N − h_i)

N samples, h_i the part of β that velocity i decides, the trace of its rows of the projection, l
how many samples count as one because errors last; both equations hold together.  The covariance
of β is ``(Σ R_iᵀ R_i / σ_i²)⁻¹``.  Then `consistent` finds the physical parameters, with the σ_i
of its own residuals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError
from jounce.identification import consistent as cones
from jounce.identification.doubts import doubts
from jounce.identification.information import Information
from jounce.identification.logs import information_of
from jounce.identification.terms import COULOMB_SPEED, FRICTION, Terms
from jounce.model.components import velocity_names
from jounce.model.parameters import friction_kinds
from jounce.model.records import Friction, Joint
from jounce.model.robot import Robot

ROUNDS = 50  # of weights; each is a small least-squares problem
PHYSICAL_ROUNDS = 3  # of the cone problem
SETTLED, ALMOST = 1e-3, 0.05  # relative change of the σ that ends the rounds of either
FINEST = 1e-4  # of its force: the least error that a joint is taken to have
RANK = 1e-10  # of the largest singular value: directions below are not in the data
Array = np.ndarray


class Residuals(NamedTuple):
    """Root mean square of measured less computed force of every velocity, ``(nv,)``.

    ``before`` is that of the robot as it was given, on the training logs.
    """

    training: Array
    validation: Array | None
    before: Array


class BaseEstimate(NamedTuple):
    """Least squares of the base parameters from the data alone, with standard deviations."""

    names: tuple[str, ...]
    values: Array
    uncertainty: Array
    covariance: Array


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """What `identify` found.

    ``parameters`` are all of ``names``: those of the bodies, then those of motors.
    ``uncertainty`` are their standard deviations: from data and prior where there was a prior,
    else from the data alone, infinite for a parameter that only sums with others decide.  ``base``
    is what the data alone say.  ``friction`` has nv numbers a kind, ``armature`` too.
    ``condition`` is that of the weighted regressor with columns of length one.
    """

    robot: Robot
    terms: Terms
    parameters: Array
    uncertainty: Array
    base: BaseEstimate
    residuals: Residuals
    condition: float
    samples: int
    consistent: bool
    prior: str | None
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return self.report()

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every parameter."""
        return self.terms.names

    @property
    def friction(self) -> dict[str, Array]:
        """The friction that was looked for, ``(nv,)`` of each kind."""
        return {kind: self.parameters[self.terms.place(kind)] for kind in self.terms.friction}

    @property
    def armature(self) -> Array | None:
        """The motor inertias, if they were looked for."""
        terms = self.terms
        return self.parameters[terms.place("armature")] if terms.armature else None

    def report(self) -> str:
        """Return residuals, friction, parameters of the bodies and all doubts, as text."""
        terms, robot, names = self.terms, self.robot, velocity_names(self.robot)
        how = f"physical, {self.prior or 'no'} prior" if self.consistent else "least squares"
        after = [x for x in self.residuals[:2] if x is not None]
        lines = [
            f"{robot.name}: {self.samples} samples, {len(self.base.names)} base parameters",
            f"condition {self.condition:.3g}; {how}",
            "",
            "residuals, rms       before   training" + "   validation" * (len(after) - 1),
            *_lines(names, self.residuals.before, *after),
        ]
        for kind in terms.motors:
            own = terms.place(kind)
            lines += ["", f"{kind:<14}     value          ±"]
            lines += _lines(names, self.parameters[own], self.uncertainty[own])
        lines += ["", "bodies           mass      ±      centre of mass                     before"]
        for i, (body, old) in enumerate(zip(robot.bodies, terms.robot.bodies, strict=True)):
            error = self.uncertainty[10 * i]
            place = " ".join(f"{x:9.5f}" for x in body.inertia.com)
            was = f"{old.inertia.mass:.4f} at {' '.join(f'{x:.4f}' for x in old.inertia.com)}"
            lines.append(f"{body.name:<14} {body.inertia.mass:8.4f} {error:8.2g}  {place}   {was}")
        lines += ["", "base parameters from the data alone"]
        width = max(len(name) for name in self.base.names)
        for name, value, error in zip(*self.base[:3], strict=True):
            lines.append(f"  {name:<{width}} {value:11.4g} ± {error:.2g}")
        if self.warnings:
            lines += ["", "doubts", *(f"  {line}" for line in self.warnings)]
        return "\n".join(lines)


def _lines(names: tuple[str, ...], *columns: Array) -> list[str]:
    """Return a line a joint, with a number of each column."""
    rows = zip(names, *columns, strict=True)
    return [f"  {name:<14}" + "".join(f"{x:11.4g}" for x in row) for name, *row in rows]


def identify(
    robot: Robot,
    *logs: Any,
    friction: Sequence[str] | bool | None = None,
    armature: bool | None = None,
    coulomb_speed: float | None = None,
    consistent: bool = True,
    prior: str | None = "entropic",
    prior_weight: float = 0.1,
    validate: Any = None,
    **reading: Any,
) -> Identified:
    """Return the robot whose forces fit the logs, with friction and uncertainties.

    A log is an `Information`, a file with positions and forces, a `MotionTable` of q, v, a and
    forces, or a tuple ``(q, v, a, Q)`` of arrays.  The rates that a file lacks are those of a
    smoothing spline; ``reading`` are the options of `jounce.tables.open_log`, and ``trim``, the
    seconds left out at both ends of a file (five knots of the spline unless told).  ``validate``
    is one log or a list of them, that nothing is fitted to.

    ``friction`` (all of "viscous", "coulomb", "offset" unless told) and ``armature`` are looked
    for too; Coulomb friction is ``c v / √(v² + coulomb_speed²)``.  ``consistent=True`` gives every
    body a mass distribution that exists, and no negative friction; what the data do not decide is
    decided by the ``prior``, the "entropic" or "euclidean" distance to ``robot``, times
    ``prior_weight``.  With ``consistent=False`` the parameters are those of least squares, nearest
    to ``robot`` among all that fit as well.

    >>> import jounce, numpy as np
    >>> arm = jounce.load("planar2r")
    >>> heavy = arm.with_payload("tip", jounce.Inertia(0.5, (0, 0, 0), np.zeros((3, 3))))
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    >>> log = q, v, a, jounce.inverse_dynamics(heavy, q, v, a)[0]
    >>> found = jounce.identification.identify(arm, log, friction=(), consistent=False)
    >>> bool(found.residuals.training.max() < 1e-12)
    True
    """
    if prior not in cones.PRIORS:
        raise ArgumentError(f"prior must be 'entropic', 'euclidean' or None, got {prior!r}.")
    if not prior_weight > 0.0:
        raise ArgumentError(f"prior_weight must be positive, got {prior_weight!r}.")
    if not logs:
        raise ArgumentError("identify needs at least one log after the robot.")
    options = _options(logs, friction, armature, coulomb_speed)
    told = information_from(robot, logs, options, reading)
    held = [] if validate is None else validate if isinstance(validate, list) else [validate]
    unseen = information_from(robot, held, options, reading) if held else None
    check_length(told)
    fit = weighted_fit(told)
    terms, final = told.terms, fit
    if consistent:
        theta, stiffness, final = _physical(told, fit, prior, prior_weight)
        sigma = np.sqrt(np.diag(_posterior(terms, final, stiffness)))
        uncertainty = _alone(terms, final) if prior is None else sigma
    else:
        theta, uncertainty = _nearest(terms, fit.base), _alone(terms, fit)
    residuals = Residuals(
        told.residuals(theta),
        None if unseen is None else unseen.residuals(theta),
        told.residuals(terms.start()),
    )
    estimate = BaseEstimate(terms.base[0], fit.base, final.deviations, final.covariance)
    return Identified(
        with_values(terms, theta, strict=consistent),
        terms,
        theta,
        uncertainty,
        estimate,
        residuals,
        fit.condition,
        told.samples,
        consistent,
        prior if consistent else None,
        (*told.notes, *doubts(told, fit, residuals, consistent)),
    )


class Fit(NamedTuple):
    """Least squares: base parameters, σ of the velocities, covariance (infinite: undecided)."""

    base: Array
    sigma: Array
    covariance: Array
    condition: float

    @property
    def deviations(self) -> Array:
        """Standard deviations of the base parameters."""
        return np.sqrt(np.diag(self.covariance))


def weighted_fit(told: Information) -> Fit:
    """Return the base parameters that fit best, with the weights of their own residuals."""
    sigma = _finest(told)  # the same part of every force, to begin with
    for _ in range(ROUNDS):
        base, covariance, condition = least_squares(*told.weighted(sigma))
        after = _deviations(told, base, sigma, covariance)
        settled = np.max(np.abs(after / sigma - 1.0)) < SETTLED
        sigma = after
        if settled:
            break
    base, covariance, condition = least_squares(*told.weighted(sigma))
    return Fit(base, sigma, covariance, condition)


def least_squares(A: Array, b: Array) -> tuple[Array, Array, float]:
    """Return solution, covariance and condition of least squares; undecided ones stay at zero."""
    lengths = np.linalg.norm(A, axis=0)
    scale = np.where(lengths > RANK * lengths.max(initial=0.0), lengths, 1.0)
    U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
    decided = s > RANK * s[0]
    Vs = Vt[decided] / s[decided, None]
    base = Vs.T @ (U[:, decided].T @ b) / scale
    covariance = Vs.T @ Vs / np.outer(scale, scale)
    lost = np.zeros(A.shape[1], dtype=bool)
    if decided.sum() < A.shape[1]:
        _, _, whole = np.linalg.svd(A / scale)
        lost = np.any(np.abs(whole[decided.sum() :]) > 1e-6, axis=0)
    covariance[lost, lost] = np.inf
    condition = float(s[0] / s[-1]) if not lost.any() and s[-1] else np.inf
    return base, covariance, condition


def _deviations(told: Information, base: Array, sigma: Array, covariance: Array) -> Array:
    """Return σ of every velocity; h is the trace of its rows of the projection on the columns."""
    finite = np.where(np.isfinite(covariance), covariance, 0.0)
    squares = told.squared_errors(base)
    found, lasting = [], told.lasting(base)
    for i, (R, row) in enumerate(zip(told.factors, told.terms.rows, strict=True)):
        X = R[:-1, :-1] @ row.map / sigma[i]
        h = min(float(np.sum((X @ finite) * X)), row.count)
        found.append(np.sqrt(lasting * squares[i] / max(told.samples - h, 1.0)))
    return np.maximum(found, _finest(told))


def _finest(told: Information) -> Array:
    """Return what no force is known better than: then no joint drowns the others."""
    force = np.sqrt(told.squares[2] / told.samples)
    return FINEST * np.maximum(force, FINEST * max(float(force.max()), 1e-300))


def _physical(
    told: Information, fit: Fit, prior: str | None, weight: float
) -> tuple[Array, Array, Fit]:
    """Return θ, the stiffness of the prior, and the fit with the weights that belong to it."""
    terms, sigma = told.terms, fit.sigma
    sizes = cones.motor_sizes(terms, told.squares, told.samples)
    rounds = 0
    while True:
        theta, stiffness = cones.solve(terms, *told.weighted(sigma), sizes, prior, weight)
        after = _deviations(told, terms.base[1] @ theta, sigma, fit.covariance)
        rounds += 1
        settled = np.max(np.abs(after / sigma - 1.0)) < ALMOST
        sigma = after
        if settled or rounds == PHYSICAL_ROUNDS:
            break
    _, covariance, _ = least_squares(*told.weighted(sigma))
    return theta, stiffness, Fit(fit.base, sigma, covariance, fit.condition)


def _posterior(terms: Terms, fit: Fit, stiffness: Array) -> Array:
    """Return the covariance of θ from data and prior: the inverse of what both tell."""
    known = np.isfinite(np.diag(fit.covariance))
    told = np.linalg.pinv(fit.covariance[np.ix_(known, known)], hermitian=True)
    map = terms.base[1][known]
    scale = np.sqrt(np.diag(map.T @ told @ map + stiffness))
    whole = (map.T @ told @ map + stiffness) / np.outer(scale, scale)
    return np.linalg.inv(whole) / np.outer(scale, scale)


def _alone(terms: Terms, fit: Fit) -> Array:
    """Return σ of every parameter that is itself a combination of base parameters, else ∞."""
    map, decided = terms.base[1], np.isfinite(np.diag(fit.covariance))
    back = np.linalg.pinv(map)
    own = np.abs(back @ map - np.eye(len(back))).max(axis=1) < 1e-8
    free = own & (np.abs(back[:, ~decided]).max(axis=1, initial=0.0) < 1e-12)
    finite = np.where(np.isfinite(fit.covariance), fit.covariance, 0.0)
    squares = np.einsum("ij,jk,ik->i", back, finite, back)
    return np.where(free, np.sqrt(squares.clip(0.0)), np.inf)


def _nearest(terms: Terms, base: Array) -> Array:
    """Return the parameters nearest to the robot's that have these base parameters."""
    map, start = terms.base[1], terms.start()
    return start + np.linalg.pinv(map) @ (base - map @ start)


def with_values(terms: Terms, theta: Array, *, strict: bool = True) -> Robot:
    """Return the robot with all parameters found; what mimic joints add stands at their source."""
    robot = terms.robot.with_parameters(theta[: terms.robot.n_parameters], strict=strict)
    return replace(robot, joints=tuple(_with_motor(terms, theta, joint) for joint in robot.joints))


def _with_motor(terms: Terms, theta: Array, joint: Joint) -> Joint:
    """Return the joint with the motor parameters that were looked for."""
    size, values = joint.type.nv, {}
    for kind in terms.motors:
        own = theta[terms.place(kind)][joint.v_slice].tolist()
        values[kind] = tuple(own) if joint.mimic is None else (0.0,) * size
    fields = {"viscous": "damping", "armature": "armature"}
    changes: dict[str, Any] = {fields[x]: values[x] for x in fields if x in values}
    if "coulomb" in values or "offset" in values:
        before = joint.friction or (Friction(),) * size
        coulomb = values.get("coulomb", tuple(one.coulomb for one in before))
        offset = values.get("offset", tuple(one.offset for one in before))
        speeds = [terms.coulomb_speed if "coulomb" in values else one.speed for one in before]
        friction = tuple(map(Friction, coulomb, offset, speeds))
        changes["friction"] = friction if any(coulomb) or any(offset) else ()
    return replace(joint, **changes)


def _options(
    logs: Iterable[Any],
    friction: Sequence[str] | bool | None,
    armature: bool | None,
    coulomb_speed: float | None,
) -> dict[str, Any]:
    """Return what is looked for: as told, else as the given Information has it."""
    usual = {"friction": FRICTION, "armature": False, "coulomb_speed": COULOMB_SPEED}
    known = next((log.terms.options for log in logs if isinstance(log, Information)), usual)
    kinds = None if friction is None else friction_kinds(friction)
    said = {"friction": kinds, "armature": armature, "coulomb_speed": coulomb_speed}
    return known | {name: value for name, value in said.items() if value is not None}


def information_from(
    robot: Robot, logs: Iterable[Any], options: dict[str, Any], reading: dict[str, Any]
) -> Information:
    """Return what all logs together tell."""
    total = Information(robot, **options)
    for log in logs:
        total = total + information_of(robot, log, options, reading)
    return total


def check_length(told: Information) -> None:
    """Raise if there are fewer samples than parameters that one joint feels."""
    for name, row in zip(velocity_names(told.robot), told.terms.rows, strict=True):
        if told.samples <= row.count:
            raise ArgumentError(
                f"the logs have {told.samples} samples; the force of {name} depends on "
                f"{row.count} parameters, so more are needed, thousands for small errors."
            )
