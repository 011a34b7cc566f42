"""Kernels as objects: numbers, pickling, sharing, lifetime, first use by several threads."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from functools import lru_cache

import numpy as np
import pytest

import jounce
from jounce.kernels import kernel as module
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import Kernel, kernel_of
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close
from tests.unit.kernels.motions import by_text, random_motion

ROBOT = jounce.load("panda")


def test_numbers_are_those_of_the_text(rng: np.random.Generator):
    for order in (0, 1, 3):
        kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=order)
        motion = random_motion(ROBOT, order, rng)
        assert_orders_close(kernel(*motion), by_text(kernel, *motion), ROUNDOFF)


def test_wrenches_are_arguments(rng: np.random.Generator):
    frames = (ROBOT.frames[-1].name, (ROBOT.bodies[2].name, "spatial"))
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2, wrenches=frames)
    motion = random_motion(ROBOT, 2, rng, (4,))
    loads = [rng.normal(size=(3, 4, 6)) for _ in frames]
    result = kernel(*motion, *loads)
    for row in range(4):
        sample = [x[row] for x in motion] + [w[:, row] for w in loads]
        assert_orders_close(result[:, row], by_text(kernel, *sample), ROUNDOFF)
        assert_close(kernel(*sample), result[:, row], EXACT)


def test_every_joint_kind(rng: np.random.Generator):
    robot = jounce.examples.random_tree(rng, 14, floating_base=True, armature=True, damping=True)
    for quantity, order in (("inverse_dynamics", 2), ("poses", 1)):
        kernel = jounce.kernel(robot, quantity, order=order)
        motion = random_motion(robot, order, rng)[: len(kernel.signature.arguments)]
        assert_orders_close(kernel(*motion), by_text(kernel, *motion), ROUNDOFF)


def test_repr_and_operations():
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=2)
    assert repr(kernel) == "<Kernel inverse_dynamics of 'panda', order 2: (q, v, a, j, s)>"
    assert kernel.operations == kernel.program.operations > 1000
    assert jounce.kernel(ROBOT, "inverse_dynamics").operations < kernel.operations


def test_pickles(rng: np.random.Generator):
    kernel = jounce.kernel(ROBOT, "inverse_dynamics", order=1)
    motion = random_motion(ROBOT, 1, rng)
    wanted = kernel(*motion)
    module._kernel.cache_clear()  # as in another process
    arrived = pickle.loads(pickle.dumps(kernel))
    assert arrived is not kernel
    assert_close(arrived(*motion), wanted, EXACT)
    assert copy.copy(arrived) is copy.deepcopy(arrived) is arrived


def test_equal_robots_share_a_kernel():
    other = jounce.load(ROBOT.to_dict())
    assert other is not ROBOT
    first = jounce.kernel(ROBOT, "inverse_dynamics", order=1)
    assert jounce.kernel(other, "inverse_dynamics", order=1) is first
    assert jounce.kernel(other, "inverse_dynamics", order=0) is not first
    turned = other.with_gravity((0, 0, 9.80665))
    assert jounce.kernel(turned, "inverse_dynamics", order=1) is not first


def test_an_evicted_kernel_works_on(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_kernel", lru_cache(2)(module.Kernel))
    motion = random_motion(ROBOT, 0, rng)
    kernel = jounce.kernel(ROBOT, "inverse_dynamics")
    wanted = kernel(*motion)
    for order in (1, 2):
        kernel_of(kernel_spec(ROBOT, "inverse_dynamics", order))
    assert module._kernel.cache_info().currsize == 2
    assert_close(kernel(*motion), wanted, EXACT)
    assert jounce.kernel(ROBOT, "inverse_dynamics") is not kernel


def test_the_call_outlives_the_name(rng: np.random.Generator):
    motion = random_motion(ROBOT, 0, rng)
    kernel = Kernel(kernel_spec(ROBOT, "inverse_dynamics"))
    early = kernel.__call__
    wanted = kernel.compile()(*motion)
    late = kernel.__call__
    assert early != late
    del kernel
    gc.collect()
    for call in (early, late):
        assert_close(call(*motion), wanted, EXACT)
        assert_close(call(motion[0].tolist(), *motion[1:]), wanted, EXACT)


def test_a_kernel_that_nobody_holds_goes_away():
    kernel = Kernel(kernel_spec(ROBOT, "inverse_dynamics")).compile()
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


def test_threads_that_come_first_compile_once(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    compiled = []
    true = module.compile_program

    def counting(program, **options):
        compiled.append(program)
        return true(program, **options)

    monkeypatch.setattr(module, "compile_program", counting)
    kernel = Kernel(kernel_spec(ROBOT, "inverse_dynamics", 1))
    motion = random_motion(ROBOT, 1, rng, (3,))
    start = threading.Barrier(4)
    results = []

    def work():
        start.wait()
        results.append(kernel(*motion))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(compiled) == 1
    assert len(results) == 4
    for result in results:
        assert_close(result, results[0], EXACT)


def test_an_interrupted_compile_is_taken_up_again(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    kernel = Kernel(kernel_spec(ROBOT, "inverse_dynamics"))
    true = module.compile_program

    def interrupted(program, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "compile_program", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kernel.compile()
    monkeypatch.setattr(module, "compile_program", true)
    motion = random_motion(ROBOT, 0, rng)
    assert_orders_close(kernel(*motion), by_text(kernel, *motion), ROUNDOFF)


def test_progress_is_reported_only_when_something_is_compiled(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path))
    spec = kernel_spec(ROBOT, "inverse_dynamics")
    seen: list[tuple[int, int]] = []
    Kernel(spec).compile(lambda *done: seen.append(done)).compile()
    assert seen
    assert seen[-1][0] == seen[-1][1] >= 1
    seen.clear()
    Kernel(spec).compile(lambda *done: seen.append(done))
    assert not seen


@pytest.mark.parametrize("order", [-1, 1.0, True, "2", None])
def test_wrong_orders(order):
    with pytest.raises(jounce.ArgumentError, match="order must be"):
        jounce.kernel(ROBOT, "inverse_dynamics", order=order)


def test_an_order_of_numpy():
    kernel = jounce.kernel(ROBOT, "gravity_forces", order=np.int64(1))
    assert kernel is jounce.kernel(ROBOT, "gravity_forces", order=1)


@pytest.mark.parametrize("wrenches", [{"flange": "spatial"}, [3], [("flange", "body", "spatial")]])
def test_wrenches_that_are_neither_names_nor_pairs(wrenches):
    with pytest.raises(jounce.ArgumentError, match="names of frames, or pairs such as"):
        jounce.kernel(ROBOT, "inverse_dynamics", wrenches=wrenches)


def test_unknown_names():
    with pytest.raises(jounce.UnknownNameError, match="did you mean 'inverse_dynamics'"):
        jounce.kernel(ROBOT, "inverse_dynamic")
    with pytest.raises(jounce.UnknownNameError, match="tool9"):
        jounce.kernel(ROBOT, "inverse_dynamics", wrenches=("tool9",))
    with pytest.raises(jounce.UnsupportedError, match="wrenches"):
        jounce.kernel(ROBOT, "poses", wrenches=(ROBOT.bodies[0].name,))


def test_partials_by_short_arguments_are_followed_by_zeros(rng: np.random.Generator):
    """One sample, a batch, an array that held something else; q has one number more than v."""
    robot = jounce.load("planar2r", floating_base=True)
    kernel = jounce.kernel(robot, "inverse_dynamics")
    product, jacobian = kernel.product("vjp").compile(), kernel.product("jacobian")
    q = np.stack([robot.random_configuration(rng) for _ in range(5)])
    v, a, lam = rng.normal(size=(3, 5, robot.nv))
    J = jacobian(q, v, a)
    wanted = np.zeros((3, 5, robot.nq))
    parts = np.split(np.einsum("bi,bin->bn", lam, J[0]), [robot.nq, robot.nq + robot.nv], -1)
    for row, part in zip(wanted, parts, strict=True):
        row[:, : part.shape[-1]] = part
    out = np.full(wanted.shape, np.nan)
    assert_close(product(q, v, a, lam[None], out=out), wanted, INDEPENDENT)
    assert_close(product(q, v, a, lam[None]), out, EXACT)
    for k in range(5):
        np.full(wanted[:, k].shape, np.nan)  # what the next array of its size finds in memory
        assert_close(product(q[k], v[k], a[k], lam[None, k]), out[:, k], EXACT)
