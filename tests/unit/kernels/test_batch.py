"""Batches of plain arrays take the short way, and whatever is not plain gives the same numbers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import ShapeError
from jounce.kernels.description import kernel_spec
from jounce.kernels.execution import BLOCK_ROWS
from jounce.kernels.fastcall import batch, call
from jounce.kernels.fastcall.batch import INTEGERS
from jounce.kernels.kernel import Kernel
from jounce.kernels.team import team
from tests.tolerances import EXACT, assert_close

ROBOT = jounce.load("panda")
FRAME = ROBOT.bodies[-1].name


def laid_out(kernel: Kernel, *arrays: np.ndarray) -> bool:
    """Tell whether the built-in takes the arrays."""
    return kernel._plain(arrays, None, 1) is not None


@pytest.fixture
def motion(rng: np.random.Generator) -> list[np.ndarray]:
    """A motion of six samples and a wrench with a derivative."""
    return [*rng.uniform(-1.0, 1.0, size=(4, 6, 7)), rng.uniform(-1.0, 1.0, size=(2, 6, 6))]


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return jounce.kernel(ROBOT, "inverse_dynamics", order=1, wrenches=(FRAME,))


def shifted(x: np.ndarray) -> np.ndarray:
    """Return a copy that begins at an odd address."""
    memory = np.empty(x.nbytes + 1, np.uint8)[1:]
    result = memory.view(np.float64).reshape(x.shape)
    result[...] = x
    assert not result.flags.aligned
    return result


PLAIN: dict[str, Callable[[list[np.ndarray]], list[np.ndarray]]] = {
    "one axis": lambda m: m,
    "two axes": lambda m: [x.reshape(*x.shape[:-2], 2, 3, x.shape[-1]) for x in m],
    "a wrench for all": lambda m: [*m[:4], m[4][:, 0].copy()],
    "a velocity for all": lambda m: [m[0], m[1][0].copy(), *m[2:]],
    "a slice of whole rows": lambda m: [x[..., 1:5, :].copy()[..., :, :] for x in m],
}
ODD: dict[str, Callable[[list[np.ndarray]], list[np.ndarray]]] = {
    "every other row": lambda m: [np.repeat(x, 2, axis=-2)[..., ::2, :] for x in m],
    "columns first": lambda m: [np.asfortranarray(m[0]), *m[1:]],
    "an axis of one": lambda m: [m[0], m[1][:1], *m[2:]],
    "q for all": lambda m: [m[0][0], *m[1:]],
    "single precision": lambda m: [m[0], m[1].astype(np.float32), *m[2:]],
    "integers": lambda m: [m[0], np.arange(42).reshape(6, 7), *m[2:]],
    "rows upwards": lambda m: [x[..., ::-1, :] for x in m],
    "a row again and again": lambda m: [m[0], np.broadcast_to(m[1][0], (6, 7)), *m[2:]],
    "beside whole addresses": lambda m: [m[0], shifted(m[1]), *m[2:]],
    "a subclass": lambda m: [m[0], np.asarray(m[1]).view(type("Own", (np.ndarray,), {})), *m[2:]],
    "other byte order": lambda m: [m[0], m[1].astype(">f8"), *m[2:]],
    "no rows": lambda m: [x[..., :0, :] for x in m],
}


def result_of(given: list[np.ndarray]) -> np.ndarray:
    """Return what the rows give one by one."""
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1, wrenches=(FRAME,))
    axes = np.broadcast_shapes(*[x.shape[:-1] for x in given[:4]])
    rows = [np.broadcast_to(x, (*axes, 7)).reshape(-1, 7) for x in given[:4]]
    lead = [1] * (len(axes) + 2 - given[4].ndim)
    wrench = np.broadcast_to(given[4].reshape(2, *lead, *given[4].shape[1:]), (2, *axes, 6))
    wrench = wrench.reshape(2, -1, 6)
    result = np.empty((2, len(rows[0]), 7))
    for k in range(len(rows[0])):
        sample = [np.array(x[k], dtype=float) for x in rows]
        result[:, k] = kernel(*sample, wrench[:, k].copy())
    return result.reshape(2, *axes, 7)


@pytest.mark.parametrize("case", [*PLAIN, *ODD])
def test_both_ways_give_the_same(kernel: Kernel, motion: list[np.ndarray], case: str):
    given = (PLAIN | ODD)[case](motion)
    if case in PLAIN:
        assert laid_out(kernel, *given)
    result = kernel(*given)
    assert_close(result, result_of(given), EXACT)


@pytest.mark.parametrize("case", ODD)
def test_what_is_not_plain_is_not_laid_out(kernel: Kernel, motion: list[np.ndarray], case: str):
    assert not laid_out(kernel, *ODD[case](motion))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda m: [m[0], m[1][:, :6].copy(), *m[2:]],
        lambda m: [m[0], m[1][:5].copy(), *m[2:]],
        lambda m: [*m[:4], m[4][:1].copy()],
        lambda m: [*m[:4], m[4][0].copy()],
        lambda m: [m[0], np.float64(1.0), *m[2:]],
        lambda m: [m[0][:, :3].copy(), *m[1:]],
        lambda m: m[:4],
        lambda m: [*m, m[0]],
    ],
)
def test_wrong_shapes_are_refused(
    kernel: Kernel,
    motion: list[np.ndarray],
    spoil: Callable[[list[np.ndarray]], list[np.ndarray]],
):
    with pytest.raises(ShapeError):
        kernel(*spoil(motion))


BAD_OUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "a list": lambda out: out.tolist(),
    "single precision": lambda out: out.astype(np.float32),
    "other byte order": lambda out: out.astype(">f8"),
    "columns first": np.asfortranarray,
    "beside whole addresses": lambda out: shifted(out),
    "an order too many": lambda out: np.concatenate([out, out[:1]]),
    "another batch": lambda out: out[:, :5].copy(),
    "one axis of a batch more": lambda out: out[:, None].copy(),
    "another width": lambda out: out[..., :6].copy(),
    "as many numbers in another shape": lambda out: out.reshape(2, 7, 6),
    "no batch": lambda out: out[:, 0].copy(),
    "one axis": lambda out: out.ravel(),
    "not to be written": lambda out: read_only(out),
}


def read_only(out: np.ndarray) -> np.ndarray:
    out.flags.writeable = False
    return out


@pytest.mark.parametrize("case", BAD_OUTS)
def test_results_go_nowhere_else(kernel: Kernel, motion: list[np.ndarray], case: str):
    with pytest.raises(ShapeError, match=r"^out must be"):
        kernel(*motion, out=BAD_OUTS[case](np.zeros((2, 6, 7))))


def test_one_sample_does_not_fill_a_batch(kernel: Kernel, motion: list[np.ndarray]):
    one = [x[..., 0, :].copy() for x in motion]
    with pytest.raises(ShapeError, match=r"^out must be"):
        kernel(*one, out=np.zeros((2, 6, 7)))


def test_out_may_be_of_a_subclass(kernel: Kernel, motion: list[np.ndarray]):
    out = np.zeros((2, 6, 7)).view(type("Own", (np.ndarray,), {}))
    assert kernel(*motion, out=out) is out
    assert_close(np.asarray(out), kernel(*motion), EXACT)


def test_out_may_overlap_an_argument(motion: list[np.ndarray]):
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    memory = np.tile(motion[0], (3, 1))
    wanted = kernel(memory[3:9].copy())
    for start in (0, 1, 3, 8, 9, 12):
        work = memory.copy()
        q = work[3:9]
        out = work[start : start + 6].reshape(1, 6, 7)
        assert_close(kernel(q, out=out), wanted, EXACT)
        assert (kernel._plain([q], out, 1) is None) == (-6 < start - 3 < 6)


def test_out_has_the_batch_axes_of_all_arguments(kernel: Kernel, motion: list[np.ndarray]):
    """The first one may have fewer, or be one row for all."""
    q, *others = motion
    tall = [x[..., None, :, :].repeat(3, axis=-3) for x in others]
    for given in ([q[:1], *others], [q, *tall], [q[0], *others], [q[None, :1], *tall]):
        wanted = kernel(*given)
        out = np.full(wanted.shape, np.nan)
        assert kernel(*given, out=out) is out
        assert_close(out, wanted, EXACT)
    with pytest.raises(ShapeError, match=r"out .* shape \(2, 6, 7\), got float64 \(2, 1, 7\)"):
        kernel(q[:1], *others, out=np.empty((2, 1, 7)))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda out: out.astype(np.float32),
        lambda out: out.astype(">f8"),
        lambda out: np.asfortranarray(out),
        lambda out: out[:, ::-1],
        lambda out: np.broadcast_to(out[:, :1], out.shape),
        shifted,
        lambda out: out.tolist(),
    ],
)
def test_results_go_where_they_fit(
    kernel: Kernel, motion: list[np.ndarray], spoil: Callable[[np.ndarray], Any]
):
    out = spoil(np.zeros((2, 6, 7)))
    with pytest.raises(ShapeError, match="out must be"):
        kernel(*motion, out=out)
    assert not np.any(out), "nothing was written"


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A kernel that tells by its answer when Python is asked."""
    monkeypatch.setattr(Kernel, "call", lambda *_, **options: options)
    return Kernel(kernel_spec(ROBOT, "inverse_dynamics", 1, [FRAME])).compile()


@pytest.mark.parametrize("threads", [{}, {"threads": 1}, {"threads": 2}], ids=str)
def test_one_sample_into_a_given_result_needs_no_python(
    kernel: Kernel, watched: Kernel, motion: list[np.ndarray], threads: dict[str, int]
):
    """As in a loop that must not ask for memory; there is a team after the first call."""
    team()
    one, out = [x[..., 2, :].copy() for x in motion], np.full((2, 7), np.nan)
    assert watched(*one, out=out, **threads) is out
    assert_close(out, kernel(*one), EXACT)
    for other in (np.zeros((2, 6)), np.zeros((1, 7)), np.zeros(14), np.zeros((2, 1, 7)), one[0]):
        assert "out" in watched(*one, out=other)
        with pytest.raises(ShapeError, match=r"^out must be"):
            kernel(*one, out=other)
    several = [one[0], motion[1][:3], *one[2:]]
    assert "out" in watched(*several, out=out)
    with pytest.raises(ShapeError, match=r"^out must be"):
        kernel(*several, out=out)
    memory = np.stack(one[:3])  # the second row is an argument too
    wanted = kernel(*memory, *one[3:])
    assert_close(kernel(*memory, *one[3:], out=memory[1:]), wanted, EXACT)


def test_many_arguments_need_no_python_either(monkeypatch: pytest.MonkeyPatch):
    """There is less room for threads in a job on the stack."""
    monkeypatch.setattr(Kernel, "call", lambda *_, **options: options)
    spec = kernel_spec(ROBOT, "inverse_dynamics", 6, [x.name for x in ROBOT.bodies])
    watched = Kernel(spec).compile()
    assert watched.runner is not None
    program = watched.runner.native.program
    places = 2 * (len(program.input_widths) + len(program.outputs))
    most = (batch.JOB - batch.HEADER - places) // batch.LINE
    assert 1 < most < INTEGERS
    team().prepare(most, watched.runner.native.scratch_bytes)
    rng = np.random.default_rng(1)
    given = [
        rng.normal(size=(*([a.orders] if a.orders else []), 1000, a.width))
        for a in watched.signature.arguments
    ]
    out = np.empty((7, 1000, 7))
    for threads in (1, 2, most):
        assert watched(*given, out=out, threads=threads) is out
    assert "out" in watched(*given, out=out, threads=most + 1)


def test_a_result_of_another_size_than_nothing_is_refused():
    builder = jounce.RobotBuilder("post")
    builder.add(
        "foot", joint=jounce.joints.fixed(), inertia=jounce.Inertia(1.0, (0, 0, 0), np.eye(3))
    )
    kernel = jounce.kernel(builder.build(), "gravity_forces")
    with pytest.raises(ShapeError, match=r"^out must be"):
        kernel(np.zeros(0), out=np.zeros((1, 3)))


@pytest.mark.parametrize("case", PLAIN)
@pytest.mark.parametrize("threads", [None, 1, 2, 3, INTEGERS])
def test_plain_batches_with_a_result_need_no_python(
    kernel: Kernel, watched: Kernel, motion: list[np.ndarray], case: str, threads: int | None
):
    team().prepare(INTEGERS, watched.runner.native.scratch_bytes if watched.runner else 0)
    given = PLAIN[case](motion)
    wanted = result_of(given)
    for rows in (1, 7):  # more of them than one helper takes at once
        many = [
            np.repeat(x, rows, axis=-2) if x.ndim > 1 + (k > 3) else x for k, x in enumerate(given)
        ]
        out = np.repeat(np.full_like(wanted, np.nan), rows, axis=-2)
        options = {} if threads is None else {"threads": threads}
        assert watched(*many, **options, out=out) is out
        assert_close(out, np.repeat(wanted, rows, axis=-2), EXACT)
        out[...] = np.nan
        assert watched(*many, out=out, **options) is out
        assert_close(out, np.repeat(wanted, rows, axis=-2), EXACT)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 0},
        {"threads": -1},
        {"threads": True},
        {"threads": 2.0},
        {"threads": np.int64(2)},
        {"threads": INTEGERS + 1},
        {"threads": None},
        {"check": True},
        {"outs": 3},
    ],
)
def test_other_options_go_to_python(watched: Kernel, motion: list[np.ndarray], options: dict):
    out = np.zeros((2, 6, 7))
    assert watched(*motion, out=out, **options) == {"out": out, **options}
    assert watched(*motion, **options) == options
    assert not out.any()


@pytest.mark.parametrize("case", BAD_OUTS)
def test_other_results_go_to_python(watched: Kernel, motion: list[np.ndarray], case: str):
    out = BAD_OUTS[case](np.zeros((2, 6, 7)))
    assert watched(*motion, out=out)["out"] is out


@pytest.mark.parametrize("case", ODD)
def test_other_arrays_go_to_python(watched: Kernel, motion: list[np.ndarray], case: str):
    given = ODD[case](motion)
    out = np.zeros((2, *np.broadcast_shapes(*[x.shape[:-1] for x in given[:4]]), 7))
    assert watched(*given, out=out)["out"] is out
    assert not out.any()


def test_what_else_goes_to_python(watched: Kernel, motion: list[np.ndarray]):
    """Wrong numbers of arrays, no result, batches so long that one waits for them."""
    out = np.zeros((2, 6, 7))
    python = {"out": out}
    for given in (motion[:4], [*motion, motion[0]], [], [None, *motion[1:]], [*motion[:4], 3.0]):
        assert watched(*given, out=out) == python
    assert watched(*motion, out=None) == {"out": None}
    assert watched(*motion, out=motion[0]) == {"out": motion[0]}
    long = [np.repeat(x, BLOCK_ROWS // 6 + 1, axis=-2) for x in motion]
    out = np.zeros((2, len(long[0]), 7))
    assert watched(*long, out=out)["out"] is out
    assert not out.any()


def test_threads_of_python_that_share_a_kernel(rng: np.random.Generator):
    """One has the memory of the kernel, others go through Python meanwhile."""
    kernel = jounce.kernel(ROBOT, "gravity_forces")
    given = rng.uniform(-1.0, 1.0, size=(4, 500, 7))
    wanted = [kernel(q) for q in given]

    def work(k: int) -> bool:
        right = True
        for threads in (1, 2) * 300:
            out = np.full((1, 500, 7), np.nan)
            kernel(given[k], out=out, threads=threads)
            right = right and np.array_equal(out, wanted[k])
        return right

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_references_of_results_stay(kernel: Kernel, motion: list[np.ndarray]):
    out = kernel(*motion)
    before = sys.getrefcount(out), sys.getrefcount(motion[0])
    for _ in range(100):
        kernel(*motion, out=out)
        kernel(*motion, out=out, threads=2)
    assert (sys.getrefcount(out), sys.getrefcount(motion[0])) == before


_FEW = """
import numpy as np
import jounce
from jounce.kernels.kernel import Kernel
from jounce.kernels.team import team

kernel = jounce.kernel(jounce.load("panda"), "gravity_forces")
q = np.full((64, 7), 0.5)
out = kernel(q, threads=16)
assert len(team()._scratch) == 1, "two parts need one helper"
Kernel.call = None  # Python is not asked again
assert kernel(q, out=np.zeros_like(out), threads=16).tobytes() == out.tobytes()
assert len(team()._scratch) == 1
"""


def test_a_few_rows_want_few_helpers():
    """As many as there are parts, however many threads are asked for."""
    subprocess.run([sys.executable, "-c", _FEW], check=True)


def test_tuples_that_look_otherwise(monkeypatch: pytest.MonkeyPatch, motion: list[np.ndarray]):
    """Then batches go through Python, and single samples do not."""
    monkeypatch.setattr(call, "TUPLE_ITEMS", call.TUPLE_ITEMS - 8)
    assert not call.tuples_are_known()
    assert batch._run_method.__wrapped__() is None
    monkeypatch.setattr(batch, "_run_method", lambda: None)
    own = Kernel(kernel_spec(ROBOT, "inverse_dynamics", 1, [FRAME])).compile()
    out = np.zeros((2, 6, 7))
    assert own(*motion, out=out) is out
    assert_close(out, result_of(motion), EXACT)
    assert type(own.__call__) is type(len)


HELD = """
import sys, threading, time
import numpy as np, jounce

kernel = jounce.kernel(jounce.load("panda"), "gravity_forces")
q, out = np.zeros(7), np.empty((1, 7))
kernel(q, out=out)
sys.setswitchinterval(1e3)  # nobody has to let go of the lock
turns, go = 0, True

def turn():
    global turns
    while go:
        turns += 1
        time.sleep(0)

other = threading.Thread(target=turn)
other.start()
while not turns:
    time.sleep(0)
before = turns
for _ in range(2000):
    kernel(q, out=out)
print(turns - before)
go = False
other.join()
"""


def test_one_sample_keeps_the_lock_of_python():
    """To have it back from another thread may take milliseconds."""
    done = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 0
