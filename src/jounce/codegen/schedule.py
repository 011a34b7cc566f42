"""The order of the machine operations, cut into steps that compile and run fast.

A long program is a sequence of functions (chunks) that hand values on through a scratch block:
several groups of samples take one in turn while its code is at hand, and LLVM, where it compiles
them, is superlinear in the length of a basic block. Sines and cosines are computed
in batches between chunks, many angles at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from jounce.codegen.fusion import Code
from jounce.codegen.opcodes import COS, SIN

# Short chunks keep LLVM's scheduler from stretching lifetimes beyond the registers: chunks of 200
# ran 20 % faster than those of 2000 on 5,400 operations, chunks of 100 another 18 % on 13,000 and
# 27,000 and the same on small programs; below 60 it gets slower. The order of construction beat
# depth-first order, sinking single uses, and a greedy choice by register pressure.
CHUNK = 100


@dataclass(frozen=True, slots=True)
class Chunk:
    """Operations (as values) that become one function."""

    values: list[int]


@dataclass(frozen=True, slots=True)
class Angles:
    """Angles with their sine and cosine (−1 where one of them is not needed)."""

    triples: list[tuple[int, int, int]]


Step = Chunk | Angles


def schedule(code: Code, *, chunk: int = CHUNK) -> list[Step]:
    """Return the steps of a program: what the angles need, the angles, the rest."""
    steps: list[Step] = []
    done: set[int] = set()
    for triples in _batches(code):
        before = _needed_for(code, [x for x, _, _ in triples], done)
        steps += cut(before, chunk)
        steps.append(Angles(triples))
        done.update(before)
        done.update(v for _, s, c in triples for v in (s, c))
    rest = [v for v in code.live if v not in done]
    return steps + cut(rest, chunk)


def cut(values: list[int], chunk: int) -> list[Chunk]:
    """Cut a list of operations into chunks of nearly equal length."""
    if not values:
        return []
    parts = -(-len(values) // chunk)
    size = -(-len(values) // parts)
    return [Chunk(values[k : k + size]) for k in range(0, len(values), size)]


def _batches(code: Code) -> list[list[tuple[int, int, int]]]:
    """Group the angles by how many sines deep they are."""
    depth: dict[int, int] = {}
    pairs: dict[int, list[int]] = {}
    level: dict[int, int] = {}
    for value in code.live:
        kind = code.op[value - code.first]
        deepest = 0
        for x in code.reads[value]:
            if depth.get(x, 0) > deepest:
                deepest = depth[x]
        if kind in (SIN, COS):
            angle = code.a[value - code.first]
            pairs.setdefault(angle, [-1, -1])[kind == COS] = value
            level[angle] = deepest
            deepest += 1
        if deepest:
            depth[value] = deepest
    deep = max(level.values(), default=-1) + 1
    batches: list[list[tuple[int, int, int]]] = [[] for _ in range(deep)]
    for angle, (sine, cosine) in pairs.items():
        batches[level[angle]].append((angle, sine, cosine))
    return [batch for batch in batches if batch]


def _needed_for(code: Code, targets: list[int], done: set[int]) -> list[int]:
    """Return the operations, in order, that the targets need and that are not done yet."""
    first = code.first
    needed: set[int] = set()
    stack = list(targets)
    while stack:
        value = stack.pop()
        if value < first or value in needed or value in done:
            continue
        needed.add(value)
        stack.extend(code.reads[value])
    return sorted(needed)
