"""The examples that the help of the commands gives can be typed as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from jounce.cli import main

COMMANDS = ("robots", "show", "verify", "ik", "compare", "cache", "cache clear", "cache warm")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))
    text = CliRunner().invoke(main, [*command.split(), "--help"]).stdout
    (example,) = re.findall(r"^ *Example: jounce (.*)$", text, re.MULTILINE)
    assert example.startswith(command)
    result = CliRunner().invoke(main, shlex.split(example))
    assert result.exit_code == 0, result.output
    assert result.stdout
