"""The cache is never an error, at worst a miss."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from jounce.codegen import cache

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
