"""Print a vector sine and cosine in LLVM IR.

Reduction (Cody–Waite with FMA): n = round(x·2/π), r = x − n·π/2 with π/2 = P1 + P2 + P3 of
53 bits each; x − n·P1 is exact for |x| ≤ LIMIT, the rest is kept as hi + lo. Then the minimax
polynomials of fdlibm on [−π/4, π/4], with lo as a correction. Below one ulp for |x| ≤ LIMIT;
beyond, and for NaN and infinity, libm is called for the lanes concerned and no others.
"""

from __future__ import annotations

from jounce.codegen.llvm.types import bits, integers, splat, splat_integer, suffix, vector

LIMIT = 1e5
_TWO_OVER_PI = 0.6366197723675814
_MAGIC = 6755399441055744.0  # 1.5·2^52: adding it rounds to an integer kept in the low bits
_P1 = 1.5707963267948966
_P2 = 6.123233995736766e-17
_P3 = -1.4973849048591698e-33
_SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
    2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
_COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
    -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip

_OFFSETS = """\
  %e0 = getelementptr [3 x i64], ptr %table, i64 %k
  %e1 = getelementptr i64, ptr %e0, i64 1
  %e2 = getelementptr i64, ptr %e0, i64 2
  %o0 = load i64, ptr %e0
  %o1 = load i64, ptr %e1
  %o2 = load i64, ptr %e2
"""

_LIBM = """\
define void @sincos_libm(ptr noalias %s, ptr %table, i64 %count) #1 {
entry:
  br label %angle
angle:
  %k = phi i64 [ 0, %entry ], [ %k.next, %angle.next ]
@OFFSETS  br label %lane
lane:
  %l = phi i64 [ 0, %angle ], [ %l.next, %lane.next ]
  %byte = shl i64 %l, 3
  %q0 = add i64 %o0, %byte
  %p0 = getelementptr i8, ptr %s, i64 %q0
  %x = load double, ptr %p0
  %abs = call double @llvm.fabs.f64(double %x)
  %out = fcmp ugt double %abs, @LIMIT
  br i1 %out, label %call, label %lane.next
call:
  %sine = call double @sin(double %x)
  %cosine = call double @cos(double %x)
  %q1 = add i64 %o1, %byte
  %q2 = add i64 %o2, %byte
  %p1 = getelementptr i8, ptr %s, i64 %q1
  %p2 = getelementptr i8, ptr %s, i64 %q2
  store double %sine, ptr %p1
  store double %cosine, ptr %p2
  br label %lane.next
lane.next:
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, @LANES
  br i1 %l.more, label %lane, label %angle.next
angle.next:
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %count
  br i1 %k.more, label %angle, label %done
done:
  ret void
}""".replace("@OFFSETS", _OFFSETS)


def print_sincos(lanes: int) -> str:
    """Return the function `sincos(scratch, table, count)`.

    The table holds byte offsets (angle, sine, cosine) into the scratch block. The result tells
    whether some lane is out of range and needs `sincos_libm`. The host must have FMA.
    """
    v, i, align = vector(lanes), integers(lanes), f"align {8 * lanes}"
    return f"""\
define i1 @sincos(ptr noalias %s, ptr %table, i64 %count) #0 {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bad = phi {i} [ zeroinitializer, %entry ], [ %bad.next, %loop ]
{_OFFSETS}  %p0 = getelementptr i8, ptr %s, i64 %o0
  %p1 = getelementptr i8, ptr %s, i64 %o1
  %p2 = getelementptr i8, ptr %s, i64 %o2
  %x = load {v}, ptr %p0, {align}
{_body(lanes)}
  store {v} %sine, ptr %p1, {align}
  store {v} %cosine, ptr %p2, {align}
  %bad.next = or {i} %bad, %out
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %check, !prof !0
check:
  %flat = bitcast {i} %bad.next to i{64 * lanes}
  %any = icmp ne i{64 * lanes} %flat, 0
  ret i1 %any
}}
!0 = !{{!"branch_weights", i32 8, i32 1}}"""


def print_libm(lanes: int, *, limit: float = LIMIT) -> str:
    """Return the function `sincos_libm`: like `sincos`, for the lanes beyond `limit` only."""
    return _LIBM.replace("@LIMIT", bits(limit)).replace("@LANES", str(lanes))


def _body(lanes: int) -> str:
    """Return the lines that turn %x into %sine, %cosine and %out (all ones: out of range).

    hi = r − n·P2, whose rounding error is exact as r is a multiple of 2⁻⁵² or larger than n·P2::

        sin0 = hi + (hi·z·p(z) + lo)                             z = hi²
        cos0 = w + (((1 − w) − z/2) + (z²·p(z) − hi·lo))         w = 1 − z/2

    By n mod 4 the results are sin, cos, −sin, −cos: swapped if n is odd, then signed.
    """
    v, i, one = vector(lanes), integers(lanes), f"<{lanes} x i1>"

    def fma(x: str, y: str, z: str) -> str:
        return f"call {v} @llvm.fma.{suffix(lanes)}({v} {x}, {v} {y}, {v} {z})"

    def polynomial(name: str, coefficients: tuple[float, ...]) -> str:
        """Horner in z; the last of the names is that of the result."""
        *rest, value = map(splat, coefficients)
        lines = []
        for k, coefficient in enumerate(reversed(rest)):
            lines.append(f"  %{name}{k} = {fma('%z', value, coefficient)}\n")
            value = f"%{name}{k}"
        return "".join(lines)

    def signed(name: str, value: str, turns: str) -> str:
        return f"""\
  %{name}.t = shl {i} {turns}, {splat_integer(62)}
  %{name}.s = and {i} %{name}.t, {splat_integer(-(2**63))}
  %{name}.b = bitcast {v} {value} to {i}
  %{name}.x = xor {i} %{name}.b, %{name}.s
  %{name} = bitcast {i} %{name}.x to {v}"""

    return f"""\
  %abs = call {v} @llvm.fabs.{suffix(lanes)}({v} %x)
  %far = fcmp ugt {v} %abs, {splat(LIMIT)}
  %out = sext {one} %far to {i}
  %t = {fma("%x", splat(_TWO_OVER_PI), splat(_MAGIC))}
  %n = fsub {v} %t, {splat(_MAGIC)}
  %m = fneg {v} %n
  %r = {fma("%m", splat(_P1), "%x")}
  %np = fmul {v} %n, {splat(_P2)}
  %hi = fsub {v} %r, %np
  %moved = fsub {v} %r, %hi
  %lost = fsub {v} %moved, %np
  %rounded = {fma("%m", splat(_P2), "%np")}
  %rest = fadd {v} %lost, %rounded
  %lo = {fma("%m", splat(_P3), "%rest")}
  %z = fmul {v} %hi, %hi
{polynomial("ps", _SINE)}\
  %cube = fmul {v} %z, %hi
  %tail = {fma("%cube", "%ps4", "%lo")}
  %sin0 = fadd {v} %hi, %tail
{polynomial("pc", _COSINE)}\
  %w = {fma("%z", splat(-0.5), splat(1.0))}
  %short = fsub {v} {splat(1.0)}, %w
  %e = {fma("%z", splat(-0.5), "%short")}
  %square = fmul {v} %z, %z
  %back = fneg {v} %hi
  %f = {fma("%back", "%lo", "%e")}
  %g = {fma("%square", "%pc4", "%f")}
  %cos0 = fadd {v} %w, %g
  %q = bitcast {v} %t to {i}
  %swap.bit = shl {i} %q, {splat_integer(63)}
  %swap = icmp slt {i} %swap.bit, {splat_integer(0)}
  %s0 = select {one} %swap, {v} %cos0, {v} %sin0
  %c0 = select {one} %swap, {v} %sin0, {v} %cos0
  %up = add {i} %q, {splat_integer(1)}
{signed("sine", "%s0", "%q")}
{signed("cosine", "%c0", "%up")}"""
