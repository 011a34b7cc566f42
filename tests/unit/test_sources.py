"""A fingerprint is of the code that is loaded, whatever happens to the files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import jounce
from jounce import sources

PROGRAM = """
import pathlib, sys
import numpy as np
import jounce
from jounce.codegen import cache
text = pathlib.Path(jounce.__file__).parent / "dynamics" / "gravity.py"
robot = jounce.load("planar2r").with_gravity((0, -9.81, 0))
{upgrade}
print(*jounce.gravity_forces(robot, [0.3, 0.4])[0], len(cache.entries()))
"""
UPGRADE = """
old = text.read_text()
text.write_text(old + "# upgraded\\n")
"""


def run(place: Path, upgrade: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(upgrade=upgrade)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(place), "JOUNCE_CACHE_DIR": str(place / "kept")},
    )
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


def test_a_process_that_is_upgraded_under_way_stores_nothing(tmp_path: Path):
    shutil.copytree(Path(jounce.__file__).parent, tmp_path / "jounce")
    *forces, entries = run(tmp_path, UPGRADE)
    assert entries == 0
    *again, entries = run(tmp_path, "")
    assert entries > 0
    assert again == forces


def test_every_folder_is_there():
    assert sources.unchanged()
    root = Path(sources.__file__).parent
    assert [name for name in sources.FOLDERS if not (root / name).is_dir()] == []
    assert sources.fingerprint("codegen") != sources.fingerprint("dynamics")
