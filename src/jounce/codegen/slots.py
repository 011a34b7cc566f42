"""The scratch block: a slot for every value that crosses a step, reused once it is dead."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from jounce.codegen.fusion import Code
from jounce.codegen.schedule import Angles, Chunk, Step


@dataclass(frozen=True, slots=True)
class Slots:
    """Slot of each value that lives in scratch, and the number of slots.

    `unused` is a slot for results nobody needs.
    """

    of: dict[int, int]
    count: int
    unused: int


def allocate(
    code: Code, steps: list[Step], *, inputs: bool = True, outputs: Iterable[int] | None = None
) -> Slots:
    """Assign slots; one that dies in a step is reused from the next step on.

    ``inputs`` are there before the first step, or need no slot; ``outputs`` are the values that
    stay to the end, by default all that the program returns.
    """
    if outputs is None:
        outputs = [x for row in code.program.outputs for x in row]
    made, last = _lifetimes(code, steps, code.program.input_count if inputs else 0, outputs)
    crossing = sorted((v for v in last if last[v] > made[v]), key=lambda v: (made[v], v))
    of: dict[int, int] = {}
    free: list[int] = []
    dying: list[tuple[int, int]] = []  # (last step, slot)
    count = 0
    for value in crossing:
        while dying and dying[0][0] < made[value]:
            heapq.heappush(free, heapq.heappop(dying)[1])
        if free:
            slot = heapq.heappop(free)
        else:
            slot, count = count, count + 1
        of[value] = slot
        heapq.heappush(dying, (last[value], slot))
    return Slots(of, count + 1, count)


def _lifetimes(
    code: Code, steps: list[Step], inputs: int, outputs: Iterable[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the step that makes each value (−1 for inputs) and the last one that reads it."""
    made: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, step in enumerate(steps):
        for value, operands in _reads(code, step):
            made[value] = k
            for x in operands:
                last[x] = k
    last.update((x, len(steps)) for x in outputs)
    last = {x: k for x, k in last.items() if x >= code.first or x < inputs}
    made.update((x, -1) for x in last if x < inputs)
    for value, step in made.items():
        last.setdefault(value, step)
    return made, last


def _reads(code: Code, step: Step) -> list[tuple[int, tuple[int, ...]]]:
    """List what a step makes and what that reads."""
    if isinstance(step, Chunk):
        return [(v, code.reads[v]) for v in step.values]
    assert isinstance(step, Angles)
    return [(v, (x,)) for x, *pair in step.triples for v in pair if v >= 0]
