"""Times of a clock lose nothing: the differences to the first are what the file says."""

from __future__ import annotations

import re
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from jounce.errors import JounceError, NotFiniteError, TableError
from jounce.tables import csv as text
from jounce.trajectory import open_motion, read_motion
from tests.tolerances import EXACT, assert_close

EPOCH = 1_700_000_000  # s
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
STEPS = np.cumsum(np.random.default_rng(0).integers(1, 2000, 40)) - 1  # ticks; first is not 0


def csv(path: Path, times: list[str]) -> Path:
    rows = [f"7,{time},{i}" for i, time in enumerate(times)]
    path.write_text("\n".join(["q:y,t,q:x", *rows]), encoding="utf-8")
    return path


def npz(path: Path, time: np.ndarray) -> Path:
    np.savez(path, time=time, names=["x"], values=np.arange(len(time))[None, :, None])
    return path


def parquet(path: Path, time: object) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    column = time(pa)
    pq.write_table(pa.table({"t": column, "q:x": np.arange(len(column)) + 0.0}), path)
    return path


def check(path: Path, unit: str, units: str | None = None) -> None:
    """The times are those of the integers, and nothing else changes."""
    file, first = open_motion(path, units=units), int(STEPS[0])
    assert file.start == EPOCH + Decimal(first) / TICKS[unit]
    table = file.table()
    assert_close(table.time, (STEPS - first) / TICKS[unit], EXACT)
    assert_close(table.values[0, :, table.names.index("x")], np.arange(40), EXACT)
    (window,) = file.windows(4, 100)
    assert_close(window.time, table.time, EXACT)


@pytest.mark.parametrize("unit", TICKS)
def test_integers_with_their_unit(unit: str, tmp_path: Path):
    ticks = EPOCH * TICKS[unit] + STEPS
    check(csv(tmp_path / "log.csv", [str(x) for x in ticks]), unit, unit)
    check(npz(tmp_path / "log.npz", ticks), unit, unit)
    check(parquet(tmp_path / "log.parquet", lambda pa: pa.array(ticks)), unit, unit)
    unsigned = ticks.astype(np.uint64)
    check(parquet(tmp_path / "unsigned.parquet", lambda pa: pa.array(unsigned)), unit, unit)


@pytest.mark.parametrize("unit", TICKS)
def test_columns_that_know_their_unit(unit: str, tmp_path: Path):
    ticks = EPOCH * TICKS[unit] + STEPS
    check(npz(tmp_path / "date.npz", ticks.astype(f"datetime64[{unit}]")), unit)
    check(npz(tmp_path / "time.npz", ticks.astype(f"timedelta64[{unit}]")), unit)
    for zone in (None, "Europe/Berlin"):
        path = tmp_path / f"{zone is None}.parquet"
        written = "ms" if unit == "s" else unit  # Parquet has no timestamp[s]
        ticks_of_file = ticks * (TICKS[written] // TICKS[unit])

        def stamps(pa, ticks=ticks_of_file, unit=written, zone=zone):
            return pa.array(ticks).cast(pa.timestamp(unit, zone))

        check(parquet(path, stamps), unit)
        check(path, unit, written)
    path = tmp_path / "duration.parquet"
    check(parquet(path, lambda pa: pa.array(ticks).cast(pa.duration(unit))), unit)


@pytest.mark.parametrize("way", ["pyarrow", "no pyarrow"])
def test_decimals(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Text, in a file long enough for pyarrow; the same digits from zero are the same times."""
    if way == "pyarrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    text._arrow.cache_clear()
    rng, samples = np.random.default_rng(1), text.WORTH_IT + 3
    ticks = np.cumsum(rng.integers(1, 10**7, samples)) - 1
    ticks -= ticks[0]
    parts = [(tick // 10**9, f"{tick % 10**9:09d}") for tick in ticks.tolist()]
    late = csv(tmp_path / "late.csv", [f" {EPOCH + whole}.{rest}" for whole, rest in parts])
    early = csv(tmp_path / "early.csv", [f"{whole}.{rest}" for whole, rest in parts])
    milli = csv(
        tmp_path / "milli.csv",
        [f"{EPOCH + whole}{rest[:3]}.{rest[3:]}" for whole, rest in parts],
    )
    want = read_motion(early).time
    assert_close(want, ticks / 1e9, EXACT)
    assert_close(read_motion(late).time, want, EXACT)
    assert_close(read_motion(milli, units="ms").time, want, 1e-15)  # divided after rounding
    blocks = [block.table.time for block in open_motion(late).blocks(100)]
    assert_close(np.concatenate(blocks), want, EXACT)
    text._arrow.cache_clear()


def test_ways_to_write_a_number(tmp_path: Path):
    path = csv(
        tmp_path / "log.csv", ["1.7e9", "+1700000000.1", "17000000002E-1", "1.70000000025e+09"]
    )
    assert_close(read_motion(path).time, [0.0, 0.1, 0.2, 0.25], EXACT)


def test_doubles_are_subtracted(tmp_path: Path):
    """A file of doubles has lost its digits already; no more are lost."""
    time = EPOCH + STEPS / 1e3
    for path in (
        npz(tmp_path / "log.npz", time),
        parquet(tmp_path / "log.parquet", lambda pa: pa.array(time)),
    ):
        assert_close(read_motion(path).time, time - time[0], EXACT)
        assert float(open_motion(path).start) == time[0]


@pytest.mark.parametrize("first", [0.0, -3.5, 0.1, 999_999.9])
def test_other_times_stay_as_they_are(first: float, tmp_path: Path):
    time = first + (STEPS - STEPS[0]) / 7
    for path in (
        csv(tmp_path / "log.csv", [repr(x) for x in time.tolist()]),
        npz(tmp_path / "log.npz", time),
        parquet(tmp_path / "log.parquet", lambda pa: pa.array(time)),
    ):
        assert_close(read_motion(path).time, time, EXACT)
        assert open_motion(path).start == 0


def test_durations_from_zero_stay_as_they_are(tmp_path: Path):
    path = npz(tmp_path / "log.npz", np.arange(5).astype("timedelta64[ms]"))
    assert_close(read_motion(path).time, np.arange(5) / 1e3, EXACT)


@pytest.mark.parametrize("first", [-(2**63), 2**62, 2**63 - 20, 2**63, 2**64 - 40])
def test_integers_of_any_size(first: int, tmp_path: Path):
    ticks = np.array([first + i for i in range(40)], dtype=np.int64 if first < 0 else np.uint64)
    archive = npz(tmp_path / "log.npz", ticks)
    assert_close(read_motion(archive, units="ns").time, np.arange(40) / 1e9, EXACT)
    columns = parquet(tmp_path / "log.parquet", lambda pa: pa.array(ticks))
    assert_close(read_motion(columns, units="ns").time, np.arange(40) / 1e9, EXACT)
    assert open_motion(archive, units="ns").start == Decimal(first) / 10**9


def test_integers_that_step_back_further_than_an_integer_holds(tmp_path: Path):
    path = npz(tmp_path / "log.npz", np.array([2**62, -(2**63)]))
    with pytest.raises(TableError, match=r"sample 1: time -.* does not come after 4611686018\."):
        read_motion(path, units="ns")


NAT = np.array([EPOCH, EPOCH + 1, "NaT"], dtype="datetime64[s]")

BAD_NPZ = [
    (
        np.arange(3).astype("datetime64[D]"),
        None,
        r"time holds datetime64\[D\]; convert it to datetime64\[ns\]\.",
    ),
    (
        np.arange(3).astype("timedelta64[5ms]"),
        None,
        r"time holds .*; convert it to timedelta64\[ns\]\.",
    ),
    (NAT, None, r"time\[2\] is not a time \(NaT\)"),
    (NAT[:2], "ms", "column t knows its unit, and it is not that of 'ms'; leave out the unit"),
    (EPOCH + np.array([0.0, np.inf]), None, "sample 1: t is inf"),
    (
        EPOCH + np.array([0, 2, 1]),
        None,
        "sample 2: time 1700000001.0 does not come after 1700000002.0",
    ),
]


@pytest.mark.parametrize(("time", "units", "message"), BAD_NPZ)
def test_bad_times_of_an_archive(time: np.ndarray, units: str | None, message: str, tmp_path: Path):
    path = npz(tmp_path / "log.npz", time)
    with pytest.raises(JounceError, match=rf"log\.npz: {message}"):
        read_motion(path, units=units)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (["1.7e9", "nan"], NotFiniteError, ":3: t is nan"),
        (["inf", "1.7e9"], NotFiniteError, ":2: t is inf"),
        (["1.7e9", "1700000001x"], TableError, ":3: column t: '1700000001x' is not a number"),
        (["1.7e9", ""], TableError, ":3: column t: is empty"),
        (["x", "1.7e9"], TableError, ":2: column t: 'x' is not a number"),
        (["1.7e9", "1.7e9"], TableError, ":3: time 1700000000.0 does not come after 1700000000.0"),
    ],
)
def test_bad_times_of_a_text(rows: list[str], error: type[Exception], message: str, tmp_path: Path):
    with pytest.raises(error, match=re.escape(f"log.csv{message}")):
        read_motion(csv(tmp_path / "log.csv", rows))


def test_only_the_time_may_be_a_stamp(tmp_path: Path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stamps = pa.array([0, None]).cast(pa.timestamp("us"))
    pq.write_table(pa.table({"t": [0.0, 1.0], "q:x": stamps}), tmp_path / "log.parquet")
    with pytest.raises(TableError, match=r"column q:x holds timestamp\[us\]; it must hold numbers"):
        read_motion(tmp_path / "log.parquet")
    pq.write_table(pa.table({"t": stamps, "q:x": [0.0, 1.0]}), tmp_path / "log.parquet")
    with pytest.raises(TableError, match=r"row 2: column t: is empty"):
        read_motion(tmp_path / "log.parquet")
