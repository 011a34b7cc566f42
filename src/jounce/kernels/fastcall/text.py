"""The text of the built-in function of `jounce.kernels.fastcall.call`, and the context it reads."""

from __future__ import annotations

from jounce.codegen.llvm.types import bits, load_word
from jounce.model.checks import QUATERNION_TOLERANCE

STRUCT_OFFSET = 16  # of the pointer to its memory in a ctypes object
# a squared length this near to 1 is that of a length within the tolerance
_EXCESS = QUATERNION_TOLERANCE * (2.0 - QUATERNION_TOLERANCE)


# Words that the function reads in its context: numbers, addresses, and one double at the end
CONTEXT = (
    "count", "array_type", "float64", "entry", "scratch", "empty", "incref", "result_ndim",
    "result_shape", "fallback", "vectorcall", "blocks", "block_bytes", "inputs", "input_strides",
    "outputs", "output_strides", "expected", "finite", "quaternions", "offsets", "small_square",
)  # fmt: skip


def _load(name: str, kind: str = "i64") -> str:
    return load_word(name, CONTEXT.index(name), "context", kind)


def array_header(place: str, refused: str) -> str:
    """Return IR that looks at argument number ``%k``, at ``place`` among those given.

    Goes to ``refused`` unless it is an array; then there are ``%object``, ``%ndim`` and ``%ok1``,
    whether it holds contiguous numbers of double precision, and what is expected of it: ``%orders``
    (none if not ``%has.orders``) and ``%width``.
    """
    return f"""\
  %object.p = getelementptr ptr, ptr %args, i64 {place}
  %object = load ptr, ptr %object.p
  %type.p = getelementptr i8, ptr %object, i64 8
  %type = load i64, ptr %type.p
  %is.array = icmp eq i64 %type, %array_type
  br i1 %is.array, label %header, label %{refused}

header:
  %descr.p = getelementptr i8, ptr %object, i64 56
  %descr = load i64, ptr %descr.p
  %is.float = icmp eq i64 %descr, %float64
  %flags.p = getelementptr i8, ptr %object, i64 64
  %flags = load i32, ptr %flags.p
  %flags.known = and i32 %flags, 257
  %is.plain = icmp eq i32 %flags.known, 257
  %two.k = shl i64 %k, 1
  %orders.p = getelementptr i64, ptr %expected, i64 %two.k
  %orders = load i64, ptr %orders.p
  %width.p = getelementptr i64, ptr %orders.p, i64 1
  %width = load i64, ptr %width.p
  %ndim.p = getelementptr i8, ptr %object, i64 24
  %ndim = load i32, ptr %ndim.p
  %has.orders = icmp ne i64 %orders, 0
  %ok1 = and i1 %is.float, %is.plain
"""


CALL = f"""
define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
start:
  %context.p = getelementptr i8, ptr %self, i64 {STRUCT_OFFSET}
  %context = load ptr, ptr %context.p
{_load("count")}{_load("array_type")}{_load("float64")}{_load("inputs", "ptr")}\
{_load("expected", "ptr")}{_load("fallback", "ptr")}{_load("vectorcall", "ptr")}\
{_load("finite")}{_load("quaternions")}{_load("offsets", "ptr")}{_load("small_square", "double")}\
  %plain = icmp eq ptr %kwnames, null
  %enough = icmp eq i64 %nargs, %count
  %try = and i1 %plain, %enough
  br i1 %try, label %arguments, label %python

arguments:
  %k = phi i64 [ 0, %start ], [ %k.next, %stored ]
  %n = phi i64 [ 0, %start ], [ %n.after, %stored ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %check, label %configuration

check:
{array_header("%k", "python")}\
  %ndim.wanted = select i1 %has.orders, i32 2, i32 1
  %right.ndim = icmp eq i32 %ndim, %ndim.wanted
  %ok2 = and i1 %ok1, %right.ndim
  br i1 %ok2, label %shape, label %python

shape:
  %dims.p = getelementptr i8, ptr %object, i64 32
  %dims = load ptr, ptr %dims.p
  %first = load i64, ptr %dims
  %last.k = select i1 %has.orders, i64 1, i64 0
  %last.p = getelementptr i64, ptr %dims, i64 %last.k
  %last = load i64, ptr %last.p
  %first.wanted = select i1 %has.orders, i64 %orders, i64 %width
  %right.first = icmp eq i64 %first, %first.wanted
  %right.last = icmp eq i64 %last, %width
  %ok3 = and i1 %right.first, %right.last
  br i1 %ok3, label %take, label %python

take:
  %data.p = getelementptr i8, ptr %object, i64 16
  %data = load ptr, ptr %data.p
  %pointers = select i1 %has.orders, i64 %orders, i64 1
  %n.after = add i64 %n, %pointers
  %numbers = mul i64 %pointers, %width
  %tested = mul i64 %numbers, %finite
  br label %test

test:
  %i = phi i64 [ 0, %take ], [ %i.next, %add ]
  %total = phi double [ 0.0, %take ], [ %total.next, %add ]
  %untested = icmp ult i64 %i, %tested
  br i1 %untested, label %add, label %verdict

add:
  %number.p = getelementptr double, ptr %data, i64 %i
  %number = load double, ptr %number.p
  %number.squared = fmul double %number, %number
  %total.next = fadd double %total, %number.squared
  %i.next = add i64 %i, 1
  br label %test

verdict:
  %is.small = fcmp olt double %total, %small_square
  br i1 %is.small, label %store, label %python

store:
  %m = phi i64 [ %n, %verdict ], [ %m.next, %store ]
  %row = phi ptr [ %data, %verdict ], [ %row.next, %store ]
  %slot = getelementptr ptr, ptr %inputs, i64 %m
  store ptr %row, ptr %slot
  %row.next = getelementptr double, ptr %row, i64 %width
  %m.next = add i64 %m, 1
  %again = icmp ult i64 %m.next, %n.after
  br i1 %again, label %store, label %stored

stored:
  %k.next = add i64 %k, 1
  br label %arguments

configuration:
  %q = load ptr, ptr %inputs
  br label %quaternion

quaternion:
  %u = phi i64 [ 0, %configuration ], [ %u.next, %length ]
  %u.more = icmp ult i64 %u, %quaternions
  br i1 %u.more, label %length, label %allocate

length:
  %offset.p = getelementptr i64, ptr %offsets, i64 %u
  %offset = load i64, ptr %offset.p
  %xyzw.p = getelementptr double, ptr %q, i64 %offset
  %xyzw = load <4 x double>, ptr %xyzw.p, align 8
  %squares = fmul <4 x double> %xyzw, %xyzw
  %square = call double @llvm.vector.reduce.fadd.v4f64(double -1.0, <4 x double> %squares)
  %excess = call double @llvm.fabs.f64(double %square)
  %is.unit = fcmp olt double %excess, {bits(_EXCESS)}
  %u.next = add i64 %u, 1
  br i1 %is.unit, label %quaternion, label %python

allocate:
{_load("incref", "ptr")}{_load("empty", "ptr")}{_load("result_ndim")}{_load("result_shape", "ptr")}\
{_load("outputs", "ptr")}{_load("output_strides", "ptr")}{_load("input_strides", "ptr")}\
{_load("entry", "ptr")}{_load("scratch", "ptr")}{_load("blocks")}{_load("block_bytes")}\
  %dtype = inttoptr i64 %float64 to ptr
  call void %incref(ptr %dtype)
  %ndim32 = trunc i64 %result_ndim to i32
  %result = call ptr %empty(i32 %ndim32, ptr %result_shape, ptr %dtype, i32 0)
  %made = icmp ne ptr %result, null
  br i1 %made, label %output, label %failed

output:
  %out.p = getelementptr i8, ptr %result, i64 16
  %out = load ptr, ptr %out.p
  br label %block

block:
  %b = phi i64 [ 0, %output ], [ %b.next, %block ]
  %out.row = phi ptr [ %out, %output ], [ %out.next, %block ]
  %out.slot = getelementptr ptr, ptr %outputs, i64 %b
  store ptr %out.row, ptr %out.slot
  %out.next = getelementptr i8, ptr %out.row, i64 %block_bytes
  %b.next = add i64 %b, 1
  %b.more = icmp ult i64 %b.next, %blocks
  br i1 %b.more, label %block, label %run

run:
  call void %entry(i64 0, i64 1, ptr %inputs, ptr %input_strides, ptr %outputs, \
ptr %output_strides, ptr %scratch, i64 1)
  ret ptr %result

failed:
  ret ptr null

python:
  %handed = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %handed
}}
declare double @llvm.fabs.f64(double)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
"""
