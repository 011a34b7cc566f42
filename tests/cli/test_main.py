"""The command group: help, version, lazy loading."""

from __future__ import annotations

import tomllib
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.cli.main import COMMANDS
from tests.architecture.sources import ROOT
from tests.cli.program import run


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(arguments: list[str]):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    for name, summary in COMMANDS.items():
        assert name in result.stdout
        assert summary in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_the_table_says(name: str):
    command = main.get_command(click.Context(main), name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.get_short_help_str(limit=200).rstrip(".") == COMMANDS[name].rstrip(".")
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0


def test_help_imports_no_command_and_no_numpy():
    program = (
        "import sys, atexit; from jounce.cli import main; "
        "atexit.register(lambda: print(*(m for m in ('rich', 'numpy', 'scipy', 'jounce.cli.show')"
        " if m in sys.modules), file=sys.stderr)); main()"
    )
    code, out, err = run("--help", program=program)
    assert (code, err.split()) == (0, [])
    assert "Usage: jounce" in out


def test_version():
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"jounce {jounce.__version__}\n")
    assert f"\nversion: {jounce.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_installed_script_is_this_group():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["jounce"].partition(":")
    assert getattr(import_module(module), name) is main
