"""Print the way of results to memory in one sweep: packed beside, then copied by whole lines.

Rows of a group of samples lie side by side as a rule, so that they are one piece of memory. They
are put together in the near cache ("packed") and copied from there by lines of the cache; lines of
long runs of zeros are not even read. What does not stay in the cache is written past it: an
ordinary store would first read the line that it replaces. Wide rows always go this way; narrow ones
that stay in the cache are written directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

WIDE = 256  # numbers in a row from which packing pays
LINE = 8  # numbers of a line of the cache
LONG = 32  # zeros side by side that are worth a loop
TOGETHER = 16  # numbers in a row up to which all groups are packed before they are written
PAST_CACHE = 16 * 2**20  # bytes of the results of a batch that do not stay in the cache


def long_runs(is_zero: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield where long runs of zeros begin, and behind the last place where a line of them may."""
    at = 0
    for zero, run in groupby(is_zero):
        count = len(list(run))
        if zero and count >= LONG:
            yield at, at + count - (LINE - 1)
        at += count


# Of an output with narrow rows: who writes them by which table, their length and its number.
_FIELDS = (
    ("write", "ptr"),
    ("table", "ptr"),
    ("entries", "i64"),
    ("width", "i64"),
    ("index", "i64"),
)
RECORD = f"{{ {', '.join(kind for _, kind in _FIELDS)} }}"


def _field(n: int, name: str, kind: str) -> str:
    return f"""\
  %{name}.p = getelementptr {RECORD}, ptr %record, i64 0, i32 {n}
  %{name} = load {kind}, ptr %{name}.p
"""


def print_records(records: list[tuple[str, str, int, int]]) -> str:
    """Return the records of outputs: function, "table, entries", width, number."""
    rows = [
        f"{RECORD} {{ ptr @{name}, {table}, i64 {width}, i64 {index} }}"
        for name, table, width, index in records
    ]
    return f"@records = private constant [{len(rows)} x {RECORD}] [{', '.join(rows)}]"


def print_sweep(lanes: int) -> str:
    """Return the functions that write packed rows.

    `@sweep` writes `%most` of them, but none from `%end` on; `%packed` begins with a line, `%runs`
    are those of `long_runs`. `@clear` packs zeros, in `%rows` rows or those of one group.
    `@narrow` writes the narrow rows of several groups, whose blocks are `%size` bytes apart, past
    the cache; those that do not lie side by side are not packed, but written to their places.
    `%records` are those of `print_records`.
    """
    return f"""\
define void @sweep(ptr %out, i64 %stride, i64 %row, i64 %end, i64 %most, ptr %packed, \
i64 %width, ptr %runs, i64 %count, i1 %past) #0 {{
start:
  %left = sub i64 %end, %row
  %few = icmp slt i64 %left, %most
  %rows = select i1 %few, i64 %left, i64 %most
  %all = mul i64 %rows, %width
  %beside = icmp eq i64 %stride, %width
  %dense = icmp eq i64 %count, 0
  %together = and i1 %beside, %dense
  %pieces = select i1 %together, i64 1, i64 %rows
  %numbers = select i1 %together, i64 %all, i64 %width
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %out, i64 %offset
  %copy = select i1 %past, ptr @copy.past, ptr @copy.near
  br label %piece
piece:
  %k = phi i64 [ 0, %start ], [ %k.next, %piece ]
  %to = phi ptr [ %first, %start ], [ %to.next, %piece ]
  %from = phi ptr [ %packed, %start ], [ %from.next, %piece ]
  call void %copy(ptr %to, ptr %from, i64 %numbers, ptr %runs, i64 %count)
  %to.next = getelementptr double, ptr %to, i64 %stride
  %from.next = getelementptr double, ptr %from, i64 %width
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %pieces
  br i1 %more, label %piece, label %done
done:
  ret void
}}
define void @clear(ptr %packed, i64 %width, i64 %rows) #0 {{
start:
  %many = icmp sgt i64 %rows, {lanes}
  %own = select i1 %many, i64 {lanes}, i64 %rows
  %numbers = mul i64 %own, %width
  br label %line
line:
  %k = phi i64 [ 0, %start ], [ %k.next, %line ]
  %to = getelementptr double, ptr %packed, i64 %k
  store <{LINE} x double> zeroinitializer, ptr %to, align {8 * LINE}
  %k.next = add i64 %k, {LINE}
  %more = icmp slt i64 %k.next, %numbers
  br i1 %more, label %line, label %done
done:
  ret void
}}
{_narrow(lanes)}
{_copy("near", "")}
{_copy("past", ", !nontemporal !0")}
!0 = !{{i32 1}}"""


def _narrow(lanes: int) -> str:
    """Return `@narrow`: for all outputs, for all groups."""
    return f"""\
define void @narrow(ptr %records, i64 %count, ptr %out, ptr %strides, i64 %row, i64 %end, \
i64 %rows, ptr %packed, ptr %waste, ptr %s, i64 %size) #0 {{
start:
  br label %output
output:
  %k = phi i64 [ 0, %start ], [ %k.next, %written ]
  %record = getelementptr {RECORD}, ptr %records, i64 %k
{"".join(_field(n, name, kind) for n, (name, kind) in enumerate(_FIELDS))}\
  %to.p = getelementptr ptr, ptr %out, i64 %index
  %to = load ptr, ptr %to.p
  %stride.p = getelementptr i64, ptr %strides, i64 %index
  %stride = load i64, ptr %stride.p
  %beside = icmp eq i64 %stride, %width
  %short = icmp sle i64 %width, {TOGETHER}
  %long = xor i1 %short, true
  %together = and i1 %beside, %short
  %each = and i1 %beside, %long
  br label %group
group:
  %g = phi i64 [ 0, %output ], [ %g.next, %moved ]
  %own = phi ptr [ %s, %output ], [ %own.next, %moved ]
  %row.own = add i64 %row, %g
  %before = mul i64 %g, %width
  %offset = select i1 %together, i64 %before, i64 0
  %there = getelementptr double, ptr %packed, i64 %offset
  %base = select i1 %beside, ptr %there, ptr %to
  %first = select i1 %beside, i64 0, i64 %row.own
  %last = select i1 %beside, i64 {lanes}, i64 %end
  call void %write(ptr %base, i64 %stride, i64 %first, i64 %last, ptr %waste, ptr %own, \
ptr %table, i64 %entries)
  br i1 %each, label %sweep, label %moved
sweep:
  call void @sweep(ptr %to, i64 %stride, i64 %row.own, i64 %end, i64 {lanes}, ptr %packed, \
i64 %width, ptr null, i64 0, i1 true)
  br label %moved
moved:
  %own.next = getelementptr i8, ptr %own, i64 %size
  %g.next = add i64 %g, {lanes}
  %g.more = icmp slt i64 %g.next, %rows
  br i1 %g.more, label %group, label %all
all:
  br i1 %together, label %sweep.all, label %written
sweep.all:
  call void @sweep(ptr %to, i64 %stride, i64 %row, i64 %end, i64 %rows, ptr %packed, \
i64 %width, ptr null, i64 0, i1 true)
  br label %written
written:
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %output, label %done
done:
  ret void
}}"""


def _copy(kind: str, hint: str) -> str:
    """Return `@copy.…`: numbers up to the first whole line, whole lines, what is left."""
    lines = f"<{LINE} x double>"
    return f"""\
define private void @copy.{kind}(ptr %to, ptr %from, i64 %numbers, ptr %runs, i64 %count) #0 {{
start:
  %address = ptrtoint ptr %to to i64
  %behind = sub i64 0, %address
  %up = lshr i64 %behind, 3
  %before = and i64 %up, {LINE - 1}
  %short = icmp slt i64 %numbers, %before
  %whole = select i1 %short, i64 %numbers, i64 %before
  %full = sub i64 %numbers, {LINE - 1}
  br label %head.test
{_loop("head", "[ 0, %start ]", "%whole", 1, "i64", hint, "run")}
run:
  %k = phi i64 [ 0, %head.test ], [ %k.next, %zeros.test ]
  %at = phi i64 [ %head.k, %head.test ], [ %zeros.k, %zeros.test ]
  %run.p = getelementptr [2 x i64], ptr %runs, i64 %k
  %more = icmp slt i64 %k, %count
  %k.next = add i64 %k, 1
  br i1 %more, label %between, label %rest.test
between:
  %run.end.p = getelementptr i64, ptr %run.p, i64 1
  %run.begin = load i64, ptr %run.p
  %run.end = load i64, ptr %run.end.p
  br label %lines.test
{_loop("lines", "[ %at, %between ]", "%run.begin", LINE, lines, hint, "zeros.test")}
{_loop("zeros", "[ %lines.k, %lines.test ]", "%run.end", LINE, lines, hint, "run")}
{_loop("rest", "[ %at, %run ]", "%full", LINE, lines, hint, "tail.test")}
{_loop("tail", "[ %rest.k, %rest.test ]", "%numbers", 1, "i64", hint, "done")}
done:
  ret void
}}"""


def _loop(name: str, first: str, last: str, step: int, kind: str, hint: str, behind: str) -> str:
    """Return the loop that copies numbers first…last−1, or writes zeros, and then goes on."""
    value, load = "zeroinitializer", ""
    if name != "zeros":
        value = f"%{name}.value"
        load = f"""
  %{name}.from = getelementptr double, ptr %from, i64 %{name}.k
  {value} = load {kind}, ptr %{name}.from, align 8"""
    return f"""\
{name}.test:
  %{name}.k = phi i64 {first}, [ %{name}.next, %{name} ]
  %{name}.more = icmp slt i64 %{name}.k, {last}
  br i1 %{name}.more, label %{name}, label %{behind}
{name}:{load}
  %{name}.to = getelementptr double, ptr %to, i64 %{name}.k
  store {kind} {value}, ptr %{name}.to, align {8 * step}{hint}
  %{name}.next = add i64 %{name}.k, {step}
  br label %{name}.test"""
