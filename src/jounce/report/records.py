"""What a report consists of, before it becomes a page."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jounce.report.triangles import Triangles


class Line(NamedTuple):
    """One curve of a plot; ``hue`` is the number of its colour, ``dash`` that of its dashes."""

    name: str
    hue: int
    dash: int = 0
    low: float = -np.inf  # limits, drawn when the line is singled out
    high: float = np.inf


class Plot(NamedTuple):
    """Curves over time: ``values`` has shape ``(samples, lines)``."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    values: np.ndarray
    joints: bool = True  # whether the colours are those of the joints


class Cell(NamedTuple):
    """One entry of a table."""

    text: str
    state: str = ""  # or "good", "near", "bad"
    time: float | None = None  # when to look
    share: float | None = None  # of a limit that is used
    limit: str = ""


class Table(NamedTuple):
    """A table; the first column names the rows."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Section(NamedTuple):
    """A part of the page: a heading, a few words, then table and plots."""

    title: str
    note: str = ""
    plots: tuple[Plot, ...] = ()
    table: Table | None = None


class Report(NamedTuple):
    """All that a page shows."""

    title: str
    facts: tuple[tuple[str, str], ...]  # what, how much
    time: np.ndarray
    drawing: dict[str, Any]  # plain data, see `drawing.skeleton`
    pose_time: np.ndarray  # a part of time
    poses: np.ndarray  # then, (samples, bodies, 7): position, quaternion x y z w
    triangles: Triangles  # of the shapes, none for many a robot
    sections: tuple[Section, ...]
