"""What a robot carries: mass, centre of mass and inertia of a load, from logs with and without it.

A load with the parameters π in the frame it is fixed to changes the parameters of its body by
``S π``, S of the pose of the frame, and the base parameters β by ``M π``, M the columns of S::

    min |A_w (β + M π) − b_w|² + |A_0 β − b_0|²

with the rows of the logs with and without the load.  Reduced to a triangle, β first, its last ten
rows are the least squares of π alone; their inverse is its covariance.  Without logs without the
load, the bodies are those of the robot, and β only friction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.algebra.tangent import Tangent, partial
from jounce.errors import ArgumentError
from jounce.identification import consistent as cones
from jounce.identification.identify import (
    check_length,
    information_from,
    least_squares,
    weighted_fit,
)
from jounce.identification.information import Information
from jounce.identification.terms import COULOMB_SPEED, FRICTION
from jounce.identification.triangle import triangle
from jounce.model.inertia import Inertia
from jounce.model.parameters import BODY, friction_kinds
from jounce.model.robot import Robot

Array = np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Payload:
    """A load in the axes of ``frame``: ``robot.with_payload(load.frame, load.inertia)``.

    ``parameters`` are m, m c and the inertia about the origin of the frame, ``uncertainty`` their
    standard deviations, infinite where the logs do not tell.
    """

    frame: str
    inertia: Inertia
    parameters: Array
    uncertainty: Array
    covariance: Array
    warnings: tuple[str, ...]

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return float(self.parameters[0])

    @property
    def com(self) -> Array:
        """Centre of mass in the frame."""
        return np.array(self.inertia.com, dtype=float)

    @property
    def com_uncertainty(self) -> Array:
        """Standard deviation of the centre of mass, ``(3,)``."""
        return self._deviations(self._varied.com)

    @property
    def rotational(self) -> Array:
        """Inertia about the centre of mass, ``(3, 3)``."""
        return np.array(self.inertia.rotational, dtype=float)

    @property
    def rotational_uncertainty(self) -> Array:
        """Standard deviation of every entry of the inertia about the centre of mass."""
        return self._deviations([x for row in self._varied.rotational for x in row]).reshape(3, 3)

    @property
    def _varied(self) -> Inertia:
        """The inertia with its derivatives by the parameters."""
        pairs = enumerate(self.parameters.tolist())
        return Inertia.from_parameters([Tangent(x, {k: 1.0}) for k, x in pairs])

    def _deviations(self, values: Iterable[Any]) -> Array:
        """Return standard deviations of functions of the parameters, by their slopes."""
        slopes = np.array([[float(partial(x, k)) for k in range(10)] for x in values])
        lost = np.isinf(np.diag(self.covariance))
        finite = np.where(np.isfinite(self.covariance), self.covariance, 0.0)
        squares = np.einsum("ij,jk,ik->i", slopes, finite, slopes)
        unknown = np.any(slopes[:, lost] != 0.0, axis=1) | (not self.mass)
        return np.where(unknown, np.inf, np.sqrt(squares.clip(0.0)))

    def report(self) -> str:
        """Return the load with its errors, as text."""
        rows = zip(BODY, self.parameters, self.uncertainty, strict=True)
        lines = [f"load at {self.frame}", f"mass {self.mass:.5g} ± {self.uncertainty[0]:.2g} kg"]
        pairs = zip("xyz", self.com, self.com_uncertainty, strict=True)
        lines += [f"centre {axis} {x:.5g} ± {error:.2g} m" for axis, x, error in pairs]
        upper = np.triu_indices(3)
        labels = [f"I{a}{b}" for a, b in ("xx", "xy", "xz", "yy", "yz", "zz")]
        pairs = zip(labels, self.rotational[upper], self.rotational_uncertainty[upper], strict=True)
        lines += ["about the centre of mass, kg m²"]
        lines += [f"  {name:<4} {x:12.5g} ± {error:.2g}" for name, x, error in pairs]
        lines += ["about the origin of the frame"]
        lines += [f"  {name:<4} {x:12.5g} ± {error:.2g}" for name, x, error in rows]
        return "\n".join(lines + [f"  {line}" for line in self.warnings])


def payload(
    robot: Robot,
    frame: str,
    *logs: Any,
    without: Any = None,
    friction: Sequence[str] | bool = FRICTION,
    coulomb_speed: float = COULOMB_SPEED,
    consistent: bool = True,
    **reading: Any,
) -> Payload:
    """Return the load that ``robot`` carried at ``frame`` in these logs, with its uncertainty.

    ``without`` is a log, or a list of them, of the same robot without the load: then nothing of
    its model is trusted but the geometry.  If there are none, its bodies are taken as they are, and
    only friction is found besides.  Logs and ``reading`` are those of `identify`;
    ``consistent=True`` returns a load that exists.

    >>> import jounce, numpy as np
    >>> arm = jounce.load("panda")
    >>> load = jounce.Inertia(1.5, (0.0, 0.02, 0.1), np.diag([2e-3, 2e-3, 1e-3]))
    >>> held = arm.with_payload("flange", load)
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 500, 7))
    >>> log = q, v, a, jounce.inverse_dynamics(held, q, v, a)[0]
    >>> found = jounce.identification.payload(arm, "flange", log, consistent=False)
    >>> (found.com.round(6) + 0.0).tolist()
    [0.0, 0.02, 0.1]
    """
    if not logs:
        raise ArgumentError("payload needs at least one log with the load.")
    place = robot.frame(frame)
    if place.body < 0:
        raise ArgumentError(f"frame {frame!r} does not move: no force tells what is fixed to it.")
    options = {"friction": friction_kinds(friction), "coulomb_speed": coulomb_speed}
    held = information_from(robot, logs, options, reading)
    check_length(held)
    by_load = _base_change(held, place.body, np.array(place.placement.matrix(), dtype=float))
    rows = _rows(held, by_load)
    if without is None:
        rows = _known_bodies(held, rows)
    else:
        empty = without if isinstance(without, list) else [without]
        bare = information_from(robot, empty, options, reading)
        check_length(bare)
        rows = np.vstack([rows, _rows(bare, np.zeros_like(by_load))])
    own = triangle(rows)[-11:-1, -11:]
    return _found(frame, own[:, :-1], own[:, -1], consistent, tuple(held.notes))


def _base_change(held: Information, body: int, pose: Array) -> Array:
    """Return M, the change of the base parameters by the load's: P becomes T P Tᵀ."""
    unit = cones.pseudo_inertia(np.eye(10))
    moved = cones.body_parameters(pose @ unit @ pose.T).T
    return held.terms.base[1][:, 10 * body : 10 * body + 10] @ moved


def _rows(told: Information, by_load: Array) -> Array:
    """Return the rows of β, the load and the forces, over their standard deviations."""
    A, b = told.weighted(weighted_fit(told).sigma)
    return np.column_stack([A, A @ by_load, b])


def _known_bodies(held: Information, rows: Array) -> Array:
    """Return the rows of friction, the load, and the forces less those of the bodies."""
    terms, count = held.terms, len(held.terms.base[0])
    free = np.array([terms.names.index(n) >= terms.robot.n_parameters for n in terms.base[0]])
    start = terms.start()
    start[terms.robot.n_parameters :] = 0.0
    forces = rows[:, -1] - rows[:, :count] @ (terms.base[1] @ start)
    return np.column_stack([rows[:, :count][:, free], rows[:, count:-1], forces])


def _found(frame: str, R: Array, z: Array, consistent: bool, notes: tuple[str, ...]) -> Payload:
    parameters, covariance, _ = least_squares(R, z)
    deviations = np.sqrt(np.diag(covariance))
    lost = np.isinf(deviations)
    if consistent:
        mass = max(abs(float(parameters[0])), 1e-3)
        parameters = cones.solve_body(R, z, mass * np.diag([0.01, 0.01, 0.01, 1.0]))
    doubts = [f"the logs do not decide {BODY[k]} of the load" for k in np.flatnonzero(lost)]
    weak = ~lost & (deviations > np.abs(parameters))
    if weak.any():
        listed = ", ".join(BODY[k] for k in np.flatnonzero(weak))
        doubts.append(f"the error is larger than the value of {listed}")
    inertia = Inertia.from_parameters(parameters.tolist())
    return Payload(frame, inertia, parameters, deviations, covariance, (*notes, *doubts))
