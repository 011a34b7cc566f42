"""A sampled motion with the names of its joints, and the checks that make it one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import NotFiniteError, ShapeError, TableError
from jounce.model.checks import as_floats, check_finite, first_late
from jounce.model.components import position_names, velocity_names
from jounce.model.robot import Robot

SHOWN = 8  # names of a table, at most


class MotionTable(NamedTuple):
    """A motion sampled in time, and forces if there are any.

    ``time`` has shape ``(samples,)`` and increases strictly; ``names`` are the n joints;
    ``values`` of shape ``(orders, samples, n)`` holds q and its time derivatives, so
    ``q, *rates = table.values``; ``forces`` of shape ``(orders, samples, n)`` holds the
    generalised forces and their time derivatives.

    Where q has quaternions, ``values`` has the shape ``(1, samples, nq)``, and ``rates`` of shape
    ``(orders, samples, nv)`` holds the velocities and their time derivatives: they, and the
    forces, are named by ``rate_names``.  ``q, *rates = table.motion`` is for both.
    """

    time: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray
    forces: np.ndarray | None = None
    rates: np.ndarray | None = None
    rate_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = {"q": self.motion, "forces": self.pushing}
        told = [f"{x} and {len(y) - 1} time derivatives" for x, y in parts.items() if len(y)]
        names = ", ".join(self.names[:SHOWN]) + (", …" if len(self.names) > SHOWN else "")
        span = f", {self.time[0]:.9g} … {self.time[-1]:.9g} s" if len(self.time) else ""
        return (
            f"motion of {len(self.names)} coordinates, {len(self.time)} samples{span}: "
            f"{'; '.join(told)}\n{names}"
        )

    @property
    def motion(self) -> list[np.ndarray]:
        """The position and all its rates, as far as they are there."""
        return [*self.values, *(() if self.rates is None else self.rates)]

    @property
    def pushing(self) -> list[np.ndarray]:
        """The forces and all their rates, as far as they are there."""
        return [] if self.forces is None else [*self.forces]

    @property
    def without_motion(self) -> MotionTable:
        """The table of times and forces only."""
        return self._replace(values=self.values[:0], rates=None)

    def part(self, samples: slice) -> MotionTable:
        """Return some of the samples."""
        forces, rates = (None if x is None else x[:, samples] for x in (self.forces, self.rates))
        time, values = self.time[samples], self.values[:, samples]
        return self._replace(time=time, values=values, forces=forces, rates=rates)


def table_of(
    robot: Robot,
    time: np.ndarray,
    motion: Sequence[np.ndarray] | np.ndarray,
    forces: np.ndarray | None = None,
) -> MotionTable:
    """Return the table of q ``(samples, nq)`` and rates ``(samples, nv)``, or of no motion."""
    names, rate_names = position_names(robot), () if robot.is_flat else velocity_names(robot)
    values = motion[:1] if rate_names else motion
    stacked = np.asarray(values) if len(values) else np.empty((0, len(time), len(names)))
    rates = np.array(motion[1:]) if rate_names and len(motion) > 1 else None
    return MotionTable(time, names, stacked, forces, rates, rate_names)


def joined(tables: Sequence[MotionTable]) -> MotionTable:
    """Return the table of the samples of all tables, one after the other, row by row."""
    time = np.concatenate([table.time for table in tables])
    together: dict[str, Any] = {}
    for name in ("values", "forces", "rates"):
        arrays = [x for table in tables if (x := getattr(table, name)) is not None]
        in_rows = [np.ascontiguousarray(x) for x in arrays]
        together[name] = np.concatenate(in_rows, axis=1) if in_rows else None
    return tables[0]._replace(time=time, **together)


def checked_table(table: MotionTable) -> MotionTable:
    """Return the table as float64 arrays of matching shapes, finite and in order, or raise."""
    table = shaped_table(table)
    check_samples(table.time, ["time"], "time[{}]".format)
    arrays = {"values": table.values, "forces": table.forces, "rates": table.rates}
    for name, array in arrays.items():
        if array is not None:
            check_finite(name, array)
    return table


def shaped_table(table: MotionTable) -> MotionTable:
    """Return the table as float64 arrays of matching shapes, or raise."""
    names = checked_names(table.names)
    time = as_floats("time", table.time)
    if time.ndim != 1 or not time.size:
        raise ShapeError(
            f"time must have shape (samples,) with at least one sample, got {time.shape}."
        )
    values = _checked_shape("values", table.values, time.size, len(names))
    rate_names = checked_names(table.rate_names) if len(table.rate_names) else ()
    if (rate_names and len(values) > 1) or (table.rates is not None and not rate_names):
        raise ShapeError(
            "rates need rate_names, and values of one order, the position, beside them."
        )
    pushed = rate_names or names
    forces = _checked_rest("forces", table.forces, time.size, len(pushed))
    rates = _checked_rest("rates", table.rates, time.size, len(rate_names))
    if forces is None and not len(values):
        raise ShapeError("a table needs values or forces of at least one order, got neither.")
    return MotionTable(time, names, values, forces, rates, rate_names)


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as a tuple; each is a different printable text without spaces around."""
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
            raise ShapeError(f"names must be plain texts of one line, got {name!r}.")
    if not names or len(set(names)) < len(names):
        raise ShapeError(f"names must be one or more different joints, got {list(names)}.")
    return names


def check_samples(
    rows: np.ndarray,
    columns: Sequence[str],
    place: Callable[[int], str],
    start: Decimal = Decimal(0),
    before: Sequence[float] | np.ndarray = (),
    advice: str = "",
) -> None:
    """Raise unless all is finite, and the first column, the time, increases strictly.

    ``rows`` has shape ``(samples, columns)`` or, for the time alone, ``(samples,)``.
    ``place(sample)`` says where a sample stands, ``start`` what its time is counted from;
    ``before`` is the time of the sample before, if there is one, ``advice`` what can be done.
    """
    rows = rows[:, None] if rows.ndim == 1 else rows
    finite = np.isfinite(rows)
    if not finite.all():
        sample, column = np.argwhere(~finite)[0]
        raise NotFiniteError(
            f"{place(sample)}: {columns[column]} is {rows[sample, column]}; "
            f"all values must be finite{advice}."
        )
    time = np.concatenate([before, rows[:, 0]])
    late = first_late(time)
    if late is not None:
        times = time[late - 1 : late + 1]
        last, sample = (start + Decimal(str(t)) for t in times) if start else times
        raise TableError(
            f"{place(late - len(before))}: time {sample!s} does not come after {last!s} of the "
            f"sample before; time must increase strictly{advice}."
        )


def _checked_rest(name: str, given: object, samples: int, n: int) -> np.ndarray | None:
    array = None if given is None else _checked_shape(name, given, samples, n)
    return array if array is not None and len(array) else None


def _checked_shape(name: str, values: object, samples: int, n: int) -> np.ndarray:
    array = as_floats(name, values)
    if array.ndim != 3 or array.shape[1:] != (samples, n):
        raise ShapeError(
            f"{name} must have shape (orders, {samples}, {n}) for {samples} samples of {n} joints, "
            f"got {array.shape}."
        )
    return array
