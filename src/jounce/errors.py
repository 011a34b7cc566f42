"""Every error Jounce raises on purpose; each also is the builtin a caller would expect."""

from __future__ import annotations

import copyreg
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class JounceError(Exception):
    """Base of all errors of this package."""

    def __reduce__(self) -> tuple[object, ...]:  # some are made of more than their message
        new = copyreg.__newobj__  # pyright: ignore[reportAttributeAccessIssue]
        return new, (type(self), *self.args), self.__dict__


class ShapeError(JounceError, ValueError):
    """An array has the wrong shape or the wrong number of arrays was given."""


class ArgumentError(JounceError, ValueError):
    """A value that cannot be meant, such as a negative tolerance."""


class WrongTypeError(JounceError, TypeError):
    """An argument that is no instance of the class that is expected."""


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


class ClosureError(JounceError, ValueError):
    """A configuration or motion of a robot with closures that does not keep them closed."""


class SingularError(JounceError, ArithmeticError):
    """A matrix that has no inverse, such as the mass matrix of a robot with a massless tip."""


class SingularityError(SingularError):
    """A Jacobian that cannot be inverted; ``rank``, ``condition``, ``direction``, ``index``.

    ``direction`` is the worst of the lost ``directions``, one a row; ``index`` is where in the
    batch the first such sample stands; ``finding`` says it in words.
    """

    def __init__(
        self,
        where: str,
        finding: str,
        loss: tuple[int, float, np.ndarray, bool],
        index: tuple[int, ...] = (),
        advice: str = "Give damping > 0, leave that direction out, or raise condition_limit.",
    ) -> None:
        super().__init__(f"{where}: {finding}. {advice}")
        self.finding, self.index = finding, index
        self.rank, self.condition, self.directions, _ = loss
        self.direction = self.directions[-1]


class PathError(JounceError, ValueError):
    """A path that cannot be followed: ``time``, ``condition`` of the Jacobian and ``q`` there."""

    def __init__(self, message: str, time: float, condition: float, q: np.ndarray) -> None:
        super().__init__(message)
        self.time, self.condition, self.q = time, condition, q


class InfeasibleError(JounceError, ValueError):
    """A motion that breaks a limit however slowly it is played."""


class ConvergenceError(JounceError, ArithmeticError):
    """An iteration that ended before its result was good enough."""


class SimulationError(JounceError, ArithmeticError):
    """A simulation that could not go on; ``partial`` holds what was simulated so far."""

    def __init__(self, message: str, partial: Any) -> None:
        super().__init__(message)
        self.partial = partial


class SolverError(JounceError, ArithmeticError):
    """A numerical problem that its solver gave up."""


class ClusterError(JounceError, ConnectionError):
    """A cluster that cannot be reached, or went away; what was done before is kept."""


class MemoryLimitError(JounceError, MemoryError):
    """A result that would take more memory than the caller allows."""


class UnsupportedError(JounceError, NotImplementedError):
    """Something valid that Jounce does not do."""


class UnknownNameError(JounceError, KeyError):
    """A name that the robot or the program does not know."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


@contextmanager
def located(at: str) -> Iterator[None]:
    """Put the file and the place in it in front of what is wrong with a robot."""
    try:
        yield
    except RobotFormatError:
        raise  # knows where it is
    except InvalidInertiaError as error:
        raise InvalidInertiaError(f"{at}: {error}") from None
    except JounceError as error:
        raise RobotFormatError(f"{at}: {error}") from None


def check_type(what: str, value: object, kind: type) -> None:
    """Raise unless an argument is an instance of a public class such as `jounce.Robot`."""
    if not isinstance(value, kind):
        hint = "; see jounce.load" if kind.__name__ == "Robot" else ""
        given = type(value).__name__
        raise WrongTypeError(f"{what} must be a jounce.{kind.__name__}, got {given}{hint}.")


def check_name(kind: str, name: object, known: Collection[str]) -> None:
    """Raise the error for an unknown name unless it is a known one."""
    if not isinstance(name, str) or name not in known:
        raise unknown_name(kind, name, known)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name, with the nearest known one first."""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    listed = ", ".join(names) if names else "none"
    return UnknownNameError(f"no {kind} named {name!r}{hint} Known {kind} names: {listed}.")
