"""The examples that the help of the commands gives; those that need no file of yours run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from jounce.cli import main
from jounce.cli.main import COMMANDS

WITHOUT_FILES = ("robots", "show", "verify", "ik", "compare", "cache", "cache clear", "cache warm")


def example_of(command: str) -> str:
    text = CliRunner().invoke(main, [*command.split(), "--help"]).stdout
    (example,) = re.findall(r"^ *Example: jounce (.*)$", text, re.MULTILINE)
    return example


@pytest.mark.parametrize("command", [*COMMANDS, "cache clear", "cache warm"])
def test_every_command_has_an_example(command: str):
    assert example_of(command).startswith(command)


@pytest.mark.parametrize("command", WITHOUT_FILES)
def test_the_example_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))
    result = CliRunner().invoke(main, shlex.split(example_of(command)))
    assert result.exit_code == 0, result.output
    assert result.stdout
