"""Print a vector sine and cosine in LLVM IR.

Reduction (Cody–Waite with FMA): n = round(x·2/π), r = x − n·π/2 with π/2 = P1 + P2 + P3 of
53 bits each; x − n·P1 is exact for |x| ≤ LIMIT, the rest is kept as hi + lo. Then the minimax
polynomials of fdlibm on [−π/4, π/4], with lo as a correction. Below one ulp for |x| ≤ LIMIT;
beyond, and for NaN and infinity, libm is called for the lanes concerned and no others.
"""

from __future__ import annotations

from jounce.codegen.llvm.types import integers, splat, splat_integer, suffix, vector

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

_LOOP = """\
define i1 @sincos(ptr noalias %s, ptr %table, i64 %count) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bad = phi @I [ zeroinitializer, %entry ], [ %bad.next, %loop ]
@OFFSETS  %p0 = getelementptr i8, ptr %s, i64 %o0
  %p1 = getelementptr i8, ptr %s, i64 %o1
  %p2 = getelementptr i8, ptr %s, i64 %o2
  %x = load @V, ptr %p0, align @A
@BODY
  store @V %sine, ptr %p1, align @A
  store @V %cosine, ptr %p2, align @A
  %bad.next = or @I %bad, %out
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %check, !prof !0
check:
  %flat = bitcast @I %bad.next to i@W
  %any = icmp ne i@W %flat, 0
  ret i1 %any
}
!0 = !{!"branch_weights", i32 8, i32 1}""".replace("@OFFSETS", _OFFSETS)

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
    loop = _LOOP.replace("@BODY", _Body(lanes).text())
    for key, text in (("@V", vector(lanes)), ("@I", integers(lanes)), ("@W", str(64 * lanes))):
        loop = loop.replace(key, text)
    if lanes == 1:
        loop = loop.replace("i64 [ zeroinitializer", "i64 [ 0")
    return loop.replace("@A", str(8 * lanes))


def print_libm(lanes: int, *, limit: float = LIMIT) -> str:
    """Return the function `sincos_libm`: like `sincos`, for the lanes beyond `limit` only."""
    return _LIBM.replace("@LIMIT", splat(limit, 1)).replace("@LANES", str(lanes))


class _Body:
    """The straight-line part of the loop, one instruction at a time."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.v = vector(lanes)
        self.i = integers(lanes)
        self.lines: list[str] = []

    def put(self, name: str, right: str) -> str:
        self.lines.append(f"  %{name} = {right}")
        return f"%{name}"

    def const(self, value: float) -> str:
        return splat(value, self.lanes)

    def fma(self, name: str, a: str, b: str, c: str) -> str:
        v = self.v
        return self.put(name, f"call {v} @llvm.fma.{suffix(self.lanes)}({v} {a}, {v} {b}, {v} {c})")

    def op(self, name: str, kind: str, a: str, b: str) -> str:
        return self.put(name, f"{kind} {self.v} {a}, {b}")

    def bits(self, name: str, kind: str, a: str, b: int) -> str:
        return self.put(name, f"{kind} {self.i} {a}, {splat_integer(b, self.lanes)}")

    def text(self) -> str:
        """Return the lines that turn %x into %sine, %cosine and %out (all ones: out of range)."""
        self._reduce()
        self._sine()
        self._cosine()
        self._quadrant()
        return "\n".join(self.lines)

    def _reduce(self) -> None:
        v, one = self.v, "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"
        self.put("abs", f"call {v} @llvm.fabs.{suffix(self.lanes)}({v} %x)")
        self.put("far", f"fcmp ugt {v} %abs, {self.const(LIMIT)}")
        self.put("out", f"sext {one} %far to {self.i}")
        t = self.fma("t", "%x", self.const(_TWO_OVER_PI), self.const(_MAGIC))
        n = self.op("n", "fsub", t, self.const(_MAGIC))
        m = self.put("m", f"fneg {v} {n}")
        r = self.fma("r", m, self.const(_P1), "%x")
        # hi = r − w and its rounding error, exact as r is a multiple of 2⁻⁵² or larger than w
        w = self.op("np", "fmul", n, self.const(_P2))
        hi = self.op("hi", "fsub", r, w)
        moved = self.op("moved", "fsub", r, hi)
        lost = self.op("lost", "fsub", moved, w)
        rounded = self.fma("rounded", m, self.const(_P2), w)
        rest = self.op("rest", "fadd", lost, rounded)
        self.fma("lo", m, self.const(_P3), rest)
        self.op("z", "fmul", "%hi", "%hi")

    def _polynomial(self, name: str, coefficients: tuple[float, ...]) -> str:
        """Horner in z."""
        value = self.const(coefficients[-1])
        for k, coefficient in enumerate(reversed(coefficients[:-1])):
            value = self.fma(f"{name}{k}", "%z", value, self.const(coefficient))
        return value

    def _sine(self) -> None:
        """hi + (hi·z·p(z) + lo)."""
        p = self._polynomial("ps", _SINE)
        cube = self.op("cube", "fmul", "%z", "%hi")
        tail = self.fma("tail", cube, p, "%lo")
        self.op("sin0", "fadd", "%hi", tail)

    def _cosine(self) -> None:
        """w + (((1 − w) − z/2) + (z²·p(z) − hi·lo)) with w = 1 − z/2."""
        p = self._polynomial("pc", _COSINE)
        w = self.fma("w", "%z", self.const(-0.5), self.const(1.0))
        short = self.op("short", "fsub", self.const(1.0), w)
        e = self.fma("e", "%z", self.const(-0.5), short)
        square = self.op("square", "fmul", "%z", "%z")
        back = self.put("back", f"fneg {self.v} %hi")
        f = self.fma("f", back, "%lo", e)
        g = self.fma("g", square, p, f)
        self.op("cos0", "fadd", w, g)

    def _quadrant(self) -> None:
        """Swap and sign by n mod 4: sin, cos, −sin, −cos."""
        v, i, lanes = self.v, self.i, self.lanes
        q = self.put("q", f"bitcast {v} %t to {i}")
        swap_bit = self.bits("swap.bit", "shl", q, 63)
        compare = f"icmp slt {i} {swap_bit}, {splat_integer(0, lanes)}"
        swap = self.put("swap", compare)
        one = "i1" if lanes == 1 else f"<{lanes} x i1>"
        s = self.put("s0", f"select {one} {swap}, {v} %cos0, {v} %sin0")
        c = self.put("c0", f"select {one} {swap}, {v} %sin0, {v} %cos0")
        up = self.bits("up", "add", q, 1)
        for name, value, turns in (("sine", s, q), ("cosine", c, up)):
            shifted = self.bits(f"{name}.t", "shl", turns, 62)
            sign = self.bits(f"{name}.s", "and", shifted, -(2**63))
            raw = self.put(f"{name}.b", f"bitcast {v} {value} to {i}")
            flipped = self.put(f"{name}.x", f"xor {i} {raw}, {sign}")
            self.put(name, f"bitcast {i} {flipped} to {v}")
