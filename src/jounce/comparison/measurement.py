"""What is measured of one formulation at one order: compilation, throughput, latency."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from jounce.codegen.interpreter import interpret
from jounce.codegen.machine_code import INTERPRET, compile_program
from jounce.codegen.program import Program
from jounce.comparison.contestants import Contestant, Text, trace
from jounce.kernels.arrays import input_rows, result_rows
from jounce.kernels.description import kernel_spec, signature
from jounce.kernels.execution import Runner
from jounce.kernels.fastcall.call import fast_callable
from jounce.model.robot import Robot

ARRAY_BATCH = 64  # samples at once of the array text, whose matrices would fill the memory
Action = Callable[[], object]
Motion = Sequence[np.ndarray]  # q, v, a, …, (samples, width) each


class Entry:
    """A formulation at one order, traced and compiled where it can be."""

    def __init__(self, contestant: Contestant, robot: Robot, order: int) -> None:
        self.contestant = contestant
        self.order = order
        self.text: Text = contestant.bind(robot)
        self.program: Program | None = None
        self.trace_seconds: float | None = None
        self.compile_seconds: float | None = None
        self._runner: Runner | None = None
        self._call: Callable[..., Any] = self.by_text
        self._signature = signature(kernel_spec(robot, "inverse_dynamics", order))
        if not contestant.is_array_text:
            self._prepare(robot)

    def _prepare(self, robot: Robot) -> None:
        """Trace, then compile from nothing: what is in the cache says nothing about the cost."""
        begin = time.perf_counter()
        program = self.program = trace(self.text, robot, self.order)
        self.trace_seconds = time.perf_counter() - begin
        if not is_compiled():
            return
        begin = time.perf_counter()
        native = compile_program(program, cache=False)
        self.compile_seconds = time.perf_counter() - begin
        self._runner = Runner(native, program.operations)
        self._call = fast_callable(native, self._signature, self.by_text)

    def by_text(self, *sample: np.ndarray) -> np.ndarray:
        """Run the text itself, in Python on numbers, on one sample."""
        if self.contestant.is_array_text:
            return np.asarray(self.text(sample))
        return np.array(self.text([x.tolist() for x in sample]))

    def forces(self, motion: Motion) -> np.ndarray:
        """Return Q … of all samples, ``(order + 1, samples, nv)``, by the fastest means."""
        if self.program is None:
            return np.asarray(self.text(motion))
        if self._runner is None:
            return np.array(interpret(self.program, motion))
        return self._batch(motion)()

    def throughput(self, motion: Motion) -> tuple[Action, int] | None:
        """Return an action on one thread and the number of samples it computes."""
        if self.program is None:
            part = [x[:ARRAY_BATCH] for x in motion]
            return lambda: self.text(part), len(part[0])
        if self._runner is None:
            return None
        return self._batch(motion), len(motion[0])

    def latency(self, motion: Motion) -> Action | None:
        """Return a call with one sample from Python."""
        if self.program is not None and self._runner is None:
            return None
        call, sample = self._call, [x[0].copy() for x in motion]
        return lambda: call(*sample)

    def python(self, motion: Motion) -> Action:
        """Return a call of the text itself with one sample."""
        sample = [x[0].copy() for x in motion]
        return lambda: self.by_text(*sample)

    def _batch(self, motion: Motion) -> Callable[[], np.ndarray]:
        runner, samples = self._runner, len(motion[0])
        assert runner is not None
        keep = [np.ascontiguousarray(x) for x in motion]
        rows = input_rows(self._signature, keep, (samples,))
        result = np.empty((self.order + 1, samples, self._signature.tail[0]))
        places = result_rows(result, samples)

        def run() -> np.ndarray:
            runner.run(rows, places, samples, 1)
            return result

        return run


def is_compiled() -> bool:
    """Tell whether machine code can and may be made."""
    return find_spec("llvmlite") is not None and not os.environ.get(INTERPRET)


def best_seconds(
    actions: Sequence[Action | None],
    rounds: int,
    report: Callable[[], None],
    *,
    at_least: float = 0.0,
) -> list[float | None]:
    """Return the best processor time of one call of each, in turn so that noise hits all alike.

    Calls shorter than ``at_least`` seconds are repeated to last about that long.
    """
    best: list[float | None] = [None] * len(actions)
    loops = [1] * len(actions)
    for i, action in enumerate(actions):
        if action is not None:
            action()  # fills the caches
            first = best[i] = _seconds(action, 1)
            loops[i] = min(1000, max(1, round(at_least / max(first, 1e-7))))
    for _ in range(rounds):
        for i, action in enumerate(actions):
            if action is not None:
                best[i] = min(best[i] or 0.0, _seconds(action, loops[i]))
        report()
    return best


def _seconds(action: Action, loops: int) -> float:
    """Return the processor time of one call: other programs do not count, the wall clock lies."""
    begin = time.thread_time()
    for _ in range(loops):
        action()
    return (time.thread_time() - begin) / loops
