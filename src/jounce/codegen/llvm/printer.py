"""Print a program as LLVM IR text: one or more modules around one entry point.

    void entry(int64 begin, int64 end,
               const double *const *inputs, const int64 *input_strides,
               double *const *outputs, const int64 *output_strides, void *scratch, int64 rows)

Row r of argument a starts at inputs[a] + r·stride (in doubles; 0 repeats one row) and holds
its values side by side; outputs likewise. Rows begin…end−1 are computed, a group of `lanes`
at a time, by the same instructions wherever a row stands: a result does not depend on its
neighbours. `rows` is how many the whole batch has, of which these may be a part. Nothing is read or
written outside them but the scratch block; the code has no state, so calls with different scratch
blocks may run at the same time. In a long batch several groups take each step in turn, while its
code is in the cache of the processor, and rows of later ones are fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from jounce.codegen.fusion import Code, fused
from jounce.codegen.llvm.chunks import ChunkPrinter
from jounce.codegen.llvm.host import FAR
from jounce.codegen.llvm.rows import (
    AT_ONCE,
    NARROW,
    SPAN,
    neighbours,
    print_fetch,
    print_loop,
    print_reader,
    print_table,
    print_writer,
)
from jounce.codegen.llvm.sincos import LIMIT, print_libm, print_sincos
from jounce.codegen.llvm.sweep import (
    PAST_CACHE,
    TOGETHER,
    WIDE,
    long_runs,
    print_records,
    print_sweep,
)
from jounce.codegen.llvm.types import declarations, splat, vector
from jounce.codegen.program import Program
from jounce.codegen.schedule import CHUNK, Angles, Chunk, Step, schedule
from jounce.codegen.slots import Slots, allocate
from jounce.codegen.x86 import Assembled, assemble

ENTRY = "entry"
MODULE = 8  # functions in a module; chunks among them are called one after the other
ALIGNMENT = 64
AHEAD = 2  # blocks from the one at work to the one that is fetched
BLOCK = 4  # groups of samples that take each step in turn, while its code is at hand
NO_TABLE = "ptr null, i64 0"  # of functions that move columns one after the other


@dataclass(frozen=True, slots=True)
class Printed:
    """Modules that link to one another and to those in common; the last defines `entry`."""

    modules: Iterator[str]
    scratch_bytes: int


def print_llvm(
    program: Program,
    *,
    lanes: int,
    fma: bool,
    host_fma: bool = True,
    chunk: int = CHUNK,
    assembler: Any = None,
) -> Printed:
    """Return the IR of a program for `lanes` samples at a time.

    `fma` fuses products into sums; `host_fma` says that the host has such instructions, which
    the vector sine needs in either case. With an `assembler`, the function of
    `jounce.codegen.x86`, chunks are machine code already.
    """
    code = fused(program, fma=fma and host_fma)
    steps = schedule(code, chunk=chunk)
    slots, assembled = allocate(code, steps), None
    if assembler is not None:
        chunks = [step.values for step in steps if isinstance(step, Chunk)]
        assembled = assemble(assembler, code, chunks, slots, lanes)
        slots = assembled.slots
    printer = _Printer(code, steps, slots, lanes, assembled, host_fma=host_fma)
    return Printed(printer.modules(), printer.scratch_bytes)


def print_common(lanes: int, *, host_fma: bool) -> tuple[str, ...]:
    """Return the modules that all programs have in common."""
    tail = declarations(lanes)
    functions = [
        *(print_fetch(side, BLOCK * lanes) for side in ("in", "out")),
        *(print_loop(name, lanes) for name in AT_ONCE),
        print_sweep(lanes),
        print_libm(lanes, limit=LIMIT if host_fma else -1.0),
        tail,
    ]
    sincos = f"{print_sincos(lanes)}\n{tail}"
    return FAR + "\n".join(functions), *([sincos] if host_fma else [])


_COMMON = """\
declare void @fetch.in(ptr, i64, i64, i64, i1)
declare void @fetch.out(ptr, i64, i64, i64, i1)
declare void @move.read(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @move.write(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @move.pack(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @sweep(ptr, i64, i64, i64, i64, ptr, i64, ptr, i64, i1)
declare void @clear(ptr, i64, i64)
declare void @narrow(ptr, i64, ptr, ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @sincos_libm(ptr, ptr, i64)
declare i1 @sincos(ptr, ptr, i64)"""


def _padded(size: int) -> int:
    """Round up to whole cache lines."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class _Printer:
    """Puts the functions of a program together."""

    def __init__(
        self,
        code: Code,
        steps: list[Step],
        slots: Slots,
        lanes: int,
        assembled: Assembled | None,
        *,
        host_fma: bool,
    ) -> None:
        self.host_fma = host_fma
        self.assembled = assembled
        self.code = code
        self.steps = steps
        self.slots = slots
        self.lanes = lanes
        self.block = BLOCK
        self.packed = 0  # bytes of the packed rows
        self.first = ""  # what is called before the first group
        self.waste = _padded(8 * max(code.program.output_widths, default=0))
        self.constants: dict[str, int] = {}  # those with a slot, for loops over slots
        self.text: list[str] = []
        self.moving: dict[str, str] = {}  # text -> name of functions that move columns
        self.reads, self.writes = list(self._readers()), list(self._writers())
        self.calls: list[str] = []

    @property
    def stride(self) -> int:
        """Size of the block of one group."""
        return _padded(8 * self.lanes * (self.slots.count + len(self.constants)))

    @property
    def scratch_bytes(self) -> int:
        """Size of the waste row, the blocks of the groups and the packed rows."""
        return self.waste + self.block * self.stride + self.packed + ALIGNMENT

    def modules(self) -> Iterator[str]:
        """Yield modules of rows and of chunks, which call nothing, then that of the entry point."""
        tail = declarations(self.lanes)
        moving = [text.replace("@rows(", f"@{name}(") for text, name in self.moving.items()]
        for k in range(0, len(moving), MODULE):
            yield "\n".join([*moving[k : k + MODULE], tail])
        runs = list(self._runs())
        if self.assembled is None:
            printer = ChunkPrinter(self.code, self.slots, self.lanes)
            for k, run in enumerate(runs):
                chunks = (printer.function(f"chunk{c}", x.values) for c, x in enumerate(run))
                yield f"{self._run(k, list(chunks))}\n{tail}"
        elif runs:
            yield self.assembled.module([len(run) for run in runs], self.stride, self.block)
        declared = [
            f"declare void @run{k}.{loop}(ptr)"
            for k in range(len(runs))
            for loop in ("many", "one")
        ]
        declared += [
            f"declare void @{name}(ptr, i64, i64, i64, ptr, ptr, ptr, i64)"
            for name in self.moving.values()
        ]
        yield FAR + "\n".join([*self.text, self._entry(), *declared, _COMMON, tail])

    def _run(self, k: int, chunks: list[str]) -> str:
        """Return chunks with the functions that call them, for many groups and for one."""
        shift = "".join(
            f"  %s{g} = getelementptr i8, ptr %s0, i64 {g * self.stride}\n"
            for g in range(1, self.block)
        )
        many = "".join(
            f"  call void @chunk{c}(ptr %s{g})\n"
            for c in range(len(chunks))
            for g in range(self.block)
        )
        one = "".join(f"  call void @chunk{c}(ptr %s0)\n" for c in range(len(chunks)))
        calls = (
            f"define void @run{k}.many(ptr %s0) #0 {{\n{shift}{many}  ret void\n}}",
            f"define void @run{k}.one(ptr %s0) #0 {{\n{one}  ret void\n}}",
        )
        return "\n".join([*chunks, *calls])

    def _readers(self) -> Iterator[str]:
        """Add the functions that read the used inputs; yield their calls."""
        of, first = self.slots.of, 0
        for a, width in enumerate(self.code.program.input_widths):
            slots = {k: of[first + k] for k in range(width) if first + k in of}
            if len(slots) > SPAN:
                looped = self._looped("read", f"read{a}", slots, slots, width)
                yield self._call_rows(*looped, a, "in")
            elif slots:
                first_slot = min(slots.values())
                columns = {k: slot - first_slot for k, slot in slots.items()}
                name = self._moving(f"read{a}", partial(print_reader, width=width, slots=columns))
                yield self._call_rows(name, NO_TABLE, a, "in", first_slot)
            first += width

    def _writers(self) -> Iterator[str]:
        """Add the functions that write the outputs; yield their calls."""
        narrow = []
        for a, row in enumerate(self.code.program.outputs):
            if len(row) >= WIDE:
                yield from self._write_wide(a, row)
            elif row:
                narrow.append((*self._write_narrow(a, row), len(row), a))
        if narrow:
            self.text.append(print_records(narrow))
            yield (
                f"  br i1 %past, label %@L.past, label %@L.near\n@L.past:\n"
                f"  call void @narrow(ptr @records, i64 {len(narrow)}, ptr %out, "
                f"ptr %out.strides, i64 %row.@L, i64 %end, i64 @R, ptr %packed, ptr %waste, "
                f"ptr %s0, i64 @Z)\n  br label %@L.written\n@L.near:"
            )
            for name, table, _, a in narrow:
                yield self._call_rows(name, table, a, "out")
            yield "  br label %@L.written\n@L.written:"

    def _write_wide(self, argument: int, row: tuple[int, ...]) -> Iterator[str]:
        """Add the way of wide rows, packed group by group; zeros are so once for many groups."""
        program, width = self.code.program, len(row)
        zeros = {
            program.input_count + k for k, c in enumerate(program.constants) if repr(c) == "0.0"
        }
        columns = [k for k, value in enumerate(row) if value not in zeros]
        self._pack(width)
        if len(columns) < width:
            shared = len(program.outputs) > 1  # others are packed there in between
            clear = f"  call void @clear(ptr %packed, i64 {width}, i64 %{'@L.' * shared}left)"
            if shared:
                yield clear
            else:
                self.first = clear
        slots = {k: self._slot(self._source(value)) for k, value in enumerate(row)}
        runs = list(long_runs([value in zeros for value in row]))
        self.text.append(print_table(f"runs{argument}", chain(*runs)))
        pack, tag = "", f"@T.out{argument}"
        if columns:
            name, table = self._looped("pack", f"pack{argument}", slots, columns, width)
            rows = f"ptr %packed, i64 {width}, i64 0, i64 {self.lanes}"
            pack = f"  call void @{name}({rows}, ptr %waste, ptr @S, {table})\n"
        yield (
            f"{pack}{self._argument(tag, argument, 'out')}\n"
            f"  call void @sweep(ptr %{tag}.p, i64 %{tag}.n, i64 %@T.row, i64 %end, "
            f"i64 {self.lanes}, ptr %packed, i64 {width}, ptr @runs{argument}, i64 {len(runs)}, "
            f"i1 %past)"
        )

    def _write_narrow(self, argument: int, row: tuple[int, ...]) -> tuple[str, str]:
        """Add a way to write narrow rows; return the function and its last arguments."""
        self._pack(len(row) * (self.block if len(row) <= TOGETHER else 1))
        sources, name = dict(enumerate(map(self._source, row))), f"write{argument}"
        if len(row) > SPAN:
            slots = {k: self._slot(source) for k, source in sources.items()}
            return self._looped("write", name, slots, slots, len(row))
        return self._moving(name, partial(print_writer, columns=sources)), NO_TABLE

    def _pack(self, numbers: int) -> None:
        """See to it that there is room to pack so many numbers of each lane."""
        self.packed = max(self.packed, _padded(8 * self.lanes * numbers))

    def _moving(self, name: str, print_function: Callable[..., str]) -> str:
        """Add a function that moves columns, unless there is one like it; return its name."""
        text = print_function("rows", lanes=self.lanes)
        return self.moving.setdefault(text, name)

    def _looped(
        self, loop: str, name: str, slots: dict[int, int], columns: Iterable[int], width: int
    ) -> tuple[str, str]:
        """Add the table of a loop over columns; return its function and last arguments.

        Others are moved with them that are neighbours.
        """
        unused, size = self.slots.unused, self.lanes * 8
        count = AT_ONCE[loop]
        entries = [
            (k, *(slots.get(k + n, unused) * size for n in range(count)))
            for k in neighbours(columns, width, count)
        ]
        self.text.append(print_table(f"columns.{name}", chain(*entries), "i32"))
        return f"move.{loop}", f"ptr @columns.{name}, i64 {len(entries)}"

    def _slot(self, source: int | str) -> int:
        """Return a slot of a source; a constant is put into one before the first step."""
        if isinstance(source, int):
            return source
        return self.constants.setdefault(source, self.slots.count + len(self.constants))

    def _source(self, value: int) -> int | str:
        """Return the slot of a value, or the spelling of a constant."""
        program = self.code.program
        if program.input_count <= value < self.code.first:
            return splat(program.constants[value - program.input_count])
        return self.slots.of[value]

    def _runs(self) -> Iterator[list[Chunk]]:
        """Yield runs of chunks, and note the calls; tables of angles go to the main module."""
        of, unused, size = self.slots.of, self.slots.unused, self.lanes * 8
        count, run = 0, []
        self.calls = self.reads
        for k, step in enumerate(self.steps):
            if run and (isinstance(step, Angles) or len(run) == MODULE):
                yield run
                run = []
            if isinstance(step, Angles):
                offsets = [of.get(value, unused) * size for value in chain(*step.triples)]
                self.text.append(print_table(f"angles{k}", offsets))
                self.calls.append(self._call_sincos(k, len(step.triples)))
                continue
            if not run:
                self.calls.append(f"  call void @run{count}.@L(ptr %s0)")
                count += 1
            run.append(step)
        if run:
            yield run
        self.calls += self.writes

    def _call_sincos(self, k: int, count: int) -> str:
        """Return the call of the vector sine, and of libm where that is out of range."""
        arguments = f"(ptr @S, ptr @angles{k}, i64 {count})"
        libm = f"  call void @sincos_libm{arguments}"
        if not self.host_fma:
            return libm
        tag = f"@T.angles{k}"
        return (
            f"  %{tag} = call i1 @sincos{arguments}\n"
            f"  br i1 %{tag}, label %{tag}.far, label %{tag}.near\n"
            f"{tag}.far:\n{libm}\n  br label %{tag}.near\n{tag}.near:"
        )

    def _call_rows(
        self, name: str, table: str, argument: int, side: str, first_slot: int = 0
    ) -> str:
        """Return the call of a reader or writer, whose slots count from the first."""
        tag = f"@T.{side}{argument}"
        return (
            f"{self._argument(tag, argument, side)}\n"
            f"  %{tag}.s = getelementptr i8, ptr @S, i64 {first_slot * self.lanes * 8}\n"
            f"  call void @{name}(ptr %{tag}.p, i64 %{tag}.n, i64 %@T.row, i64 %end, "
            f"ptr %waste, ptr %{tag}.s, {table})"
        )

    @staticmethod
    def _argument(tag: str, argument: int, side: str) -> str:
        """Return the lines that load the address `.p` and the row stride `.n` of an argument."""
        return (
            f"  %{tag}.q = getelementptr ptr, ptr %{side}, i64 {argument}\n"
            f"  %{tag}.p = load ptr, ptr %{tag}.q\n"
            f"  %{tag}.r = getelementptr i64, ptr %{side}.strides, i64 {argument}\n"
            f"  %{tag}.n = load i64, ptr %{tag}.r"
        )

    def _loop(self, loop: str, groups: int) -> str:
        """Return the calls for `groups` groups of samples, each step for all of them in turn."""
        lines = [f"  %{loop}{g}.row = add i64 %row.{loop}, {g * self.lanes}" for g in range(groups)]
        lines.append(f"  %{loop}.left = sub i64 %end, %row.{loop}")
        for call in self.calls:
            if "@L" in call:  # takes care of all groups by itself
                own = call.replace("@R", str(groups * self.lanes)).replace("@Z", str(self.stride))
                lines.append(own.replace("@L", loop))
                continue
            for g in range(groups):
                lines.append(call.replace("@T", f"{loop}{g}").replace("@S", f"%s{g}"))
        return "\n".join(lines)

    def _fetches(self) -> str:
        """Return the calls that fetch narrow rows of a later block into the cache."""
        program = self.code.program
        lines = [f"  %ahead = add i64 %row.many, {AHEAD * self.block * self.lanes}"]
        for side, widths in (("in", program.input_widths), ("out", program.output_widths)):
            for a, width in enumerate(widths):
                if 0 < width <= NARROW:
                    tag = f"ahead.{side}{a}"
                    lines.append(self._argument(tag, a, side))
                    rows = f"ptr %{tag}.p, i64 %{tag}.n, i64 %ahead, i64 %end"
                    past = "%past" if side == "out" else "false"
                    lines.append(f"  call void @fetch.{side}({rows}, i1 {past})")
        return "\n".join(lines)

    def _entry(self) -> str:
        """Return the loops over samples: BLOCK groups at a time, then one at a time."""
        block = self.block
        blocks = "\n".join(
            f"  %s{g} = getelementptr i8, ptr %waste, i64 {self.waste + g * self.stride}"
            for g in range(block)
        )
        constants = "".join(
            f"\n  %c{g}.{slot} = getelementptr i8, ptr %s{g}, i64 {slot * self.lanes * 8}"
            f"\n  store {vector(self.lanes)} {text}, ptr %c{g}.{slot}, align {self.lanes * 8}"
            for g in range(block)
            for text, slot in self.constants.items()
        )
        return f"""\
define void @{ENTRY}(i64 %begin, i64 %end, ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, \
ptr %scratch, i64 %rows) #0 {{
start:
  %a0 = ptrtoint ptr %scratch to i64
  %a1 = add i64 %a0, {ALIGNMENT - 1}
  %a2 = and i64 %a1, -{ALIGNMENT}
  %waste = inttoptr i64 %a2 to ptr
{blocks}{constants}
  %packed = getelementptr i8, ptr %waste, i64 {self.waste + block * self.stride}
  %past = icmp sgt i64 %rows, {PAST_CACHE // (8 * max(sum(self.code.program.output_widths), 1))}
  %left = sub i64 %end, %begin
{self.first}
  %full = sub i64 %end, {(block - 1) * self.lanes}
  br label %head
head:
  %row.many = phi i64 [ %begin, %start ], [ %next.many, %many.end ]
  %next.many = add i64 %row.many, {block * self.lanes}
  %enough = icmp slt i64 %row.many, %full
  br i1 %enough, label %many, label %tail
many:
{self._fetches()}
{self._loop("many", block)}
  br label %many.end
many.end:
  br label %head
tail:
  %row.one = phi i64 [ %row.many, %head ], [ %next.one, %one.end ]
  %next.one = add i64 %row.one, {self.lanes}
  %some = icmp slt i64 %row.one, %end
  br i1 %some, label %one, label %done
one:
{self._loop("one", 1)}
  br label %one.end
one.end:
  br label %tail
done:
  br i1 %past, label %fence, label %over
fence:
  fence seq_cst
  br label %over
over:
  ret void
}}"""
