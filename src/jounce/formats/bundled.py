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
    path = files("jounce.formats") / "data" / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return from_dict(data, strict=False, where=f"{name}.json")
