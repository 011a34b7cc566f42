"""What logs tell about the parameters, in a size that does not depend on their length.

The rows of one velocity, the force in the last column, are reduced to a triangle as they come::

    (X  Q) = orthogonal · R          R  (n + 1, n + 1)

R keeps all that least squares need, ``|X β − Q| = |R (β; −1)|``, and no square of a condition
number enters.  Two triangles make one in the same way, in any order.  Every velocity has its own,
so weights can be chosen afterwards.

Errors of real logs last longer than a sample: friction is not quite as modelled, drives swing.
So the means of batches of consecutive samples are reduced as well.  Were the errors independent,
the mean of B of them would have the variance σ² / B; how much larger it is says how many samples
count as one (the method of batch means).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from jounce.errors import ArgumentError, ShapeError, TableError
from jounce.files import atomic_write
from jounce.formats.load import load as load_robot
from jounce.identification.terms import COULOMB_SPEED, FRICTION, OPTIONS, Terms, terms_of
from jounce.identification.triangle import BLOCK, merged, reduced, triangle, upright
from jounce.kernels.kernel import kernel
from jounce.model.checks import checked, checked_configuration
from jounce.model.components import velocity_names
from jounce.model.parameters import friction_kinds
from jounce.model.robot import Robot

BATCHES = (128, 1024)  # samples whose mean is taken; each a multiple of the one before
VERSION = 1  # of the saved files
SAVED = ("squares", "lower", "upper", "counts")  # arrays of its own, beside the triangles
Array = np.ndarray


class Information:
    """All that logs of a robot tell about its parameters.

    ``friction`` and ``armature`` are looked for besides the parameters of the bodies; what the
    robot has of those that are not looked for is taken from the forces.  Coulomb friction is
    ``c v / √(v² + coulomb_speed²)``.  ``a + b`` joins two, ``samples`` counts.

    >>> import jounce, numpy as np
    >>> arm = jounce.load("planar2r")
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 100, 2))
    >>> told = Information(arm, friction=()).add(q, v, a, jounce.inverse_dynamics(arm, q, v, a)[0])
    >>> told.samples, bool(told.residuals(told.terms.start()).max() < 1e-12)
    (100, True)
    """

    def __init__(
        self,
        robot: Robot,
        *,
        friction: Sequence[str] | bool = FRICTION,
        armature: bool = False,
        coulomb_speed: float = COULOMB_SPEED,
    ) -> None:
        self.terms: Final[Terms] = terms_of(
            robot, friction_kinds(friction), armature, coulomb_speed
        )
        self.factors = [np.zeros((row.count + 1,) * 2, order="F") for row in self.terms.rows]
        self.batches = [[np.zeros_like(R) for R in self.factors] for _ in BATCHES]
        self.counts = np.zeros(len(BATCHES), dtype=int)  # of batches
        self.samples = 0
        self.notes: list[str] = []  # of the reader of the logs
        self.failed: tuple[str, ...] = ()  # logs of a fleet that could not be read
        self.squares = np.zeros((3, robot.nv))  # sums of v², a², Q²
        self.lower = np.full(robot.nv, np.inf)  # of the velocity
        self.upper = np.full(robot.nv, -np.inf)

    def __str__(self) -> str:
        looked = ", ".join([*self.terms.friction, *["armature"] * self.terms.armature])
        return (
            f"information of {self.samples} samples about the {len(self.terms.names)} parameters "
            f"of {self.terms.robot.name}{f', with {looked}' if looked else ''}"
        )

    @property
    def robot(self) -> Robot:
        """The robot whose logs these are."""
        return self.terms.robot

    def add(self, q: Any, v: Any, a: Any, Q: Any) -> Information:
        """Take in samples: q ``(*batch, nq)``, v, a and forces Q ``(*batch, nv)``."""
        nv = self.robot.nv
        q = checked_configuration(self.robot, q)
        v, a, Q = (checked(name, x, nv) for name, x in (("v", v), ("a", a), ("Q", Q)))
        if not q.shape[:-1] == v.shape[:-1] == a.shape[:-1] == Q.shape[:-1]:
            raise ShapeError(
                "q, v, a and Q must have the same samples, got the shapes "
                f"{q.shape}, {v.shape}, {a.shape}, {Q.shape}."
            )
        q, v, a, Q = (x.reshape(-1, x.shape[-1]) for x in (q, v, a, Q))
        regressor = kernel(self.robot, "regressor")
        means: list[list[Array]] = [[] for _ in self.factors]
        for first in range(0, len(q), BLOCK):
            part = slice(first, first + BLOCK)
            Y = regressor(q[part], v[part], a[part])[0]
            for i, rows in enumerate(self._rows(Y, v[part], a[part], Q[part])):
                means[i].append(_means(rows, BATCHES[0]))
                self.factors[i] = reduced(self.factors[i], rows)
        self._reduce_means([np.concatenate(x) for x in means] if len(q) else [])
        self.factors = [upright(R) for R in self.factors]
        if len(q):
            self.samples += len(q)
            self.squares += [np.sum(x * x, axis=0) for x in (v, a, Q)]
            self.lower = np.minimum(self.lower, v.min(axis=0))
            self.upper = np.maximum(self.upper, v.max(axis=0))
        return self

    def _rows(self, Y: Array, v: Array, a: Array, Q: Array) -> Iterator[Array]:
        """Yield the rows of every velocity, its force in the last column."""
        signals = self.terms.motor_signals(v, a)
        Q = Q - self.terms.known_forces(v, a)
        for i, row in enumerate(self.terms.rows):
            rows = np.empty((len(Q), row.count + 1), order="F")
            count = len(row.matter)
            rows[:, :count] = Y[:, i, row.matter]
            for k, kind in enumerate(row.motors):
                rows[:, count + k] = signals[kind][:, i]
            rows[:, -1] = Q[:, i]
            yield rows

    def _reduce_means(self, means: list[Array]) -> None:
        """Take in the means of the shortest batches, ``(batches, columns)`` of every velocity."""
        for level, batch in enumerate(BATCHES):
            for i, rows in enumerate(means):
                longer = _means(rows, batch // BATCHES[0])
                self.batches[level][i] = reduced(self.batches[level][i], longer)
            self.counts[level] += len(means[0]) // (batch // BATCHES[0]) if means else 0

    def __add__(self, other: Information) -> Information:
        if not isinstance(other, Information):
            return NotImplemented
        if self.terms != other.terms:
            raise ArgumentError(
                f"these tell of different parameters: {_said(self.terms)}, and "
                f"{_said(other.terms)}; make both with the same robot and options."
            )
        both = Information(self.robot, **self.terms.options)
        levels = ((one.factors, *one.batches) for one in (self, other))
        both.factors, *both.batches = [
            [merged(a, b) for a, b in zip(ours, theirs, strict=True)]
            for ours, theirs in zip(*levels, strict=True)
        ]
        for name in ("counts", "notes", "samples", "squares"):
            setattr(both, name, getattr(self, name) + getattr(other, name))
        both.lower = np.minimum(self.lower, other.lower)
        both.upper = np.maximum(self.upper, other.upper)
        return both

    def weighted(self, sigma: Array) -> tuple[Array, Array]:
        """Return A ``(n, base)`` and b: all rows over σ of their velocity, ``min |A β − b|``."""
        parts = []
        for R, row, s in zip(self.factors, self.terms.rows, sigma, strict=True):
            parts.append(np.column_stack([R[:-1, :-1] @ row.map, R[:-1, -1]]) / s)
        factor = triangle(np.vstack(parts))[:-1]
        return factor[:, :-1], factor[:, -1]

    def residuals(self, parameters: Array) -> Array:
        """Return the root mean square of ``Q − Y θ`` of every velocity, ``(nv,)``."""
        return np.sqrt(self.squared_errors(self.terms.base[1] @ parameters) / max(self.samples, 1))

    def squared_errors(self, base: Array) -> Array:
        """Return the sum of squared errors of every velocity with these base parameters."""
        found = []
        for R, row in zip(self.factors, self.terms.rows, strict=True):
            found.append(np.sum((R @ np.append(row.map @ base, -1.0)) ** 2))
        return np.array(found)

    def lasting(self, base: Array) -> float:
        """Return how many samples count as one, because errors last: at least 1.

        ``B var(mean of B errors) / var(error)``: the middle one of all velocities with enough
        batches, the largest over B.
        """
        errors, found = self.squared_errors(base) / max(self.samples, 1), [1.0]
        for batch, count, factors in zip(BATCHES, self.counts, self.batches, strict=True):
            ratios = []
            for R, row, error in zip(factors, self.terms.rows, errors, strict=True):
                if count >= 2 * row.count and error:
                    square = np.sum((R @ np.append(row.map @ base, -1.0)) ** 2)
                    ratios.append(batch * square / (count - row.count) / error)
            found.append(float(np.median(ratios or [1.0])))
        return max(found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a ``.npz`` file, the robot included; `Information.load` reads it."""
        options = {"version": VERSION, "robot": self.robot.to_dict(), **self.terms.options}
        options["samples"] = self.samples
        levels = [self.factors, *self.batches]
        arrays = {f"factor_{k}_{i}": R for k, part in enumerate(levels) for i, R in enumerate(part)}
        arrays |= {name: getattr(self, name) for name in SAVED}
        with atomic_write(path, "wb") as file:
            np.savez(file, options=np.array(json.dumps(options)), **arrays)  # pyright: ignore[reportArgumentType]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Information:
        """Read what `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                options = json.loads(str(file["options"]))
                looked_for = {name: options[name] for name in OPTIONS}
                found = cls(load_robot(options["robot"]), **looked_for)
                found.samples = options["samples"]
                for name in SAVED:
                    setattr(found, name, file[name])
                found.factors, *found.batches = [
                    [np.asfortranarray(file[f"factor_{k}_{i}"]) for i in range(len(found.factors))]
                    for k in range(1 + len(BATCHES))
                ]
        except (KeyError, ValueError, OSError) as error:
            if isinstance(error, OSError) and not Path(path).is_file():
                raise
            raise TableError(
                f"{os.fspath(path)}: not a file of Information.save ({error})."
            ) from error
        return found


def _means(rows: Array, batch: int) -> Array:
    """Return the means of ``batch`` rows each, as many as are complete."""
    starts = range(0, len(rows) - batch + 1, batch)
    one = np.full(batch, 1.0 / batch)
    return np.array([one @ rows[k : k + batch] for k in starts], order="F").reshape(
        -1, rows.shape[1]
    )


def _said(terms: Terms) -> str:
    joints = ", ".join(velocity_names(terms.robot)[:3])
    return f"{terms.robot.name!r} ({joints}, …) with {', '.join(terms.motors) or 'no motors'}"
