"""JAX: every transformation, nested; precision; threads."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import jounce
from tests.optimiser_cases import CASES, case, force_jacobian, in_threads, motion
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def _double() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", CASES)
def test_values_and_jacobians(name: str, rng: np.random.Generator):
    robot = case(name)
    state = motion(robot, rng, 3)
    f = jounce.adapters.jax.function(robot, "inverse_dynamics", order=1)
    assert_close(f(*state), jounce.inverse_dynamics(robot, *state), EXACT)
    assert_close(jax.jit(f)(*state), jounce.inverse_dynamics(robot, *state), EXACT)
    J = force_jacobian(robot, *state)
    every = tuple(range(len(state)))
    for transform in (jax.jacfwd, jax.jacrev, lambda *a, **k: jax.jit(jax.jacrev(*a, **k))):
        found = transform(f, argnums=every)(*state)
        assert_close(np.concatenate(found, axis=-1), J, INDEPENDENT)


@pytest.mark.usefixtures("interpreted")
def test_checked_to_second_order(rng: np.random.Generator):
    from jax.test_util import check_grads

    robot = jounce.load("planar2r", floating_base=True)
    state, W = motion(robot, rng, 2), rng.normal(size=(1, 6))
    f = jounce.adapters.jax.function(robot, "inverse_dynamics", wrenches=("tip",))
    check_grads(f, (*state, W), order=2, rtol=1e-6, atol=1e-6)
    check_grads(jax.jit(f), (*state, W), order=2, modes=("rev",), rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("interpreted")
def test_the_hessian_is_that_of_the_second_partials(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    state, lam = motion(robot, rng, 2), rng.normal(size=2)
    f = jounce.adapters.jax.function(robot, "inverse_dynamics")
    second = jounce.inverse_dynamics_second_partials(robot, *state)
    hessian = jax.jit(jax.hessian(lambda q, v, a: f(q, v, a)[0] @ lam, argnums=(0, 1, 2)))(*state)
    qq, qv, vv = hessian[0][0], hessian[0][1], hessian[1][1]
    for found, wanted in ((qq, second.qq), (qv, second.qv), (vv, second.vv)):
        assert_close(found, np.einsum("i,ijk->jk", lam, wanted), INDEPENDENT)


@pytest.mark.usefixtures("interpreted")
def test_vmap_is_the_batch_axis(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    q, v, a = rng.normal(size=(3, 6, 2))
    W = rng.normal(size=(2, 6, 6))
    f = jounce.adapters.jax.function(robot, "inverse_dynamics", order=1, wrenches=("tip",))
    j = np.ones(2)
    wanted = jounce.inverse_dynamics(robot, q, v, a, j, wrenches={"tip": W})
    assert_close(f(q, v, a, j, W), wanted, EXACT)
    mapped = jax.vmap(f, in_axes=(0, 0, 0, None, 1), out_axes=1)
    assert_close(mapped(q, v, a, j, W), wanted, EXACT)
    assert_close(jax.jit(mapped)(q, v, a, j, W), wanted, EXACT)
    one = jax.grad(lambda *x: (f(*x) ** 2).sum(), argnums=(0, 3, 4))
    rows = [one(q[k], v[k], a[k], j, W[:, k]) for k in range(6)]
    both = jax.vmap(one, in_axes=(0, 0, 0, None, 1))(q, v, a, j, W)
    whole = jax.grad(lambda *x: (mapped(*x) ** 2).sum(), argnums=(0, 3, 4))(q, v, a, j, W)
    for k in range(3):
        assert_close(both[k], np.stack([row[k] for row in rows]), ROUNDOFF)
    assert_close(whole[1], np.sum([row[1] for row in rows], axis=0), ROUNDOFF)
    assert_close(np.moveaxis(whole[2], 1, 0), np.stack([row[2] for row in rows]), ROUNDOFF)


def test_precision_is_checked():
    f = jounce.adapters.jax.function(jounce.load("planar2r"), "gravity_forces")
    with pytest.raises(jounce.ArgumentError, match=r"q is float32.*float64"):
        f(jnp.ones(2, dtype=np.float32))
    with pytest.raises(jounce.ArgumentError, match=r"q is complex128.*real numbers"):
        f(jnp.ones(2) * 1j)
    with pytest.raises(jounce.ArgumentError, match="q must be an array of real numbers"):
        f("one")
    assert f(np.array([1, 2])).dtype == np.float64
    assert_close(f([jnp.float64(1.0), 2]), f(np.array([1.0, 2.0])), EXACT)
    with jax.enable_x64(False), pytest.raises(jounce.UnsupportedError, match="jax_enable_x64"):
        f(np.ones(2))


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_other_devices_are_refused(platform: str):
    f = jounce.adapters.jax.function(jounce.load("planar2r"), "gravity_forces")
    with pytest.raises(jounce.UnsupportedError, match=f"{platform}.*on the CPU.*device_put"):
        jax.jit(f).trace(np.ones(2)).lower(lowering_platforms=(platform,))


@pytest.mark.usefixtures("interpreted")
def test_loops_and_checkpoints(rng: np.random.Generator):
    """Inside of ``scan``, compiled, and computed twice: values and gradients stay the same."""
    f = jounce.adapters.jax.function(jounce.load("planar2r"), "inverse_dynamics")
    motions = rng.normal(size=(3, 5, 2))

    def looped(q: Any) -> Any:
        step = jax.checkpoint(lambda total, x: (total + (f(*x) ** 2).sum(), f(*x)[0]))
        return jax.lax.scan(step, 0.0, (q, *motions[1:]))

    (total, rows), slope = looped(motions[0]), jax.jit(jax.grad(lambda q: looped(q)[0]))(motions[0])
    whole = jax.grad(lambda q: (f(q, *motions[1:]) ** 2).sum())(motions[0])
    assert_close(rows, f(*motions)[0], EXACT)
    assert_close(total, (f(*motions) ** 2).sum(), ROUNDOFF)
    assert_close(slope, whole, ROUNDOFF)


def test_shapes_are_checked():
    f = jounce.adapters.jax.function(jounce.load("planar2r"), "inverse_dynamics", wrenches=("tip",))
    good = [np.ones(2)] * 3
    with pytest.raises(jounce.ShapeError, match=r"expected 4 arrays \(q, v, a, wrench on tip\)"):
        f(*good)
    with pytest.raises(jounce.ShapeError, match="expected 4 arrays"):
        f(*good, np.ones((1, 6)), 1.0)
    with pytest.raises(jounce.ShapeError, match=r"wrench on tip must have shape \(1, \*batch, 6\)"):
        f(*good, np.ones(6))
    with pytest.raises(jounce.ShapeError, match="do not broadcast"):
        f(np.ones((3, 2)), np.ones((4, 2)), good[0], np.ones((1, 6)))


def test_calls_from_many_threads(rng: np.random.Generator):
    robot = jounce.load("panda")
    states = [motion(robot, rng, 2) for _ in range(8)]
    lam = rng.normal(size=7)
    wanted = [jounce.inverse_dynamics(robot, *s)[0] for s in states]
    slopes = [lam @ jounce.inverse_dynamics_partials(robot, *s)[0, 0] for s in states]
    f = jounce.adapters.jax.function(robot, "inverse_dynamics")
    value = jax.jit(f)
    slope = jax.jit(jax.grad(lambda q, v, a: f(q, v, a)[0] @ lam))

    def work(k: int) -> None:
        for turn in range(125):
            assert_close(value(*states[k])[0], wanted[k], ROUNDOFF)
            assert_close(slope(*states[k]), slopes[k], INDEPENDENT)
            if turn == k:
                gc.collect()

    in_threads(8, work)


def test_large_batches_under_jit(rng: np.random.Generator):
    robot = jounce.load("panda")
    q, v, a = rng.normal(size=(3, 20_000, 7))
    f = jounce.adapters.jax.function(robot, "inverse_dynamics")
    assert_close(jax.jit(f)(q, v, a), jounce.inverse_dynamics(robot, q, v, a), EXACT)
