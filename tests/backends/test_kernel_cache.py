"""Kernels and their cache in processes of their own: whatever its state, the numbers are right."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PROGRAM = """
import sys, warnings
import numpy as np
{before}
import jounce
robot = jounce.load("planar2r")
kernel = jounce.kernel(robot, "inverse_dynamics", order=1)
x = np.array([0.3, -0.4])
rows = [kernel(x, x, x, x), jounce.inverse_dynamics(robot, *[np.tile(x, (5, 1))] * 4)[:, 3]]
assert np.allclose(*rows, rtol=1e-13, atol=1e-13)
print(*[float(v).hex() for v in rows[0].ravel()])
{after}
"""


def start(cache: Path | str, before: str = "", after: str = "", **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(before=before, after=after)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "JOUNCE_CACHE_DIR": str(cache)},
        **options,
    )


def finish(process: subprocess.Popen) -> tuple[list[float], str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return [float.fromhex(word) for word in out.split()], err


def run(cache: Path | str, before: str = "", after: str = "") -> list[float]:
    values, err = finish(start(cache, before, after))
    assert not err
    return values


@pytest.fixture(scope="module")
def wanted() -> list[float]:
    with tempfile.TemporaryDirectory() as place:
        return run(place)


def entries(place: Path) -> list[Path]:
    return sorted(place.glob("*.jobj"))


def test_a_second_process_finds_the_code(tmp_path: Path, wanted: list[float]):
    assert run(tmp_path) == wanted
    known = entries(tmp_path)
    assert known
    refuse = "from jounce.codegen import machine_code as m\n"
    refuse += "def no(*_, **__): raise AssertionError\n"
    refuse += "m.print_llvm = m.compile_modules = m.compile_module = no"
    assert run(tmp_path, refuse) == wanted
    assert entries(tmp_path) == known


def test_processes_that_compile_at_once(tmp_path: Path, wanted: list[float]):
    processes = [start(tmp_path) for _ in range(4)]
    for values, err in map(finish, processes):
        assert (values, err) == (wanted, "")
    assert run(tmp_path) == wanted
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"jounce object cache 1\n" + bytes(500)])
def test_garbage_is_replaced(garbage: bytes, tmp_path: Path, wanted: list[float]):
    assert run(tmp_path) == wanted
    for path in entries(tmp_path):
        path.write_bytes(garbage)
    assert run(tmp_path) == wanted
    assert all(path.read_bytes() != garbage for path in entries(tmp_path))


def test_directories_in_place_of_entries(tmp_path: Path, wanted: list[float]):
    assert run(tmp_path) == wanted
    for path in entries(tmp_path):
        path.unlink()
        path.mkdir()
    assert run(tmp_path) == wanted


def test_a_read_only_directory(tmp_path: Path, wanted: list[float]):
    place = tmp_path / "cache"
    place.mkdir(mode=0o500)
    if os.geteuid() == 0:  # root writes everywhere but here
        deny = (
            "import jounce.files as f\ndef deny(*_, **__): raise PermissionError(13, 'read-only')\n"
        )
        assert run(place, f"{deny}f.secrets.token_hex = deny") == wanted
    else:
        assert run(place) == wanted
    assert not list(place.iterdir())


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/kept", "\udcff\n", "x" * 5000])
def test_an_impossible_directory(place: str, wanted: list[float], tmp_path: Path):
    values, err = finish(start(place, cwd=tmp_path))
    assert (values, err) == (wanted, "")


def test_a_full_directory(tmp_path: Path, wanted: list[float]):
    full = """
import errno, os
real = os.fdopen
class Full:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def write(self, data):
        self.file.write(data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")
os.fdopen = lambda handle, mode="r", *rest, **options: (
    Full(real(handle, mode)) if "w" in mode else real(handle, mode, *rest, **options))
"""
    after = "os.fdopen = real"
    assert run(tmp_path, full, after) == wanted
    assert not [p for p in tmp_path.iterdir() if p.suffix in (".jobj", ".tmp")]


def test_a_full_file_system(tmp_path: Path, wanted: list[float]):
    place = tmp_path / "small"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=8k", "tmpfs", str(place)]
    if subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("cannot mount a file system")
    try:
        assert run(place) == wanted
        assert not list(place.glob("*.tmp"))
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_without_llvmlite_the_interpreter_runs(tmp_path: Path, wanted: list[float]):
    before = "sys.modules['llvmlite'] = None"
    after = "jounce.kernel(robot, 'inverse_dynamics', order=2)(x, x, x, x, x)"
    values, err = finish(start(tmp_path, before, after))
    scale = max(map(abs, wanted))
    assert max(abs(a - b) for a, b in zip(values, wanted, strict=True)) <= 1e-13 * scale
    assert err.count("llvmlite is not installed") == 1
    assert "RuntimeWarning" in err


def test_pickles_travel(tmp_path: Path, wanted: list[float]):
    path = tmp_path / "kernel.pickle"
    write = f"import pickle; open({str(path)!r}, 'wb').write(pickle.dumps(kernel))"
    assert run(tmp_path / "first", after=write) == wanted
    read = f"""
import pickle
arrived = pickle.load(open({str(path)!r}, "rb"))
assert arrived is kernel
assert np.array_equal(arrived(x, x, x, x), rows[0])
"""
    assert run(tmp_path / "second", after=read) == wanted
