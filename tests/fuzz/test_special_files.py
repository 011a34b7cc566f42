"""Pipes and devices in the place of files: refused in one line, never read to their end."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jounce.codegen import cache
from tests.fuzz import mutants
from tests.fuzz.rule import command, patience

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names")

COMMANDS = [
    *(["show", f"odd.{ending}"] for ending in ("urdf", "xml", "json", "xacro")),
    *(["id", "planar2r", f"odd.{ending}"] for ending in ("csv", "npz", "parquet", "mcap", "db3")),
    ["check", "planar2r", "odd.csv"],
    ["check", "planar2r", "log.csv", "--limits", "odd.csv"],
    ["check", "planar2r", "log.csv", "--limits", "odd.json"],
    ["plan", "planar2r", "odd.csv"],
    ["plan", "planar2r", "points.csv", "--limits", "odd.csv"],
    ["identify", "planar2r", "odd.csv"],
    ["excite", "planar2r", "--limits", "odd.csv"],
    ["report", "planar2r", "odd.csv", "-o", "page.html"],
    ["view", "planar2r", "odd.csv", "--no-open"],
    ["view", "odd.urdf", "--no-open"],
    ["simulate", "planar2r", "--time", "0.01", "--state", "odd.json"],
    ["simulate", "planar2r", "--time", "0.01", "--state", "odd.npz"],
    ["ik", "planar2r", "--frame", "tip", "--path", "odd.csv", "-o", "out.csv"],
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("kind", ["pipe", "zeros"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_refuses(
    words: list[str], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (odd,) = (word for word in words if word.startswith("odd."))
    if kind == "pipe":
        os.mkfifo(tmp_path / odd)
    else:
        (tmp_path / odd).symlink_to("/dev/zero")
    (tmp_path / "log.csv").write_text("t,joint1,joint2\n0,0,0\n1,0,0\n")
    (tmp_path / "points.csv").write_text(mutants.POINTS_CSV)
    monkeypatch.chdir(tmp_path)
    with patience():
        assert command(*words, expected=2) is None


@pytest.mark.parametrize("kind", ["pipe", "zeros"])
def test_an_entry_of_the_cache_is_made_again(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    key = cache.key_of("x")
    cache.store(key, [b"object"])
    (entry,) = tmp_path.glob("*.jobj")
    entry.unlink()
    if kind == "pipe":
        os.mkfifo(entry)
    else:
        entry.symlink_to("/dev/zero")
    with patience():
        assert cache.load(key) is None
        cache.store(key, [b"object"])
        assert cache.load(key) == [b"object"]
