"""Run the jounce command in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

START = "from jounce.cli import main; main()"


@contextmanager
def started(
    *arguments: str, program: str = START, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Start ``jounce arguments``, or another program that ends in ``main()``."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(*arguments: str, program: str = START, **environment: str) -> tuple[int, str, str]:
    """Run it to its end; return exit code, stdout and stderr."""
    with started(*arguments, program=program, **environment) as process:
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def interrupt(program: str) -> tuple[int, str]:
    """Press Ctrl-C when the program has printed a line; return exit code and stderr."""
    with started(program=program) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        return process.returncode, err


def only_line(err: str) -> str:
    """Return the one line that a failing command may write to stderr."""
    assert err.endswith("\n"), err
    assert err.count("\n") == 1, err
    return err.removesuffix("\n")
