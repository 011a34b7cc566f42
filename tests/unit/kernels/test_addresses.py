"""Batches at addresses: what machine code does itself, and what it leaves to Python."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.codegen.machine_code import load_module
from jounce.kernels.arrays import blocks
from jounce.kernels.execution import BLOCK_ROWS
from jounce.kernels.fastcall.addresses import RUN, Place, place
from jounce.kernels.kernel import Kernel
from jounce.kernels.team import HEADER, LINE, ROOM, STARTED, Team, team, words_of_team
from jounce.kernels.team import ROWS as ROWS_WORD
from tests.optimiser_cases import in_threads
from tests.tolerances import EXACT, assert_close

TEXT = f"""
define i64 @go(ptr %batch, ptr %arrays) {{
  %done = call i64 @run(ptr %batch, ptr %arrays)
  ret i64 %done
}}
{RUN}"""
ROWS = 4096  # enough for a helper
INS, OUTS = blocks([(1, 7)] * 4), blocks([(2, 7)])

Run = Callable[[Place, list[np.ndarray], np.ndarray], bool]


def made() -> Kernel:
    return jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=1)


def prepared(kernel: Kernel) -> Place:
    assert kernel.runner is not None
    batch = place(kernel.runner, ROWS, INS, OUTS)
    assert batch is not None
    team().prepare(1, kernel.runner.native.scratch_bytes)
    return batch


def runs() -> Run:
    engine, address = load_module(TEXT, "go")
    function: Any = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(address)
    function.keep = engine

    def run(batch: Place, arrays: list[np.ndarray], result: np.ndarray) -> bool:
        places = (ctypes.c_int64 * 5)(*[x.ctypes.data for x in (*arrays, result)])
        return bool(function(batch.address, ctypes.addressof(places)))

    return run


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return made()


@pytest.fixture(scope="module")
def run() -> Run:
    return runs()


@pytest.fixture
def batch(kernel: Kernel) -> Place:
    return prepared(kernel)


@pytest.fixture
def arrays(rng: np.random.Generator) -> list[np.ndarray]:
    return list(rng.normal(size=(4, ROWS, 7)))


def test_it_computes_what_the_kernel_does(
    kernel: Kernel, run: Run, batch: Place, arrays: list[np.ndarray]
):
    result = np.empty((2, ROWS, 7))
    for _ in range(3):
        assert run(batch, arrays, result)
        assert_close(result, kernel(*arrays), EXACT)
        arrays[0] += 0.1
        arrays[1][5, 3] = np.nan  # passes
    assert np.isnan(result).any()


@pytest.mark.parametrize("reason", ["busy", "no team", "no helpers", "little memory"])
def test_it_declines_and_nothing_has_happened(
    kernel: Kernel,
    run: Run,
    batch: Place,
    arrays: list[np.ndarray],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
):
    assert kernel.runner is not None
    taken, words = kernel.runner.reserve[0], Team().words
    words[STARTED], words[ROOM] = 1, kernel.runner.native.scratch_bytes
    monkeypatch.setattr(words_of_team, "value", ctypes.addressof(words))
    result = np.zeros((2, ROWS, 7))
    if reason == "busy":
        monkeypatch.setattr(taken, "value", words_of_team.value)
    elif reason == "no team":
        words_of_team.value = 0
    elif reason == "no helpers":
        words[STARTED] = 0
    else:
        words[ROOM] -= 1
    assert not run(batch, arrays, result)
    assert not result.any()
    assert taken.value == (words_of_team.value if reason == "busy" else 0)


FORK = """
import os, sys, warnings
import numpy as np
from tests.unit.kernels.test_addresses import *
warnings.simplefilter("ignore")
kernel, run, result = made(), runs(), np.empty((2, ROWS, 7))
arrays = list(np.random.default_rng(0).normal(size=(4, ROWS, 7)))
wanted, batch = kernel(*arrays, threads=2), prepared(kernel)
assert run(batch, arrays, result)
kernel.runner.reserve[0].value = words_of_team.value * {taken}
child = os.fork()
if not child:
    result[...] = 0.0
    alone = not run(batch, arrays, result) and not result.any()
    kernel(*arrays, threads=2)
    right = run(batch, arrays, result) and np.array_equal(result, wanted)
    os._exit(7 if alone and right else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="forks")
@pytest.mark.parametrize("taken", [False, True])
def test_a_fork_leaves_helpers_and_what_was_taken_behind(taken: bool):
    """The thread that had taken it is not in the child either."""
    command = [sys.executable, "-c", FORK.format(taken=taken)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert found.stdout == "7\n", found.stderr


def test_threads_that_come_together(
    kernel: Kernel, run: Run, batch: Place, arrays: list[np.ndarray]
):
    wanted, done = kernel(*arrays), []

    def work(_: int) -> None:
        for _ in range(25):
            result = np.zeros((2, ROWS, 7))
            if run(batch, arrays, result):
                done.append(True)
                assert_close(result, wanted, EXACT)
            else:
                assert not result.any()

    in_threads(8, work)
    assert done


@pytest.mark.parametrize("rows", [0, BLOCK_ROWS + 1])
def test_batches_that_need_python(kernel: Kernel, rows: int):
    assert place(kernel.runner, rows, INS, OUTS) is None


def test_a_job_that_stays_begins_with_a_line(batch: Place):
    """Or two threads would write into one."""
    (job,) = (x for x in batch._keep if isinstance(x, ctypes.Array) and len(x) > HEADER)
    assert job[ROWS_WORD] == ROWS
    assert ctypes.addressof(job) % (8 * LINE) == 0


def test_without_machine_code():
    assert place(None, ROWS, INS, OUTS) is None


def test_it_keeps_what_it_points_to(run: Run, arrays: list[np.ndarray]):
    kernel: Any = Kernel(jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=1).spec)
    wanted = kernel(*arrays, threads=None)
    batch, result = place(kernel.runner, ROWS, INS, OUTS), np.empty_like(wanted)
    assert batch is not None
    del kernel
    noise = [np.full(10_000, np.nan) for _ in range(100)]
    assert run(batch, arrays, result)
    assert_close(result, wanted, EXACT)
    del noise
