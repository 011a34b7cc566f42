"""A logged motion with all the rates that a command needs, block by block."""

from __future__ import annotations

import re
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jounce.errors import ArgumentError, ShapeError, TableError
from jounce.tables.motion_file import Block, MotionFile
from jounce.tables.quaternion_rows import jumps_of
from jounce.tables.stopwatch import Stopwatch
from jounce.tables.unit_doubts import unit_doubts
from jounce.trajectory.quaternion_motion import motion_of
from jounce.trajectory.spline.smoothing import choose_smoothing
from jounce.trajectory.spline.stream import stream_derivatives

if TYPE_CHECKING:
    from jounce.model.robot import Robot
    from jounce.trajectory.spline.smoothing import Smoothing

WINDOWS, SAMPLES = 4, 16384  # what the smoothing is chosen from, whatever the size of a block
GAP = 20.0  # median steps; a longer one is reported where nothing is fitted
SHOWN = 3  # gaps that are told one by one
SCATTER = 0.01  # rad or m (a second, …) about the spline: more than a sensor has
PART = 0.1  # of a joint's movement, that the spline misses


class Gaps:
    """Steps of time that are longer than ``limit``."""

    def __init__(self, limit: float) -> None:
        self.limit, self.count = limit, 0
        self.lines: list[str] = []
        self._before = np.empty(0)  # last time of the block before

    def look(self, block: Block) -> None:
        """Remember the gaps before and inside of a block."""
        time = np.concatenate([self._before, block.table.time])
        steps, first = np.diff(time), len(self._before)
        for i in np.flatnonzero(steps > self.limit):
            self.count += 1
            if self.count <= SHOWN:
                where = block.place(int(i) + 1 - first)
                self.lines.append(
                    f"{where}: a gap of {steps[i]:.4g} s before t = {time[i + 1]:.9g}"
                )
        self._before = time[-1:]

    def report(self) -> list[str]:
        """Return the first gaps, and how many more there are."""
        more = self.count - len(self.lines)
        return self.lines + ([f"and {more} more gaps"] if more else [])


class Plan(NamedTuple):
    """How the rates come about: ``smoothing`` is None where the file has them all."""

    needed: int  # orders of the motion
    smoothing: Smoothing | None
    gap: float
    warnings: tuple[str, ...]


def plan(
    path: Path,
    robot: Robot,
    file: MotionFile,
    needed: int,
    watch: Stopwatch,
    options: Mapping[str, Any],
) -> Plan:
    """Decide once for the whole file, from a few windows of it, how to smooth.

    ``options`` has the ``noise`` and the ``degree`` of `choose_smoothing`.
    """
    with watch.stage("read"):
        windows = file.windows(WINDOWS, SAMPLES)
    doubts = tuple(unit_doubts(path, robot, windows))
    steps = np.concatenate([np.diff(window.time) for window in windows])
    if file.orders[0] == needed:
        gap = GAP * float(np.median(steps)) if steps.size else np.inf
        return Plan(needed, None, gap, doubts)
    time = np.concatenate([window.time for window in windows])
    highest = np.concatenate([window.motion[-1] for window in windows])
    with watch.stage("fit"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            order = needed - file.orders[0]
            choice = {name: options[name] for name in ("noise", "degree")}
            smoothing = choose_smoothing(time, highest, order=order, **choice)
        except (ShapeError, ArgumentError) as error:
            raise TableError(f"{path}: {error}") from error
    names = file.names if file.orders[0] == 1 else file.rate_names or file.names
    said = tuple(_named(str(warning.message), names) for warning in caught)
    missed = tuple(_missed(path, names, smoothing.noise, highest.std(axis=0)))
    return Plan(needed, smoothing, smoothing.gap, doubts + said + missed)


def _missed(
    path: Path, names: tuple[str, ...], noise: np.ndarray, spread: np.ndarray
) -> Iterator[str]:
    """Yield a line for each joint that the spline does not follow."""
    for name, sigma, whole in zip(names, noise, spread, strict=True):
        if sigma > SCATTER and sigma > PART * whole:
            yield (
                f"{path}: the spline misses {name} by {sigma:.2g} rms of {whole:.2g}; if that is "
                "no noise, log it at shorter steps"
            )


def _named(text: str, names: tuple[str, ...]) -> str:
    """Say the name of a coordinate instead of its number."""
    return re.sub(r"coordinate (\d+)", lambda match: names[int(match[1])], text)


def stream(
    robot: Robot,
    file: MotionFile,
    how: Plan,
    samples: int,
    watch: Stopwatch,
    look: Callable[[Block], None],
) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """Yield times ``(m,)`` and q with its rates, ``needed`` in all, at most m = ``samples``.

    The orders below the highest of the file are those of the file; this one and the ones beyond
    are of the spline, unless the file has all.  ``look`` is shown every block that is read.
    """
    held: deque[list[np.ndarray]] = deque()  # lower orders that are read, but not yet fitted
    turns = _Turns(file, how.gap)

    def highest() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for block in watch.each("read", file.blocks(samples)):
            look(block)
            *lower, last = block.table.motion
            if not lower:
                turns.look(block)
            held.append([x.copy() for x in lower])
            yield block.table.time, last.copy()

    if how.smoothing is None:
        for time, last in highest():
            yield time, [*held.popleft(), last]
        return
    order = how.needed - file.orders[0]
    for time, values in watch.each("fit", stream_derivatives(highest(), how.smoothing, order)):
        for start in range(0, len(time), samples):
            part = slice(start, start + samples)
            lower = _taken(held, len(time[part]))
            rest = values[:, part]
            yield time[part], [*lower, *rest] if lower else motion_of(robot, rest)


def _taken(held: deque[list[np.ndarray]], samples: int) -> list[np.ndarray]:
    """Take so many samples from the front of lists of arrays ``(samples, n)``, one an order."""
    taken: list[list[np.ndarray]] = []
    while samples and held[0]:
        front = held.popleft()
        taken.append([x[:samples] for x in front])
        count = len(taken[-1][0])
        samples -= count
        if count < len(front[0]):
            held.appendleft([x[count:] for x in front])
    return [np.concatenate(order) for order in zip(*taken, strict=True)]


class _Turns:
    """Refuses quaternions that turn too far from one sample to the next within ``gap``."""

    def __init__(self, file: MotionFile, gap: float) -> None:
        self.quaternions, self.gap = file.quaternions, gap
        self._time, self._q = np.empty(0), np.empty((0, len(file.names)))  # the last sample

    def look(self, block: Block) -> None:
        """Raise if a sample is turned by more than 90° from the one before."""
        if not self.quaternions:
            return
        first = len(self._time)
        time = np.concatenate([self._time, block.table.time])
        q = np.concatenate([self._q, block.table.values[0]])
        self._time, self._q = time[-1:], q[-1:]
        jumps = jumps_of(q, self.quaternions) & (np.diff(time) <= self.gap)
        if jumps.any():
            i = int(np.argmax(jumps)) + 1 - first
            raise TableError(
                f"{block.place(i)}: a quaternion turns by more than 90 degrees from the sample "
                "before; log at shorter steps, or give the velocities as well."
            )
