"""The cache is never an error, at worst a miss."""

from __future__ import annotations

import functools
import os
import threading
import time
import warnings
from pathlib import Path

import pytest

from jounce.codegen import cache
from jounce.files import replacing

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, pipes")
OBJECTS = [b"first object", b"", b"\x00third" * 100]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_stored_is_loaded(place: Path):
    key = cache.key_of("a", "b")
    assert cache.load(key) is None
    cache.store(key, OBJECTS)
    assert cache.load(key) == OBJECTS
    assert cache.directory() == place
    assert len(cache.entries()) == 1
    assert cache.size() > 600
    assert cache.clear() == 1
    assert cache.load(key) is None


def test_keys_keep_parts_apart():
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc")


@pytest.mark.parametrize("length", [0, 5, 30, 100, -1])
def test_a_truncated_entry_is_a_miss(length: int):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    path = cache.entries()[0][0]
    path.write_bytes(path.read_bytes()[:length])
    assert cache.load(key) is None
    cache.store(key, OBJECTS)
    assert cache.load(key) == OBJECTS


@pytest.mark.parametrize("at", [0, 25, 60, 130, -1])
def test_a_changed_byte_is_a_miss(at: int):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    path = cache.entries()[0][0]
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert cache.load(key) is None


def test_a_renamed_entry_is_a_miss():
    cache.store(cache.key_of("x"), OBJECTS)
    path = cache.entries()[0][0]
    other = cache.key_of("y")
    path.rename(path.with_name(other + path.suffix))
    assert cache.load(other) is None


def test_an_unusable_directory_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(blocker / "below"))
    cache.store("k", OBJECTS)
    assert cache.load("k") is None
    assert cache.entries() == []
    assert cache.clear() == 0


def test_a_full_disk_is_no_error(place: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.store("k", OBJECTS)
    assert cache.load("k") is None
    assert list(place.iterdir()) == []  # the temporary file is gone


def test_writers_at_once_leave_a_whole_entry():
    key = cache.key_of("x")
    big = [bytes([k]) * 200_000 for k in range(4)]
    threads = [threading.Thread(target=cache.store, args=(key, big)) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert cache.load(key) in (None, big)
    assert cache.load(key) == big
    assert len(cache.entries()) == 1


def test_only_names_of_ours_are_removed(place: Path):
    cache.store(cache.key_of("x"), OBJECTS)
    foreign = [place / name for name in ("notes.tmp", "x.jobj", ".jounce-note.tmp", "a" * 64)]
    for path in foreign:
        path.write_text("precious")
        os.utime(path, (0, 0))
    left = place / ".jounce-0123456789ab.tmp"  # of a killed process
    left.write_text("half")
    os.utime(left, (0, 0))
    assert cache.prune() == 1
    assert not left.exists()
    assert cache.clear() == 1
    assert all(path.read_text() == "precious" for path in foreign)


def test_a_file_that_is_being_written_stays(place: Path):
    place.mkdir(mode=0o700)
    with replacing(place / "slow", "wb") as file:
        file.write(b"half")
        (temporary,) = place.iterdir()
        os.utime(temporary, (0, 0))
        assert cache.prune() == 0
        assert cache.clear() == 0
    assert (place / "slow").read_bytes() == b"half"


@pytest.mark.parametrize("age", [-10 * 86400, 2 * 86400])
def test_a_stamp_of_another_day_is_no_reason_not_to_prune(place: Path, age: float):
    cache.store(cache.key_of("old"), OBJECTS)
    path = cache.entries()[0].path
    os.utime(path, (0, 0))
    os.utime(place / "pruned", (time.time() - age,) * 2)
    cache.store(cache.key_of("new"), OBJECTS)
    assert not path.exists()


def test_a_process_that_writes_much_prunes_before_the_day_is_over(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    cache.store(cache.key_of("first"), OBJECTS)
    monkeypatch.setattr(cache, "PRUNE_BYTES", 2000)
    monkeypatch.setattr(cache, "prune", functools.partial(cache.prune, max_bytes=3000))
    for k in range(20):
        cache.store(cache.key_of(str(k)), OBJECTS)
    assert cache.size() < 3000 + 2000 + 1000


@posix
def test_a_pipe_in_place_of_an_entry_is_a_miss_and_replaced(place: Path):
    key = cache.key_of("x")
    place.mkdir(mode=0o700)
    os.mkfifo(place / f"{key}.jobj")
    assert cache.load(key) is None
    cache.store(key, OBJECTS)
    assert cache.load(key) == OBJECTS


@posix
@pytest.mark.parametrize("bits", [0o777, 0o770, 0o702])
def test_a_directory_that_others_can_write_to_is_refused(place: Path, bits: int):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    place.chmod(bits)
    cache._warned.clear()
    with pytest.warns(RuntimeWarning, match=r"others can write to it.*chmod -R go-w"):
        assert cache.load(key) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        cache.store(cache.key_of("y"), OBJECTS)
        assert cache.load(cache.key_of("y")) is None
    place.chmod(0o755)
    assert cache.load(key) == OBJECTS


@posix
def test_an_entry_that_others_can_write_to_is_a_miss(place: Path):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    path = cache.entries()[0].path
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o666)
    assert cache.load(key) is None
    cache.store(key, OBJECTS)
    assert cache.load(key) == OBJECTS


@posix
def test_a_directory_below_one_that_others_can_write_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setenv(cache.VARIABLE, str(open_to_all / "kept"))
    cache._warned.clear()
    with pytest.warns(RuntimeWarning, match="a directory above it"):
        cache.store("k", OBJECTS)
    assert cache.load("k") is None
    open_to_all.chmod(0o1777)  # as /tmp: others cannot take away what is ours
    cache.store("k", OBJECTS)
    assert cache.load("k") == OBJECTS


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("what", ["directory", "entry"])
def test_what_another_user_owns_is_refused(place: Path, what: str):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    cache._warned.clear()
    if what == "entry":
        os.chown(cache.entries()[0].path, 12345, 12345)
        assert cache.load(key) is None
    else:
        os.chown(place, 12345, 12345)
        with pytest.warns(RuntimeWarning, match="belongs to user 12345"):
            assert cache.load(key) is None


def test_a_link_in_place_of_an_entry_is_not_followed(place: Path, tmp_path: Path):
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    path = cache.entries()[0].path
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.load(key) is None


def test_old_entries_go_first(place: Path):
    now = time.time()
    for age, name in ((100 * 86400, "old"), (2000, "middle"), (1000, "young")):
        cache.store(cache.key_of(name), OBJECTS)
        newest = cache._path(cache.key_of(name))
        assert newest is not None
        os.utime(newest, (now - age, now - age))
    assert cache.prune() == 1
    assert cache.load(cache.key_of("old")) is None
    assert cache.prune(max_bytes=cache.size() - 1) == 1
    assert cache.load(cache.key_of("middle")) is None
    assert cache.load(cache.key_of("young")) == OBJECTS


def test_use_keeps_an_entry_young():
    key = cache.key_of("x")
    cache.store(key, OBJECTS)
    path = cache.entries()[0][0]
    os.utime(path, (0, 0))
    cache.load(key)
    assert time.time() - path.stat().st_mtime < 60
