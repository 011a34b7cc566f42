"""Batches of any size on any number of threads: the same bits, and Python goes on meanwhile."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import jounce
from jounce.kernels import execution
from jounce.kernels.execution import Runner
from jounce.kernels.team import AWAKE, BOX, HEADER, LINE, PART_ROWS, RANGES, team
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.kernels.motions import by_text, random_motion

ROBOT = jounce.load("panda")


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 17, 31, 1000])
def test_a_row_does_not_depend_on_its_neighbours(rows: int, rng: np.random.Generator):
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2)
    motion = random_motion(ROBOT, 2, rng, (rows,))
    result = kernel(*motion)
    for row in {0, rows // 2, rows - 1}:
        sample = [x[row].copy() for x in motion]
        assert_close(result[:, row], kernel(*sample), EXACT)
        assert_orders_close(result[:, row], by_text(kernel, *sample), ROUNDOFF)


@pytest.mark.parametrize("rows", [1, 5, 33, 1001])
def test_the_number_of_threads_does_not_matter(rows: int, rng: np.random.Generator):
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1)
    motion = random_motion(ROBOT, 1, rng, (rows,))
    wanted = kernel(*motion)
    for threads in (None, 2, 3, 7, 100_000, np.int64(2)):
        assert_close(kernel(*motion, threads=threads), wanted, EXACT)


def test_blocks_do_not_matter(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch):
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1)
    motion = random_motion(ROBOT, 1, rng, (100,))
    wanted = kernel(*motion)
    monkeypatch.setattr(execution, "BLOCK_ROWS", 7)
    assert_close(kernel(*motion, threads=2), wanted, EXACT)


def test_nothing_is_written_beside_the_rows(rng: np.random.Generator):
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1)
    for rows in (1, 3, 5, 33):
        motion = random_motion(ROBOT, 1, rng, (rows,))
        memory = np.full(2 * rows * 7 + 32, 7.25)
        out = memory[16:-16].reshape(2, rows, 7)
        assert_close(kernel(*motion, out=out), kernel(*motion), EXACT)
        assert (memory[:16] == 7.25).all()
        assert (memory[-16:] == 7.25).all()


def test_one_kernel_in_many_threads_at_once(rng: np.random.Generator):
    """Single samples and batches, by the built-in and by Python, all at the same time."""
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2)
    motions = [random_motion(ROBOT, 2, rng, (64,)) for _ in range(4)]
    wanted = [kernel(*motion) for motion in motions]
    wrong = []

    def work(k: int) -> None:
        for turn in range(60):
            batch = kernel(*motions[k], threads=1 + turn % 2)
            one = [x[turn] for x in motions[k]]
            singles = kernel(*one), kernel.checked(*one)
            if not all(np.array_equal(x, wanted[k][:, turn]) for x in singles):
                wrong.append((k, turn))
            if not np.array_equal(batch, wanted[k]):
                wrong.append((k, "batch"))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_python_runs_while_a_kernel_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(execution, "BLOCK_ROWS", 1 << 40)  # one native call
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2)
    motion = [np.full((200_000, 7), 0.1) for _ in range(5)]
    out = np.empty((3, 200_000, 7))
    span: list[float] = []

    def work() -> None:
        span.append(time.perf_counter())
        kernel(*motion, out=out)
        span.append(time.perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    ticks = []
    while thread.is_alive():
        ticks.append(time.perf_counter())
    thread.join()
    begin, end = span
    margin = (end - begin) / 4
    assert any(begin + margin < tick < end - margin for tick in ticks), "Python stood still"


def test_the_interpreter_gives_the_same(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch):
    robot = ROBOT.with_floating_base()
    kernel = jounce.kernel(robot, "inverse_dynamics", order=1, wrenches=(robot.bodies[-1].name,))
    motion = [*random_motion(robot, 1, rng, (3, 4)), rng.normal(size=(2, 4, 6))]
    wanted = kernel(*motion)
    monkeypatch.setattr(kernel, "_runner", None)
    monkeypatch.setattr(kernel, "__call__", kernel.call)
    monkeypatch.setattr(execution, "INTERPRETED_ROWS", 5)
    assert_orders_close(kernel(*motion, check=True), wanted, ROUNDOFF)
    one = [x[0, 0] for x in motion[:-1]] + [motion[-1][:, 0]]
    assert_orders_close(kernel(*one, check=True), wanted[:, 0, 0], ROUNDOFF)
    assert_orders_close(kernel(*one, out=np.empty((2, robot.nv))), wanted[:, 0, 0], ROUNDOFF)
    assert kernel(*[x[:0] for x in motion[:-1]], motion[-1]).shape == (2, 0, 4, robot.nv)
    rows = [x[:, 0] for x in motion[:-1]]
    down = [x[::-1].copy()[::-1] for x in rows]  # rows that follow each other downwards
    assert_close(kernel(*down, motion[-1][:, 0]), kernel(*rows, motion[-1][:, 0]), EXACT)


def test_threads_are_taken_where_they_pay():
    runner = jounce.kernel(ROBOT, "inverse_dynamics").runner
    assert isinstance(runner, Runner)
    asked = ((100, None), (10**9, None), (10**9, 10**9), (0, 5))
    cores, most = execution.available_cores(), execution.MAX_THREADS
    assert [runner.job(*ask)[RANGES] for ask in asked] == [1, cores, most, 1]


def test_a_row_is_not_shared_however_much_work_it_is(monkeypatch: pytest.MonkeyPatch):
    runner = jounce.kernel(ROBOT, "inverse_dynamics").runner
    assert isinstance(runner, Runner)
    monkeypatch.setattr(execution, "available_cores", lambda: 1000)
    monkeypatch.setattr(runner, "_work", 10**9)
    found = [runner.job(rows, None)[RANGES] for rows in (1, PART_ROWS, PART_ROWS + 1, 10**6)]
    assert found == [1, 1, 2, execution.MAX_THREADS]


def test_parts_of_the_rows():
    """Small ones at the end."""
    assert execution.part_size(4096) == 1
    assert execution.part_size(10**6) == 10**6 // execution.FINEST // PART_ROWS + 1


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 1000, 4097, 70_001])
def test_every_row_is_computed_whoever_helps(rows: int, rng: np.random.Generator):
    """No helper, one that comes late, more than there is work for."""
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    q = rng.uniform(-3.0, 3.0, size=(rows, 7))
    wanted = kernel(q)
    for threads in (1, 2, 3, 5):
        for _ in range(20):
            out = np.full((1, rows, 7), np.nan)
            assert_close(kernel(q, out=out, threads=threads), wanted, EXACT)
        time.sleep(3 * AWAKE)  # helpers fall asleep
        out = np.full((1, rows, 7), np.nan)
        assert_close(kernel(q, out=out, threads=threads), wanted, EXACT)


def test_a_job_that_nobody_took_is_taken_back(rng: np.random.Generator):
    crew = team()
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    assert kernel.runner is not None
    q, out = rng.uniform(-3.0, 3.0, size=(640, 7)), np.zeros((1, 640, 7))
    job = kernel.runner.job(640, 2)
    assert kernel._lay_out is not None
    assert kernel._lay_out(job, out, q)
    boxes = (ctypes.c_int64 * BOX)()
    crew._give(job, boxes, 1)
    assert boxes[0] == ctypes.addressof(job)
    crew._finish(job, boxes, 1, 0)
    assert boxes[0] == 0
    assert not crew.share(job, 1, kernel.runner._scratch()), "there is nothing left to take"
    assert not out.any()


@pytest.mark.parametrize("begun", [False, True])
def test_little_is_left_to_an_owner_who_has_begun(
    begun: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    """All is done of a range whose owner never came: nobody else would."""
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    runner = kernel.runner
    assert runner is not None
    monkeypatch.setattr(runner, "near", 2)
    monkeypatch.setattr(runner, "far", 5)
    monkeypatch.setattr(runner, "least", 1)
    runner._header.cache_clear()
    rows = PART_ROWS * 32
    q, out = rng.uniform(-3.0, 3.0, size=(rows, 7)), np.full((1, rows, 7), np.nan)
    job, boxes = runner.job(rows, 2), (ctypes.c_int64 * BOX)()
    runner._header.cache_clear()
    assert kernel._lay_out is not None
    assert kernel._lay_out(job, out, q)
    crew = team()
    crew._give(job, boxes, 1)
    ranges = [HEADER + LINE * k for k in range(2)]
    ends = [(job[k] % 2**32, job[k] >> 32) for k in ranges]
    assert ends == [(0, 17), (17, 32)], "the first has a head start"
    job[ranges[1]] += begun  # it took the first of its rows
    while crew.share(job, 1, runner._scratch()):
        pass
    computed = np.isfinite(out[0]).all(axis=1)
    left = 32 - computed.sum() // PART_ROWS - begun
    assert 0 < left <= 5 if begun else left == 0
    assert_close(out[0][computed], kernel(q)[0][computed], EXACT)
    crew._finish(job, boxes, 1, 0)


@pytest.mark.parametrize("parts", [0, 1, 2, 3])
def test_helpers_get_a_batch_that_is_worth_it(parts: int):
    """What is over before they begin is done alone, and each of them has work for a while."""
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    runner = kernel.runner
    assert runner is not None
    units = runner.near + parts * runner.least
    for more, wanted in ((-1, max(parts - 1, 0)), (0, min(parts, 2))):
        boxes = (ctypes.c_int64 * (2 * BOX))()
        job = runner.job(PART_ROWS * (units + more), 3)
        team()._give(job, boxes, 2)
        assert [bool(boxes[0]), bool(boxes[BOX])] == [wanted > 0, wanted > 1]
        team()._finish(job, boxes, 2, 0)


def test_an_interrupted_call_leaves_nobody_at_work(monkeypatch: pytest.MonkeyPatch):
    """Helpers end with their part, and nothing is written afterwards."""
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2)
    motion = [np.full((2 * execution.BLOCK_ROWS, 7), 0.1) for _ in range(5)]
    out = kernel(*motion, threads=2)

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(team(), "share", interrupted)
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            kernel(*motion, out=out, threads=2)
        out[:] = 7.25
        time.sleep(0.002)
        assert (out == 7.25).all()
    assert not execution._held


INTERRUPTED = """
import os, signal, threading
import numpy as np, jounce

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
kernel = jounce.kernel(jounce.load("panda"), "mass_matrix")
q, caught = np.full((200_000, 7), 0.1), 0
for delay in np.linspace(0.0005, 0.02, 12):
    try:
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
        for _ in range(500):
            kernel.call(q, threads=4)
    except KeyboardInterrupt:
        caught += 1
print(caught)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_memory_outlives_threads_that_still_write_to_it():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "12\n"), done.stderr
