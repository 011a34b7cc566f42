"""Folders that are almost right: odd files among logs, results and manifests of other runs."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz import mutants
from tests.fuzz.rule import command, empty

LIMITS = ("--limits", "limits.csv")
TORQUES = ("joint1", "joint2", "Q:joint1", "Q:joint2")
ODD_NAMES = ("log.csv.csv", "LOG.CSV", "ü.csv", " .csv", "a\nb.csv", "\x1b[2J.csv", "[a].csv",
             "*.csv", "-o.csv", "log.tsv", "sound.npz", "q=1.csv", "x" * 200 + ".csv")  # fmt: skip


@cache
def scheduler() -> str | None:
    """Return the address of one worker, a thread of this process that all mutants share."""
    try:
        import distributed
    except ImportError:
        return None
    client = distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    )
    return client.scheduler.address


def commands(rng: random.Random, place: Path) -> str | None:
    """Do the logs of a folder, twice; a sound one among them has its result whatever the others."""
    address = scheduler()
    if address is None:
        return None
    here = Path.cwd()
    os.chdir(place)
    try:
        wrong = _in_folder(rng, address)
        left = [str(path) for path in Path().rglob(".jounce-*.tmp")]
        return wrong or (f"left {left}" if left else None)
    finally:
        os.chdir(here)
        empty(place)


def _in_folder(rng: random.Random, address: str) -> str | None:
    logs, out = Path("logs"), Path("results")
    logs.mkdir()
    sound = mutants.log_csv(rng, TORQUES)
    (logs / "sound.csv").write_text(sound)
    Path("limits.csv").write_text(mutants.LIMITS_CSV)
    for k in range(rng.randint(0, 3)):
        _odd_file(rng, logs, k)
    who = ("--scheduler", address)
    if rng.random() < 0.25:
        words = rng.choice([
            ("check", "planar2r", "logs", *LIMITS, *who), ("identify", "planar2r", "logs", *who),
            ("identify", "planar2r", "logs", "--payload-frame", "tip", "--without", "logs", *who),
            ("id", "planar2r", rng.choice(("logs/*", "logs/**", "logs/[", "lo?s/*.csv", "logs/../",
             "none", "**/*.csv", "logs/sound.csv", "results")), "-o", "results", *who),
            ("id", "planar2r", "logs", "-o", rng.choice(("logs", "logs/sound.csv", "limits.csv",
             "results/a/b", ".", "..", "limits.csv/x")), *who, "--order", "0"),
        ])  # fmt: skip
        return None if ".." in words else command(*words)
    words = ["id", "planar2r", "logs", "-o", "results", "--order", "0", *who]
    wrong = None
    if rng.random() < 0.3:  # what other runs have left, and then somebody damaged
        wrong = command(*words)
    if wrong is None and rng.random() < 0.8:
        _odd_results(rng, out)
    wrong = wrong or command(*words) or command(*words)
    if wrong is not None or not (out / "manifest.jsonl").is_file():
        return wrong
    is_refused = command(*words, expected=2) is None  # and leaves everything as it is
    return None if is_refused else _compared(out)


def _compared(out: Path) -> str | None:
    """Compare the result of the sound log with that of one log alone."""
    listed = [json.loads(line) for line in (out / "manifest.jsonl").open(encoding="utf-8")]
    sound = os.path.realpath("logs/sound.csv")  # by links it may be found below other names
    record = next((x for x in listed if os.path.realpath(x["source"]) == sound), None)
    if record is None:  # what lies where the results go is no log
        return None if sound.startswith(os.path.realpath(out)) else "the sound log is not listed"
    if "error" in record:
        is_blocked = not (out / record["output"]).is_file()
        return None if is_blocked else f"the sound log has no result: {record['error']}"
    alone = command("id", "planar2r", "logs/sound.csv", "--order", "0", "-o", "alone.parquet",
                    expected=0)  # fmt: skip
    if (
        alone is None
        and Path("alone.parquet").read_bytes() != (out / record["output"]).read_bytes()
    ):
        return "the result of the sound log is not that of the log alone"
    return alone


def _odd_file(rng: random.Random, folder: Path, k: int) -> None:
    """Put something among the logs that is no sound log."""
    text = mutants.log_csv(rng)
    table = rng.choice([
        lambda: (folder / f"bad{k}.csv").write_bytes(mutants.csv_text(text, rng)),
        lambda: (folder / f"bad{k}.npz").write_bytes(mutants.npz(text, rng)),
        lambda: (folder / f"bad{k}.parquet").write_bytes(mutants.parquet(text, rng)),
        lambda: (folder / rng.choice(ODD_NAMES)).write_text(text),
        lambda: (folder / f"bad{k}.csv").mkdir(),
        lambda: os.mkfifo(folder / f"bad{k}.{rng.choice(('csv', 'npz', 'parquet', 'mcap'))}"),
        lambda: (folder / f"bad{k}.csv").symlink_to(rng.choice(("/dev/zero", "none", f"bad{k}.csv",
                                                               "..", "sound.csv"))),
        lambda: (folder / f"loop{k}").symlink_to(rng.choice((".", "..", "../results"))),
        lambda: _bag(rng, folder / f"bag{k}"),
        lambda: (folder / os.fsdecode(b"\xff\xfe.csv")).write_text(text),
        lambda: (folder / f"bad{k}.csv").touch(),
        lambda: (folder / f".hidden{k}.csv").write_text("x"),
    ])  # fmt: skip
    table()


def _bag(rng: random.Random, folder: Path) -> None:
    folder.mkdir()
    (folder / "metadata.yaml").write_text(
        rng.choice(("", "a: [", "rosbag2_bagfile_information: 1"))
    )
    rng.choice([
        lambda: None, lambda: (folder / "x.db3").write_bytes(b"SQLite format 3\x00"),
        lambda: os.mkfifo(folder / "x.db3"), lambda: (folder / "x.mcap").symlink_to("/dev/zero"),
    ])()  # fmt: skip


def _odd_results(rng: random.Random, out: Path) -> None:
    """Damage what a run has left, or put something else there."""
    out.mkdir(exist_ok=True)
    manifest = out / "manifest.jsonl"
    before = manifest.read_bytes() if manifest.exists() else b""
    line = json.dumps({"source": "logs/sound.csv", "output": "sound.parquet", "key": "0" * 40,
                       "bytes": 5, "samples": 40, "notes": ["a"]})  # fmt: skip
    data = before or f"{line}\n".encode()
    edits: Sequence[Callable[[], Any]] = [
        lambda: manifest.write_bytes(data[: rng.randrange(len(data))]),
        lambda: manifest.write_bytes(_mutated(data, rng)),
        lambda: manifest.write_bytes(_mutated(data, rng)),
        lambda: manifest.write_bytes(data + rng.choice((b"null\n", b"[]", b"5", b'"x"\n', b"{}"))),
        lambda: manifest.write_bytes(data + b"[" * 100_000 + b"\n"),
        lambda: manifest.write_bytes(data + rng.randbytes(50)),
        lambda: (manifest.unlink(missing_ok=True), manifest.mkdir()),
        lambda: (manifest.unlink(missing_ok=True), os.mkfifo(manifest)),
        lambda: (manifest.unlink(missing_ok=True),
                 manifest.symlink_to(rng.choice(("/dev/zero", "manifest.jsonl", "none/x")))),
        lambda: _replaced(out / "sound.parquet", rng),
        lambda: (out / ".parts").write_text("x") if not (out / ".parts").exists() else None,
        lambda: (shutil.rmtree(out), out.symlink_to(rng.choice(("logs", "none", "results")))),
    ]  # fmt: skip
    rng.choice(edits)()


def _mutated(data: bytes, rng: random.Random) -> bytes:
    """Return a manifest with another value in one of its records."""
    lines = data.decode(errors="replace").splitlines()
    k = rng.randrange(len(lines))
    lines[k] = mutants.json_text(lines[k], rng).decode(errors="replace")
    return "\n".join([*lines, ""]).encode(errors="replace")


def _replaced(result: Path, rng: random.Random) -> None:
    """Put something else in the place of a result."""
    result.unlink(missing_ok=True)
    rng.choice([
        lambda: result.write_bytes(b"PAR1"), lambda: result.mkdir(), lambda: None,
        lambda: result.symlink_to("sound.parquet"), lambda: os.mkfifo(result),
    ])()  # fmt: skip
