"""What can be given to a kernel, what is refused, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.kernels.kernel import Kernel
from jounce.model.checks import check_finite
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.kernels.motions import random_motion

ROBOT = jounce.load("panda")
N = ROBOT.nv


class Tagged(np.ndarray):
    """A subclass with an opinion."""

    def __array_finalize__(self, obj: Any) -> None:
        self.tag = getattr(obj, "tag", None)


def _frozen(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def _unaligned(x: np.ndarray) -> np.ndarray:
    place = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(x.shape)
    place[...] = x
    assert not place.flags.aligned
    return place


def _strided(x: np.ndarray) -> np.ndarray:
    wide = np.full((*x.shape[:-1], 2 * N), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


def _spread(x: np.ndarray) -> np.ndarray:
    wide = np.full((3 * len(x), N + 5), np.nan)
    wide[::3, 2 : 2 + N] = x
    return wide[::3, 2 : 2 + N]


def _far_apart(x: np.ndarray) -> np.ndarray:
    wide = np.zeros((len(x), 1 << 20))
    wide[:, :N] = x
    return wide[:, :N]


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda x: x.tolist(),
    "tuple of arrays": lambda x: tuple(x),
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "longdouble": lambda x: x.astype(np.longdouble),
    "big-endian": lambda x: x.astype(">f8"),
    "Fortran": np.asfortranarray,
    "reversed": lambda x: x[..., ::-1].copy()[..., ::-1],
    "reversed rows": lambda x: x[::-1].copy()[::-1],
    "strided": _strided,
    "spread": _spread,
    "far apart": _far_apart,
    "read-only": _frozen,
    "unaligned": _unaligned,
    "subclass": lambda x: x.view(Tagged),
    "matrix": lambda x: x.view(np.matrix),
    "memoryview": lambda x: memoryview(np.ascontiguousarray(x)),
    "masked": np.ma.array,
}


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return jounce.kernel(ROBOT, "inverse_dynamics", order=1)


@pytest.fixture
def motion(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.integers(-8, 8, size=(6, N)) / 8.0 for _ in range(4)]  # exact in any format


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("which", [[0], [2], [0, 1, 2, 3]], ids=str)
def test_any_form_gives_the_same(form: str, which: list[int], kernel: Kernel, motion: list):
    wanted = kernel(*motion)
    given = [FORMS[form](x) if k in which else x for k, x in enumerate(motion)]
    before = [np.array(x) for x in given]
    result = kernel(*given)
    assert type(result) is np.ndarray
    assert result.flags.c_contiguous
    assert_close(result, wanted, EXACT)
    for x, y in zip(given, before, strict=True):
        assert np.array_equal(x, y), "an argument was changed"


@pytest.mark.parametrize("form", ["list", "float32", "big-endian", "strided one", "unaligned"])
def test_any_form_of_one_sample(form: str, kernel: Kernel, motion: list):
    one = [x[0] for x in motion]
    make = FORMS.get(form, lambda x: _strided(x[None])[0])
    assert_close(kernel(*[make(x) for x in one]), kernel(*motion)[:, 0], EXACT)


def test_integers(kernel: Kernel):
    whole = [np.arange(N) % 3 for _ in range(4)]
    wanted = kernel(*[x.astype(float) for x in whole])
    for kind in (int, np.int8, np.uint16, bool):
        assert_close(kernel(whole[0], *[x.astype(kind).astype(int) for x in whole[1:]])[0].shape,
                     (N,), EXACT)  # fmt: skip
    assert_close(kernel(*whole), wanted, EXACT)
    assert_close(kernel(*[x.astype(np.int8) for x in whole]), wanted, EXACT)


def test_batch_axes_broadcast(kernel: Kernel, rng: np.random.Generator):
    q, v, a, j = random_motion(ROBOT, 1, rng, (2, 3))
    wanted = kernel(q, v[:1], a[:, :1], j[0, 0])
    assert wanted.shape == (2, 2, 3, N)
    full = [np.broadcast_to(x, (2, 3, N)) for x in (q, v[:1], a[:, :1], j[0, 0])]
    for i in np.ndindex(2, 3):
        assert_close(wanted[(slice(None), *i)], kernel(*[x[i].copy() for x in full]), EXACT)
    assert_close(kernel(*full), wanted, EXACT)
    assert_close(kernel(*[x.transpose(1, 0, 2) for x in full]), wanted.transpose(0, 2, 1, 3), EXACT)


@pytest.mark.parametrize("batch", [(0,), (0, 3), (4, 0)])
def test_no_samples(batch: tuple[int, ...], kernel: Kernel, rng: np.random.Generator):
    motion = [np.zeros((*batch, N)) for _ in range(4)]
    assert kernel(*motion).shape == (2, *batch, N)
    assert kernel(*motion, check=True, threads=2).shape == (2, *batch, N)
    assert kernel(*motion[:3], np.zeros(N)).shape == (2, *batch, N)


BAD: dict[str, Any] = {
    "None": None,
    "text": "abc",
    "bytes": b"abcdefg",
    "dict": {},
    "object": object(),
    "number": 1.0,
    "0-d": np.array(1.0),
    "narrow": np.zeros(N - 1),
    "wide": np.zeros(N + 1),
    "wide batch": np.zeros((3, N + 1)),
    "empty": np.zeros(0),
    "no width": np.zeros((3, 0)),
    "empty list": [],
    "ragged": [[1.0] * N, [1.0]],
    "complex": np.zeros(N, complex),
    "objects": np.array([None] * N),
    "texts": np.array(["1"] * N),
    "dates": np.zeros(N, "M8[s]"),
    "record": np.zeros(N, [("x", float)]),
    "type": float,
    "function": len,
    "self": np.ndarray,
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_bad_arguments_are_refused(bad: str, place: int, kernel: Kernel):
    given: list[Any] = [np.zeros(N)] * 4
    given[place] = BAD[bad]
    with pytest.raises(jounce.ShapeError, match=("q", "v", "a", "j")[place] + " must"):
        kernel(*given)


def test_a_hostile_object_raises_its_own_error(kernel: Kernel):
    class Hostile:
        def __array__(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        kernel(np.zeros(N), np.zeros(N), Hostile(), np.zeros(N))


@pytest.mark.parametrize("count", [0, 1, 3, 5, 9])
def test_wrong_number_of_arrays(count: int, kernel: Kernel):
    with pytest.raises(jounce.ShapeError, match=rf"expected 4 arrays \(q, v, a, j\), got {count}"):
        kernel(*[np.zeros(N)] * count)


def test_batches_that_do_not_fit(kernel: Kernel):
    with pytest.raises(jounce.ShapeError, match=r"do not broadcast: q: \(2, 7\), v: \(3, 7\)"):
        kernel(np.zeros((2, N)), np.zeros((3, N)), np.zeros(N), np.zeros(N))


def test_unknown_keywords(kernel: Kernel):
    with pytest.raises(TypeError, match="speed"):
        kernel(*[np.zeros(N)] * 4, speed=9)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, np.float64(2)])
def test_wrong_threads(threads: Any, kernel: Kernel):
    with pytest.raises(jounce.ArgumentError, match="threads must be"):
        kernel(*[np.zeros(N)] * 4, threads=threads)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad: float, kernel: Kernel):
    one: list[Any] = [np.zeros(N) for _ in range(4)]
    one[2][3] = bad
    kernel(*one)  # allowed in a hot loop
    with pytest.raises(jounce.NotFiniteError, match=rf"a\[3\] is {bad}"):
        kernel(*one, check=True)
    with pytest.raises(jounce.NotFiniteError, match=r"a\[3\] is"):
        jounce.inverse_dynamics(ROBOT, *one)
    many = [np.zeros((5, N)) for _ in range(4)]
    many[3][4, 6] = bad
    for given in (many, [x.copy(order="F") for x in many]):
        with pytest.raises(jounce.NotFiniteError, match=r"j\[4, 6\] is"):
            kernel(*given, check=True)


def test_a_single_number_has_no_index():
    with pytest.raises(jounce.NotFiniteError, match=r"^t is nan; all values"):
        check_finite("t", np.array(np.nan))


def test_masked_values_are_none(kernel: Kernel):
    one: list[Any] = [np.zeros(N) for _ in range(4)]
    wanted = kernel(*one)
    one[1] = np.ma.array(one[1])
    assert_close(kernel(*one), wanted, EXACT)
    one[1][2] = np.ma.masked
    with pytest.raises(jounce.NotFiniteError, match=r"v\[2\] is masked"):
        kernel(*one)


def test_large_numbers_are_finite(kernel: Kernel):
    one = [np.zeros(N) for _ in range(4)]
    one[3][:] = 1e200
    assert np.isfinite(kernel(*one, check=True)).all()


def test_bad_wrenches():
    frame = ROBOT.bodies[-1].name
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1, wrenches=(frame,))
    motion = [np.zeros(N)] * 4
    for bad in (np.zeros(6), np.zeros((3, 6)), np.zeros((2, 5)), np.zeros((1, 6)), None):
        with pytest.raises(jounce.ShapeError, match=f"wrench on {frame}"):
            kernel(*motion, bad)
    load = np.full((2, 6), 1.0)
    load[1, 2] = np.nan
    with pytest.raises(jounce.NotFiniteError, match=rf"wrench on {frame}\[1, 2\]"):
        kernel(*motion, load, check=True)


def test_a_quaternion_of_wrong_length():
    robot = ROBOT.with_floating_base()
    kernel = jounce.kernel(robot, "inverse_dynamics")
    q = np.array(robot.neutral, float)
    q[3:7] *= 1.1
    motion = [q, np.zeros(robot.nv), np.zeros(robot.nv)]
    kernel(*motion)
    with pytest.raises(jounce.ArgumentError, match="unit norm"):
        kernel(*motion, check=True)


def test_out_is_filled_and_returned(kernel: Kernel, motion: list):
    wanted = kernel(*motion)
    buffer = np.full(wanted.shape, np.nan)
    assert kernel(*motion, out=buffer) is buffer
    assert_close(buffer, wanted, EXACT)
    one = np.full((2, N), np.nan)
    assert kernel(*[x[0] for x in motion], out=one, check=True) is one
    assert_close(one, wanted[:, 0], EXACT)


@pytest.mark.parametrize("offset", [0, 1, 5, 40])
@pytest.mark.parametrize("which", [0, 3])
def test_out_may_overlap_the_arguments(offset: int, which: int, kernel: Kernel, motion: list):
    wanted = kernel(*motion)
    memory = np.zeros(wanted.size + 100)
    given = list(motion)
    given[which] = memory[: 6 * N].reshape(6, N)
    given[which][...] = motion[which]
    out = memory[offset : offset + wanted.size].reshape(wanted.shape)
    assert_close(kernel(*given, out=out), wanted, EXACT)


def test_out_that_does_not_fit(kernel: Kernel, motion: list):
    shape = (2, 6, N)
    frozen = np.zeros(shape)
    frozen.flags.writeable = False
    for bad in (
        np.zeros((2, 6, N + 1)), np.zeros((6, N)), np.zeros(shape, np.float32),
        np.zeros(shape, ">f8"), [[0.0]], np.zeros(shape, order="F"), frozen, "out", 3,
        np.zeros((2, 12, N))[:, ::2],
    ):  # fmt: skip
        with pytest.raises(jounce.ShapeError, match="out must be"):
            kernel(*motion, out=bad)


def test_the_function_and_the_kernel_agree(kernel: Kernel, rng: np.random.Generator):
    motion = random_motion(ROBOT, 1, rng, (9,))
    assert_close(jounce.inverse_dynamics(ROBOT, *motion), kernel(*motion), EXACT)
    lists = [x.tolist() for x in motion]
    assert_orders_close(jounce.inverse_dynamics(ROBOT, *lists), kernel(*motion), ROUNDOFF)
