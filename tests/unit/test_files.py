"""Files appear completely or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from jounce.files import atomic_write
from tests.cli.program import interrupt

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links, signals")


def test_text_and_bytes(tmp_path: Path):
    with atomic_write(tmp_path / "text") as file:
        file.write("Müller\n")
        assert not (tmp_path / "text").exists()
    with atomic_write(str(tmp_path / "bytes"), "wb") as file:
        file.write(b"\n\xff")
    assert (tmp_path / "text").read_bytes() == "Müller\n".encode()
    assert (tmp_path / "bytes").read_bytes() == b"\n\xff"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bytes", "text"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path, failure: type[BaseException]):
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(failure), atomic_write(target) as file:  # noqa: PT012
        file.write("new")
        raise failure
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_directory_is_refused(tmp_path: Path):
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="missing"), atomic_write(tmp_path / "missing/file"):
        pass
    assert not list(tmp_path.iterdir())


@posix
def test_permissions(tmp_path: Path):
    target = tmp_path / "file"
    mask = os.umask(0o027)
    try:
        with atomic_write(target):
            pass
    finally:
        os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o604)
    with atomic_write(target) as file:
        file.write("new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o604
    assert target.read_text() == "new"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_protected_file_stays(tmp_path: Path):
    file = tmp_path / "measured.csv"
    file.write_text("precious")
    file.chmod(0o444)
    with pytest.raises(PermissionError, match="measured"), atomic_write(file):
        pass
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]


@posix
def test_links_are_followed_and_devices_written_to(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with atomic_write(tmp_path / "link") as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    with atomic_write("/dev/null") as file:
        file.write("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@posix
def test_ctrl_c_in_the_middle_of_a_file(tmp_path: Path):
    program = (
        "import sys, time, jounce; from jounce.cli import main\n"
        "from jounce.files import atomic_write\n"
        "def robots():\n"
        f" with atomic_write({str(tmp_path / 'file')!r}) as file:\n"
        "  file.write('half'); file.flush(); print('ready', flush=True)\n"
        "  while True: time.sleep(0.1)\n"
        "jounce.robots = robots\nmain(['robots'])"
    )
    code, _ = interrupt(program)
    assert code == 130
    assert not list(tmp_path.iterdir())
