"""Inverse dynamics of many logs, each to a Parquet file of its own.

A task is a log, or, where that is long, a part of it with the samples around it that the spline
feels; parts are written beside the results and joined.  Everything that is written appears when
it is whole, so whatever ends a run, the next one goes on.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from jounce.files import atomic_write, refuse_devices
from jounce.fleet.cluster import Progress, connected, outcomes, packed, unpacked
from jounce.fleet.manifest import Manifest, Record, content_key, one_line
from jounce.fleet.sources import Files, Source, sources
from jounce.kernels.columns import column_kernel
from jounce.kernels.kernel import kernel
from jounce.model.checks import checked_integer
from jounce.model.robot import Robot
from jounce.tables.file import table_writer
from jounce.tables.log import Gap, Log, Part, open_log
from jounce.tables.parquet import join_parquet, parquet_rows, pyarrow

SPLIT = 16_000_000  # samples of a part, about 20 s; parts are written twice
PARTS = ".parts"


class Torques(NamedTuple):
    """What became of the logs: a record each, and how many were made now and not before."""

    records: tuple[Record, ...]
    made: int

    @property
    def failed(self) -> tuple[Record, ...]:
        """The logs that have no result; ``error`` says why in a line."""
        return tuple(record for record in self.records if record.error is not None)


class Work(NamedTuple):
    """What is done with every log."""

    robot: Robot
    out: Path
    order: int
    split: int
    reading: dict[str, Any]

    def key(self, path: str) -> str:
        """Return what says whether a result would be the same."""
        said = json.dumps(
            [version("jounce"), self.order, self.reading], sort_keys=True, default=_every_digit
        )
        return content_key(path, self.robot.digest, said)

    def forces(self, log: Log, path: Path, part: Part | None = None) -> int:
        """Write the forces of a log, or of a part of it; return how many samples."""
        path.parent.mkdir(parents=True, exist_ok=True)
        refuse_devices(path)
        compiled = column_kernel(kernel(self.robot, "inverse_dynamics", order=self.order))
        samples = 0
        with table_writer(path) as write:
            for table in log.forces(compiled, part=part):
                write(table.without_motion)
                samples += len(table.time)
        return samples


class Plan(NamedTuple):
    """A log that is done in parts."""

    source: Source
    key: str
    log: Log
    parts: list[Part]

    def path(self, out: Path, index: int) -> Path:
        """Return where a part is kept until all are there."""
        return out / PARTS / f"{self.key}-{len(self.parts)}-{index}.parquet"


class PartDone(NamedTuple):
    """What is to be known of a part: its samples, the gaps seen, or what went wrong."""

    samples: int
    gaps: list[Gap]
    error: str | None = None


def inverse_dynamics(
    robot: Robot,
    files: Files,
    out: str | os.PathLike[str],
    *,
    order: int = 2,
    client: Any = None,
    workers: int | None = None,
    split: int = SPLIT,
    progress: Progress | None = None,
    **reading: Any,
) -> Torques:
    """Write the torques of logs, and their rates up to ``order``, to Parquet files below ``out``.

    ``files`` are logs, folders of them or patterns; a result is called as its log and has the
    bytes that ``jounce id`` would write, whatever the workers and the split.  ``reading`` are
    options of `jounce.tables.open_log`.  ``client`` is a client of Dask, the address of a
    scheduler, or None: ``workers`` processes of this machine.  All of them must see the files
    under the same paths.  Parquet files longer than ``split`` samples are done in parts, by row
    groups.

    A log that cannot be read does not stop the others: `Torques.failed` and ``manifest.jsonl``
    beside the results have a line about it.  A result that was made from a log of the same
    content, with the same robot and options, is not made again.  ``progress(done, total)`` is
    told after every log.

    >>> import tempfile, jounce, numpy as np
    >>> from jounce.tables import MotionTable, write_table
    >>> arm, t = jounce.load("planar2r"), np.linspace(0.0, 2.0, 201)
    >>> q = np.sin(t)[:, None] * [1.0, 0.5]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/log.csv", MotionTable(t, ("joint1", "joint2"), q[None]))
    ...     done = inverse_dynamics(arm, f"{folder}/*.csv", f"{folder}/torques", workers=1)
    >>> [(record.output, record.samples) for record in done.records]
    [('log.parquet', 201)]
    """
    pyarrow()
    folder = Path(out).absolute()
    checked = checked_integer("order", order), checked_integer("split", split, 1)
    work = Work(robot, folder, *checked, reading)
    logs = sources(files, folder)
    common, made = packed(work), 0
    with connected(client, workers) as cluster, Manifest(folder) as manifest:

        def begin(log: Source) -> Any:
            known = manifest.records.get(log.output)
            return cluster.submit(_begin, common, log, known, pure=False)

        def follow(outcome: Any) -> Any:
            return _in_parts(cluster, common, outcome) if isinstance(outcome, Plan) else None

        for log, outcome in outcomes(cluster, logs, begin, follow, progress):
            record = Record(*log, error=outcome) if isinstance(outcome, str) else outcome
            if record is not None:
                manifest.add(record)
                made += record.error is None
        result = Torques(tuple(manifest.records[log.output] for log in logs), made)
        if not result.failed:
            shutil.rmtree(folder / PARTS, ignore_errors=True)
        manifest.rewrite(log.output for log in logs)  # last: then another run may begin
    return result


def _every_digit(value: Any) -> Any:
    """Return an option for JSON; the text of an array has eight digits of its numbers."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _in_parts(cluster: Any, common: bytes, plan: Plan) -> Any:
    """Submit the parts of a log, and return the future of what joins them."""
    parts = [
        cluster.submit(_part, common, plan, i, pure=False, priority=1)
        for i in range(len(plan.parts))
    ]
    return cluster.submit(_join, common, plan, parts, pure=False, priority=2)


def _begin(common: bytes, source: Source, known: Record | None) -> Record | Plan | None:
    """Do a log, or say in which parts it is to be done; None if it is.  A worker runs this."""
    try:
        work: Work = unpacked(common)
        key = work.key(source.path)
        if known is not None and known.stands(key, work.out):
            return None
        log = open_log(work.robot, source.path, order=work.order + 2, forces=False, **work.reading)
        parts = log.parts(work.split)
        if len(parts) > 1:
            return Plan(source, key, log, parts)
        target = work.out / source.output
        samples = work.forces(log, target)
        return Record(*source, key, target.stat().st_size, samples, tuple(log.notes))
    except Exception as failure:  # one bad log does not stop the others
        return Record(*source, error=one_line(failure))


def _part(common: bytes, plan: Plan, index: int) -> PartDone:
    """Do a part of a log, unless that was done before; a worker runs this."""
    work: Work = unpacked(common)
    path = plan.path(work.out, index)
    note = path.with_suffix(".json")
    try:
        if (done := _done_before(note, path)) is not None:
            return done
        log = copy.copy(plan.log)  # it keeps the gaps that it meets; threads of a worker share it
        samples = work.forces(log, path, plan.parts[index])
        with atomic_write(note) as file:
            json.dump([samples, log.gaps], file)
        return PartDone(samples, log.gaps)
    except Exception as failure:
        return PartDone(0, [], one_line(failure))


def _done_before(note: Path, path: Path) -> PartDone | None:
    """Return what is known of a part that is there, whole; None if it is to be made."""
    try:
        samples, gaps = json.loads(note.read_text(encoding="utf-8"))
        found = PartDone(samples, [Gap(*gap) for gap in gaps])
        return found if parquet_rows(path) == samples else None
    except Exception:  # torn, of another run, or not there: all the same
        return None


def _join(common: bytes, plan: Plan, parts: Iterable[PartDone]) -> Record:
    """Make one file of the parts; a worker runs this."""
    work: Work = unpacked(common)
    parts, source, log = list(parts), plan.source, plan.log
    try:
        error = next((part.error for part in parts if part.error is not None), None)
        if error is not None:
            return Record(*source, error=error)
        target = work.out / source.output
        target.parent.mkdir(parents=True, exist_ok=True)
        refuse_devices(target)
        paths = [plan.path(work.out, i) for i in range(len(parts))]
        with atomic_write(target, "wb") as file:
            join_parquet(paths, file)
        log.gaps = sorted({gap for part in parts for gap in part.gaps})
        samples = sum(part.samples for part in parts)
        record = Record(*source, plan.key, target.stat().st_size, samples, tuple(log.notes))
        for path in paths:
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        return record
    except Exception as failure:
        return Record(*source, error=one_line(failure))
