"""The URDF files of example-robot-data, where it is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest


def folder() -> Path:
    """Return the folder of all robots; skip the test or the module if there is none."""
    try:
        data = distribution("example-robot-data")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed", allow_module_level=True)
    return Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots")))


def urdf(name: str) -> Path:
    """Return the path of a file, as in ``panda_description/urdf/panda.urdf``."""
    return folder() / name
