"""Helpers of batches: memory, boxes and interruptions, whatever comes between."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.kernels import execution
from jounce.kernels import team as module
from jounce.kernels.kernel import Kernel
from jounce.kernels.team import BOX, BUSY, MAX_THREADS, REST, SCRATCH, SLEEP, Team, team
from jounce.memory import APART
from tests.optimiser_cases import in_threads
from tests.tolerances import EXACT, assert_close

ROWS = execution.BLOCK_ROWS + 1000
PATIENCE = 40  # waits of a second: one alone may be over because the machine stood still


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return jounce.kernel(jounce.load("panda"), "gravity_forces")


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Team:
    """A team without helpers, for all kernels."""
    crew = Team()
    monkeypatch.setattr(execution, "team", lambda: crew)
    return crew


def ends(action: Callable[[], object]) -> bool:
    """Tell whether an action ends: one in machine code that does not cannot be interrupted."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    for _ in range(PATIENCE):
        thread.join(1.0)
        if not thread.is_alive():
            return True
    return False


def unattended(count: int) -> Any:
    """Return boxes that nobody looks into, with what `finish` sleeps by."""
    crew = team()
    crew.prepare(1, 64)
    boxes = (ctypes.c_int64 * (count * BOX))()
    for word in (REST, SLEEP):
        boxes[word] = crew._boxes[word]
    return boxes


def names() -> list[str]:
    return sorted(x.name for x in threading.enumerate())


def test_a_job_that_was_never_given_is_finished(kernel: Kernel):
    """A signal may come between what is to be undone and what is done."""
    assert kernel.runner is not None
    job, boxes = kernel.runner.job(9600, 3), unattended(2)
    assert ends(lambda: team()._finish(job, boxes, 2, 0))


def test_to_finish_twice_does_no_harm(kernel: Kernel):
    assert kernel.runner is not None
    job, boxes = kernel.runner.job(9600, 3), unattended(2)
    crew = team()
    crew._give(job, boxes, 2)
    assert boxes[0] == boxes[BOX] == ctypes.addressof(job)
    for _ in range(2):
        assert ends(lambda: crew._finish(job, boxes, 2, 0))
    assert not boxes[0]
    assert not boxes[BOX]


@pytest.mark.parametrize("place", ["give", "into finish", "out of finish"])
def test_interrupted_anywhere(kernel: Kernel, place: str, monkeypatch: pytest.MonkeyPatch):
    """Nothing is held, nobody is at work, and the next call is right."""
    crew, q = team(), np.full((ROWS, 7), 0.1)
    wanted = kernel(q, threads=2)
    original = {"give": crew.give, "finish": crew.finish}
    left = [True]

    def interrupted(job: Any) -> None:
        name = place.split()[-1]
        if place == "out of finish":
            original[name](job)
        if left:
            left.clear()
            raise KeyboardInterrupt
        original[name](job)

    monkeypatch.setattr(crew, place.split()[-1], interrupted)
    out, caught = np.empty((1, ROWS, 7)), []

    def call() -> None:
        try:
            kernel(q, out=out, threads=2)
        except KeyboardInterrupt:
            caught.append(place)

    assert ends(call)
    assert caught
    assert not execution._held
    assert_close(kernel(q, out=out, threads=2), wanted, EXACT)


def test_nothing_is_kept_after_a_signal_behind_the_last_step(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
):
    """Python answers signals at calls: there is none between the last step and forgetting."""
    calls = []

    def interrupted(thing: object) -> int:
        calls.append(thing)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return id(thing)

    monkeypatch.setattr(execution, "id", interrupted, raising=False)
    kernel(np.zeros((ROWS, 7)), threads=2)
    assert len(calls) == 1
    assert not execution._held


def test_memory_of_helpers_that_come_later(crew: Team):
    """They take jobs of those who asked for more before."""
    least = 0
    for helpers, size in ((1, 1000), (2, 10), (1, 1500), (3, 100)):
        crew.prepare(helpers, size)
        least = max(least, size)
        assert all(len(blocks[-1]) >= least for blocks in crew._scratch)
        for k, blocks in enumerate(crew._scratch):
            assert crew._boxes[k * BOX + SCRATCH] == ctypes.addressof(blocks[-1])
    assert len(crew._scratch) == 3


def test_scratch_memory_has_no_neighbours(kernel: Kernel, crew: Team):
    """Processors fetch what comes behind the memory that a thread writes."""
    assert kernel.runner is not None
    size = kernel.runner.native.scratch_bytes
    crew.prepare(2, size)
    kernel(np.zeros((100, 7)))
    blocks = [x[-1] for x in crew._scratch] + [kernel.runner.reserve[1], kernel.runner._scratch()]
    places = sorted(ctypes.addressof(x) for x in blocks)
    assert min(np.diff(places)) >= size + APART


def test_what_is_promised_is_there(crew: Team, monkeypatch: pytest.MonkeyPatch):
    """Another thread may look while a helper starts."""
    start, seen = crew._start, []

    def looked_at() -> bool:
        started = start()
        seen.append(all(len(blocks[-1]) >= crew._room for blocks in crew._scratch))
        return started

    monkeypatch.setattr(crew, "_start", looked_at)
    crew.prepare(2, 100)
    assert seen == [True, True]


def test_no_thread_to_be_had(kernel: Kernel, crew: Team, monkeypatch: pytest.MonkeyPatch):
    """As where the system allows no more, or Python is about to end: others do the work."""
    q = np.linspace(-1.0, 1.0, 7 * 1000).reshape(1000, 7)
    wanted = kernel(q)

    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        for _ in range(3):
            assert_close(kernel(q, threads=3), wanted, EXACT)
        assert not crew._scratch
    assert_close(kernel(q, threads=3), wanted, EXACT)
    assert len(crew._scratch) == crew._helpers == 2


@pytest.mark.parametrize("started", [False, True])
def test_a_start_that_is_interrupted(
    kernel: Kernel, crew: Team, started: bool, monkeypatch: pytest.MonkeyPatch
):
    """No two helpers have one box: the second would look into it for ever."""
    q, original, before = np.zeros((1000, 7)), threading.Thread.start, names()

    def interrupted(thread: threading.Thread) -> None:
        if started:
            original(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kernel(q, threads=2)
    wanted = kernel(q)
    assert_close(kernel(q, threads=2), wanted, EXACT)
    assert crew._helpers == 1
    if started:
        assert ends(lambda: [None for _ in iter(lambda: crew._boxes[0] == BUSY, False)])
    else:
        assert crew._boxes[0] == BUSY, "nobody gives a job to one who is not there"
    new = names()
    for name in before:
        new.remove(name)
    assert new == (["jounce_0", "jounce_1"] if started else ["jounce_1"])


def test_there_is_one_team_whoever_comes_first(monkeypatch: pytest.MonkeyPatch):
    made = []

    class Slow(Team):
        def __init__(self) -> None:
            made.append(self)
            time.sleep(0.02)
            super().__init__()

    monkeypatch.setattr(module, "Team", Slow)
    monkeypatch.setattr(module, "_teams", [])
    monkeypatch.setattr(module.words_of_team, "value", 0)  # is put back, as the team is
    found = in_threads(8, lambda _: team())
    assert found == made * 8


def test_there_are_boxes_for_all(crew: Team, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    crew.prepare(10 * MAX_THREADS, 1)
    assert len(crew._scratch) == MAX_THREADS
