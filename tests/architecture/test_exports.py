"""What `import jounce` offers, and what it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import jounce

HEAVY = ("scipy", "llvmlite", "rich", "click", "mujoco", "sympy", "mpmath", "plotly", "matplotlib")


def test_there_are_exports():
    assert jounce.__all__
    assert len(set(jounce.__all__)) == len(jounce.__all__)
    assert set(jounce.__all__) <= set(dir(jounce))


def test_every_export_is_there_and_documented():
    names = [name for name in jounce.__all__ if not name.startswith("__")]
    silent = [name for name in names if not inspect.getdoc(getattr(jounce, name))]
    assert not silent, f"no docstring: {silent}"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        jounce.no_such_name  # noqa: B018


def test_import_is_light():
    program = f"import sys, jounce; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
