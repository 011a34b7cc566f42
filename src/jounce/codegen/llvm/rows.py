"""Print the transposition between rows of samples and lanes of the scratch block.

Two columns of all lanes are moved at a time: pairs of neighbours are loaded from every row,
even and odd rows are joined, and one shuffle each gives the two columns. Rows past the last
one are clamped when read and redirected to a waste row when written. A few columns are moved one
after the other; many by a loop over a table of columns and places, which compiles in no time.
"""

from __future__ import annotations

from collections.abc import Iterable

from jounce.codegen.llvm.types import vector

# columns that a loop moves at once: four of rows side by side, which stay in the near cache
AT_ONCE = {"read": 2, "write": 2, "pack": 4}
SPAN = 64  # columns up to which they are moved one after the other


def neighbours(columns: Iterable[int], width: int, count: int = 2) -> list[int]:
    """Return the first columns of `count` neighbours each that cover `columns` within `width`."""
    starts: list[int] = []
    covered = -1
    for column in sorted(columns):
        if column > covered:
            start = min(column, width - count)
            starts.append(start)
            covered = start + count - 1
    return starts


class RowPrinter:
    """Collects the lines of one function that moves columns of one argument."""

    def __init__(self, name: str, lanes: int) -> None:
        self.lanes = lanes
        self.type = vector(lanes)
        rows = "ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s"
        self.lines = [f"define void @{name}({rows}, ptr %table, i64 %count) #0 {{\nstart:"]
        self.count = 0

    def text(self) -> str:
        """Return the finished function."""
        return "\n".join([*self.lines, "  ret void\n}"])

    def emit(self, right: str) -> str:
        """Add an instruction and return the name of its result."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {right}")
        return f"%t{self.count}"

    def rows(self, *, written: bool) -> list[str]:
        """Return a pointer to the row of each lane."""
        pointers = []
        last = self.emit("sub i64 %end, 1")
        for lane in range(self.lanes):
            row = self.emit(f"add i64 %row, {lane}")
            valid = self.emit(f"icmp slt i64 {row}, %end")
            if not written:
                row = self.emit(f"select i1 {valid}, i64 {row}, i64 {last}")
            offset = self.emit(f"mul i64 {row}, %stride")
            pointer = self.emit(f"getelementptr double, ptr %base, i64 {offset}")
            if written:
                pointer = self.emit(f"select i1 {valid}, ptr {pointer}, ptr %waste")
            pointers.append(pointer)
        return pointers

    def adjoining(self) -> str:
        """Return where the numbers of all lanes are that lie side by side; others go on `apart`."""
        side = self.emit("icmp eq i64 %stride, 1")
        after = self.emit(f"add i64 %row, {self.lanes}")
        whole = self.emit(f"icmp sle i64 {after}, %end")
        both = self.emit(f"and i1 {side}, {whole}")
        self.lines += [f"  br i1 {both}, label %adjoining, label %apart", "adjoining:"]
        return self.emit("getelementptr double, ptr %base, i64 %row")

    def load_slot(self, offset: int | str) -> str:
        """Return the value of a slot of scratch, given by its offset in bytes."""
        pointer = self.emit(f"getelementptr i8, ptr %s, i64 {offset}")
        return self.emit(f"load {self.type}, ptr {pointer}, align {self.lanes * 8}")

    def store_slot(self, offset: int | str, value: str) -> None:
        """Write a slot of scratch, given by its offset in bytes."""
        pointer = self.emit(f"getelementptr i8, ptr %s, i64 {offset}")
        self.lines.append(f"  store {self.type} {value}, ptr {pointer}, align {self.lanes * 8}")

    def source(self, source: int | str) -> str:
        """Return the value of a slot, or a spelled constant as it is."""
        return source if isinstance(source, str) else self.load_slot(source * self.lanes * 8)

    def load_column(self, rows: list[str], column: int) -> str:
        """Return one column, read number by number."""
        result = "poison"
        for lane, row in enumerate(rows):
            pointer = self.emit(f"getelementptr double, ptr {row}, i64 {column}")
            number = self.emit(f"load double, ptr {pointer}, align 8")
            result = self.emit(f"insertelement {self.type} {result}, double {number}, i32 {lane}")
        return result

    def store_column(self, rows: list[str], column: int, value: str) -> None:
        """Write one column number by number."""
        for lane, row in enumerate(rows):
            number = self.emit(f"extractelement {self.type} {value}, i32 {lane}")
            pointer = self.emit(f"getelementptr double, ptr {row}, i64 {column}")
            self.lines.append(f"  store double {number}, ptr {pointer}, align 8")

    def load_pair(self, rows: list[str], column: int | str) -> tuple[str, str]:
        """Return two neighbouring columns."""
        halves = []
        for row in rows:
            pointer = self.emit(f"getelementptr double, ptr {row}, i64 {column}")
            halves.append(self.emit(f"load <2 x double>, ptr {pointer}, align 8"))
        even, odd = self._join(halves[::2]), self._join(halves[1::2])
        return self._interleave(even, odd, 0), self._interleave(even, odd, 1)

    def store_neighbours(self, rows: list[str], column: int | str, values: list[str]) -> None:
        """Write two or four neighbouring columns."""
        width = len(values)
        joined = [
            [self._interleave(x, y, odd) for odd in (0, 1)]
            for x, y in zip(values[::2], values[1::2], strict=True)
        ]
        for lane, row in enumerate(rows):
            first, second = (*(pair[lane % 2] for pair in joined), "poison")[:2]
            k = lane - lane % 2
            order = ", ".join(
                f"i32 {n}" for n in (k, k + 1, self.lanes + k, self.lanes + k + 1)[:width]
            )
            part = self.emit(
                f"shufflevector {self.type} {first}, {self.type} {second}, "
                f"<{width} x i32> <{order}>"
            )
            pointer = self.emit(f"getelementptr double, ptr {row}, i64 {column}")
            self.lines.append(f"  store <{width} x double> {part}, ptr {pointer}, align 8")

    def _join(self, parts: list[str]) -> str:
        """Concatenate vectors."""
        width = 2
        while len(parts) > 1:
            order = ", ".join(f"i32 {k}" for k in range(2 * width))
            kind = f"<{width} x double>"
            parts = [
                self.emit(f"shufflevector {kind} {x}, {kind} {y}, <{2 * width} x i32> <{order}>")
                for x, y in zip(parts[::2], parts[1::2], strict=True)
            ]
            width *= 2
        return parts[0]

    def _interleave(self, x: str, y: str, odd: int) -> str:
        """Return (x0, y0, x2, y2, …), or (x1, y1, x3, y3, …) if odd."""
        order = [k + odd + half * self.lanes for k in range(0, self.lanes, 2) for half in (0, 1)]
        mask = ", ".join(f"i32 {k}" for k in order)
        return self.emit(
            f"shufflevector {self.type} {x}, {self.type} {y}, <{self.lanes} x i32> <{mask}>"
        )


def print_reader(name: str, width: int, slots: dict[int, int], lanes: int) -> str:
    """Return a function that reads the columns in `slots` of one argument into scratch."""
    out = RowPrinter(name, lanes)
    loaded: dict[int, str] = {}
    if width < 2:
        place = out.adjoining()
        near = out.emit(f"load {out.type}, ptr {place}, align 8")
        out.lines += ["  br label %moved", "apart:"]
        far = out.load_column(out.rows(written=False), 0)
        out.lines += ["  br label %moved", "moved:"]
        loaded[0] = out.emit(f"phi {out.type} [ {near}, %adjoining ], [ {far}, %apart ]")
    else:
        rows = out.rows(written=False)
        for start in neighbours(slots, width):
            loaded[start], loaded[start + 1] = out.load_pair(rows, start)
    for column, slot in slots.items():
        out.store_slot(slot * lanes * 8, loaded[column])
    return out.text()


def print_writer(name: str, columns: dict[int, int | str], lanes: int) -> str:
    """Return a function that writes neighbouring columns: slots of scratch or spelled constants."""
    out = RowPrinter(name, lanes)
    if len(columns) < 2:
        ((column, source),) = columns.items()
        value = out.source(source)
        if not column:
            out.lines.append(f"  store {out.type} {value}, ptr {out.adjoining()}, align 8")
            out.lines += ["  ret void", "apart:"]
        out.store_column(out.rows(written=True), column, value)
        return out.text()
    rows = out.rows(written=True)
    for start in neighbours(columns, max(columns) + 1):
        pair = [out.source(columns[column]) for column in (start, start + 1)]
        out.store_neighbours(rows, start, pair)
    return out.text()


def print_table(name: str, numbers: Iterable[int], kind: str = "i64") -> str:
    """Return a constant that holds numbers one after the other."""
    words = [f"{kind} {number}" for number in numbers]
    return f"@{name} = private constant [{len(words)} x {kind}] [{', '.join(words)}]"


def print_loop(name: str, lanes: int) -> str:
    """Return `@move.…`, which moves columns between rows and scratch by a table; see `AT_ONCE`.

    An entry of it is the first column, and offsets in scratch of it and its neighbours.
    """
    out = RowPrinter(f"move.{name}", lanes)
    rows = out.rows(written=name != "read")
    out.lines += ["  br label %loop", "loop:", "  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]"]
    size = 1 + AT_ONCE[name]
    entry = out.emit(f"getelementptr [{size} x i32], ptr %table, i64 %k")
    numbers = []
    for part in range(size):
        pointer = out.emit(f"getelementptr i32, ptr {entry}, i64 {part}")
        number = out.emit(f"load i32, ptr {pointer}")
        numbers.append(out.emit(f"zext i32 {number} to i64"))
    column, *offsets = numbers
    if name != "read":
        out.store_neighbours(rows, column, [out.load_slot(x) for x in offsets])
    else:
        for offset, value in zip(offsets, out.load_pair(rows, column), strict=True):
            out.store_slot(offset, value)
    out.lines += [
        "  %k.next = add i64 %k, 1",
        "  %more = icmp ult i64 %k.next, %count",
        "  br i1 %more, label %loop, label %done",
        "done:",
    ]
    return out.text()


NARROW = 64  # numbers from one row to the next up to which rows are fetched ahead


def print_fetch(side: str, count: int) -> str:
    """Return a function that fetches `count` rows before `%end` into the cache, to read or write.

    Not those that go `%past` it. Rows from `%end` on may be another thread's, which would have to
    fetch them back. The processor follows such a stream by itself only to the end of a page of
    memory, which is 57 rows of nine numbers.
    """
    return f"""\
define void @fetch.{side}(ptr %base, i64 %stride, i64 %row, i64 %end, i1 %past) #0 {{
start:
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %base, i64 %offset
  %left = sub i64 %end, %row
  %short = icmp slt i64 %left, {count}
  %rows = select i1 %short, i64 %left, i64 {count}
  %numbers = mul i64 %stride, %rows
  %near = icmp ule i64 %stride, {NARROW}
  %some = icmp sgt i64 %numbers, 0
  %worth = and i1 %near, %some
  %fetched = select i1 %past, i1 false, i1 %worth
  br i1 %fetched, label %loop, label %done
loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %line = getelementptr double, ptr %first, i64 %k
  call void @llvm.prefetch.p0(ptr %line, i32 {int(side == "out")}, i32 3, i32 1)
  %next = add i64 %k, 8
  %more = icmp slt i64 %next, %numbers
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""
