"""The rule that every mutant must keep: a right answer, or one line and exit 2, in time."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner

from jounce.cli import main

PATIENCE = 10.0  # seconds of this processor, and six times as long by the clock
CLOCK = "clock"


class Hang(BaseException):
    """The patience is over: that with the processor, or with the clock."""


@contextmanager
def patience() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return

    def over(number: int, _: object) -> None:
        raise Hang("processor" if number == signal.SIGPROF else CLOCK)

    timers = (
        (signal.SIGALRM, signal.ITIMER_REAL, 6.0 * PATIENCE),
        (signal.SIGPROF, signal.ITIMER_PROF, PATIENCE),
    )
    before = [signal.signal(number, over) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def command(*arguments: str, expected: int | None = None) -> str | None:
    """Run a command; return how it breaks the rule, or ends otherwise than expected."""
    here = Path.cwd()
    named = [b for a, b in pairwise(arguments) if a in ("-o", "--out", "--report", "--plot")]
    new = [Path(name) for name in named if name and not Path(name).exists()]
    result = CliRunner().invoke(main, list(arguments))
    assert Path.cwd() == here
    if isinstance(result.exception, Hang):
        raise result.exception
    if expected not in (None, result.exit_code):
        return f"{arguments}: exit {result.exit_code} instead of {expected}, {result.output}"
    if result.exit_code == 0:
        return None
    if result.exit_code == 2 and (made := [str(path) for path in new if path.is_file()]):
        return f"{arguments}: bad input, {result.output}, and yet it made {made}"
    lines = [x for x in result.stderr.splitlines() if "Warning" not in x]
    if result.exit_code not in (1, 2) or "Traceback" in result.output:
        trace = "".join(traceback.format_exception(*result.exc_info)) if result.exc_info else ""
        return f"{arguments}: exit {result.exit_code}\n{result.output}\n{trace}"
    if not isinstance(result.exception, SystemExit):
        return f"{arguments}\n{''.join(traceback.format_exception(*result.exc_info))}"
    is_verdict = result.exit_code == 1  # which may come with notes on the log
    if not lines or (len(lines) > 1 and not is_verdict):
        return f"{arguments}: not one line but {lines}"
    if not all(line.startswith("jounce: ") for line in lines):
        return f"{arguments}: lines of somebody else, {lines}"
    if set("".join(lines)) & {"\x1b", "\x9b", "\u202e"}:
        return f"{arguments}: a message that drives the terminal"
    return None


def inside(place: Path, words: Sequence[str]) -> str | None:
    """Run a command in a directory, which is empty afterwards."""
    here = Path.cwd()
    os.chdir(place)
    try:
        wrong = command(*words)
        left = [str(path) for path in Path().rglob(".jounce-*.tmp")]
        return wrong or (f"{words} left {left}" if left else None)
    finally:
        os.chdir(here)
        empty(place)


def empty(place: Path) -> None:
    """Remove what is in a directory; links are not followed."""
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
