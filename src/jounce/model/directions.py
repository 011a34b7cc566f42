"""Directions of a twist by name: what a task asks for, and what a closure holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jounce.errors import ArgumentError, check_name

DIRECTIONS = ("wx", "wy", "wz", "vx", "vy", "vz")
_GROUPS = {"all": DIRECTIONS, "angular": DIRECTIONS[:3], "linear": DIRECTIONS[3:]}


def checked_directions(directions: str | Sequence[str] | None) -> list[str]:
    """Return names of directions, in the order given; None is all six.

    >>> checked_directions("linear")
    ['vx', 'vy', 'vz']
    """
    if directions is None:
        return list(DIRECTIONS)
    if not isinstance(directions, Iterable):
        raise ArgumentError(f"directions must be names such as 'wx vz', got {directions!r}.")
    words = directions.split() if isinstance(directions, str) else list(directions)
    for word in words:
        check_name("direction", word, (*DIRECTIONS, *_GROUPS))
    names = [name for word in words for name in _GROUPS.get(word, (word,))]
    if not names or len(set(names)) < len(names):
        raise ArgumentError(f"directions must be one or more different names, got {names}.")
    return names


def in_order(names: Sequence[str]) -> str:
    """Return directions in the order of the six components, as one text."""
    return " ".join(d for d in DIRECTIONS if d in names)
