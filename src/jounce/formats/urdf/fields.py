"""Fields of URDF elements: numbers, names, poses, each checked with its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite

from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import IDENTITY as UNROTATED
from jounce.algebra.so3 import from_rpy
from jounce.algebra.vector import Vec3
from jounce.errors import RobotFormatError, unknown_name
from jounce.formats.urdf.xml import Element

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


def required(element: Element, attribute: str) -> str:
    """Return an attribute that must be there and not be blank."""
    value = element.attributes.get(attribute)
    if value is None:
        given = ", ".join(element.attributes) or "none"
        raise element.error(
            f'{element} has no attribute {attribute!r} (it has: {given}); add {attribute}="…".'
        )
    if not value.strip():
        raise element.error(f"attribute {attribute!r} of {element} is empty; give a value.")
    return value


def number(element: Element, attribute: str) -> float:
    """Return a required attribute as one finite number."""
    return numbers(element, attribute, 1)[0]


def optional_number(element: Element, attribute: str) -> float | None:
    """Return an attribute as one finite number, None where it is missing."""
    return number(element, attribute) if attribute in element.attributes else None


def vector(element: Element, attribute: str, default: Vec3 | None = None) -> Vec3:
    """Return an attribute as three finite numbers."""
    if default is not None and attribute not in element.attributes:
        return default
    return Vec3(*numbers(element, attribute, 3))


def numbers(element: Element, attribute: str, count: int) -> list[float]:
    """Return a required attribute as ``count`` finite numbers."""
    text = required(element, attribute)
    words = text.split()
    if len(words) != count:
        expected = "one number" if count == 1 else f"{count} numbers"
        raise element.error(
            f"{attribute}={text!r} of <{element.tag}> must be {expected} separated by spaces, "
            f"got {len(words)}."
        )
    return [_number(element, attribute, word) for word in words]


def _number(element: Element, attribute: str, word: str) -> float:
    if not _NUMBER.fullmatch(word):
        raise _not_a_number(element, attribute, word)
    value = float(word)
    if not isfinite(value):
        raise element.error(
            f"{attribute} of <{element.tag}> is too large for a number of double precision: "
            f"{word!r}."
        )
    return value + 0.0


def _not_a_number(element: Element, attribute: str, word: str) -> RobotFormatError:
    where = f"{attribute}={element.attributes[attribute]!r} of <{element.tag}>"
    if _NOT_FINITE.fullmatch(word):
        return element.error(
            f"{where} is not finite ({word!r}); give a finite number or leave the attribute out."
        )
    hint = "; this is unexpanded xacro, load the .xacro file" if "{" in word else ""
    return element.error(f"{where} must be a number such as 0.5 or 1e-3, got {word!r}{hint}.")


def pose(origin: Element | None) -> Transform:
    """Return the pose an <origin> gives; without one, the identity."""
    if origin is None:
        return IDENTITY
    only_attributes(origin, ("xyz", "rpy"))
    zero = Vec3(0.0, 0.0, 0.0)
    roll, pitch, yaw = vector(origin, "rpy", zero)
    R = from_rpy(roll, pitch, yaw) if roll or pitch or yaw else UNROTATED
    return Transform(R, vector(origin, "xyz", zero))


def only_attributes(element: Element, known: Iterable[str]) -> None:
    """Object to attributes that are not known, so that a misspelt one is not lost."""
    names = list(known)
    for attribute in element.attributes:
        if attribute not in names and not attribute.startswith("xmlns"):
            hint = unknown_name("attribute", attribute, names)
            unknown = f"<{element.tag}>: {hint}"
            element.object(unknown, "", f"{attribute}={element.attributes[attribute]!r} is ignored")


def only_child(element: Element, tag: str, *attributes: str) -> Element | None:
    """Return the child of this tag, None where there is none; there should not be two.

    If ``attributes`` are given it should have no others.
    """
    found = [child for child in element.children if child.tag == tag]
    for other in found[1:]:
        twice = f"second <{tag}> in {element}, the first is in line {found[0].line}"
        other.object(twice, "; keep one.", "the first is taken")
    if found and attributes:
        only_attributes(found[0], attributes)
    return found[0] if found else None


def required_child(element: Element, tag: str, *attributes: str) -> Element:
    """Return the one child of this tag, with these attributes only, if any are given."""
    child = only_child(element, tag, *attributes)
    if child is None:
        raise element.error(f"{element} has no <{tag}>; add one.")
    return child
