"""A logged motion with all the rates that are asked for, whole or block by block.

Rates that the log has are taken as they are; those that it lacks are the derivatives of a
smoothing spline.  How to smooth is decided once, from a few windows of the file, so that the
size of the blocks changes nothing.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from jounce.errors import ArgumentError, NotFiniteError, ShapeError, TableError
from jounce.model.checks import checked_integer
from jounce.model.components import position_kinds, position_names
from jounce.model.configuration import motion_of
from jounce.model.robot import Robot
from jounce.tables.columns import LETTERS
from jounce.tables.file import Block, MotionFile, open_motion
from jounce.tables.naming import Naming
from jounce.tables.reader import BLOCK
from jounce.tables.table import MotionTable, joined, table_of
from jounce.trajectory.spline.smoothing import Samples, Smoothing, choose_smoothing
from jounce.trajectory.spline.stream import stream_derivatives, window_width

WINDOWS, SAMPLES = 4, 16384  # what the smoothing is chosen from, whatever the size of a block
GAP = 20.0  # median steps; a longer one is reported where nothing is fitted
SHOWN = 3  # gaps that are told one by one
SCATTER = 0.01  # rad or m (a second, …) about the spline: more than a sensor has
PART = 0.1  # of a joint's movement, that the spline misses
FAST = 100.0  # rad/s or m/s of a joint without a limit: hard to believe, but degrees look so
TIMES_LIMIT = 10.0  # the same for a joint with one
SPAN = 10  # samples over which a speed is taken, so that noise does not count
SLOW = 0.5  # s between samples: nobody logs a motion so slowly, but 2 kHz in ms looks so
QUARTER = np.sqrt(0.5)  # cosine of half of a turn by 90 degrees

Observe = Callable[[str], AbstractContextManager[object]]
T = TypeVar("T")


class Gap(NamedTuple):
    """A step of time too long to be bridged: its ends, in s, and where the second stands."""

    start: float
    end: float
    place: str


class Part(NamedTuple):
    """Some of the samples of a log, that can be had without reading all of it.

    ``groups`` are the row groups that are read; its own samples are those from ``first`` to before
    ``stop``: numbers of knots where a spline is fitted, else times.
    """

    groups: range
    first: float
    stop: float


class Log:
    """A motion of ``robot`` in a file, with its rates up to ``order``.

    `blocks` and `table` give it.  ``file`` is what is read.  ``smoothing`` is how the spline
    smooths, or None where the file has all rates.  While it is read, ``done`` is the share that
    is, and ``gaps`` are those found so far: samples on the two sides of one do not influence each
    other.  ``warnings`` are lines about units and noise.
    """

    def __init__(
        self,
        robot: Robot,
        file: MotionFile,
        order: int,
        *,
        noise: Any = None,
        degree: int | None = None,
        observe: Observe = nullcontext,
    ) -> None:
        self.robot, self.file, self.order = robot, file, order
        self.smoothing: Smoothing | None = None
        self.gaps: list[Gap] = []
        self.done = 0.0
        self._observe = observe
        has_all = file.orders[0] > order
        with observe("read"):
            windows = (file.positions() if has_all else file).windows(WINDOWS, SAMPLES)
        steps = np.concatenate([np.diff(window.time) for window in windows])
        self._refuse_units(windows, steps)
        self.warnings: tuple[str, ...] = ()
        if has_all:
            self._longest = GAP * float(np.median(steps)) if steps.size else np.inf
            return
        with observe("fit"):
            time = np.concatenate([window.time for window in windows])
            highest = np.concatenate([window.motion[-1] for window in windows])
            self.smoothing = self._chosen(time, highest, noise=noise, degree=degree)
        self._longest = self.smoothing.gap

    @property
    def method(self) -> str:
        """How the rates come about, in a line."""
        given, smoothing = self.file.orders[0], self.smoothing
        what = LETTERS[given - 1] if given <= len(LETTERS) else f"q{given - 1}"
        if smoothing is None:
            return f"as logged, up to {what}"
        if smoothing.interpolates:
            return f"spline of degree {smoothing.degree} through {what}"
        return (
            f"smoothing spline of degree {smoothing.degree} near {what}, a knot every "
            f"{smoothing.step:.3g} s; noise of {what} {smoothing.noise.min():.2g} … "
            f"{smoothing.noise.max():.2g}"
        )

    @property
    def notes(self) -> list[str]:
        """What a user should know about the log, as far as it has been read."""
        file, path = self.file, self.file.path
        found = [
            f"{gap.place}: a gap of {gap.end - gap.start:.4g} s before t = {gap.end:.9g}"
            for gap in self.gaps[:SHOWN]
        ]
        if len(self.gaps) > SHOWN:
            found.append(f"and {len(self.gaps) - SHOWN} more gaps")
        found += self.warnings
        if file.said:
            found.insert(0, f"{path}: {file.said}")
        if file.start:
            found.insert(0, f"{path}: time is counted from the first sample, at {file.start:f} s")
        left_out = {
            "that repeat the row before": file.dropped,
            "that are not all numbers": file.invalid,
            "whose time is not after those before": file.late,
        }
        found += [f"{path}: left out {n} rows {which}" for which, n in left_out.items() if n]
        if file.ignored:
            found.append(f"{path}: ignored columns {', '.join(file.ignored)}")
        return found

    def table(self) -> MotionTable:
        """Return all samples: ``q, *rates = table.motion``; ``table.forces`` are those logged."""
        return joined([*self.blocks()])

    def parts(self, samples: int) -> list[Part]:
        """Return parts of so many samples or a little more, whose blocks together are all.

        A file that cannot be read in parts, or is too short, is one.
        """
        starts = self.file.group_starts(samples)
        whole = Part(range(0), -np.inf, np.inf)
        smoothing = self.smoothing
        if starts is None or (smoothing is not None and smoothing.interpolates):
            return [whole]
        rows, places = starts
        width = reach = 0
        if smoothing is not None:
            width, reach = window_width(smoothing), smoothing.overlap
            places = np.floor(smoothing.knot_time(places))
        if not np.all(np.diff(places) >= 0.0):
            return [whole]  # reading it says what is wrong
        chosen = np.unique(rows // samples, return_index=True)[1]
        cuts = np.unique(places[chosen] // width * width if width else places[chosen])
        found = []
        for first, stop in pairwise([-np.inf, *cuts[1:].tolist(), np.inf]):
            before = int(np.searchsorted(places, first - reach)) - 1  # at least one row before it
            after = int(np.searchsorted(places, stop + reach, side="right" if width else "left"))
            found.append(Part(range(max(before, 0), after), first, stop))
        return found

    def blocks(self, samples: int = BLOCK, part: Part | None = None) -> Iterator[MotionTable]:
        """Yield all samples, or those of one of the `parts`, at most ``samples`` at once.

        The orders below the highest of the file are those of the file; this one and the ones
        beyond are of the spline, unless the file has all.
        """
        tables = self._read(checked_integer("samples", samples, 1), part)
        span = (-np.inf, np.inf) if part is None else part[1:]
        if self.smoothing is None:
            for table in tables:
                own = table.part(slice(*np.searchsorted(table.time, span)))
                if len(own.time):
                    yield own
            return
        held: deque[list[np.ndarray]] = deque()  # what is read beside the highest, not yet fitted
        given = self.file.orders[0]

        def highest() -> Iterator[Samples]:
            for table in tables:
                *lower, last = table.motion
                held.append([x.copy() for x in (table.time, *lower, *table.pushing)])
                yield table.time, last.copy()

        missing = self.order + 1 - given
        fits = stream_derivatives(highest(), self.smoothing, missing, span=span)
        for time, values in self._observed("fit", fits):
            _forget(held, time[0])
            for start in range(0, len(time), samples):
                some = slice(start, start + samples)
                (_, *beside), fitted = _taken(held, len(time[some])), values[:, some]
                lower, forces = beside[: given - 1], beside[given - 1 :]
                if lower:
                    motion = [*lower, *fitted]
                else:
                    motion = fitted if self.robot.is_flat else motion_of(self.robot, fitted)
                pushing = np.array(forces) if forces else None
                yield table_of(self.robot, time[some], motion, pushing)

    def forces(
        self, kernel: Callable[..., np.ndarray], samples: int = BLOCK, part: Part | None = None
    ) -> Iterator[MotionTable]:
        """Yield the `blocks` with the forces that ``kernel`` computes.

        It is one of "inverse_dynamics" of an order that the log has the rates for; it runs in the
        stage "evaluate".
        """
        for table in self.blocks(samples, part):
            with self._observe("evaluate"):
                forces = kernel(*table.motion)
            if not np.isfinite(forces).all():
                raise NotFiniteError(
                    f"torques after t = {table.time[0]:g} s overflow; check the units."
                )
            yield table._replace(forces=forces)

    def _read(self, samples: int, part: Part | None) -> Iterator[MotionTable]:
        """Yield what the file has; remember the gaps, and refuse quaternions that jump."""
        self.gaps, self.done = [], 0.0
        before, q_before = np.empty(0), np.empty((0, len(self.file.names)))  # the last sample
        file = self.file if part is None or not part.groups else self.file.part(part.groups)
        for block in self._observed("read", file.blocks(samples)):
            time, q = np.concatenate([before, block.table.time]), block.table.values[0]
            first, steps = len(before), np.diff(time)
            for i in np.flatnonzero(steps > self._longest):
                place = block.place(int(i) + 1 - first)
                self.gaps.append(Gap(float(time[i]), float(time[i + 1]), place))
            if self.file.quaternions and self.file.orders[0] == 1:
                self._refuse_jumps(np.concatenate([q_before, q]), steps, block, first)
            before, q_before, self.done = time[-1:], q[-1:], block.done
            yield block.table

    def _refuse_jumps(self, q: np.ndarray, steps: np.ndarray, block: Block, first: int) -> None:
        """Raise if a quaternion turns by more than 90° from a sample to the next, but in a gap.

        Which of q and −q comes next is not sure then, nor what happened in between.
        """
        for part in self.file.quaternions:
            jumps = np.sum(q[1:, part] * q[:-1, part], axis=1) < QUARTER
            jumps &= steps <= self._longest
            if jumps.any():
                raise TableError(
                    f"{block.place(int(np.argmax(jumps)) + 1 - first)}: a quaternion turns by more "
                    "than 90 degrees from the sample before; log at shorter steps, or give the "
                    "velocities as well."
                )

    def _observed(self, stage: str, items: Iterable[T]) -> Iterator[T]:
        iterator, end = iter(items), object()
        while True:
            with self._observe(stage):
                item = next(iterator, end)
            if item is end:
                return
            yield item  # pyright: ignore[reportReturnType]

    def _chosen(self, time: np.ndarray, highest: np.ndarray, **options: Any) -> Smoothing:
        """Return the smoothing of the highest order in the file; what it cannot do is a warning."""
        file, missing = self.file, self.order + 1 - self.file.orders[0]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                smoothing = choose_smoothing(time, highest, order=missing, **options)
            except (ShapeError, ArgumentError, NotFiniteError) as error:
                raise TableError(f"{file.path}: {error}") from error
        names = file.names if file.orders[0] == 1 else file.rate_names or file.names
        texts = [str(warning.message) for warning in caught]
        self.warnings += tuple(
            re.sub(r"coordinate (\d+)", lambda match: names[int(match[1])], text) for text in texts
        )
        for name, sigma, whole in zip(names, smoothing.noise, highest.std(axis=0), strict=True):
            if sigma > SCATTER and sigma > PART * whole:
                missed = f"the spline misses {name} by {sigma:.2g} rms of {whole:.2g}"
                advice = "if that is no noise, log it at shorter steps"
                self.warnings += (f"{file.path}: {missed}; {advice}",)
        return smoothing

    def _refuse_units(self, windows: Sequence[MotionTable], steps: np.ndarray) -> None:
        """Raise if time, positions or speeds cannot be in their units, unless these were said.

        A position cannot, if it leaves the limits of its joint by more than their whole range.
        """
        robot, sure = self.robot, self.file.sure
        kinds = np.array(position_kinds(robot))
        doubted = np.array([kind not in {*sure, "number"} for kind in kinds], dtype=bool)
        if steps.size and np.median(steps) >= SLOW and "time" not in sure:
            self._refuse(
                f"the samples are {np.median(steps):.3g} s apart; if the time is in ms, us or ns, "
                "say --units ms, us or ns; if it is right, --units s"
            )
        columns = [np.ascontiguousarray(window.values[0].T) for window in windows]
        lower, upper = robot.limits.lower, robot.limits.upper

        def excess(lowest: np.ndarray, highest: np.ndarray) -> np.ndarray:
            found = np.maximum(highest - upper, lower - lowest) - (upper - lower)
            return np.where(doubted, found, -np.inf)

        ends = [(q.min(axis=1), q.max(axis=1)) for q in columns]
        if any(excess(*pair).max(initial=0.0) > 0.0 for pair in ends):
            positions = np.concatenate(columns, axis=1).T
            each = excess(positions, positions)
            sample, k = np.unravel_index(np.argmax(each), each.shape)
            where = f"far from its limits {lower[k]:.3g} … {upper[k]:.3g}"
            self._refuse_position(int(k), f"is at {positions[sample, k]:.3g} {{}}, {where}")
        with np.errstate(over="ignore"):  # infinite is fast enough
            speeds = [
                np.abs(q[:, SPAN:] - q[:, :-SPAN]) / (window.time[SPAN:] - window.time[:-SPAN])
                for window, q in zip(windows, columns, strict=True)
                if len(window.time) > SPAN
            ]
        if speeds and doubted.any():
            limit = robot.limits.velocity if robot.is_flat else np.full(len(kinds), np.inf)
            most = np.where(np.isfinite(limit), TIMES_LIMIT * limit, FAST)
            if np.all([(speed.max(axis=1) <= most) | ~doubted for speed in speeds]):
                return  # the quantile, which takes longer, is not higher
            speed = np.quantile(np.concatenate(speeds, axis=1), 0.9, axis=1)
            fast = np.where(doubted, speed / most, 0.0)
            k = int(np.argmax(fast))
            if fast[k] > 1.0:
                self._refuse_position(k, f"moves at {speed[k]:.3g} {{}}/s")

    def _refuse_position(self, k: int, what: str) -> None:
        unit, other = ("m", "mm") if position_kinds(self.robot)[k] == "length" else ("rad", "deg")
        self._refuse(
            f"{position_names(self.robot)[k]} {what.format(unit)}; if it is in {other}, say "
            f"--units {other}; if it is right, --units {unit}"
        )

    def _refuse(self, reason: str) -> None:
        raise TableError(f"{self.file.path}: {reason}.")


def open_log(
    robot: Robot,
    path: str | os.PathLike[str],
    *,
    order: int = 4,
    units: str | None = None,
    noise: Any = None,
    degree: int | None = None,
    fit: bool = False,
    forces: bool = True,
    drop_duplicates: bool = False,
    drop_invalid: bool = False,
    columns: Mapping[str, str] | None = None,
    time: str | None = None,
    topic: str | None = None,
    observe: Observe = nullcontext,
) -> Log:
    """Open the log of a robot, to be read with its rates up to ``order``; as ``jounce id`` does.

    The file has a time and the position of every joint, perhaps rates and measured forces;
    ``units``, other columns and ``drop_duplicates`` are as in `read_motion` with ``others=True``;
    units that cannot be are refused unless they are said.  Columns may have the names of other
    programs (`jounce.tables.naming`), and the file may be a bag of ROS with joint states:
    ``columns`` says which column is which joint, ``time`` which is the time, ``topic`` the topic,
    or how the names of the columns that are meant begin.  ``drop_invalid=True`` leaves out rows
    that are not all numbers, or whose time does not come after that of all rows before.

    Rates that it lacks are those of a smoothing spline of its highest ones, or, with
    ``fit=True``, of its positions; ``noise`` and ``degree`` are those of `choose_smoothing`.
    ``forces=False`` leaves forces out.  ``observe(stage)`` is a context in which each part of the
    stages "read" and "fit" runs, to measure or to show them.

    >>> import tempfile, jounce
    >>> from jounce.trajectory import MotionTable, papers_motion, write_table
    >>> arm, t = jounce.load("planar2r"), np.linspace(0.0, 5.0, 501)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/log.csv", MotionTable(t, ("joint1", "joint2"),
    ...                                                  papers_motion(2)(t, order=0)))
    ...     table = open_log(arm, f"{folder}/log.csv", order=2).table()
    >>> q, v, a = table.motion
    >>> jounce.inverse_dynamics(arm, q, v, a).shape
    (1, 501, 2)
    """
    order = checked_integer("order", order)
    file = open_motion(
        path,
        robot,
        units=units,
        others=True,
        orders=1 if fit else order + 1,
        forces=forces,
        drop_duplicates=drop_duplicates,
        drop_invalid=drop_invalid,
        naming=Naming(columns or {}, time, topic),
    )
    return Log(robot, file, order, noise=noise, degree=degree, observe=observe)


def _forget(held: deque[list[np.ndarray]], time: float) -> None:
    """Take what lies before a time from the front of lists of arrays, the first of which is it."""
    while held[0][0][-1] < time:
        held.popleft()
    first = int(np.searchsorted(held[0][0], time))
    held[0] = [x[first:] for x in held[0]]


def _taken(held: deque[list[np.ndarray]], samples: int) -> list[np.ndarray]:
    """Take so many samples from the front of lists of arrays ``(samples, n)``."""
    taken: list[list[np.ndarray]] = []
    while samples and held[0]:
        front = held.popleft()
        taken.append([x[:samples] for x in front])
        count = len(taken[-1][0])
        samples -= count
        if count < len(front[0]):
            held.appendleft([x[count:] for x in front])
    return [np.concatenate(order) for order in zip(*taken, strict=True)]
