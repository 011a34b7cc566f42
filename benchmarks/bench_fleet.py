"""Torques of many logs: rows a second on 1 and 2 workers, beside pyarrow that reads and writes.

``python -m benchmarks.bench_fleet --rows 100000000 --files 16 --rounds 8`` is the large one: of its
16 GB of logs and twice 15 GB of results 6 GB are in ``--folder`` at a time, deleted afterwards.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

import jounce
from benchmarks.timing import at_least, at_most
from jounce.fleet import inverse_dynamics
from jounce.fleet.cluster import connected
from jounce.kernels.columns import column_kernel
from jounce.tables.file import table_writer
from jounce.trajectory import MotionTable, papers_motion

BLOCK = 50_000
ORDER = 2
SMALL = 100  # rows of a small log


def run(console: Console) -> None:
    """Run it on eight logs of half a million rows, and on a thousand small ones."""
    compare(console, rows=4_000_000, files=8, small=1000)


def compare(
    console: Console,
    *,
    rows: int,
    files: int,
    small: int,
    workers: Sequence[int] = (1, 2),
    rounds: int = 1,
    orders: int = ORDER + 3,
    folder: Path | None = None,
) -> None:
    """Make logs, evaluate and copy them with each number of workers, and say what that took.

    The logs are made, used and deleted in ``rounds``; ``orders`` are those that they have.
    """
    each = rows // files
    console.print(
        f"{files} logs of {each} rows, Panda, order {ORDER}, {os.cpu_count()} cores", markup=False
    )
    taken: dict[int, list[Taken]] = {n: [] for n in workers}
    for part in np.array_split(np.arange(files), rounds):
        with tempfile.TemporaryDirectory(dir=folder) as name:
            write_logs(Path(name, "logs"), part, each, orders)
            for n in workers:
                taken[n].append(measured(Path(name), n))
    everything = {n: total(rounds) for n, rounds in taken.items()}
    for n in workers:
        told(console, n, rows, everything[n], everything[workers[0]])
    if small:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            write_logs(Path(name, "logs"), range(small), SMALL, orders)
            seconds = measured(Path(name), workers[0]).own.clock
        console.print(f"{small} small logs: {at_most(1e3 * seconds / small, 50.0, ' ms')} a log")


def write_logs(folder: Path, numbers: Sequence[int] | np.ndarray, rows: int, orders: int) -> None:
    """Write logs of so many rows, each with positions that have noise, and rates."""
    panda, motion = jounce.load("panda"), papers_motion(7)
    names = tuple(joint.name for joint in panda.joints)
    folder.mkdir()
    for i in numbers:
        rng = np.random.default_rng(i)
        with table_writer(folder / f"{i:04}.parquet") as write:
            for first in range(0, rows, BLOCK):
                t = np.arange(first, min(first + BLOCK, rows)) / 1000.0
                values = motion(t + i, order=orders - 1)
                values[0] += 1e-5 * rng.standard_normal(values[0].shape)
                write(MotionTable(t, names, values))


class Seconds(NamedTuple):
    """What a piece of work took: by the clock, and of the processors of the workers."""

    clock: float
    processor: float


class Taken(NamedTuple):
    """What logs took, to be evaluated and to be copied, and the memory of a worker in bytes."""

    own: Seconds
    plain: Seconds
    memory: int


def total(rounds: Sequence[Taken]) -> Taken:
    """Return what all rounds took together."""
    own, plain = (
        Seconds(*map(sum, zip(*parts, strict=True)))
        for parts in ([r.own for r in rounds], [r.plain for r in rounds])
    )
    return Taken(own, plain, max(r.memory for r in rounds))


def measured(folder: Path, workers: int) -> Taken:
    """Evaluate the logs in a folder, and let as many processes merely copy them."""
    panda, logs, out = jounce.load("panda"), folder / "logs", folder / "out"
    sources = [str(path) for path in sorted(logs.iterdir())]
    results = [str(out / Path(path).name) for path in sources]
    with connected(None, workers) as client:
        client.run(prepared, panda)

        def evaluate() -> None:
            done = inverse_dynamics(panda, logs, out, client=client, order=ORDER)
            assert not done.failed, done.failed[0]

        def merely_copy() -> None:
            client.gather(client.map(copy, sources, results, pure=False))

        own = timed(client, evaluate)
        memory = max(client.run(peak_memory).values())
        plain = timed(client, merely_copy)
    shutil.rmtree(out)
    return Taken(own, plain, memory)


def timed(client: Any, work: Callable[[], Any]) -> Seconds:
    """Do a piece of work on a cluster."""
    clock, processor = time.perf_counter(), sum(client.run(time.process_time).values())
    work()
    clock = time.perf_counter() - clock
    return Seconds(clock, sum(client.run(time.process_time).values()) - processor)


def copy(log: str, result: str) -> None:
    """Read a log with all columns, and write as many rows as it has of what its result holds.

    These are numbers of the result, its first row group again and again, in its encoding, and are
    on the disk in the end as it is.
    """
    pa.set_cpu_count(1)
    with pq.ParquetFile(result) as file:
        (values,) = file.read_row_group(0, use_threads=False).combine_chunks().to_batches()
    options: Any = {"use_dictionary": False, "use_byte_stream_split": True}
    with Path(f"{result}.copy").open("wb") as target:
        with pq.ParquetFile(log) as file, pq.ParquetWriter(target, values.schema, **options) as w:
            for batch in file.iter_batches(len(values), use_threads=False):
                w.write_batch(values.slice(0, len(batch)))
        os.fsync(target.fileno())


def peak_memory() -> int:
    """Return the greatest memory of this process so far, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def prepared(robot: jounce.Robot) -> None:
    """Import and compile what a worker needs."""
    import_module("jounce.fleet.torques")
    kernel, motion = jounce.kernel(robot, "inverse_dynamics", order=ORDER), np.zeros((8, robot.nv))
    column_kernel(kernel)(*[np.asfortranarray(motion)] * (ORDER + 3))


def told(console: Console, workers: int, rows: int, taken: Taken, first: Taken) -> None:
    """Say what so many workers took, and how much faster they are than the ``first``."""
    own, plain, memory = taken
    console.print(
        f"{workers} workers: {rows / own.clock:.3g} rows/s, {rows / own.clock / workers:.3g} a "
        f"worker, {at_least(100 * plain.clock / own.clock, 60.0, ' %')} of reading and writing "
        f"alone ({rows / plain.clock:.3g} rows/s), in time of the processor "
        f"{100 * plain.processor / own.processor:.0f} %, {1e6 * own.processor / rows:.2f} µs a "
        f"row; {memory / 2**20:.0f} MiB a worker"
    )
    if first is not taken:
        console.print(
            f"that is {at_least(first.own.clock / own.clock, 1.7, ' times')} as fast; reading and "
            f"writing alone {first.plain.clock / plain.clock:.2f} times"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000, help="of all logs together")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--small", type=int, default=1000, help=f"logs of {SMALL} rows")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=1, help="of so many logs are there at a time")
    parser.add_argument("--positions-only", action="store_true", help="rates come from splines")
    parser.add_argument("--folder", type=Path, help="where there is room; default: temporary")
    given = vars(parser.parse_args())
    orders = 1 if given.pop("positions_only") else ORDER + 3
    compare(Console(highlight=False, soft_wrap=True), **given, orders=orders)


if __name__ == "__main__":
    main()
