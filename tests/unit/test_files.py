"""Files appear completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from jounce import files
from jounce.files import atomic_write, write_together
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


def test_several_files_appear_together_or_not_at_all(tmp_path: Path):
    first, second = tmp_path / "new" / "first", tmp_path / "second"
    write_together({first: "ours\n1", second: "ours\n2"}, ours="ours")
    assert (first.read_text(), second.read_text()) == ("ours\n1", "ours\n2")
    with pytest.raises(UnicodeEncodeError):
        write_together({first: "ours\n3", second: "\ud800"}, ours="ours")
    assert first.read_text() == "ours\n1"
    first.write_text("theirs")
    with pytest.raises(FileExistsError, match="not written by Jounce"):
        write_together({second: "ours\n4", first: "ours\n4"}, ours="ours")
    assert (first.read_text(), second.read_text()) == ("theirs", "ours\n2")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["first", "new", "second"]


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


@posix
def test_a_link_to_itself_is_refused(tmp_path: Path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop") as caught, atomic_write(loop):
        pass
    assert caught.value.errno == errno.ELOOP


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "result.csv"
    device, real = os.open("/dev/full", os.O_WRONLY), os.fdopen

    def full(descriptor: int, *rest: str, **options: str) -> IO[Any]:
        os.dup2(device, descriptor)
        return real(descriptor, *rest, **options)

    monkeypatch.setattr(files.os, "fdopen", full)
    with pytest.raises(OSError, match=r"result\.csv") as caught, atomic_write(target) as file:
        file.write("x" * 100)
    os.close(device)
    assert caught.value.errno == errno.ENOSPC
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_swept(tmp_path: Path):
    left, foreign = tmp_path / ".jounce-0123456789ab.tmp", tmp_path / ".jounce-mine.tmp"
    young = tmp_path / ".jounce-ba9876543210.tmp"  # of a process that runs, perhaps
    for path in (left, foreign, young):
        path.write_text("half")
    for path in (left, foreign):
        os.utime(path, (0, 0))
    for _ in range(2):
        with atomic_write(tmp_path / "file") as file:
            file.write("whole")
    assert {path.name for path in tmp_path.iterdir()} == {"file", foreign.name, young.name}
