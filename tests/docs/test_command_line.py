"""The page about the command line has every command, and lines that the program takes."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from jounce.cli import main
from jounce.cli.main import COMMANDS
from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
LINES = re.findall(r"^jounce [a-z].*$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_section(name: str):
    _, heading, section = PAGE.partition(f"\n## jounce {name}\n")
    assert heading, f"no section about jounce {name}"
    assert f"\njounce {name}" in section.partition("\n## ")[0]


@pytest.mark.parametrize("line", LINES)
def test_the_program_takes_every_line(line: str):
    """Parses arguments and options; nothing is run."""
    _, name, *words = shlex.split(line)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    if isinstance(command, click.Group) and words:
        command = command.commands[words.pop(0)]
    command.make_context(name, words)


def test_lines_are_found():
    assert len(LINES) >= len(COMMANDS)
