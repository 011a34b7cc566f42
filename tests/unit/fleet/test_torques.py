"""Torques of many logs on real clusters: the same bytes whoever does them, after any accident."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.errors import ArgumentError, ClusterError, TableError
from jounce.fleet import inverse_dynamics
from jounce.fleet.cluster import unpacked
from jounce.fleet.manifest import NAME, Manifest, Record, content_key
from jounce.fleet.torques import PARTS, Work
from jounce.tables import MotionTable, write_table
from tests.unit.fleet.logs import ARM, MOTION, NAMES, contents, write_log

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")

LONG = 30_000  # samples; several windows of the spline


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for i, name in enumerate(["a.csv", "b/c.csv", "b/d.npz", "b/e.parquet"]):
        write_log(folder / name, seed=i)
    write_log(folder / "long.parquet", LONG, step=0.03)
    return folder


@pytest.fixture(scope="module")
def expected(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return what ``jounce id`` writes for each log alone."""
    out = tmp_path_factory.mktemp("alone")
    for path in logs.rglob("*.*"):
        target = (out / path.relative_to(logs)).with_suffix(".parquet")
        target.parent.mkdir(exist_ok=True)
        done = CliRunner().invoke(main, ["id", "planar2r", str(path), "-o", str(target)])
        assert done.exit_code == 0, done.output
    return contents(out)


def test_bytes_are_those_of_one_log_alone(two: Any, one: Any, logs, expected, tmp_path: Path):
    """Two workers or one, in parts of any size."""
    for client, split in ((two, LONG + 1), (two, 1), (two, 7000), (one, 5000)):
        out = tmp_path / f"{split}"
        told: list[tuple[int, int]] = []
        done = inverse_dynamics(
            ARM,
            logs,
            out,
            client=client,
            split=split,
            progress=lambda *x: told.append(x),  # noqa: B023
        )
        assert (done.made, done.failed) == (5, ())
        assert contents(out) == expected, split
        assert told == [(i, 5) for i in range(1, 6)]
        assert not (out / PARTS).exists()
        assert {r.output: r.samples for r in done.records}["long.parquet"] == LONG


def test_bytes_of_a_log_with_all_rates(two: Any, tmp_path: Path):
    """They are computed column by column, and row by row for one log alone."""
    import pyarrow.parquet as pq

    path, alone = tmp_path / "log.parquet", tmp_path / "alone.parquet"
    t = 0.01 * np.arange(LONG)
    write_table(path, MotionTable(t, NAMES, MOTION(t, order=4)))
    pq.write_table(pq.read_table(path), path, row_group_size=997)
    done = CliRunner().invoke(main, ["id", "planar2r", str(path), "-o", str(alone)])
    assert done.exit_code == 0, done.output
    for split in (LONG + 1, 7000):
        out = tmp_path / f"{split}"
        assert not inverse_dynamics(ARM, path, out, client=two, split=split).failed
        assert (out / "log.parquet").read_bytes() == alone.read_bytes(), split


def test_all_workers_take_part(two: Any, logs: Path, tmp_path: Path):
    before = two.run(tasks_done)
    inverse_dynamics(ARM, logs, tmp_path, client=two, split=5000)
    assert all(count > before[worker] for worker, count in two.run(tasks_done).items())


def tasks_done() -> int:
    """Return how many tasks this worker has done so far."""
    found = unpacked.cache_info()
    return found.hits + found.misses


def test_parts_of_a_log_in_threads_of_one_worker(logs, expected, tmp_path: Path):
    """They have the log in common, and each finds its own gaps."""
    import distributed
    import pyarrow.parquet as pq

    long = pq.read_table(logs / "long.parquet")
    time = long["t"].to_numpy() + 100.0 * (np.arange(LONG) // 4000)
    gapped = long.set_column(0, "t", [time])
    pq.write_table(gapped, tmp_path / "log.parquet", row_group_size=997)
    found = []
    for threads, split in ((1, LONG), (4, 1)):
        with distributed.Client(
            n_workers=1, threads_per_worker=threads, processes=False, dashboard_address=":0"
        ) as client:
            out = tmp_path / f"{threads}"
            done = inverse_dynamics(ARM, tmp_path / "log.parquet", out, client=client, split=split)
            found.append((contents(out), [record.notes for record in done.records]))
    assert found[0] == found[1]
    assert len(found[0][1][0]) == 4, found[0][1]


def test_done_work_is_known_by_content(two: Any, logs: Path, tmp_path: Path):
    mine, out = tmp_path / "logs", tmp_path / "out"
    shutil.copytree(logs, mine, ignore=shutil.ignore_patterns("long*"))

    def made(**options: Any) -> int:
        return inverse_dynamics(ARM, mine, out, client=two, split=9000, **options).made

    assert made() == 4
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.parquet")}
    os.utime(mine / "a.csv")  # the same content
    assert made() == 0
    assert before == {p: p.stat().st_mtime_ns for p in out.rglob("*.parquet")}
    write_log(mine / "a.csv", seed=7)
    assert made() == 1
    (out / "b" / "c.parquet").unlink()
    (out / "b" / "d.parquet").write_bytes(b"half")
    assert made() == 2
    assert made(order=1) == 4
    assert made(order=1, noise=1e-6) == 4
    heavy = ARM.with_payload("tip", jounce.Inertia(0.5, (0, 0, 0), [[0.0] * 3] * 3))
    assert inverse_dynamics(heavy, mine, out, client=two, order=1, noise=1e-6).made == 4


def test_another_version_makes_all_again(one: Any, logs: Path, tmp_path: Path, monkeypatch):
    def made() -> int:
        return inverse_dynamics(ARM, logs / "b", tmp_path, client=one).made

    assert (made(), made()) == (3, 0)
    monkeypatch.setattr("jounce.fleet.torques.version", lambda _: "999")
    assert (made(), made()) == (3, 0)


def test_one_run_at_a_time(one: Any, logs: Path, tmp_path: Path):
    """The second is refused and changes nothing; afterwards the folder is free."""
    refused: list[str] = []

    def again(done: int, total: int) -> None:
        with pytest.raises(ArgumentError, match="another run writes its results there; wait") as e:
            inverse_dynamics(ARM, logs / "b", tmp_path, client=one, order=0)
        refused.append(str(e.value))

    assert inverse_dynamics(ARM, logs / "b", tmp_path, client=one, progress=again).made == 3
    assert refused == [refused[0]] * 3
    assert inverse_dynamics(ARM, logs / "b", tmp_path, client=one).made == 0


def test_what_a_run_that_just_ended_wrote_is_known(tmp_path: Path, monkeypatch):
    """It puts a new file in place of the one that the next run has opened but not yet locked."""
    (tmp_path / NAME).write_text('{"source": "a", "output": "b"}\n', encoding="utf-8")
    with Manifest(tmp_path) as ending:

        def just_ended(descriptor: int) -> bool:
            monkeypatch.undo()
            ending.records["c"] = Record("d", "c")
            ending.rewrite(["b"])
            return False

        monkeypatch.setattr("jounce.fleet.manifest.is_taken", just_ended)
        with Manifest(tmp_path) as manifest:
            assert [*manifest.records] == ["b", "c"]
            manifest.add(Record("f", "e"))
    assert '"e"' in (tmp_path / NAME).read_text(encoding="utf-8")


def test_parts_are_removed_before_another_run_begins(one: Any, tmp_path: Path, monkeypatch):
    """It may have parts in the same folder."""
    log = write_log(tmp_path / "log.parquet", 3000)

    def removed(path: Path, **_: Any) -> None:
        with pytest.raises(ArgumentError, match="another run"), Manifest(path.parent):
            pass
        seen.append(path.name)

    seen: list[str] = []
    monkeypatch.setattr("jounce.fleet.torques.shutil.rmtree", removed)
    inverse_dynamics(ARM, log, tmp_path / "out", client=one, split=1000)
    assert seen == [PARTS]


def test_options_that_differ_in_their_last_digit(tmp_path: Path):
    (tmp_path / "log.csv").touch()
    keys = {
        Work(ARM, tmp_path, 2, 1, {"noise": noise}).key(f"{tmp_path}/log.csv")
        for noise in (np.full(2, 0.1), np.full(2, np.nextafter(0.1, 1.0)), [0.1, 0.1])
    }
    assert len(keys) == 2, "an array is the list of its numbers"


def test_files_of_a_bag_are_known_by_name(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    before = content_key(str(tmp_path))
    (tmp_path / "two").rename(tmp_path / "zwei")
    assert content_key(str(tmp_path)) != before


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_of_files_may_be_any_bytes(one: Any, logs: Path, tmp_path: Path):
    mine, out = tmp_path / "logs", tmp_path / "out"
    mine.mkdir()
    names = [
        os.fsdecode(name) for name in (b"\xff", "Übung".encode(), "a\u2028b".encode(), b"a\nb")
    ]
    for name in names:
        shutil.copy(logs / "a.csv", mine / f"{name}.csv")
    assert inverse_dynamics(ARM, mine, out, client=one).made == 4
    assert sorted(contents(out)) == sorted(f"{name}.parquet" for name in names)
    assert inverse_dynamics(ARM, mine, out, client=one).made == 0
    assert '"Übung.parquet"' in (out / NAME).read_text(encoding="utf-8")


def test_a_manifest_that_is_none(one: Any, logs: Path, tmp_path: Path):
    (tmp_path / NAME).write_bytes(b"\xff\x00[]\n{}\n17")
    assert inverse_dynamics(ARM, logs / "b", tmp_path, client=one).made == 3
    assert len((tmp_path / NAME).read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(
    "damage",
    [
        {"output": ["b.parquet"]}, {"output": 5}, {"samples": "40"}, {"bytes": None},
        {"notes": [1]}, {"key": {}}, {"error": 5}, {"source": 1.5}, {"other": 1},
    ],
)  # fmt: skip
def test_a_record_that_is_none(damage: dict[str, Any], one: Any, logs: Path, tmp_path: Path):
    """A manifest that somebody has edited: such lines are left out, the logs done again."""
    first = inverse_dynamics(ARM, logs / "b/c.csv", tmp_path, client=one)
    line = json.loads((tmp_path / NAME).read_text(encoding="utf-8"))
    nested = "[" * 100_000
    (tmp_path / NAME).write_text(f"{json.dumps({**line, **damage})}\n{nested}\n")
    again = inverse_dynamics(ARM, logs / "b/c.csv", tmp_path, client=one)
    assert (again.made, again.records) == (1, first.records)
    assert len((tmp_path / NAME).read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names")
def test_a_pipe_in_place_of_a_log_or_a_manifest(one: Any, logs: Path, tmp_path: Path):
    mine, out = tmp_path / "logs", tmp_path / "out"
    mine.mkdir()
    shutil.copy(logs / "a.csv", mine)
    os.mkfifo(mine / "pipe.csv")
    (mine / "zeros.npz").symlink_to("/dev/zero")
    done = inverse_dynamics(ARM, mine, out, client=one)
    assert done.made == 1
    assert [record.output for record in done.failed] == ["pipe.parquet", "zeros.parquet"]
    assert all("is no regular file" in str(record.error) for record in done.failed)
    (out / "a.parquet").unlink()
    os.mkfifo(out / "a.parquet")  # a result that nobody reads
    done = inverse_dynamics(ARM, mine / "a.csv", out, client=one)
    assert "is no regular file" in str(done.records[0].error)
    (out / NAME).unlink()
    (out / NAME).symlink_to("/dev/zero")
    with pytest.raises(TableError, match=r"manifest\.jsonl: is no regular file"):
        inverse_dynamics(ARM, mine, out, client=one)


@pytest.mark.parametrize("what", ["note", "part", "row"])
def test_parts_that_somebody_damaged_are_made_again(
    what: str, one: Any, logs, expected, tmp_path: Path, monkeypatch
):
    source = logs / "long.parquet"
    with monkeypatch.context() as broken:

        def stop(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        broken.setattr("jounce.fleet.torques.join_parquet", stop)
        assert inverse_dynamics(ARM, source, tmp_path, client=one, split=9000).failed
    part = sorted((tmp_path / PARTS).glob("*.parquet"))[1]
    note = part.with_suffix(".json")
    if what == "note":
        note.write_text("[12")
    elif what == "part":
        part.write_bytes(part.read_bytes()[:-9])
    else:
        note.write_text(json.dumps([7, []]))
    done = inverse_dynamics(ARM, source, tmp_path, client=one, split=9000)
    assert (done.made, done.failed) == (1, ())
    assert contents(tmp_path) == {"long.parquet": expected["long.parquet"]}


def test_a_bad_log_does_not_stop_the_others(two: Any, logs: Path, tmp_path: Path):
    mine, out = tmp_path / "logs", tmp_path / "out"
    shutil.copytree(logs, mine)
    (mine / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n1,x,2\n")
    (mine / "torn.parquet").write_bytes((mine / "long.parquet").read_bytes()[:-100])
    done = inverse_dynamics(ARM, mine, out, client=two, split=9000)
    errors = {record.output: record.error for record in done.failed}
    assert done.made == 5
    assert sorted(errors) == ["bad.parquet", "torn.parquet"]
    wanted = f"{mine}/bad.csv:3: column joint1: 'x' is not a number; --drop-invalid leaves "
    assert errors["bad.parquet"] == f"{wanted}such rows out."
    assert "\n" not in str(errors["torn.parquet"])
    lines = [json.loads(line) for line in (out / NAME).read_text().splitlines()]
    assert [line["output"] for line in lines] == [record.output for record in done.records]
    assert {line["output"]: line["error"] for line in lines if "error" in line} == errors
    shutil.copy(mine / "a.csv", mine / "bad.csv")
    again = inverse_dynamics(ARM, mine, out, client=two, split=9000)
    assert (again.made, [r.output for r in again.failed]) == (1, ["torn.parquet"])


def test_a_full_disk_under_one_result(one: Any, logs, expected, tmp_path: Path, monkeypatch):
    """Nothing is half-written; the second run does what is missing."""
    real = os.fsync
    full = [True]

    def fsync(descriptor: int) -> None:
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if full and PARTS not in name and os.fstat(descriptor).st_size > 500_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    done = inverse_dynamics(ARM, logs, tmp_path, client=one, split=9000)
    assert [record.error for record in done.failed] == [
        f"{tmp_path}/long.parquet: No space left on device"
    ]
    results = {name: data for name, data in contents(tmp_path).items() if PARTS not in name}
    assert results == {name: data for name, data in expected.items() if name != "long.parquet"}
    assert len([*(tmp_path / PARTS).glob("*.parquet")]) > 2
    full.clear()
    monkeypatch.setattr("jounce.tables.log.Log.forces", None)  # all parts are there
    assert inverse_dynamics(ARM, logs, tmp_path, client=one, split=9000).made == 1
    assert contents(tmp_path) == expected


def test_a_killed_worker_loses_nothing(two: Any, logs, expected, tmp_path: Path):
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if not killed:
            killed.extend(two.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    done = inverse_dynamics(ARM, logs, tmp_path, client=two, split=1, progress=kill)
    assert len(killed) == 2
    assert done.failed == ()
    assert contents(tmp_path) == expected
    two.wait_for_workers(2, timeout=60)


def test_a_run_that_is_stopped_goes_on(two: Any, logs, expected, tmp_path: Path):
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise Stop

    with pytest.raises(Stop):
        inverse_dynamics(ARM, logs, tmp_path, client=two, progress=stop)
    (manifest,) = tmp_path.glob(NAME)
    with manifest.open("a") as file:  # killed while it wrote
        file.write('{"source": "half')
    done = inverse_dynamics(ARM, logs, tmp_path, client=two)
    assert 0 < done.made <= 3
    assert contents(tmp_path) == expected


def test_a_scheduler_that_goes_away_and_comes_back(logs, expected, tmp_path: Path):
    import distributed

    options: dict[str, Any] = {
        "n_workers": 1,
        "processes": False,
        "protocol": "tcp",
        "dashboard_address": "127.0.0.1:0",
    }
    cluster = distributed.LocalCluster(**options)
    address = cluster.scheduler_address

    def close(done: int, total: int) -> None:
        if done == 1:
            cluster.close()

    with pytest.raises(ClusterError, match="what is done is not done again"):
        inverse_dynamics(ARM, logs, tmp_path, client=address, progress=close)
    port = int(address.rpartition(":")[2])
    with distributed.LocalCluster(**options, scheduler_port=port) as again:
        assert again.scheduler_address == address
        done = inverse_dynamics(ARM, logs, tmp_path, client=address)
    assert done.made == 4
    assert contents(tmp_path) == expected


def test_what_is_refused(logs: Path, tmp_path: Path):
    with pytest.raises(ArgumentError, match="a client or workers, not both"):
        inverse_dynamics(ARM, logs, tmp_path, client="tcp://127.0.0.1:1", workers=2)
    with pytest.raises(ArgumentError, match="workers must be"):
        inverse_dynamics(ARM, logs, tmp_path, workers=0)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_processes_of_our_own(workers: int, logs, expected, tmp_path: Path):
    start = time.monotonic()
    done = inverse_dynamics(ARM, logs, tmp_path, workers=workers, split=5000)
    assert done.made == 5
    assert contents(tmp_path) == expected
    assert time.monotonic() - start < 120
