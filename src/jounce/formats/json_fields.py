"""Entries of a robot file: the right ones, of the right type, or an error that says where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from jounce.errors import InvalidInertiaError, JounceError, RobotFormatError


@contextmanager
def located(at: str) -> Iterator[None]:
    """Put the file and the entry in front of what the builder has to say."""
    try:
        yield
    except RobotFormatError:
        raise  # knows where it is
    except InvalidInertiaError as error:
        raise InvalidInertiaError(f"{at}: {error}") from error
    except JounceError as error:
        raise RobotFormatError(f"{at}: {error}") from error


def check_entries(data: Any, at: str, required: str, optional: str = "") -> None:
    """Raise unless ``data`` is an object with these entries (names apart by blanks) only."""
    if not isinstance(data, Mapping):
        raise RobotFormatError(f"{at}: expected an object {{…}}, got {_shown(data)}.")
    known = [*required.split(), *optional.split()]
    for key in required.split():
        if key not in data:
            raise RobotFormatError(f"{at}: the entry {key!r} is missing.")
    for key in data:
        if key not in known:
            raise RobotFormatError(
                f"{at}: unknown entry {key!r}; an entry that is not understood might change the "
                f"dynamics. Known entries: {', '.join(known)}."
            )


def text(data: Mapping[str, Any], key: str, at: str, default: str | None = None) -> str:
    """Return a string."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise RobotFormatError(f"{at}: {key!r} must be a string, got {_shown(value)}.")
    return value


def array(data: Mapping[str, Any], key: str, at: str, default: Sequence[Any] = ()) -> list[Any]:
    """Return a list; its items are checked by whoever knows what they mean."""
    value = data.get(key, default)
    if isinstance(value, str | Mapping) or not hasattr(value, "__len__"):
        raise RobotFormatError(f"{at}: {key!r} must be a list […], got {_shown(value)}.")
    return list(value)


def strings(data: Mapping[str, Any], key: str, at: str) -> list[str]:
    """Return a list of strings."""
    values = array(data, key, at)
    for value in values:
        if not isinstance(value, str):
            raise RobotFormatError(f"{at}: {key!r} must hold strings, got {_shown(value)}.")
    return values


def matrix(data: Mapping[str, Any], at: str) -> list[list[Any]]:
    """Return the 4x4 matrix of the entries ``rotation`` and ``translation``."""
    rotation = array(data, "rotation", at, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    translation = array(data, "translation", at, (0, 0, 0))
    if len(translation) != 3:
        raise RobotFormatError(f"{at}: 'translation' must be 3 numbers, got {_shown(translation)}.")
    rows = [list(row) if hasattr(row, "__len__") else [] for row in rotation]
    if [len(row) for row in rows] != [3, 3, 3]:
        raise RobotFormatError(f"{at}: 'rotation' must be 3 rows of 3 numbers.")
    return [*([*row, p] for row, p in zip(rows, translation, strict=True)), [0.0, 0.0, 0.0, 1.0]]


def _shown(value: Any) -> str:
    shown = "null" if value is None else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
