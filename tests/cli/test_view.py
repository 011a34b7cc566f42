"""``jounce view`` as a program: it serves this machine until it is told to stop."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from tests.fuzz.rule import patience

pytest.importorskip("viser")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a POSIX signal here")
def test_it_serves_until_it_is_interrupted(tmp_path: Path):
    time = np.linspace(0.0, 2.0, 201)
    motion = jounce.trajectory.papers_motion(2)(time, order=0)
    table = jounce.trajectory.MotionTable(time, ("joint1", "joint2"), motion)
    jounce.trajectory.write_table(tmp_path / "log.csv", table)
    command = [sys.executable, "-m", "jounce", "view", "planar2r", str(tmp_path / "log.csv")]
    with subprocess.Popen(
        [*command, "--no-open", "--port", "8340"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://localhost:\d+", line)
            assert found, line
            with urllib.request.urlopen(found[0], timeout=20) as page:
                assert b"<html" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()


def test_options_of_a_log_need_a_log():
    result = CliRunner().invoke(main, ["view", "panda", "--units", "deg"])
    assert result.exit_code != 0
    assert "--units is for a MOTION" in result.output


@pytest.mark.parametrize(
    ("host", "reason"),
    [("203.0.113.1", "address"), ("", "it is empty"), ("no such host", "."), ("x" * 70, "."),
     ("none.invalid", ".")],
)  # fmt: skip
def test_what_cannot_be_served_is_said_at_once(host: str, reason: str):
    """The server would look for a port that it can take, and wait for good."""
    with patience():
        result = CliRunner().invoke(main, ["view", "planar2r", "--no-open", "--host", host])
    assert result.exit_code == 2
    assert re.search(f"jounce: '{host}' cannot be served \\(.*{reason}", result.stderr)


def test_the_last_port_may_be_taken():
    with socket.socket() as taken, patience():
        taken.bind(("127.0.0.1", 65535))
        taken.listen()
        result = CliRunner().invoke(main, ["view", "planar2r", "--no-open", "--port", "65535"])
    assert result.exit_code == 2
    assert "no port from 65535 to 65535 of 127.0.0.1 is free" in result.stderr


def test_a_folder_can_be_a_bag(tmp_path: Path):
    pytest.importorskip("rosbags")
    (tmp_path / "metadata.yaml").write_text("torn: true\n")
    result = CliRunner().invoke(main, ["view", "planar2r", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a whole bag" in result.output


def test_wrenches_are_on_the_clock_of_the_log(tmp_path: Path):
    rows = [f"{k / 100:.2f},0.1,0.2" for k in range(100)]
    stamped = [f"170000000{row}" for row in rows]
    (tmp_path / "log.csv").write_text("\n".join(["t,joint1,joint2", *stamped]))
    (tmp_path / "w.csv").write_text("\n".join(["t,tip[fx],tip[fy]", *rows]))
    files = [str(tmp_path / "log.csv"), "--wrenches", str(tmp_path / "w.csv")]
    result = CliRunner().invoke(main, ["view", "planar2r", *files])
    assert result.exit_code == 2
    assert "from 0.00 to 0.99 s, but the log from 1700000000" in result.output


def test_a_robot_with_closures_is_refused():
    with pytest.raises(jounce.UnsupportedError, match="without_closures"):
        jounce.viewer.View(jounce.examples.fourbar())
