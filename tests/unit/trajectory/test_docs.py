"""Everything is documented, and importing jounce does not import trajectories."""

from __future__ import annotations

import subprocess
import sys

from jounce import trajectory


def test_everything_exported_is_documented():
    for name in trajectory.__all__:
        assert getattr(trajectory, name).__doc__, name


def test_importing_jounce_does_not_import_it():
    program = "import sys, jounce; print('jounce.trajectory' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
