"""Write the matter and friction of a robot back into the URDF it came from.

Only the ``<inertial>`` of links and the ``<dynamics>`` of joints are replaced or added; every
other byte of the file stays.  Links welded to a moving one keep their matter, and the moving one
gets the rest; where that rest could not be a body, it gets all and they get none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from jounce.errors import UnsupportedError
from jounce.files import atomic_write
from jounce.formats.urdf.reader import load_urdf
from jounce.formats.urdf.records import read_records
from jounce.formats.urdf.xml import Document
from jounce.model.inertia import NO_MATTER, Inertia, inertia_fault
from jounce.model.records import COULOMB_SPEED
from jounce.model.robot import Robot

_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")  # up to its > outside of quotes


class _Span(NamedTuple):
    """Bytes of an element: where it starts, where its first tag ends, and where it ends."""

    start: int
    inside: int
    end: int


Edits = dict[tuple[int, int], str]


# A link or joint by tag and name, and the child of it that is written, if it has one.
Elements = dict[tuple[str, str], tuple[_Span, _Span | None]]


def write_urdf(
    robot: Robot, source: str | os.PathLike[str], target: str | os.PathLike[str]
) -> tuple[str, ...]:
    """Write the URDF file ``source`` with the inertias and friction of ``robot`` to ``target``.

    Returns what a URDF cannot hold, one line each: motor inertias, offsets, the speed over which
    Coulomb friction is smoothed unless it is the usual one.  The matter of the base has no place
    either and stays as it is.  ``load(target, damping=True, friction=True)`` reads it all again.
    """
    source = Path(source)
    if source.suffix.lower() != ".urdf":
        raise UnsupportedError(
            f"{source}: only a .urdf file can be written back to; save the robot as .json instead."
        )
    data = source.read_bytes()
    before = load_urdf(data, strict=False)
    names = {body.name for body in before.bodies}
    strangers = [body.name for body in robot.bodies if body.name not in names]
    if strangers or len(names) != robot.n_bodies:
        raise UnsupportedError(
            f"{source}: the bodies of {robot.name!r} are not those of this file"
            + (f" ({strangers[0]!r} is not in it)" if strangers else "")
            + "; write it back to the file it was loaded from, without locked or added joints."
        )
    matter = {
        name: link.inertia
        for name, link in read_records(data, Document(str(source), strict=False)).links.items()
        if link.inertia is not None
    }
    elements = _elements(data)
    edits = _inertials(robot, before, matter, data, elements) | _dynamics(robot, data, elements)
    for start, end in sorted(edits, reverse=True):
        data = data[:start] + edits[start, end].encode("ascii") + data[end:]
    with atomic_write(target, "wb") as file:
        file.write(data)
    return tuple(_unsaid(robot))


def _inertials(
    robot: Robot, before: Robot, matter: dict[str, Inertia], data: bytes, elements: Elements
) -> Edits:
    """Return the new inertial of every link that has to change."""
    edits: Edits = {}
    places = {body.name: i for i, body in enumerate(before.bodies)}
    for body in robot.bodies:
        welded = {
            frame.name: matter[frame.name].spatial.moved(frame.placement)
            for frame in before.frames
            if frame.body == places[body.name] and frame.name != body.name and frame.name in matter
        }
        rest = body.inertia.spatial
        for own in welded.values():
            rest = rest - own
        mine = Inertia.from_spatial(rest)
        if inertia_fault(mine, body.name) is not None:
            mine = body.inertia
            for name in welded:
                edits |= _edit(data, *elements["link", name], _inertial_text(NO_MATTER))
        edits |= _edit(data, *elements["link", body.name], _inertial_text(mine))
    return edits


def _dynamics(robot: Robot, data: bytes, elements: Elements) -> Edits:
    """Return the new dynamics of every joint that has friction, or had a place for it."""
    edits: Edits = {}
    for joint in robot.joints:
        span, child = elements["joint", joint.name]
        viscous = float(joint.damping[0]) if joint.damping else 0.0
        dry = float(joint.friction[0].coulomb) if joint.friction else 0.0
        if child is not None or viscous or dry:
            text = f'<dynamics damping="{viscous!r}" friction="{dry!r}"/>'
            edits |= _edit(data, span, child, [text])
    return edits


def _inertial_text(inertia: Inertia) -> list[str]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.rotational
    entries = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    numbers = " ".join(f'{name}="{float(x)!r}"' for name, x in entries.items())
    return [
        "<inertial>",
        f'  <origin xyz="{" ".join(repr(float(x)) for x in inertia.com)}" rpy="0 0 0"/>',
        f'  <mass value="{float(inertia.mass)!r}"/>',
        f"  <inertia {numbers}/>",
        "</inertial>",
    ]


def _edit(data: bytes, span: _Span, child: _Span | None, lines: list[str]) -> Edits:
    """Return the replacement of the child, or its insertion as the first one."""
    if child is not None:
        return {(child.start, child.end): f"\n{_indent(data, child.start)}".join(lines)}
    indent = _indent(data, span.start)
    text = "".join(f"\n{indent}  {line}" for line in lines)
    if span.inside < span.end:
        return {(span.inside, span.inside): text}
    tag = data[span.start : span.end].split(None, 1)[0].decode("ascii").strip("</>")
    slash = data.rindex(b"/", span.start, span.end)
    return {(slash, span.end): f">{text}\n{indent}</{tag}>"}


def _indent(data: bytes, start: int) -> str:
    """Return the white space before an element that begins its line."""
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return before.decode("ascii") if not before.strip() else ""


def _elements(data: bytes) -> Elements:
    """Return the links and joints of the robot, with their inertial or dynamics."""
    elements: Elements = {}
    wanted = {"link": "inertial", "joint": "dynamics"}
    parser = expat.ParserCreate()
    open_tags: list[tuple[str, str, int]] = []  # tag, name, where it starts
    child: list[_Span] = []

    def tag_end(begin: int) -> int:
        found = _TAG.match(data, begin)
        assert found is not None  # expat has read it
        return found.end()

    def start(tag: str, attributes: dict[str, str]) -> None:
        open_tags.append((tag, attributes.get("name", ""), parser.CurrentByteIndex))

    def end(tag: str) -> None:
        _, name, first = open_tags.pop()
        inside = last = tag_end(first)
        if data[inside - 2 : inside] != b"/>":
            last = tag_end(parser.CurrentByteIndex)
        span = _Span(first, inside, last)
        if len(open_tags) == 2 and tag == wanted.get(open_tags[-1][0]):
            child.append(span)
        elif len(open_tags) == 1 and tag in wanted:
            elements[tag, name] = span, child[0] if child else None
            child.clear()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    return elements


def _unsaid(robot: Robot) -> Iterator[str]:
    for joint in robot.joints:
        lost = []
        if any(joint.armature):
            lost.append("motor inertia")
        if any(one.offset for one in joint.friction):
            lost.append("the offset of its force")
        odd = [x.speed for x in joint.friction if x.coulomb and x.speed != COULOMB_SPEED]
        if odd:
            lost.append(f"the speed {odd[0]:g} that smooths the friction")
        if lost:
            yield f"a URDF has no place for {' and '.join(lost)} of {joint.name}"
