"""The robots that come with Jounce: one JSON file each, with its sources cited."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jounce.errors import check_name
from jounce.formats.json import from_dict
from jounce.model.robot import Robot

_NAMES = ("humanoid", "iiwa14", "panda", "planar2r", "puma560")


def robots() -> tuple[str, ...]:
    """Return the names of the bundled robots.

    >>> import jounce
    >>> "panda" in jounce.robots()
    True
    """
    return _NAMES


@cache
def load_bundled(name: str) -> Robot:
    """Return a bundled robot, read once per process.

    The published numbers are taken as they are; ``robot.warnings`` names the bodies whose
    inertia no rigid body can have.
    """
    check_name("bundled robot", name, _NAMES)
    return from_dict(json.loads(_text(name)), strict=False, where=f"{name}.json")


def bundled_source(name: str) -> str:
    """Return where the numbers of a bundled robot come from."""
    check_name("bundled robot", name, _NAMES)
    return json.loads(_text(name))["source"]


def _text(name: str) -> str:
    path = files("jounce.formats") / "data" / f"{name}.json"
    return path.read_text(encoding="utf-8")
