"""What holds for every trajectory and every table."""

from __future__ import annotations

import string
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from jounce.trajectory import Fourier, MotionTable, Polynomial, Trajectory, read_table, write_table
from tests.tolerances import EXACT, INDEPENDENT, assert_close, assert_orders_close

moderate = st.floats(-10.0, 10.0, allow_subnormal=False)
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


trajectories = st.one_of(polynomials(), series())


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
def tables(draw: st.DrawFn) -> MotionTable:
    letters = st.text(string.ascii_letters + string.digits + "_-:/.,;\"' é", min_size=1)
    plain = letters.map(str.strip).filter(bool)
    names = draw(st.lists(plain, min_size=1, max_size=4, unique=True))
    time = sorted(draw(st.lists(any_number, min_size=1, max_size=6, unique=True)))
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
