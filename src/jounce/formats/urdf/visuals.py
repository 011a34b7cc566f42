"""What the links of a URDF look like; a shape that cannot be read is left out.

A robot without a picture is as good for computing: nothing here is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from jounce.errors import RobotFormatError
from jounce.formats.packages import Packages
from jounce.formats.urdf.fields import number, numbers, only_child, pose, required, required_child
from jounce.formats.urdf.records import UrdfRecord
from jounce.formats.urdf.xml import Element
from jounce.model.visuals import MeshFile, Visual

Color = tuple[float, ...]


def read_visuals(record: UrdfRecord, base: str | None, packages: Packages | None) -> list[Visual]:
    """Return the shapes of all ``<visual>`` elements, link by link."""
    colors = dict(_colors(record.element))
    known = tuple((name, os.fspath(folder)) for name, folder in (packages or {}).items())
    found = []
    for link in record.links.values():
        for element in link.element.children:
            if element.tag == "visual":
                with suppress(RobotFormatError):
                    found.append(_visual(link.name, element, colors, base, known))
    return found


def _colors(root: Element) -> Iterator[tuple[str, Color]]:
    for material in root.children:
        if material.tag == "material":
            with suppress(RobotFormatError):
                yield required(material, "name"), _rgba(material)


def _rgba(material: Element) -> Color:
    return tuple(numbers(required_child(material, "color"), "rgba", 4))


def _color(visual: Element, colors: dict[str, Color]) -> Color | None:
    with suppress(RobotFormatError):
        material = required_child(visual, "material")
        if material.children:
            return _rgba(material)
        return colors.get(required(material, "name"))
    return None


def _visual(
    link: str,
    element: Element,
    colors: dict[str, Color],
    base: str | None,
    packages: tuple[tuple[str, str], ...],
) -> Visual:
    placement = pose(only_child(element, "origin"))
    color = _color(element, colors)
    geometry = required_child(element, "geometry")
    for shape in geometry.children:
        if shape.tag == "mesh":
            mesh = MeshFile(required(shape, "filename"), base, packages)
            scale = numbers(shape, "scale", 3) if "scale" in shape.attributes else (1.0,) * 3
            return Visual(link, placement, "mesh", tuple(scale), mesh, color)
        if shape.tag == "box":
            size = tuple(numbers(shape, "size", 3))
        elif shape.tag in ("cylinder", "capsule"):
            size = (number(shape, "radius"), number(shape, "length"))
        elif shape.tag == "sphere":
            size = (number(shape, "radius"),)
        else:
            continue
        return Visual(link, placement, shape.tag, size, color=color)
    raise geometry.error("no shape that is known.")
