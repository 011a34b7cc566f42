"""The progress bar shows on a terminal only, and late."""

from __future__ import annotations

import io
import time

import pytest

from jounce.cli import console


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def as_stderr(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def work(seconds: float) -> None:
    with console.progress("working", total=10) as advance:
        advance()
        time.sleep(seconds)
        advance(9)


def test_a_long_command_shows_a_bar(monkeypatch: pytest.MonkeyPatch):
    terminal = as_stderr(monkeypatch)
    monkeypatch.setattr(console, "_DELAY", 0.02)
    work(0.3)
    assert "working" in terminal.getvalue()


def test_a_short_command_shows_none(monkeypatch: pytest.MonkeyPatch):
    terminal = as_stderr(monkeypatch)
    work(0.0)
    assert terminal.getvalue() == ""


def test_an_exception_passes_and_the_bar_never_comes(monkeypatch: pytest.MonkeyPatch):
    terminal = as_stderr(monkeypatch)
    with pytest.raises(KeyboardInterrupt), console.progress("working"):
        raise KeyboardInterrupt
    assert terminal.getvalue() == ""


def test_no_bar_in_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(console, "_DELAY", 0.0)
    work(0.05)
    assert capsys.readouterr() == ("", "")


def test_lines_of_a_file_are_not_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("COLUMNS", raising=False)
    console.output().print("x " * 70)
    assert capsys.readouterr().out.count("\n") == 1
