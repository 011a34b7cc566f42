"""What the columns of other programs are called, in the words of `jounce.tables.columns`.

A column belongs to a joint by its name, ``/joint_states/elbow/position``, ``elbow_pos``, or by a
number, ``q1``, ``actual_q_0``, ``position[0]``; numbers count the joints of the robot, unless
columns such as ``name[0]`` say which joint each is.  Columns that differ in nothing but the joint
are a group, and the positions are one group.  Only positions and forces are looked for: a velocity
that another program has differentiated and filtered is no better than that of our spline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jounce.errors import TableError, UnknownNameError, unknown_name

TIME = ("t", "time", "timestamp", "__time", "%time", "stamp", "rosbagtimestamp", "datetime", "date")
_WORDS = {
    "q": ("q", "pos", "position", "positions", "angle", "angles", "jointposition"),
    "Q": ("tau", "effort", "efforts", "torque", "torques", "force", "jointtorque"),
}
_ANGLES = (["rad"], ["deg"], ["degrees"])  # of a column that says no more than a joint and a unit
_COMMANDS = {
    *("target", "desired", "command", "commanded", "cmd", "reference", "ref", "setpoint", "goal"),
    *("action", "error", "des"),
}
_NUMBERED = re.compile(r"(?P<stem>.*?[^\d\[_.])[\[_.]*(?P<number>\d+)\]?")
_TIMED = re.compile(
    r"(?:.*[^a-z])?(?:(?:time|timestamp|stamp)[ _.\[(]*|t[ _.\[(]+(?=[mun]?s))"
    r"(?P<unit>s|ms|us|ns)?[\])]?"
)


class Naming(NamedTuple):
    """What a user says about the columns: their meaning, the time, the group that is meant."""

    columns: Mapping[str, str] = {}
    time: str | None = None
    topic: str | None = None


class _Group(NamedTuple):
    kind: str
    name: str  # with * for the joint
    columns: dict[str, int]  # by joint or number

    @property
    def is_command(self) -> bool:
        return bool(_COMMANDS & set(_words(self.name)))


def named(
    header: Sequence[str],
    joints: Sequence[str],
    naming: Naming,
    where: str,
    first: Sequence[str] = (),
) -> tuple[list[str], str, str | None]:
    """Return the columns of a log in our words, "" for those that mean nothing.

    Then what was understood, and the unit of the time, where its name says it.  ``first`` are the
    fields of the first row.
    """
    result = _mapped(header, joints, naming, where)
    time, unit = _time(header, result, naming, where)
    result = [
        "t" if i == time else "" if name.lower() in TIME else name for i, name in enumerate(result)
    ]
    said = [] if time is None or header[time] in TIME[:3] else [f"time is {header[time]}"]
    positions = {name.removeprefix("q:") for name in result}
    missing = [joint for joint in joints if joint not in positions]
    if missing:
        known = {*joints, "", "t"}
        free = {i: x for i, x in enumerate(result) if x not in known and ":" not in x}
        groups = _groups(free, joints, missing, first, naming.topic)
        for kind, what in (("q", "positions"), ("Q", "torques")):
            chosen = _chosen([g for g in groups if g.kind == kind], missing, what, where)
            if chosen is None:
                break
            for joint, column in chosen.columns.items():
                result[column] = f"{kind}:{joint}"
            said.append(f"{what} are {chosen.name} of {', '.join(missing)}")
            groups = [g for g in groups if _stem(g.name) == _stem(chosen.name)]
    return result, "; ".join(said), unit


def _mapped(header: Sequence[str], joints: Sequence[str], naming: Naming, where: str) -> list[str]:
    """Return the columns with those renamed that the user has named, or wrote in other case."""
    lower = {joint.lower(): joint for joint in joints if joint not in header}
    result = [name if name in joints else lower.get(name.lower(), name) for name in header]
    for column, meaning in naming.columns.items():
        if column not in header:
            raise UnknownNameError(f"{where}: {unknown_name('column', column, header)}")
        joint = meaning.partition(":")[2] or meaning
        if joint not in joints:
            raise UnknownNameError(f"{where}: {unknown_name('joint', joint, joints)}")
        result[list(header).index(column)] = meaning if ":" in meaning else f"q:{meaning}"
    return result


def _time(
    header: Sequence[str], result: Sequence[str], naming: Naming, where: str
) -> tuple[int | None, str | None]:
    """Return which column is the time, None if none is, and the unit that its name says."""
    if naming.time is not None:
        if naming.time not in header:
            raise UnknownNameError(f"{where}: {unknown_name('column', naming.time, header)}")
        time = list(header).index(naming.time)
        return time, _unit(header[time])
    names = [name.lower().replace("µ", "u") for name in result]
    timed = [i for i, name in enumerate(names) if name in TIME[:3]]
    timed = timed or [names.index(name) for name in TIME if name in names][:1]
    timed = timed or [i for i, name in enumerate(names) if _TIMED.fullmatch(name)]
    if len(timed) > 1:
        choices = ", ".join(header[i] for i in timed)
        raise TableError(f"{where}: the time may be {choices}; say which with --time COLUMN.")
    return (timed[0], _unit(header[timed[0]])) if timed else (None, None)


def _unit(name: str) -> str | None:
    match = _TIMED.fullmatch(name.lower().replace("µ", "u"))
    return match["unit"] if match else None


def _groups(
    free: Mapping[int, str],
    joints: Sequence[str],
    missing: Sequence[str],
    first: Sequence[str],
    topic: str | None,
) -> list[_Group]:
    """Return what may be positions or forces, of some or all of the missing joints."""
    found: dict[tuple[str, str, bool], dict[str, int]] = {}
    for i, name in free.items():
        joint = _joint(name, missing)
        numbered = _NUMBERED.fullmatch(name)
        if joint is not None:
            stem, key, counted = without(name, joint, "*"), joint, False
        elif numbered:
            stem, key, counted = numbered["stem"] + "*", numbered["number"], True
        else:
            continue
        words = _words(stem)
        kind = next((k for word in reversed(words) for k in _WORDS if word in _WORDS[k]), None)
        kind = "name" if words[-1:] == ["name"] else "q" if words in _ANGLES else kind
        if kind is not None and (topic is None or name.startswith(topic)):
            found.setdefault((kind, stem, counted), {})[key] = i
    groups = []
    for (kind, stem, counted), columns in found.items():
        if counted and kind != "name":
            columns = _by_number(stem, columns, found, joints, first)
        groups.append(_Group(kind, stem, columns))
    return [group for group in groups if group.kind != "name"]


def _joint(name: str, joints: Sequence[str]) -> str | None:
    """Return the longest joint whose name is a whole part of the name of a column."""
    inside = [joint for joint in joints if _whole(joint).search(name)]
    return max(inside, key=len, default=None)


def without(name: str, joint: str, mark: str = "") -> str:
    """Return the name of a column with a mark in place of a joint that is a whole part of it."""
    places = [match.span() for match in _whole(joint).finditer(name)]
    if not places:
        return name
    start, stop = places[-1]
    return f"{name[:start]}{mark}{name[stop:]}"


def _whole(joint: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(joint)}(?![A-Za-z0-9])")


def _by_number(
    stem: str,
    columns: dict[str, int],
    found: Mapping[tuple[str, str, bool], Mapping[str, int]],
    joints: Sequence[str],
    first: Sequence[str],
) -> dict[str, int]:
    """Return numbered columns by joint: as the columns of names say, or in the robot's order."""
    for (kind, names, _), numbers in found.items():
        if kind == "name" and _stem(names) == _stem(stem) and len(first) > max(numbers.values()):
            joint_of = {number: first[i].strip().strip("\"'") for number, i in numbers.items()}
            return {joint_of[n]: i for n, i in columns.items() if joint_of.get(n) in joints}
    order = sorted(columns, key=int)
    if [int(n) - int(order[0]) for n in order] == list(range(len(joints))) and int(order[0]) < 2:
        return {joint: columns[n] for joint, n in zip(joints, order, strict=True)}
    return columns  # by number: of no use, but to say what was found


def _chosen(
    groups: Sequence[_Group], missing: Sequence[str], what: str, where: str
) -> _Group | None:
    """Return the one group that has all joints, None if there is none."""
    whole = [group for group in groups if set(missing) <= set(group.columns)]
    whole = [group for group in whole if not group.is_command] or whole
    if len(whole) > 1:
        choices = ", ".join(group.name for group in whole)
        raise TableError(
            f"{where}: the {what} may be {choices}; say which with --topic, how their names "
            "begin, or with --map COLUMN=JOINT for every joint."
        )
    if not whole and what == "positions" and groups:
        best = max(groups, key=lambda group: len(group.columns))
        raise TableError(
            f"{where}: {best.name} is there {len(best.columns)} times, as {', '.join(best.columns)}"
            f", but the joints are {', '.join(missing)}; say which is which with --map "
            "COLUMN=JOINT."
        )
    return whole[0]._replace(columns={j: whole[0].columns[j] for j in missing}) if whole else None


def _stem(name: str) -> str:
    """Return what stands before the quantity: what the columns of one message share."""
    before, _, after = name.partition("*")
    return before if after else re.sub(r"[A-Za-z]+[^A-Za-z]*$", "", before)


def _words(name: str) -> list[str]:
    plain = name.lower().replace("observation.state", "position")  # as LeRobot calls it
    return [word for word in re.split(r"[^a-z]+", plain) if word]
