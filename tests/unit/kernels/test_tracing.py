"""Traces on disk are those that would be made; whatever is wrong with them, they are remade."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce import sources
from jounce.kernels import tracing
from jounce.kernels.description import kernel_spec
from jounce.kernels.tracing import trace, traced


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path))
    return tmp_path


def stored(place: Path) -> int:
    return len(list(place.glob("*.jobj")))


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "poses", "kinetic_energy"])
def test_the_same_program_from_disk(
    quantity: str, place: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    robot = jounce.examples.random_tree(rng, 6)
    spec = kernel_spec(robot, quantity, 1)
    wanted = trace(spec)
    assert traced(spec) == wanted
    assert stored(place) == 1
    monkeypatch.setattr(tracing, "trace", lambda _: pytest.fail("traced again"))
    again = traced(kernel_spec(jounce.load(robot.to_dict()), quantity, 1))
    assert again == wanted
    assert again.digest == wanted.digest
    assert all(type(x) is int for x in (*again.op, *again.a, *again.outputs[0]))


def test_whatever_decides_the_operations_is_in_the_key(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    panda = jounce.load("panda")
    body = panda.bodies[-1].name
    specs = [
        kernel_spec(panda, "inverse_dynamics"),
        kernel_spec(panda, "inverse_dynamics", 1),
        kernel_spec(panda, "poses"),
        kernel_spec(panda.with_gravity((0, 0, -1.62)), "inverse_dynamics"),
        kernel_spec(panda, "inverse_dynamics", wrenches=(body,)),
        kernel_spec(panda, "inverse_dynamics", wrenches=((body, "spatial"),)),
        kernel_spec(panda, "inverse_dynamics", options={"formulation": "body"}),
    ]
    for count, spec in enumerate(specs, start=1):
        traced(spec)
        assert stored(place) == count
    monkeypatch.setattr(tracing, "fingerprint", lambda *_: "another version")
    traced(specs[0])
    assert stored(place) == len(specs) + 1


def test_garbage_is_traced_again(place: Path):
    spec = kernel_spec(jounce.load("planar2r"), "inverse_dynamics")
    wanted = traced(spec)
    (path,) = place.glob("*.jobj")
    path.write_bytes(path.read_bytes()[:-1])
    assert traced(spec) == wanted


def test_without_sources_nothing_is_kept(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tracing, "fingerprint", lambda *_: None)
    spec = kernel_spec(jounce.load("planar2r"), "inverse_dynamics")
    assert traced(spec) == trace(spec)
    assert stored(place) == 0


def test_the_sources_are_all_that_kernels_import():
    program = """
import sys, jounce
jounce.kernel(jounce.load("planar2r"), "inverse_dynamics", order=1)
print(*[name for name in sys.modules if name.startswith("jounce.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    layers = {name.split(".")[1] for name in done.stdout.split()}
    root = Path(tracing.__file__).parents[1]
    known = {*sources.FOLDERS, "formats", *(path.stem for path in root.glob("*.py"))}
    assert layers <= known, "formats make robots, no operations; all else must be in the key"
    assert sources.fingerprint(*sources.FOLDERS) is not None
