"""What makes an identification doubtful, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from jounce.identification.information import Information
from jounce.identification.terms import Row
from jounce.model.components import velocity_kinds, velocity_names

if TYPE_CHECKING:
    from jounce.identification.identify import Fit, Residuals

WORSE = 1.5  # residual of validation over that of training
UNEXPLAINED = 0.5  # residual over the whole force
UNPHYSICAL = 1.5  # residual of physical parameters over that of least squares
NOTHING = 1e-3  # residual over the whole force that is not worth a word
STILL = 0.02  # of the fastest joint of its kind
ILL = 1e3  # condition number of columns of length one
SIGNIFICANT = 3.0  # standard deviations
ALIKE = 0.5  # correlation of measured and modelled force that says anything of its sign
SURE = 0.9  # and of its size
FACTOR = 4.0  # by which units differ, at least
SHOWN = 6


def doubts(told: Information, fit: Fit, residuals: Residuals, consistent: bool) -> Iterator[str]:
    """Yield one line for each thing a user should know."""
    yield from _still(told)
    yield from _signs(told, fit)
    yield from _undecided(told, fit)
    if fit.condition > ILL:
        yield (
            f"the condition number is {fit.condition:.2g}: small errors of the log become large "
            "ones of the parameters; a motion of jounce excite is made to avoid that"
        )
    names, force = velocity_names(told.robot), np.sqrt(told.squares[2] / told.samples)
    least = np.sqrt(told.squared_errors(fit.base) / told.samples)
    for i, name in enumerate(names):
        error = residuals.training[i]
        if error > UNEXPLAINED * force[i]:
            yield (
                f"{name}: {error:.3g} of {force[i]:.3g} rms of the force stay unexplained; are "
                "these the forces of this joint of this robot?"
            )
        elif consistent and error > UNPHYSICAL * least[i] and error > NOTHING * force[i]:
            yield (
                f"{name}: no physical robot fits as well as plain least squares ({error:.3g} "
                f"against {least[i]:.3g} rms); the geometry, or what acts besides the robot, "
                "differs from the model"
            )
        if residuals.validation is not None and residuals.validation[i] > WORSE * error:
            yield (
                f"{name}: the residual is {residuals.validation[i]:.3g} on the validation logs, "
                f"{error:.3g} on those of training: the model does not hold elsewhere; train on "
                "motions like those it is for"
            )


def _still(told: Information) -> Iterator[str]:
    speed = np.sqrt(told.squares[0] / told.samples)
    kinds = np.array(velocity_kinds(told.robot))
    for i, name in enumerate(velocity_names(told.robot)):
        fastest = speed[kinds == kinds[i]].max()
        if speed[i] <= STILL * fastest:
            yield (
                f"{name} hardly moved ({speed[i]:.2g} rms of its velocity): its friction and the "
                "inertia about it cannot be told"
            )


def _signs(told: Information, fit: Fit) -> Iterator[str]:
    """Compare the force with that of the model, and the sign of friction with that of speed."""
    base = told.terms.base[1] @ told.terms.start()
    places = {name: i for i, name in enumerate(told.terms.base[0])}
    for i, name in enumerate(velocity_names(told.robot)):
        alike, factor = _compared(told.factors[i], told.terms.rows[i], base)
        usual = 1.0 / FACTOR < factor < FACTOR
        brakes = []
        for symbol in ("Fv", "Fc"):
            k = places.get(f"{symbol}({name})")
            if k is not None and np.isfinite(fit.deviations[k]):
                brakes.append(fit.base[k] / max(fit.deviations[k], 1e-300))
        if alike < -(ALIKE if usual else SURE):
            yield (
                f"{name}: the measured force is the opposite of what the model needs "
                f"(correlation {alike:.2f}); the sign of its column is wrong"
            )
        elif brakes and min(brakes) < -SIGNIFICANT and max(brakes) < SIGNIFICANT:
            yield (
                f"{name}: its friction drives it; the sign of its force, or of its position, "
                "is wrong"
            )
        if abs(alike) > SURE and not usual:
            yield (
                f"{name}: the measured force is {factor:.3g} times that of the model; is it in "
                "N m (N), and on the joint's side of the gear?"
            )


def _compared(R: np.ndarray, row: Row, base: np.ndarray) -> tuple[float, float]:
    """Return correlation and ratio of measured force and that of the model, less friction.

    Both are taken across the columns of the motor, which any friction and offset could explain.
    """
    motors = np.linalg.qr(R[:, len(row.matter) : -1])[0]
    both = np.stack([R[:, :-1] @ (row.map @ base), R[:, -1]], axis=1)
    both -= motors @ (motors.T @ both)
    model, measured = np.linalg.norm(both, axis=0)
    if not model or not measured:
        return 0.0, 1.0
    return float(both[:, 0] @ both[:, 1] / (model * measured)), float(measured / model)


def _undecided(told: Information, fit: Fit) -> Iterator[str]:
    lost = [told.terms.base[0][i] for i in np.flatnonzero(np.isinf(fit.deviations))]
    unsure = np.isfinite(fit.deviations) & (fit.deviations > np.abs(fit.base))
    weak = [told.terms.base[0][i] for i in np.flatnonzero(unsure)]
    if lost:
        yield f"the data do not decide {_listed(lost)}"
    if weak:
        yield f"the data hardly decide {_listed(weak)}: the error is larger than the value"


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
