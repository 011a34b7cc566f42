"""The page on trajectories runs, and importing jounce does not import trajectories."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jounce import trajectory
from tests.architecture.sources import ROOT


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = (ROOT / "docs" / "trajectories.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert names["Q2"].shape == (200, 7)


def test_everything_exported_is_documented():
    for name in trajectory.__all__:
        assert getattr(trajectory, name).__doc__, name


def test_importing_jounce_does_not_import_it():
    program = "import sys, jounce; print('jounce.trajectory' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
