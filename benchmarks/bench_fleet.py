"""Torques of many logs: rows a second on 1 and 2 workers, beside pyarrow that reads and writes.

``python benchmarks/bench_fleet.py --rows 100000000 --files 16`` is the large one: 16 GB of logs and
twice 15 GB of results in ``--folder``, deleted afterwards.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import jounce
from jounce.fleet import inverse_dynamics
from jounce.fleet.cluster import connected
from jounce.tables.file import table_writer
from jounce.trajectory import MotionTable, papers_motion

BLOCK = 50_000
ORDER = 2


def write_logs(folder: Path, files: int, rows: int, orders: int) -> None:
    panda, motion = jounce.load("panda"), papers_motion(7)
    names = tuple(joint.name for joint in panda.joints)
    rng = np.random.default_rng(0)
    for i in range(files):
        with table_writer(folder / f"{i:04}.parquet") as write:
            for first in range(0, rows, BLOCK):
                t = np.arange(first, min(first + BLOCK, rows)) / 1000.0
                values = motion(t + i, order=orders - 1)
                values[0] += 1e-5 * rng.standard_normal(values[0].shape)
                write(MotionTable(t, names, values))


def copy(source: str, target: str) -> int:
    """Read a log with all columns, and write as many columns as the result has, in its encoding."""
    pa.set_cpu_count(1)
    with pq.ParquetFile(source) as file:
        names = file.schema_arrow.names[: 1 + 7 * (ORDER + 1)]
        schema = pa.schema([file.schema_arrow.field(name) for name in names])
        with pq.ParquetWriter(
            target, schema, use_dictionary=False, use_byte_stream_split=True
        ) as writer:
            for batch in file.iter_batches(2**16, use_threads=False):
                writer.write_batch(batch.select(names))
    return Path(target).stat().st_size


def peak_memory() -> int:
    """Return the greatest memory of this process so far, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def prepared(robot: jounce.Robot) -> None:
    """Import and compile what a worker needs."""
    import_module("jounce.fleet.torques")
    jounce.kernel(robot, "inverse_dynamics", order=ORDER)


class Seconds(NamedTuple):
    """What a piece of work took: by the clock, and of the processors of the workers."""

    clock: float
    processor: float


def timed(client: Any, work: Callable[[], Any]) -> Seconds:
    """Do a piece of work on a cluster."""
    clock, processor = time.perf_counter(), sum(client.run(time.process_time).values())
    work()
    clock = time.perf_counter() - clock
    return Seconds(clock, sum(client.run(time.process_time).values()) - processor)


def measured(logs: Path, out: Path, workers: int, rows: int) -> float:
    """Return rows a second; say how that compares with copying."""
    panda = jounce.load("panda")
    sources = [str(path) for path in sorted(logs.iterdir())]
    with connected(None, workers) as client:
        client.run(prepared, panda)

        def evaluate() -> None:
            done = inverse_dynamics(panda, logs, out, client=client, order=ORDER)
            assert not done.failed, done.failed[0]

        def merely_copy() -> None:
            targets = [str(out / f"copy-{Path(path).name}") for path in sources]
            client.gather(client.map(copy, sources, targets, pure=False))

        own = timed(client, evaluate)
        memory = max(client.run(peak_memory).values())
        plain = timed(client, merely_copy)
    shutil.rmtree(out)
    rate = rows / own.clock
    print(
        f"{workers} workers: {rate:.3g} rows/s, {rate / workers:.3g} a worker, "
        f"{plain.clock / own.clock:.0%} of reading and writing alone ({rows / plain.clock:.3g}); "
        f"in time of the processor {plain.processor / own.processor:.0%}, "
        f"{1e6 * own.processor / rows:.2f} µs a row; {memory / 2**20:.0f} MiB a worker"
    )
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of all logs together")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument(
        "--small", type=int, default=1000, help="logs of 100 rows, for the overhead"
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--positions-only", action="store_true", help="rates come from splines")
    parser.add_argument("--folder", type=Path, help="where there is room; default: temporary")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        logs, out = Path(folder, "logs"), Path(folder, "out")
        logs.mkdir()
        each = given.rows // given.files
        write_logs(logs, given.files, each, 1 if given.positions_only else ORDER + 3)
        print(f"{given.files} logs of {each} rows, Panda, order {ORDER}, {os.cpu_count()} cores")
        rates = [measured(logs, out, n, each * given.files) for n in given.workers]
        for n, rate in zip(given.workers[1:], rates[1:], strict=True):
            print(f"{n} workers are {rate / rates[0]:.2f} times as fast as {given.workers[0]}")
        if given.small:
            shutil.rmtree(logs)
            logs.mkdir()
            write_logs(logs, given.small, 100, ORDER + 3)
            rate = measured(logs, out, given.workers[0], given.small)
            print(f"{given.small} small logs: {1e3 / rate:.1f} ms a log")


if __name__ == "__main__":
    main()
