"""Inertia of one body, as users give it, and the check that a body can have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from jounce.algebra.inertia import SpatialInertia, Symmetric3, parallel_axis
from jounce.algebra.vector import ZERO, Vec3
from jounce.errors import ArgumentError, InvalidInertiaError, ShapeError
from jounce.model.checks import finite_vec3, of_type, plain, square_matrix

NEGATIVE_TOLERANCE = 1e-6  # of the trace: what rounding in a text file can do


@dataclass(frozen=True, slots=True, init=False)
class Inertia:
    """Mass, centre of mass and rotational inertia of a body, in the axes of its frame.

    ``rotational`` is a symmetric 3x3 matrix about the centre of mass (``about="com"``) or
    about the origin of the body frame (``about="origin"``).  Stored about the origin, where
    all ten parameters enter linearly.

    >>> rod = Inertia(2.0, (0, 0, 0.5), [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0]])
    >>> rod == Inertia(2.0, (0, 0, 0.5), [[0.7, 0, 0], [0, 0.7, 0], [0, 0, 0]], about="origin")
    True
    """

    spatial: SpatialInertia

    def __init__(self, mass: Any, com: Any, rotational: Any, *, about: str = "com") -> None:
        if not isinstance(about, str) or about not in ("com", "origin"):
            raise ArgumentError(f"about must be 'com' or 'origin', got {about!r}.")
        mass, com = plain(mass, "mass"), finite_vec3("com", com)
        matrix = _symmetric(rotational)
        if about == "com":
            matrix = matrix + parallel_axis(com, ZERO, mass)
        spatial = SpatialInertia(mass, com * mass, matrix)
        object.__setattr__(self, "spatial", _tidy(spatial))

    @classmethod
    def from_spatial(cls, spatial: SpatialInertia) -> Inertia:
        """Wrap mass, first moment and rotational inertia about the origin."""
        inertia = cls.__new__(cls)
        object.__setattr__(inertia, "spatial", _tidy(spatial))
        return inertia

    @classmethod
    def from_parameters(cls, parameters: Sequence[Any]) -> Inertia:
        """Build from m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the origin."""
        if len(parameters) != 10:
            raise ShapeError(
                f"an inertia has 10 parameters (m, m c, Ixx Iyy Izz Ixy Ixz Iyz), "
                f"got {len(parameters)}."
            )
        return cls.from_spatial(SpatialInertia.of(parameters))

    @property
    def parameters(self) -> tuple[Any, ...]:
        """M, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the origin."""
        mass, first_moment, rotational = self.spatial
        return (mass, *first_moment, *rotational)

    @property
    def mass(self) -> Any:
        """Mass in kg."""
        return self.spatial.mass

    @property
    def com(self) -> Vec3:
        """Centre of mass in the body frame; the origin for a massless body."""
        mass, first_moment, _ = self.spatial
        massless = isinstance(mass, float) and mass == 0.0
        return ZERO if massless else Vec3(*(h / mass for h in first_moment))

    @property
    def rotational(self) -> tuple[Vec3, Vec3, Vec3]:
        """Rotational inertia about the centre of mass, 3x3."""
        return (self.spatial.rotational - parallel_axis(self.com, ZERO, self.mass)).rows

    @property
    def rotational_origin(self) -> tuple[Vec3, Vec3, Vec3]:
        """Rotational inertia about the origin of the body frame, 3x3."""
        return self.spatial.rotational.rows


def check_inertia(inertia: Inertia, body: str) -> None:
    """Raise InvalidInertiaError unless some distribution of mass ≥ 0 has this inertia.

    The condition is that the pseudo-inertia is positive semidefinite: m ≥ 0 and
    ``½ tr(I) 1 − I ≥ 0`` about the centre of mass (the triangle inequality of the principal
    moments, and more).  Symbolic inertias are not checked.
    """
    check_finite_inertia(inertia, body)
    fault = inertia_fault(inertia, body)
    if fault is None:
        return
    if "eigenvalue" in fault:
        fault += (
            " (half-trace minus moment of inertia about the centre of mass). Usual cause: the "
            'matrix was given about the wrong point; see Inertia(..., about="com" | "origin"). '
            "Pass strict=False to compute with it anyway"
        )
    raise InvalidInertiaError(f"{fault}.")


def inertia_fault(inertia: Inertia, body: str) -> str | None:
    """Say why no body has this inertia, and by how much; None if one has, or it is symbolic."""
    if not all(isinstance(x, float) for x in inertia.parameters):
        return None
    if inertia.mass < 0.0:
        return f"mass of body {body!r} is negative: {inertia.mass:g} kg"
    if inertia.mass == 0.0 and any(inertia.spatial.first_moment):
        return f"body {body!r} is massless but has a first moment m·c"
    with np.errstate(over="ignore", invalid="ignore"):
        about_com = np.array(inertia.rotational)
        trace = float(np.trace(about_com))
        pseudo_inertia = 0.5 * trace * np.eye(3) - about_com
    if not np.isfinite(pseudo_inertia).all():
        return (
            f"the inertia of body {body!r} is too large to compute with: m, m·c, I = "
            f"{inertia.parameters}"
        )
    smallest = float(np.linalg.eigvalsh(pseudo_inertia)[0])
    scale = max(abs(trace), float(np.abs(about_com).max()))
    roundoff = 1e-12 * float(np.abs(inertia.rotational_origin).max())
    if smallest >= -NEGATIVE_TOLERANCE * scale - roundoff:
        return None
    return (
        f"no rigid body can have the inertia of {body!r}: its pseudo-inertia has the eigenvalue "
        f"{smallest:.3g} kg·m² < 0"
    )


def check_finite_inertia(inertia: Inertia, body: str) -> None:
    """Raise InvalidInertiaError if a number is NaN or infinite: nothing computes with that."""
    if not all(isfinite(x) for x in inertia.parameters if isinstance(x, float)):
        raise InvalidInertiaError(
            f"inertia of body {body!r} is not finite: m, m·c, I = {inertia.parameters}."
        )


def _symmetric(rotational: Any) -> Symmetric3:
    m = square_matrix(rotational, 3, "rotational inertia")
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = m[i][j], m[j][i]
        if isinstance(a, float) and isinstance(b, float):
            largest = max(abs(x) for row in m for x in row if isinstance(x, float))
            if abs(a - b) > 1e-9 * largest:
                raise InvalidInertiaError(
                    f"rotational inertia is not symmetric: entry ({i}, {j}) is {a:g}, "
                    f"entry ({j}, {i}) is {b:g}."
                )
    return Symmetric3(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])


def _tidy(spatial: SpatialInertia) -> SpatialInertia:
    mass, first_moment, rotational = spatial
    return SpatialInertia(
        plain(mass, "mass"),
        Vec3(*(plain(x, "first moment") for x in first_moment)),
        Symmetric3(*(plain(x, "rotational inertia") for x in rotational)),
    )


NO_MATTER = Inertia(0.0, ZERO, np.zeros((3, 3)))


def matter_of(inertia: Any, body: str) -> Inertia:
    """Return the inertia that is given for a body; None is no matter."""
    if inertia is None:
        return NO_MATTER
    example = "jounce.Inertia(mass, com, rotational)"
    return of_type(inertia, Inertia, f"inertia of {body!r}", example)
