"""Nothing is ever half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jounce.trajectory import MotionTable, read_motion, write_table
from jounce.trajectory.atomic import atomic_write
from jounce.trajectory.csv_file import write_blocks

TABLE = MotionTable(np.array([0.0, 1.0]), ("x",), np.ones((1, 2, 1)))

INTERRUPTED = """
import sys, time, numpy as np
from pathlib import Path
from jounce.trajectory.csv_file import write_blocks
def blocks():
    yield np.ones((1000, 2))
    print("writing", flush=True)
    time.sleep(60)
write_blocks(Path(sys.argv[1]), ["t", "q:x"], blocks())
"""


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, SystemExit])
@pytest.mark.parametrize("existing", [None, "as before"])
def test_a_failure_leaves_what_was_there(failure, existing: str | None, tmp_path: Path):
    path = tmp_path / "motion.csv"
    if existing:
        path.write_text(existing)

    def blocks():
        yield np.ones((5, 2))
        raise failure

    with pytest.raises(failure):
        write_blocks(path, ["t", "q:x"], blocks())
    assert [p.name for p in tmp_path.iterdir()] == (["motion.csv"] if existing else [])
    assert not existing or path.read_text() == existing


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_leaves_nothing(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / "motion.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert len(list(tmp_path.iterdir())) == 1  # the temporary file
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert process.returncode != 0
    assert not list(tmp_path.iterdir())


def test_no_one_sees_half_a_file(tmp_path: Path):
    path = tmp_path / "text.txt"
    path.write_text("old")
    with atomic_write(path) as file:
        file.write("new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_permissions_and_links_are_kept(ending: str, tmp_path: Path):
    target, link = tmp_path / f"target.{ending}", tmp_path / f"link.{ending}"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_table(link, TABLE)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert read_motion(target).values.tolist() == TABLE.values.tolist()


def test_a_directory_is_refused_before_the_work_begins(tmp_path: Path):
    (tmp_path / "motion.csv").mkdir()
    blocks = iter([np.ones((1, 2))])
    with pytest.raises(IsADirectoryError):
        write_blocks(tmp_path / "motion.csv", ["t", "q:x"], blocks)
    assert len(list(blocks)) == 1


def test_a_missing_directory_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"no such directory.*nowhere'"):
        write_table(tmp_path / "nowhere" / "motion.csv", TABLE)
