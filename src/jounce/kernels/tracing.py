"""The operations of a kernel: traced once, then kept on disk beside the machine code.

Tracing runs the whole text on symbols, which takes longer than loading machine code.  The key
of a stored trace holds the sources of this package, so no change of a text goes unnoticed.
"""

from __future__ import annotations

import hashlib
from array import array
from functools import cache
from itertools import chain, islice
from pathlib import Path

from jounce.codegen import cache as disk
from jounce.codegen.graph import Graph
from jounce.codegen.program import Program
from jounce.kernels.quantities import KernelSpec, run_text, signature

_PARTS = "qdBiiqi"  # type codes of what `_pack` writes


def traced(spec: KernelSpec) -> Program:
    """Return the operations of a kernel, from disk if it was traced before."""
    sources = _sources()
    if sources is None:
        return trace(spec)
    key = disk.key_of("trace", sources, spec.robot.digest, repr(spec[1:]))
    stored = disk.load(key)
    if stored is not None:
        return _unpack(stored)
    program = trace(spec)
    disk.store(key, _pack(program))
    return program


def trace(spec: KernelSpec) -> Program:
    """Run the text of a kernel on the inputs of a new graph."""
    graph = Graph()
    widths = [a.width for a in signature(spec).arguments for _ in range(max(a.orders, 1))]
    return graph.program(widths, run_text(spec, graph.inputs(sum(widths))))


def _pack(program: Program) -> list[bytes]:
    parts = (
        program.input_widths, program.constants, program.op, program.a, program.b,
        program.output_widths, chain.from_iterable(program.outputs),
    )  # fmt: skip
    return [array(code, part).tobytes() for code, part in zip(_PARTS, parts, strict=True)]


def _unpack(stored: list[bytes]) -> Program:
    parts = [_numbers(code, data) for code, data in zip(_PARTS, stored, strict=True)]
    widths, constants, op, a, b, lengths, values = parts
    stream = iter(values)
    outputs = tuple(tuple(islice(stream, n)) for n in lengths)
    return Program(tuple(widths), tuple(constants), tuple(op), tuple(a), tuple(b), outputs)


def _numbers(code: str, data: bytes) -> array:
    numbers = array(code)
    numbers.frombytes(data)
    return numbers


@cache
def _sources() -> str | None:
    """Return a fingerprint of all texts of this package; None where they cannot be read."""
    root = Path(__file__).parents[1]
    state = hashlib.sha256()
    try:
        paths = sorted(root.rglob("*.py"))
        for path in paths:
            state.update(f"{path.relative_to(root)}\n".encode())
            state.update(path.read_bytes())
    except OSError:
        return None
    return state.hexdigest() if paths else None
