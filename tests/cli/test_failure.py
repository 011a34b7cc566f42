"""Exit codes, and one line on stderr that says what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from jounce.cli.failure import CheckFailed, Stopped, exit_code
from jounce.errors import RobotFormatError, UnknownNameError
from tests.cli.program import interrupt, only_line, run, started


def raising(failure: BaseException):
    def action() -> None:
        raise failure

    return action


FAILURES = [
    (CheckFailed("Q differs by 1e-3"), 1, "jounce: Q differs by 1e-3"),
    (RobotFormatError("a.urdf:3: no axis.\nGive one."), 2, "jounce: a.urdf:3: no axis. Give one."),
    (UnknownNameError("no body named 'x'."), 2, "jounce: no body named 'x'."),
    (FileNotFoundError(2, "No such file", "x"), 2, "jounce: x: No such file; check the path"),
    (PermissionError(13, "Denied", b"x"), 2, "jounce: x: Denied; check the permissions"),
    (OSError(28, "No space left"), 2, "jounce: No space left"),
    (click.ClickException("no"), 2, "jounce: no"),
    (click.UsageError("Which robot?"), 2, "jounce: Which robot?; see 'jounce --help'"),
    (Stopped(), 130, "jounce: interrupted"),
]


@pytest.mark.parametrize(("failure", "code", "line"), FAILURES)
def test_a_failure_is_one_line(
    failure: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
):
    assert exit_code(raising(failure)) == code
    assert only_line(capsys.readouterr().err) == line


@pytest.mark.parametrize(("value", "code"), [(None, 0), (1, 1), ("text", 0)])
def test_what_a_command_returns(value: object, code: int):
    assert exit_code(lambda: value) == code


def test_a_defect_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError):
        exit_code(raising(ZeroDivisionError()))


def test_debug_shows_the_traceback_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("JOUNCE_DEBUG", "1")
    assert exit_code(raising(RobotFormatError("bad"))) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert err.endswith("\njounce: bad\n")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["nonsense"], "the commands are robots, show"),
        (["--nonsense"], "see 'jounce --help'"),
        (["show"], "see 'jounce show --help'"),
        (["show", "panda", "--nonsense"], "see 'jounce show --help'"),
        (["robots", "surplus"], "see 'jounce robots --help'"),
        (["show", "no_such_robot"], "panda"),
        (["show", "no_such_file.urdf"], "no_such_file.urdf"),
    ],
)
def test_bad_input(arguments: list[str], hint: str):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert hint in only_line(err)


@pytest.mark.parametrize("content", ["", "<robot", "<robot name='x'/>", "{}", "\0\1\2"])
@pytest.mark.parametrize("suffix", ["urdf", "json"])
def test_broken_files(tmp_path: Path, content: str, suffix: str):
    path = tmp_path / f"broken.{suffix}"
    path.write_text(content, encoding="utf-8")
    code, out, err = run("show", str(path))
    assert (code, out) == (2, "")
    assert "broken" in only_line(err)


def test_a_directory_is_no_robot(tmp_path: Path):
    code, _, err = run("show", str(tmp_path))
    assert code == 2
    only_line(err)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "ascii:strict"])
def test_what_the_output_cannot_show_is_a_question_mark(encoding: str):
    code, out, err = run("verify", "planar2r", PYTHONIOENCODING=encoding)
    assert (code, err) == (0, "")
    assert "? 1.0e-12" in out


def test_debug_of_the_whole_program():
    code, _, err = run("show", "no_such_robot", JOUNCE_DEBUG="1")
    assert code == 2
    assert err.startswith("Traceback")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c():
    program = (
        "import time, jounce; from jounce.cli import main\n"
        "def robots():\n print('ready', flush=True)\n while True: time.sleep(0.1)\n"
        "jounce.robots = robots\nmain(['robots'])"
    )
    code, err = interrupt(program)
    assert code == 130
    assert only_line(err) == "jounce: interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_reader_that_leaves():
    with started("robots") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # long before the program writes
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 141
