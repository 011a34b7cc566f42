"""Threads that help with a batch, in machine code: none of them needs Python for it.

A job is a block of words: ranges of rows, how large parts of them may be, and what the entry point
of a kernel takes.  Everyone has a range to begin with, the same in the next job, and takes parts
from its front, a quarter of what is left or all of little: the rows are then in the cache of the
right core.  The first has a little more: what it computes until a helper has begun.  Who has done
with its range helps with those of others, from the back, so that all end at the same time: with all
of one whose owner has not begun, otherwise while more is left than stays with its owner.

A helper is a thread with a box of its own, which holds 0 while it looks for a job, `ASLEEP` once it
has looked for a while in vain, `BUSY` while it works or before it looks, or the address of a job.
A job that a helper has not taken when the work is done is taken back: nobody waits for one who has
nothing to do.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from jounce.codegen.gate import compiling
from jounce.codegen.llvm.host import host
from jounce.codegen.llvm.types import load_word
from jounce.codegen.machine_code import load_module
from jounce.kernels.fastcall.call import (
    FASTCALL,
    built_in,
    layouts_are_known,
    method_at,
    python_function,
)
from jounce.kernels.fastcall.text import STRUCT_OFFSET
from jounce.memory import new_scratch

MAX_THREADS = 256
PART_ROWS = 32  # a part is a multiple of it: what the code computes at once, in whole vectors
AWAKE = 100e-6  # seconds that a helper looks for its next job: to wake one takes half as long
SHORT = 6  # one waits 2 to the power of it times shorter than `AWAKE` before anything else
ASLEEP, BUSY = 1, 2
# Words of a job.  First what everyone reads, then how many helpers are done, then the ranges, and
# the addresses and strides that it points to.  Where it begins with a line of the cache none is
# read by one thread while another writes it; a job for one call of Python begins anywhere.  Sizes
# are multiples of `PART_ROWS`: the first computes `NEAR` of them before a helper can begin, and
# `FAR` of them are not worth to be fetched from another core.
ROWS, LEAST, MOST, RANGES, ENTRY, INPUTS, STRIDES, OUTPUTS, WIDTHS, NEAR, FAR, HELPERS = range(12)
DONE, HEADER = 16, 32
LINE = 16  # a pair of lines: who fetches one gets its neighbour too
# Words of a range behind that with both ends of what is left: where it began, and in the first one
# how many helpers got the job.
_BEGIN, GIVEN = 1, HEADER + 2
# Words that the built-in function reads, all addresses; then comes how long to look for work.
_WORK = "boxes", "size", "save", "restore", "incref", "none"
# Words of a team, for machine code that has no Python at hand: addresses of `together` and of the
# boxes, how many are in use, how long to look for work; how many helpers have started, and the
# bytes that each of them has.
TOGETHER, BOXES, SIZE, SPINS, STARTED, ROOM = range(6)
# Words of a box; it fills two lines of the cache.
JOB, LOCK, SCRATCH, ACQUIRE, RELEASE, REST, SLEEP, OWN, BOX = *range(8), 16


def text(architecture: str) -> str:
    """Return the IR of a team."""
    pause, declared = _PAUSES.get(architecture, ("", ""))  # for loops that wait
    return f"""
; takes parts of a job, first of range %own, %count of them at most; tells whether there may be more
define i64 @share(ptr %job, i64 %own, i64 %count, ptr %scratch) nounwind {{
start:
{load_word("least", LEAST, "job")}{load_word("most", MOST, "job")}\
{load_word("entry", ENTRY, "job", "ptr")}\
{load_word("in", INPUTS, "job", "ptr")}{load_word("in.strides", STRIDES, "job", "ptr")}\
{load_word("out", OUTPUTS, "job", "ptr")}{load_word("out.strides", WIDTHS, "job", "ptr")}\
{load_word("ranges", RANGES, "job")}{load_word("rows", ROWS, "job")}\
{load_word("far", FAR, "job")}\
  br label %range
range:
  %r = phi i64 [ 0, %start ], [ %r.next, %empty ]
  %k.range = phi i64 [ 0, %start ], [ %k, %empty ]
  %beside = add i64 %own, %r
  %index = urem i64 %beside, %ranges
  %offset = mul i64 %index, {LINE}
  %place = add i64 %offset, {HEADER}
  %range.p = getelementptr i64, ptr %job, i64 %place
  %is.own = icmp eq i64 %r, 0
  %r.next = add i64 %r, 1
  %any = icmp ult i64 %r, %ranges
  br i1 %any, label %again, label %none
again:
  %k = phi i64 [ %k.range, %range ], [ %k.next, %run ]
  %k.next = add i64 %k, 1
  %enough = icmp sge i64 %k, %count
  br i1 %enough, label %more, label %take
take:
  %both = load atomic i64, ptr %range.p monotonic, align 8
  %front = and i64 %both, {2**32 - 1}
  %back = lshr i64 %both, 32
  %left = sub i64 %back, %front
{load_word("begin.now", _BEGIN, "range.p")}\
  %not.begun = icmp eq i64 %front, %begin.now
  %whole = or i1 %is.own, %not.begun
  %keep = select i1 %whole, i64 0, i64 %far
  %some = icmp sgt i64 %left, %keep
  br i1 %some, label %try, label %empty
try:
  %quarter = lshr i64 %left, 2
  %large = call i64 @llvm.smax.i64(i64 %quarter, i64 %least)
  %small = call i64 @llvm.smin.i64(i64 %large, i64 %most)
  %last = icmp sle i64 %left, %far
  %some.now = select i1 %last, i64 %left, i64 %small
  %part = call i64 @llvm.smin.i64(i64 %some.now, i64 %left)
  %part.back = shl i64 %part, 32
  %without.front = add i64 %both, %part
  %without.back = sub i64 %both, %part.back
  %without = select i1 %is.own, i64 %without.front, i64 %without.back
  %pair = cmpxchg ptr %range.p, i64 %both, i64 %without monotonic monotonic
  %ours = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %ours, label %run, label %take
run:
  %back.first = sub i64 %back, %part
  %first = select i1 %is.own, i64 %front, i64 %back.first
  %after = add i64 %first, %part
  %begin = mul i64 %first, {PART_ROWS}
  %after.row = mul i64 %after, {PART_ROWS}
  %end = call i64 @llvm.smin.i64(i64 %after.row, i64 %rows)
  call void %entry(i64 %begin, i64 %end, ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, \
ptr %scratch, i64 %rows)
  br label %again
empty:
  br label %range
more:
  ret i64 1
none:
  ret i64 0
}}

; gives a job to helpers that are free, as many as it says and has parts for besides what would be
; over before they begin, and wakes those that sleep
define void @give(ptr %job, ptr %boxes, i64 %size) nounwind {{
start:
  %job.word = ptrtoint ptr %job to i64
{load_word("helpers", HELPERS, "job")}\
{load_word("least", LEAST, "job")}\
  %others = call i64 @divide(ptr %job)
  %parts = udiv i64 %others, %least
  %wanted = call i64 @llvm.smin.i64(i64 %helpers, i64 %parts)
  br label %again
again:
  %k = phi i64 [ 0, %start ], [ %k.next, %next ]
  %given = phi i64 [ 0, %start ], [ %given.next, %next ]
  %in = icmp slt i64 %k, %size
  %few = icmp slt i64 %given, %wanted
  %go = and i1 %in, %few
  br i1 %go, label %look, label %end
look:
  %offset = mul i64 %k, {BOX}
  %box = getelementptr i64, ptr %boxes, i64 %offset
  %looked = cmpxchg ptr %box, i64 0, i64 %job.word release monotonic
  %taken = extractvalue {{ i64, i1 }} %looked, 1
  %state = extractvalue {{ i64, i1 }} %looked, 0
  %one.more = zext i1 %taken to i64
  %sleeps = icmp eq i64 %state, {ASLEEP}
  br i1 %sleeps, label %put, label %next
put:
  %pair = cmpxchg ptr %box, i64 {ASLEEP}, i64 %job.word release monotonic
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %mine, label %rouse, label %next
rouse:
{load_word("lock", LOCK, "box", "ptr")}{load_word("release", RELEASE, "box", "ptr")}\
  call void %release(ptr %lock)
  br label %next
next:
  %added = phi i64 [ %one.more, %look ], [ 0, %put ], [ 1, %rouse ]
  %given.next = add i64 %given, %added
  %k.next = add i64 %k, 1
  br label %again
end:
  %given.p = getelementptr i64, ptr %job, i64 {GIVEN}
  store i64 %given, ptr %given.p
  ret void
}}

; lets nobody take more of a job, and waits for those who are at it; also of a job that was never
; given, and once more does no harm
define void @finish(ptr %job, ptr %boxes, i64 %size, i64 %spins) nounwind {{
start:
{load_word("ranges", RANGES, "job")}\
  br label %empty
empty:
  %r = phi i64 [ 0, %start ], [ %r.next, %empty ]
  %lines = mul i64 %r, {LINE}
  %place = add i64 %lines, {HEADER}
  %range.p = getelementptr i64, ptr %job, i64 %place
  store atomic i64 0, ptr %range.p monotonic, align 8
  %r.next = add i64 %r, 1
  %r.more = icmp ult i64 %r.next, %ranges
  br i1 %r.more, label %empty, label %wait
wait:
  call void @await(ptr %job, ptr %boxes, i64 %size, i64 %spins)
  ret void
}}

; awaits those who work on a job of which nothing is left, after a while not those who have not
; begun: to take it back from them is to fetch their boxes, which slows those who have
define void @await(ptr %job, ptr %boxes, i64 %size, i64 %spins) nounwind {{
start:
  %job.word = ptrtoint ptr %job to i64
{load_word("given", GIVEN, "job")}\
  %done.p = getelementptr i64, ptr %job, i64 {DONE}
  %few = lshr i64 %spins, {SHORT}
  br label %short
short:
  %h = phi i64 [ 0, %start ], [ %h.next, %hold ]
  %done.now = load atomic i64, ptr %done.p acquire, align 8
  %ready = icmp eq i64 %done.now, %given
  br i1 %ready, label %over, label %hold
hold:
  {pause}
  %h.next = add i64 %h, 1
  %soon.done = icmp slt i64 %h, %few
  br i1 %soon.done, label %short, label %again
again:
  %k = phi i64 [ 0, %hold ], [ %k.next, %back ]
  %begun = phi i64 [ %given, %hold ], [ %begun.next, %back ]
  %in = icmp slt i64 %k, %size
  br i1 %in, label %back, label %known
back:
  %offset = mul i64 %k, {BOX}
  %box = getelementptr i64, ptr %boxes, i64 %offset
  %pair = cmpxchg ptr %box, i64 %job.word, i64 0 monotonic monotonic
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  %fewer = zext i1 %mine to i64
  %begun.next = sub i64 %begun, %fewer
  %k.next = add i64 %k, 1
  br label %again
known:
  store i64 %begun, ptr %given.p
  br label %wait
wait:
  %s = phi i64 [ 0, %known ], [ %s.next, %spin ], [ %s.next, %sleep ]
  %done = load atomic i64, ptr %done.p acquire, align 8
  %all = icmp eq i64 %done, %begun
  %s.next = add i64 %s, 1
  br i1 %all, label %over, label %patient
patient:
  %soon = icmp slt i64 %s, %spins
  br i1 %soon, label %spin, label %sleep
spin:
  {pause}
  br label %wait
sleep:
{load_word("rest", REST, "boxes", "ptr")}{load_word("timed", SLEEP, "boxes", "ptr")}\
  %slept = call i32 %timed(ptr %rest, i64 50, i32 0)
  br label %wait
over:
  ret void
}}

; makes the ranges of a job; returns how much of it is not for the first alone
define private i64 @divide(ptr %job) nounwind {{
start:
{load_word("rows", ROWS, "job")}{load_word("ranges", RANGES, "job")}\
{load_word("near", NEAR, "job")}\
  %up = add i64 %rows, {PART_ROWS - 1}
  %units = udiv i64 %up, {PART_ROWS}
  %lead = call i64 @llvm.smin.i64(i64 %near, i64 %units)
  %equal = sub i64 %units, %lead
  br label %again
again:
  %r = phi i64 [ 0, %start ], [ %r.next, %again ]
  %front = phi i64 [ 0, %start ], [ %back, %again ]
  %lines = mul i64 %r, {LINE}
  %place = add i64 %lines, {HEADER}
  %range.p = getelementptr i64, ptr %job, i64 %place
  %r.next = add i64 %r, 1
  %share = mul i64 %equal, %r.next
  %own = udiv i64 %share, %ranges
  %back = add i64 %own, %lead
  %high = shl i64 %back, 32
  %both = or i64 %high, %front
  store i64 %both, ptr %range.p
  %begin.p = getelementptr i64, ptr %range.p, i64 {_BEGIN}
  store i64 %front, ptr %begin.p
  %more = icmp ult i64 %r.next, %ranges
  br i1 %more, label %again, label %over
over:
  ret i64 %equal
}}

; does a job with helpers
define void @together(ptr %job, ptr %scratch, ptr %boxes, i64 %size, i64 %spins) nounwind {{
  call void @give(ptr %job, ptr %boxes, i64 %size)
  %none = call i64 @share(ptr %job, i64 0, i64 {2**62}, ptr %scratch)
  call void @await(ptr %job, ptr %boxes, i64 %size, i64 %spins)
  ret void
}}

; the same as a built-in function of Python, work(job, scratch), which releases the GIL meanwhile
define ptr @work(ptr %self, ptr %args, i64 %nargs) nounwind {{
  %context.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %context = load ptr, ptr %context.p
{"".join(load_word(name, k, "context", "ptr") for k, name in enumerate(_WORK))}\
{load_word("spins", len(_WORK), "context")}\
  %job.object = load ptr, ptr %args
  %job.p = getelementptr i8, ptr %job.object, i64 {STRUCT_OFFSET}
  %job = load ptr, ptr %job.p
  %scratch.object.p = getelementptr ptr, ptr %args, i64 1
  %scratch.object = load ptr, ptr %scratch.object.p
  %scratch.p = getelementptr i8, ptr %scratch.object, i64 {STRUCT_OFFSET}
  %scratch = load ptr, ptr %scratch.p
  %size.now = load i64, ptr %size
  %state = call ptr %save()
  call void @together(ptr %job, ptr %scratch, ptr %boxes, i64 %size.now, i64 %spins)
  call void %restore(ptr %state)
  call void %incref(ptr %none)
  ret ptr %none
}}

; the life of a helper
define void @serve(ptr %box, i64 %spins) nounwind {{
start:
{load_word("lock", LOCK, "box", "ptr")}{load_word("acquire", ACQUIRE, "box", "ptr")}\
{load_word("own", OWN, "box")}\
  %scratch.p = getelementptr i64, ptr %box, i64 {SCRATCH}
  store atomic i64 0, ptr %box release, align 8
  br label %look
look:
  %s = phi i64 [ 0, %start ], [ %s.next, %wait ], [ 0, %free ], [ 0, %rise ], [ %s, %give.up ]
  %job.word = load atomic i64, ptr %box acquire, align 8
  %any = icmp ugt i64 %job.word, {BUSY}
  br i1 %any, label %take, label %idle
idle:
  %soon = icmp slt i64 %s, %spins
  br i1 %soon, label %wait, label %give.up
wait:
  {pause}
  %s.next = add i64 %s, 1
  br label %look
give.up:
  %drowsy = cmpxchg ptr %box, i64 0, i64 {ASLEEP} monotonic monotonic
  %slept = extractvalue {{ i64, i1 }} %drowsy, 1
  br i1 %slept, label %rise, label %look
rise:
  %woken = call i32 %acquire(ptr %lock, i32 1)
  br label %look
take:
  %job = inttoptr i64 %job.word to ptr
{_fetches("job")}\
  %lines.before = mul i64 %own, {LINE}
  %range.first = getelementptr i64, ptr %job, i64 {HEADER}
  %range.own = getelementptr i64, ptr %range.first, i64 %lines.before
  call void @llvm.prefetch.p0(ptr %range.own, i32 1, i32 3, i32 1)
  %pair = cmpxchg ptr %box, i64 %job.word, i64 {BUSY} acquire monotonic
  %ours = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %ours, label %work, label %free
work:
  %scratch = load ptr, ptr %scratch.p
  %none = call i64 @share(ptr %job, i64 %own, i64 {2**62}, ptr %scratch)
  %done.p = getelementptr i64, ptr %job, i64 {DONE}
  store atomic i64 0, ptr %box release, align 8
  %before = atomicrmw add ptr %done.p, i64 1 release
  br label %free
free:
  br label %look
}}

; passes time, to tell how much of it
define void @pass(i64 %spins) nounwind {{
start:
  br label %again
again:
  %s = phi i64 [ 0, %start ], [ %s.next, %again ]
  {pause}
  %s.next = add i64 %s, 1
  %more = icmp slt i64 %s.next, %spins
  br i1 %more, label %again, label %end
end:
  ret void
}}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
{declared}
"""


def _fetches(job: str) -> str:
    """Return the lines that fetch what a helper needs of a job together, not each when it does.

    With the addresses and strides of two ranges; where more take part they are elsewhere.
    """
    first = HEADER + 2 * LINE
    read = (0, LINE // 2, first, first + LINE // 2)
    return "".join(
        f"  %ahead{k} = getelementptr i64, ptr %{job}, i64 {k}\n"
        f"  call void @llvm.prefetch.p0(ptr %ahead{k}, i32 {int(k == DONE)}, i32 3, i32 1)\n"
        for k in (DONE, *read)
    )


_Word, _Address = ctypes.c_int64, ctypes.c_void_p
_TYPES = {  # the GIL is released during the calls
    "share": ctypes.CFUNCTYPE(_Word, _Address, _Word, _Word, _Address),
    "give": ctypes.CFUNCTYPE(None, _Address, _Address, _Word),
    "finish": ctypes.CFUNCTYPE(None, _Address, _Address, _Word, _Word),
    "together": ctypes.CFUNCTYPE(None, _Address, _Address, _Address, _Word, _Word),
    "serve": ctypes.CFUNCTYPE(None, _Address, _Word),
    "pass": ctypes.CFUNCTYPE(None, _Word),
}
_PAUSE = "call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"
_YIELD = "call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"
_PAUSES = {"x86_64": _PAUSE, "aarch64": _YIELD, "arm64": _YIELD}


class Team:
    """Helpers that are kept; they start when they are first needed, and end with the process."""

    def __init__(self) -> None:
        engine, _ = load_module(text(host().triple.partition("-")[0]), "share")
        native = {name: t(engine.get_function_address(name)) for name, t in _TYPES.items()}
        self._share, together = native["share"], native["together"]
        self._give, self._finish, self._serve = native["give"], native["finish"], native["serve"]
        self._spins = _spins(native["pass"])
        self._boxes = _new_boxes()
        self._address = ctypes.addressof(self._boxes)
        at = engine.get_function_address("together")
        self.words: Any = (_Word * (ROOM + 1))(at, self._address, 0, self._spins)
        self._size = _Word.from_buffer(self.words, 8 * SIZE)  # boxes that are in use
        self._scratch: list[list[Any]] = []  # of each box: a helper may be at work in an older one
        self._room = 0  # bytes that every helper has, also one that comes later
        self._helpers = 0  # that are known to have started
        self._growing = threading.Lock()
        # helpers look into them until the process has ended
        for thing in (engine, self._boxes, self.words):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
        if layouts_are_known():
            self.together = self._built_in(engine)
        else:
            self.together = lambda job, scratch: together(
                job, scratch, self._address, self._size.value, self._spins
            )

    together: Callable[[Any, Any], None]
    """Do a job, with scratch memory, and its helpers in one call, which nothing interrupts."""

    def _built_in(self, engine: Any) -> Callable[[Any, Any], None]:
        functions = map(python_function, ("PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef"))
        words = self._address, ctypes.addressof(self._size), *functions, id(None), self._spins
        context: Any = (_Word * len(words))(*words)
        context.keep = (self._boxes, self._size)
        return built_in(method_at(engine.get_function_address("work"), FASTCALL, engine), context)

    def share(self, job: Any, parts: int, scratch: Any) -> bool:
        """Take so many parts of a job at most; tell whether there may be more."""
        return bool(self._share(job, 0, parts, scratch))

    def give(self, job: Any) -> None:
        """Let its helpers begin with a job."""
        self._give(job, self._address, self._size.value)

    def finish(self, job: Any) -> None:
        """Stop a job and return when nobody works on it any more."""
        self._finish(job, self._address, self._size.value, self._spins)

    def prepare(self, helpers: int, scratch_bytes: int) -> None:
        """See to it that there are so many helpers, if they can be had, with that much memory each.

        Others may give their jobs to new helpers at once: those have as much memory as the rest.
        """
        if self._helpers >= helpers and self._room >= scratch_bytes:
            return
        with self._growing:
            if self._room < scratch_bytes:
                room = max(scratch_bytes, 2 * self._room)
                for k, blocks in enumerate(self._scratch):
                    self._enlarge(k, blocks, room)
                self._room = self.words[ROOM] = room
            while self._helpers < helpers and len(self._scratch) < MAX_THREADS:
                if not self._start():
                    break

    def _enlarge(self, k: int, blocks: list[Any], scratch_bytes: int) -> None:
        blocks.append(new_scratch(scratch_bytes))
        self._boxes[k * BOX + SCRATCH] = ctypes.addressof(blocks[-1])

    def _start(self) -> bool:
        """Start a helper; tell whether there was a thread to be had.

        Its box is in use before it starts, and `BUSY` until then: should this be interrupted, the
        next helper has another one.
        """
        k, blocks = len(self._scratch), []
        box = k * BOX
        self._enlarge(k, blocks, self._room)
        for word, name in (
            (ACQUIRE, "PyThread_acquire_lock"),
            (RELEASE, "PyThread_release_lock"),
            (SLEEP, "PyThread_acquire_lock_timed"),
        ):
            function = getattr(ctypes.pythonapi, name)
            self._boxes[box + word] = ctypes.cast(function, _Address).value or 0
        for word in (LOCK, REST):
            self._boxes[box + word] = self._boxes[box + word] or _taken_lock()
        self._boxes[box + OWN] = k + 1
        self._boxes[box + JOB] = BUSY
        arguments = self._address + 8 * box, self._spins
        name = f"jounce_{k}"
        thread = threading.Thread(target=self._serve, args=arguments, name=name, daemon=True)
        self._scratch.append(blocks)
        self._size.value = k + 1
        try:
            thread.start()
        except RuntimeError:  # as many as the system allows, or Python is about to end
            self._scratch.pop()
            self._size.value = k
            return False
        self._helpers = self.words[STARTED] = self._helpers + 1
        return True


def _new_boxes() -> Any:
    """Return boxes that begin with a line of the cache, all empty."""
    kind = _Word * (BOX * MAX_THREADS)
    memory = new_scratch(ctypes.sizeof(kind))
    ctypes.memset(memory, 0, ctypes.sizeof(kind))
    return kind.from_buffer(memory)


def _taken_lock() -> int:
    """Return a lock of Python's own, which needs no Python to be waited for."""
    new = ctypes.PYFUNCTYPE(_Address)(("PyThread_allocate_lock", ctypes.pythonapi))
    take = ctypes.PYFUNCTYPE(ctypes.c_int, _Address, ctypes.c_int)(
        ("PyThread_acquire_lock", ctypes.pythonapi)
    )
    lock = new()
    take(lock, 0)
    return lock


def _spins(spend: Any) -> int:
    """Return how often a loop that waits goes round while a helper is awake.

    The shortest of several trials tells: others may have had the processor meanwhile.
    """
    spins, seconds = 500, []
    for _ in range(8):
        begin = time.perf_counter()
        spend(spins)
        seconds.append(time.perf_counter() - begin)
    return max(1, int(spins * AWAKE / max(min(seconds), 1e-6)))


_teams: list[Team] = []
words_of_team = _Word(0)  # where those of this process's helpers are; 0 until there are any
_making = threading.Lock()


def team() -> Team:
    """Return the helpers of this process; of threads that come first together one makes them."""
    if not _teams:
        with compiling(), _making:  # in this order: the end of the process waits for the first
            if not _teams:
                _teams.append(Team())
                words_of_team.value = ctypes.addressof(_teams[0].words)
    return _teams[0]


def _forget() -> None:
    """Let a forked child have helpers of its own: the threads stay with the parent."""
    global _making  # noqa: PLW0603
    _making = threading.Lock()
    _teams.clear()
    words_of_team.value = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
