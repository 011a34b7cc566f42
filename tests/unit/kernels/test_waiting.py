"""A person who waits is told what for; nobody else is."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time

import pytest

from jounce.codegen.cache import VARIABLE
from jounce.kernels import waiting
from jounce.kernels.waiting import told_when_slow


class Terminal(io.StringIO):
    """A text that people look at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)


def test_slow_work_is_named_once(monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with told_when_slow("compiling all of it"):
        time.sleep(0.5)
    assert screen.getvalue() == "jounce: compiling all of it\n"


def test_quick_work_is_not(monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with told_when_slow("compiling nothing"):
        pass
    time.sleep(0.2)
    assert screen.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nobody_is_watching(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None):
    monkeypatch.setattr(sys, "stderr", stream)
    with told_when_slow("compiling all of it"):
        time.sleep(0.2)
    assert stream is None or stream.getvalue() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_compile_at_a_terminal_says_so(tmp_path):
    """A real terminal, a real kernel, an empty cache; the second time nothing is said."""
    import pty

    code = (
        "import jounce, jounce.kernels.waiting as w; w.PATIENCE = 0.0; robot = jounce.load('panda')"
        "; k = jounce.kernel(robot, 'inverse_dynamics', order=2); k.compile(); k.compile()"
    )
    main, end = pty.openpty()
    environment = {**os.environ, VARIABLE: str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], stderr=end, check=True, env=environment)
    os.close(end)
    text = os.read(main, 10_000).decode()
    os.close(main)
    assert text.strip() == (
        "jounce: compiling inverse_dynamics of 'panda', order 2; it is kept for the next time"
    )


def test_without_a_thread_the_work_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch):
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(waiting.Timer, "start", start)
    with told_when_slow("compiling"):
        done = True
    assert done
