"""Every error Jounce raises on purpose; each also is the builtin a caller would expect."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class JounceError(Exception):
    """Base of all errors of this package."""


class ShapeError(JounceError, ValueError):
    """An array has the wrong shape or the wrong number of arrays was given."""


class NotFiniteError(JounceError, ValueError):
    """An argument holds NaN or infinity."""


class InvalidInertiaError(JounceError, ValueError):
    """An inertia that no rigid body can have."""


class ModelError(JounceError, ValueError):
    """A robot description that contradicts itself."""


class RobotFormatError(ModelError):
    """A robot file that cannot be read; the message starts with file and line."""


class TableError(JounceError, ValueError):
    """A file of samples that cannot be read; the message starts with file and line."""


class SingularError(JounceError, ArithmeticError):
    """A matrix that has no inverse, such as the mass matrix of a robot with a massless tip."""


class MemoryLimitError(JounceError, MemoryError):
    """A result that would take more memory than the caller allows."""


class UnsupportedError(JounceError, NotImplementedError):
    """Something valid that Jounce does not do."""


class UnknownNameError(JounceError, KeyError):
    """A name that the robot or the program does not know."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name, with the nearest known one first."""
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    listed = ", ".join(names) if names else "none"
    return UnknownNameError(f"no {kind} named {name!r}{hint} Known {kind} names: {listed}.")
