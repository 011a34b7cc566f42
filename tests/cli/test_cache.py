"""``jounce cache``."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from jounce.cli import main
from jounce.kernels import kernel as kernels
from tests.cli.program import only_line, run


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no kernels from the tests before."""
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(kernels, "_kernel", lru_cache(kernels.Kernel))
    return tmp_path / "kept"


def jounce(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def shown() -> dict[str, str]:
    code, out, err = jounce("cache")
    assert (code, err) == (0, "")
    return {line[:11].strip(): line[11:] for line in out.splitlines()}


def test_an_empty_cache(place: Path):
    assert shown() == {"directory": str(place), "entries": "0", "size": "0.0 KiB"}
    assert not place.exists(), "looking makes no directory"
    assert jounce("cache", "clear") == (0, f"removed 0 entries, 0.0 KiB, from {place}\n", "")


def test_warm_show_clear(place: Path):
    code, out, err = jounce("cache", "warm", "planar2r", "--order", "2")
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"inverse_dynamics of planar2r, order 2: \d+ operations, compiled in \d+\.\d\d s\n", out
    )
    kernels._kernel.cache_clear()  # as in another process
    assert jounce("cache", "warm", "planar2r", "--order", "2")[1].endswith("was there already\n")
    found = shown()
    assert int(found["entries"]) >= 1
    assert re.fullmatch(r"\d+\.\d (KiB|MiB)", found["size"])
    assert re.fullmatch(r"\d+ seconds ago; the oldest \d+ seconds ago", found["last used"])
    code, out, err = jounce("cache", "clear")
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"removed \d+ entr(y|ies), \d+\.\d KiB, from {place}\n", out)
    assert shown()["entries"] == "0"


def test_ages_are_in_words(place: Path):
    jounce("cache", "warm", "planar2r")
    first, *_ = sorted(place.glob("*.jobj"))
    os.utime(first, (0, 0))
    assert re.search(r"the oldest \d+ days ago", shown()["last used"])


def test_options_of_warm():
    code, out, _ = jounce("cache", "warm", "planar2r", "--quantity", "poses", "--floating-base")
    assert code == 0
    assert out.startswith("poses of planar2r, order 0: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["warm"], "Missing argument 'ROBOT'"),
        (["warm", "no_such_robot"], "no_such_robot"),
        (["warm", "planar2r", "--order", "-1"], "'--order'"),
        (["warm", "planar2r", "--order", "two"], "'--order'"),
        (["warm", "planar2r", "--quantity", "torque"], "no quantity named 'torque'"),
        (["warm", "planar2r", "--wrench", "tool9"], "tool9"),
        (["warm", "planar2r", "--quantity", "poses", "--wrench", "ground"], "jounce: "),
        (["empty"], "No such command 'empty'"),
        (["clear", "all"], "unexpected extra argument"),
    ],
)
def test_bad_input(arguments: list[str], message: str):
    code, out, err = jounce("cache", *arguments)
    assert (code, out) == (2, "")
    assert message in only_line(err)


def test_entries_that_stay(place: Path, monkeypatch: pytest.MonkeyPatch):
    jounce("cache", "warm", "planar2r")

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, os.strerror(13), str(self))

    monkeypatch.setattr(Path, "unlink", refuse)
    code, out, err = jounce("cache", "clear")
    assert (code, out) == (2, "")
    assert re.match(r"jounce: removed 0 of \d+ entries; .*check the permissions", only_line(err))


def test_no_place_for_a_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.codegen.cache.directory", lambda: None)
    code, out, err = jounce("cache")
    assert (code, out) == (2, "")
    assert "set JOUNCE_CACHE_DIR" in only_line(err)


def test_without_llvmlite(place: Path):
    program = "import sys; sys.modules['llvmlite'] = None\nfrom jounce.cli import main; main()"
    code, out, err = run(
        "cache", "warm", "planar2r", program=program, PYTHONWARNINGS="ignore",
        JOUNCE_CACHE_DIR=str(place),
    )  # fmt: skip
    assert (code, out) == (2, "")
    assert "install llvmlite" in only_line(err)
