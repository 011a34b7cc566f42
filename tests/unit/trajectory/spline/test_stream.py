"""Derivatives block by block: the same whatever the blocks, and those of the whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.trajectory import (
    Smoothing,
    Spline,
    SplineWarning,
    choose_smoothing,
    papers_motion,
    stream_derivatives,
)
from jounce.trajectory.spline.smoothing import GRID_GAP, reach
from jounce.trajectory.spline.stream import LEAST_KNOTS
from tests.tolerances import EXACT, assert_close

MOTION = papers_motion(2)
SAME = 1e-9  # of the largest value of each order


def blocks(t: np.ndarray, q: np.ndarray, size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for start in range(0, t.size, size):
        yield t[start : start + size], q[start : start + size]


def streamed(t, q, smoothing: Smoothing, size: int, order: int = 4) -> np.ndarray:
    results = list(stream_derivatives(blocks(t, q, size), smoothing, order))
    assert_close(np.concatenate([time for time, _ in results]), t, EXACT)
    return np.concatenate([values for _, values in results], axis=1)


def even(rng: np.random.Generator) -> np.ndarray:
    return 3.0 + 1e-3 * np.arange(30_000)


def uneven(rng: np.random.Generator) -> np.ndarray:
    return 3.0 + np.cumsum(1e-3 * rng.uniform(0.3, 1.7, 30_000))


def with_gaps(rng: np.random.Generator) -> np.ndarray:
    t = uneven(rng)
    t[7000:] += 0.02  # shorter than what is bridged
    t[12_000:] += 400.0
    t[12_003:] += 7.0  # three samples on their own
    return np.delete(t, rng.choice(t.size, 3000, replace=False))


def smoothing_of(t: np.ndarray, q: np.ndarray, penalty: tuple[float, float]) -> Smoothing:
    """Return a smoothing with so fine knots that the samples make many windows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        chosen = choose_smoothing(t[:6000], q[:6000], noise=0.0)
    if not any(penalty):
        return chosen
    step, weights = 4e-3, np.array(penalty)
    assert (t[8000] - t[0]) / step > LEAST_KNOTS
    return replace(
        chosen, step=step, gap=GRID_GAP * step, penalty=weights, overlap=reach(7, weights)
    )


@pytest.mark.parametrize("make", [even, uneven, with_gaps])
@pytest.mark.parametrize("penalty", [(1e4, 1e-3), (1e-10, 1e-10), (1e8, 1.0), (0.0, 0.0)])
def test_blocks_do_not_matter(make, penalty, rng: np.random.Generator):
    t = make(rng)
    q = MOTION(t, order=0)[0] + 1e-5 * rng.standard_normal((t.size, 2))
    smoothing = smoothing_of(t, q, penalty)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)  # noise, gaps
        whole = Spline.fit(t, q, smoothing=smoothing)(t, order=4)
    first = streamed(t, q, smoothing, t.size)
    for size in (100, 1000, 8192):
        assert_close(streamed(t, q, smoothing, size), first, EXACT)
    for k in range(5):
        assert_close(first[k], whole[k], SAME, what=f"order {k}")


def test_a_shorter_overlap_is_felt(rng: np.random.Generator):
    """So the comparison above can fail, and the overlap is not much longer than it must be."""
    t = even(rng)
    q = MOTION(t, order=0)[0] + 1e-5 * rng.standard_normal((t.size, 2))
    smoothing = smoothing_of(t, q, (1e4, 1e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        whole = Spline.fit(t, q, smoothing=smoothing)(t, order=4)
    short = streamed(t, q, replace(smoothing, overlap=smoothing.overlap // 8), 1000)
    assert np.abs(short[4] - whole[4]).max() > SAME * np.abs(whole[4]).max()


def test_it_is_the_motion(rng: np.random.Generator):
    t = uneven(rng)
    exact = MOTION(t, order=4)
    smoothing = choose_smoothing(t[:8000], exact[0, :8000])
    error = np.abs(streamed(t, exact[0], smoothing, 5000) - exact)[:, 1000:-1000]
    assert np.all(error.max(axis=(1, 2)) < 1e-5 * np.abs(exact).max(axis=(1, 2)))


def test_memory_stays_bounded():
    """Samples come back long before the last ones have been read."""
    t = 1e-3 * np.arange(60_000)
    smoothing = choose_smoothing(t[:9000], np.sin(t[:9000])[:, None], noise=0.0)
    given = 0

    def counted() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        nonlocal given
        for time, q in blocks(t, np.sin(t)[:, None], 500):
            given += time.size
            yield time, q

    returned = 0
    for time, _ in stream_derivatives(counted(), smoothing, 1):
        returned += time.size
        assert given - returned < 20_000
    assert returned == t.size


def test_many_samples_between_knots_make_shorter_windows(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    """What a window holds is limited, whatever the blocks, and the result is that of the whole."""
    t = even(rng)
    q = MOTION(t, order=0)[0] + 1e-5 * rng.standard_normal((t.size, 2))
    smoothing = smoothing_of(t, q, (1e-3, 1e-3))
    smoothing = replace(smoothing, step=16e-3, gap=GRID_GAP * 16e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        whole = Spline.fit(t, q, smoothing=smoothing)(t, order=4)
    monkeypatch.setattr("jounce.trajectory.spline.stream.NUMBERS", 2 * 4000)
    monkeypatch.setattr("jounce.trajectory.spline.fit.NUMBERS", 20_000)  # one coordinate at a time
    first = streamed(t, q, smoothing, t.size)
    assert_close(streamed(t, q, smoothing, 77), first, EXACT)
    for k in range(5):
        assert_close(first[k], whole[k], SAME, what=f"order {k}")
    sizes = [time.size for time, _ in stream_derivatives([(t, q)], smoothing, 0)]
    assert max(sizes) == 4000, sizes
    assert len(sizes) == 9  # one more than must be: windows also end at multiples of their width


def test_nothing_in_nothing_out():
    smoothing = choose_smoothing(np.arange(99.0), np.sin(np.arange(99.0))[:, None], noise=0.0)
    assert list(stream_derivatives([], smoothing, 2)) == []


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            [([0.0, 1.0], [[1.0, 2.0], [1.0, 2.0]])],
            ShapeError,
            "for 1 coordinates, the block has 2",
        ),
        ([([0.0, 1.0], [[1.0]])], ShapeError, r"got \(2,\) and \(1, 1\)"),
        ([([0.0], [[1.0]]), ([0.0], [[1.0]])], ArgumentError, "a block starts at 0.0, after 0.0"),
        ([([0.0], [[np.nan]])], NotFiniteError, "q"),
    ],
)
def test_what_are_no_blocks_is_refused(given, error, message: str):
    smoothing = choose_smoothing(np.arange(99.0), np.sin(np.arange(99.0))[:, None], noise=0.0)
    given = [(np.array(t), np.array(q)) for t, q in given]
    with pytest.raises(error, match=message):
        list(stream_derivatives(given, smoothing, 2))


def test_the_order_is_checked():
    smoothing = choose_smoothing(np.arange(99.0), np.sin(np.arange(99.0))[:, None], noise=0.0)
    with pytest.raises(ArgumentError, match="order must be an integer ≥ 0"):
        list(stream_derivatives([], smoothing, -1))
