"""Print the way of wide rows of results to memory: packed beside, then written in one sweep.

The values of a row that are not constant zeros are first put side by side in a packed row; then
the row is written from left to right, the zeros from a register. Rows that do not stay in the
cache are written past it: an ordinary store would first read the line that it replaces.
"""

from __future__ import annotations

from itertools import groupby

WIDE = 256  # numbers in a row from which the sweep pays
PAIR = 2  # numbers that are copied or not as one
ZEROS = 4  # numbers of which zeros are written at once
SHORTEST = 16  # zeros side by side that are worth a loop
PAST_CACHE = 8 * 2**20  # bytes of an output in one call that do not stay in the cache


def segments(is_zero: list[bool]) -> list[tuple[int, int]]:
    """Return alternating lengths of (zeros, other numbers) of a row, from left to right.

    Lengths of zeros are multiples of `ZEROS`, the others of `PAIR`; only the first zeros and the
    last numbers may be missing.
    """
    pairs = [all(is_zero[k : k + PAIR]) for k in range(0, len(is_zero), PAIR)]
    result = [(0, 0)]
    for zero, run in groupby(pairs):
        count = PAIR * len(list(run))
        looped = count // ZEROS * ZEROS if zero and count >= SHORTEST else 0
        if looped:
            result.append((looped, count - looped))
        else:
            zeros, others = result[-1]
            result[-1] = (zeros, others + count)
    return result if result[0][1] else result[1:]


def packed_columns(parts: list[tuple[int, int]]) -> list[int]:
    """Return the columns that are copied."""
    columns: list[int] = []
    at = 0
    for zeros, others in parts:
        columns += range(at + zeros, at + zeros + others)
        at += zeros + others
    return columns


def print_sweep(lanes: int) -> str:
    """Return `@sweep`, which writes the packed rows of one group of samples to their places.

    `%rows` is the number of rows of the whole call; `%table` holds the lengths of `segments` and
    `%count` their number.
    """
    signature = "ptr %out, i64 %stride, i64 %row, i64 %end"
    packed = "ptr %packed, i64 %width, ptr %table, i64 %count"
    return f"""\
define void @sweep({signature}, i64 %rows, {packed}) #0 {{
  %bytes = mul i64 %stride, 8
  %total = mul i64 %bytes, %rows
  %large = icmp sgt i64 %total, {PAST_CACHE}
  %address = ptrtoint ptr %out to i64
  %bits = or i64 %address, %bytes
  %odd = and i64 %bits, {8 * PAIR - 1}
  %aligned = icmp eq i64 %odd, 0
  %past = and i1 %large, %aligned
  %function = select i1 %past, ptr @sweep.past, ptr @sweep.near
  %after = add i64 %row, {lanes}
  %full = icmp slt i64 %after, %end
  %last = select i1 %full, i64 %after, i64 %end
  call void %function(ptr %out, i64 %stride, i64 %row, i64 %last, {packed})
  ret void
}}
{_rows("near", "align 8")}
{_rows("past", f"align {8 * PAIR}, !nontemporal !0")}
!0 = !{{i32 1}}"""


def _rows(kind: str, store: str) -> str:
    """Return the sweep over rows begin…end−1 by stores of one kind."""
    return f"""\
define private void @sweep.{kind}(ptr %out, i64 %stride, i64 %begin, i64 %end, ptr %packed, \
i64 %width, ptr %table, i64 %count) #0 {{
start:
  br label %rows
rows:
  %row = phi i64 [ %begin, %start ], [ %row.next, %row.done ]
  %source.first = phi ptr [ %packed, %start ], [ %source.row, %row.done ]
  %more.rows = icmp slt i64 %row, %end
  br i1 %more.rows, label %row.start, label %done
row.start:
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %out, i64 %offset
  br label %segment
segment:
  %k = phi i64 [ 0, %row.start ], [ %k.next, %segment.done ]
  %place = phi ptr [ %first, %row.start ], [ %place.copied, %segment.done ]
  %source = phi ptr [ %source.first, %row.start ], [ %source.copied, %segment.done ]
  %entry = getelementptr [2 x i64], ptr %table, i64 %k
  %zeros = load i64, ptr %entry
  %entry.1 = getelementptr i64, ptr %entry, i64 1
  %copies = load i64, ptr %entry.1
  %place.zeroed = getelementptr double, ptr %place, i64 %zeros
  %place.copied = getelementptr double, ptr %place.zeroed, i64 %copies
  %source.copied = getelementptr double, ptr %source, i64 %copies
{_segment(store)}
segment.done:
  %k.next = add i64 %k, 1
  %more.segments = icmp slt i64 %k.next, %count
  br i1 %more.segments, label %segment, label %row.done
row.done:
  %row.next = add i64 %row, 1
  %source.row = getelementptr double, ptr %source.first, i64 %width
  br label %rows
done:
  ret void
}}"""


def _segment(store: str) -> str:
    """Return the loops over the zeros and the copied numbers of one segment."""
    return f"""\
  %any.zeros = icmp sgt i64 %zeros, 0
  br i1 %any.zeros, label %zero, label %copy.start
zero:
  %z = phi i64 [ 0, %segment ], [ %z.next, %zero ]
  %zero.place = getelementptr double, ptr %place, i64 %z
  store <{ZEROS} x double> zeroinitializer, ptr %zero.place, {store}
  %z.next = add i64 %z, {ZEROS}
  %more.zeros = icmp slt i64 %z.next, %zeros
  br i1 %more.zeros, label %zero, label %copy.start
copy.start:
  %any.copies = icmp sgt i64 %copies, 0
  br i1 %any.copies, label %copy, label %segment.done
copy:
  %c = phi i64 [ 0, %copy.start ], [ %c.next, %copy ]
  %from = getelementptr double, ptr %source, i64 %c
  %value = load <{PAIR} x double>, ptr %from, align 8
  %to = getelementptr double, ptr %place.zeroed, i64 %c
  store <{PAIR} x double> %value, ptr %to, {store}
  %c.next = add i64 %c, {PAIR}
  %more.copies = icmp slt i64 %c.next, %copies
  br i1 %more.copies, label %copy, label %segment.done"""
