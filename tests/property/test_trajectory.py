"""What holds for every trajectory and every table."""

from __future__ import annotations

import string
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from jounce.formats.screws import from_screws
from jounce.model.inertia import Inertia
from jounce.tables.clock import CLOCK
from jounce.trajectory import (
    Fourier,
    InfeasibleError,
    MotionLimits,
    MotionTable,
    Polynomial,
    Spline,
    SplineWarning,
    Trajectory,
    check_limits,
    choose_smoothing,
    read_table,
    scale_to_limits,
    stream_derivatives,
    write_table,
)
from tests.tolerances import EXACT, INDEPENDENT, assert_close, assert_orders_close

moderate = st.floats(-10.0, 10.0, allow_subnormal=False)
BALL = Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3))
any_number = st.floats(allow_nan=False, allow_infinity=False)
SIZES = {"min_dims": 2, "max_dims": 2, "max_side": 5}


@st.composite
def polynomials(draw: st.DrawFn) -> Polynomial:
    shape = draw(arrays.array_shapes(**SIZES))
    return Polynomial(draw(arrays.arrays(np.float64, shape, elements=moderate)), draw(moderate))


@st.composite
def series(draw: st.DrawFn) -> Fourier:
    shape = draw(arrays.array_shapes(**SIZES))
    a, b = draw(arrays.arrays(np.float64, (2, *shape), elements=moderate))
    return Fourier(a, b, draw(st.floats(0.1, 5.0)), draw(moderate))


@st.composite
def ways(draw: st.DrawFn, sizes: tuple[float, ...] = (1.0,)) -> Spline:
    """Return smooth motions through points, from −10 to 10 s, of these sizes about some point."""
    tenths = st.integers(-80, 80).map(lambda x: x / 10)
    inner = draw(st.lists(tenths, max_size=3, unique_by=round))
    times = np.array([-10.0, *sorted(inner), 10.0])
    shape = (times.size, draw(st.integers(1, 3)))
    points = draw(arrays.arrays(np.float64, shape, elements=tenths))
    size = draw(st.sampled_from(sizes))
    if size != 1.0:
        points = draw(tenths) + size * points
    return Polynomial.through(times, points, smoothness=draw(st.integers(0, 4)))


trajectories = st.one_of(polynomials(), series(), ways())


@given(trajectories, arrays.arrays(np.float64, arrays.array_shapes(), elements=moderate))
def test_a_batch_is_its_samples(trajectory: Trajectory, t: np.ndarray):
    got = trajectory(t, order=3)
    assert got.shape == (4, *t.shape, trajectory.n)
    each = np.array([trajectory(x, order=3) for x in t.ravel()])
    wanted = np.moveaxis(each, 0, 1).reshape(got.shape)
    assert_orders_close(got, wanted, INDEPENDENT)  # vectorised sines may round differently


@given(trajectories, moderate, st.integers(0, 5))
def test_the_order_only_decides_how_much_is_returned(trajectory: Trajectory, t: float, order: int):
    assert_close(trajectory(t, order=order), trajectory(t, order=9)[: order + 1], EXACT)


@given(polynomials(), moderate, moderate)
def test_the_taylor_polynomial_of_a_polynomial_is_itself(polynomial: Polynomial, t0, t):
    again = Polynomial.from_derivatives(*polynomial(t0, order=polynomial.degree), t0=t0)
    reach = 1.0 + abs(t0) + abs(t) + abs(polynomial.t0)
    scale = np.abs(polynomial.coefficients).max() * (2 * reach) ** polynomial.degree * 100
    assert_close(again(t, order=4), polynomial(t, order=4), INDEPENDENT, scale=float(scale))


@given(series(), moderate)
def test_the_fourth_derivative_of_a_harmonic_is_itself_times_the_fourth_power(motion: Fourier, t):
    one = Fourier(motion.a[:1], motion.b[:1], motion.omega)
    rates = one(t, order=5)
    assert_close(rates[5], rates[1] * one.omega**4, INDEPENDENT)
    assert_close(rates[4], rates[0] * one.omega**4, INDEPENDENT)


@st.composite
def samplings(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Return uneven samples of a smooth motion, with noise and pauses."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = 0.01 * rng.uniform(0.3, 1.7, draw(st.integers(20, 400)))
    steps[rng.random(steps.size) < draw(st.sampled_from([0.0, 0.02, 0.3]))] += 5.0
    t = draw(st.sampled_from([0.0, -3.0, 1e4])) + np.cumsum(steps)
    q = np.sin(np.outer(t, [0.7, 2.0])) + draw(st.sampled_from([0.0, 1e-6, 1e-2])) * (
        rng.standard_normal((t.size, 2))
    )
    return t, q


@settings(deadline=None, max_examples=10)
@given(samplings(), st.sampled_from([None, 0.0, 1e-3]), st.integers(1, 500))
def test_streamed_derivatives_are_those_of_the_whole(samples, noise, block: int):
    t, q = samples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SplineWarning)
        smoothing = choose_smoothing(t, q, noise=noise)
        whole = Spline.fit(t, q, smoothing=smoothing)(t, order=4)
    blocks = ((t[i : i + block], q[i : i + block]) for i in range(0, t.size, block))
    parts = list(stream_derivatives(blocks, smoothing, 4))
    assert_close(np.concatenate([time for time, _ in parts]), t, EXACT)
    got = np.concatenate([values for _, values in parts], axis=1)
    assert np.isfinite(got).all()
    assert_orders_close(got, whole, INDEPENDENT, scale=1.0)
    if noise == 0.0:
        assert_close(got[0], q, 1e-9)


@settings(deadline=None, max_examples=25)
@given(ways(sizes=(1.0, 1e-3, 1e-6, 1e-9)), st.lists(st.floats(0.1, 10.0), min_size=4, max_size=4))
def test_a_way_is_as_fast_as_its_limits_allow(way: Spline, bounds: list[float]):
    robot = from_screws(
        np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (way.n, 1)), [np.eye(4)] * way.n, [BALL] * way.n
    )
    names = ("velocity", "acceleration", "jerk", "snap")
    limits = MotionLimits.of(robot, **dict(zip(names, bounds, strict=True)))
    if not way(np.linspace(-10.0, 10.0, 50), order=1)[1].any():
        with pytest.raises(InfeasibleError, match="it stands still"):
            scale_to_limits(robot, way, limits, samples=201)
        return
    scaled = scale_to_limits(robot, way, limits, samples=201)
    # a finer look than the one it took finds the same extrema
    worst = check_limits(robot, scaled, limits, samples=2001).worst
    assert worst is not None
    assert_close(worst.use, 1.0, 1e-9)


@st.composite
def tables(draw: st.DrawFn) -> MotionTable:
    letters = st.text(string.ascii_letters + string.digits + "_-:/.,;\"' é", min_size=1)
    plain = letters.map(str.strip).filter(bool)
    names = draw(st.lists(plain, min_size=1, max_size=4, unique=True))
    times = any_number.filter(lambda x: abs(x) < CLOCK)  # those beyond are counted from the first
    time = sorted(draw(st.lists(times, min_size=1, max_size=6, unique=True)))
    orders, forces = draw(st.integers(1, 7)), draw(st.integers(0, 3))
    values, pushes = (
        draw(arrays.arrays(np.float64, (k, len(time), len(names)), elements=any_number))
        for k in (orders, forces)
    )
    return MotionTable(np.array(time), tuple(names), values, pushes if forces else None)


@settings(deadline=None)
@given(tables(), st.sampled_from([".csv", ".npz"]))
def test_a_table_comes_back_bit_for_bit(table: MotionTable, ending: str):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"motion{ending}"
        write_table(path, table)
        got = read_table(path)
    assert got.names == table.names
    assert_close(got.time, table.time, EXACT)
    assert_close(got.values, table.values, EXACT)
    assert (got.forces is None) == (table.forces is None)
    if table.forces is not None:
        assert_close(got.forces, table.forces, EXACT)
