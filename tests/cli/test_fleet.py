"""Many logs on the command line."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

import jounce
from tests.cli.program import run, started
from tests.tolerances import assert_close
from tests.unit.fleet.logs import contents, write_log

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
SOLVER = 1e-7  # of scale: what is left of a cone problem; triangles merge in another order


def test_many_logs_and_a_bad_one(tmp_path: Path):
    for i in range(2):
        write_log(tmp_path / "logs" / f"{i}.csv", seed=i)
    (tmp_path / "logs" / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n")
    logs, out = str(tmp_path / "logs"), tmp_path / "torques"
    code, text, err = run("id", "planar2r", logs, "-o", str(out), "--workers", "1")
    assert code == 1, err
    assert text == f"{out}: 3 logs, 800 samples; 2 made, 0 before\n"
    first, last = err.splitlines()[-2:]
    assert "bad.csv" in first
    assert last == f"jounce: 1 logs have no result; {out}/manifest.jsonl lists them"
    assert run("id", "planar2r", f"{logs}/0.csv", "-o", f"{tmp_path}/0.parquet")[0] == 0
    assert contents(out)["0.parquet"] == (tmp_path / "0.parquet").read_bytes()
    assert sorted(contents(out)) == ["0.parquet", "1.parquet"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.csv", "b.csv"), "for many logs give -o FOLDER"),
        (("a.csv", "--workers", "2", "--scheduler", "tcp://x:1"), "--workers or --scheduler"),
        (("no.csv", "b.csv", "-o", "out"), "no.csv: No such file"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("id", "planar2r", *arguments)
    assert (code, err.count("\n")) == (2, 1), err
    assert message in err


def test_limits_of_many_logs(tmp_path: Path):
    for i in range(2):
        write_log(tmp_path / f"{i}.npz", seed=i, forces=True)
    (tmp_path / "limits.csv").write_text("joint,velocity\njoint1,0.1\njoint2,100\n")
    limits = "--limits", str(tmp_path / "limits.csv")
    code, text, err = run("check", "planar2r", f"{tmp_path}/*.npz", *limits, "--workers", "1")
    assert code == 1, err
    assert ["joint1" in line for line in text.splitlines()] == [True, True, False, False]
    assert err.splitlines()[-1] == "jounce: 2 logs exceed a limit, 0 cannot be read"


def test_a_robot_from_many_logs(tmp_path: Path):
    pytest.importorskip("clarabel")
    for i in range(2):
        write_log(tmp_path / "logs" / f"{i}.npz", seed=i, forces=True)
    logs, alone = f"{tmp_path}/logs", [f"{tmp_path}/logs/{i}.npz" for i in range(2)]
    code, text, err = run(
        "identify", "planar2r", logs, "--workers", "1", "-o", f"{tmp_path}/a.json"
    )
    assert (code, err) == (0, "")
    code, other, err = run("identify", "planar2r", *alone, "-o", f"{tmp_path}/b.json")
    assert (code, err) == (0, "")
    assert (
        text.splitlines()[0] == other.splitlines()[0] == "planar2r: 800 samples, 12 base parameters"
    )
    a, b = (jounce.parameters(jounce.load(tmp_path / f"{name}.json")) for name in "ab")
    assert_close(a, b, SOLVER)
    (tmp_path / "logs" / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n")
    code, _, err = run("identify", "planar2r", f"{logs}/*", "--payload-frame", "tip")
    assert code == 1
    assert "bad.csv" in err
    assert err.splitlines()[-1] == "jounce: 1 logs are left out"


def test_the_first_log_cannot_be_read(tmp_path: Path):
    """The page shows the next one."""
    pytest.importorskip("clarabel")
    pytest.importorskip("plotly")
    write_log(tmp_path / "logs" / "b.npz", seed=0, forces=True)
    (tmp_path / "logs" / "a.csv").write_text("t,joint1,joint2\n0,1,2\n")
    out, page = tmp_path / "robot.json", tmp_path / "page.html"
    code, _, err = run(
        "identify", "planar2r", f"{tmp_path}/logs", "--workers", "1", "-o", str(out),
        "--report", str(page),
    )  # fmt: skip
    assert code == 1
    assert err.splitlines()[-1] == "jounce: 1 logs are left out"
    assert jounce.load(out).nv == 2
    assert "measured" in page.read_text(encoding="utf-8")


def test_a_log_without_the_load_cannot_be_read(tmp_path: Path):
    pytest.importorskip("clarabel")
    for i, name in enumerate(("held", "bare")):
        write_log(tmp_path / name / "0.npz", seed=i, forces=True)
    (tmp_path / "bare" / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n")
    out = tmp_path / "loaded.json"
    code, _, err = run(
        "identify", "planar2r", f"{tmp_path}/held/0.npz", "--without", f"{tmp_path}/bare",
        "--payload-frame", "tip", "-o", str(out),
    )  # fmt: skip
    assert code == 1
    assert f"{tmp_path}/bare/bad.csv" in err
    assert err.splitlines()[-1] == "jounce: 1 logs are left out"
    assert out.is_file()


@pytest.mark.slow
def test_an_interrupted_run_goes_on(tmp_path: Path):
    for i in range(30):
        write_log(tmp_path / "logs" / f"{i:02}.csv", seed=i)
    out = tmp_path / "torques"
    arguments = "id", "planar2r", str(tmp_path / "logs"), "-o", str(out), "--workers", "2"
    with started(*arguments) as process:
        manifest = out / "manifest.jsonl"
        while not (manifest.exists() and manifest.read_text().count("\n") > 2):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    code, text, err = run(*arguments)
    assert code == 0, err
    assert "30 logs" in text
    assert " 0 before" not in text
    assert len(contents(out)) == 30
