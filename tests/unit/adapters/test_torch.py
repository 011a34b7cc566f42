"""PyTorch: autograd, nested and batched; precision; threads."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import jounce
from tests.optimiser_cases import CASES, case, force_jacobian, in_threads, motion
from tests.tolerances import EXACT, INDEPENDENT, ROUNDOFF
from tests.tolerances import assert_close as assert_arrays_close

torch = pytest.importorskip("torch")
# PyTorch's own forward mode calls what it has deprecated
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")


def assert_close(tensor: Any, wanted: Any, tolerance: float) -> None:
    assert_arrays_close(tensor.detach().numpy(), np.asarray(wanted), tolerance)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", CASES)
def test_values_and_jacobians(name: str, rng: np.random.Generator):
    robot = case(name)
    state = motion(robot, rng, 3)
    f = jounce.adapters.torch.function(robot, "inverse_dynamics", order=1)
    tensors = tuple(torch.tensor(x) for x in state)
    assert_close(f(*tensors), jounce.inverse_dynamics(robot, *state), EXACT)
    J = force_jacobian(robot, *state)
    every = tuple(range(len(state)))
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        found = torch.cat(transform(f, argnums=every)(*tensors), -1)
        assert_close(found, J, INDEPENDENT)
    found = torch.autograd.functional.jacobian(f, tensors)
    assert_close(torch.cat(found, -1), J, INDEPENDENT)


@pytest.mark.usefixtures("interpreted")
def test_checked_to_second_order(rng: np.random.Generator):
    robot = jounce.load("planar2r", floating_base=True)
    given = [*motion(robot, rng, 2), rng.normal(size=(1, 6))]
    f = jounce.adapters.torch.function(robot, "inverse_dynamics", wrenches=("tip",))
    tensors = [torch.tensor(x, requires_grad=True) for x in given]
    assert torch.autograd.gradcheck(f, tensors, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, tensors)


@pytest.mark.usefixtures("interpreted")
def test_the_hessian_is_that_of_the_second_partials(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    state, lam = motion(robot, rng, 2), rng.normal(size=2)
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")
    second = jounce.inverse_dynamics_second_partials(robot, *state)
    tensors, weight = [torch.tensor(x) for x in state], torch.tensor(lam)
    found = torch.func.hessian(lambda q, v, a: f(q, v, a)[0] @ weight)(*tensors)
    assert_close(found, np.einsum("i,ijk->jk", lam, second.qq), INDEPENDENT)


@pytest.mark.usefixtures("interpreted")
def test_batches(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    q, v, a = (torch.tensor(x, requires_grad=True) for x in rng.normal(size=(3, 6, 2)))
    W = torch.tensor(rng.normal(size=(1, 6)), requires_grad=True)
    f = jounce.adapters.torch.function(robot, "inverse_dynamics", wrenches=("tip",))
    (f(q, v, a, W) ** 2).sum().backward()
    whole = [x.grad.clone() for x in (q, v, a, W)]
    rows = []
    for k in range(6):
        single = [x[k].detach().requires_grad_() for x in (q, v, a)]
        load = W.detach().requires_grad_()
        (f(*single, load) ** 2).sum().backward()
        rows.append([x.grad for x in (*single, load)])
    for k in range(3):
        assert_close(whole[k], np.stack([row[k].numpy() for row in rows]), ROUNDOFF)
    assert_close(whole[3], np.sum([row[3].numpy() for row in rows], axis=0), ROUNDOFF)
    with torch.no_grad():
        mapped = torch.func.vmap(f, in_dims=(0, 0, 0, None), out_dims=1)(q, v, a, W)
        assert_close(mapped, f(q, v, a, W).numpy(), EXACT)
    each = torch.func.vmap(torch.func.grad(lambda *x: (f(*x) ** 2).sum()), in_dims=(0, 0, 0, None))
    assert_close(each(q, v, a, W).detach(), whole[0], ROUNDOFF)


def test_precision_and_device_are_checked():
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "gravity_forces")
    with pytest.raises(jounce.ArgumentError, match=r"q is torch.float32.*q.double\(\)"):
        f(torch.ones(2))
    with pytest.raises(jounce.ArgumentError, match="q is on meta"):
        f(torch.ones(2, dtype=torch.float64, device="meta"))
    assert f(torch.tensor([1, 2])).dtype == torch.float64
    with pytest.raises(jounce.ShapeError, match=r"q must have shape \(\*batch, 2\)"):
        f(torch.ones(3, dtype=torch.float64))
    with pytest.raises(jounce.ShapeError, match="expected 1 arrays"):
        f(torch.ones(2, dtype=torch.float64), 1)


def test_calls_from_many_threads(rng: np.random.Generator):
    robot = jounce.load("panda")
    states = [motion(robot, rng, 2) for _ in range(8)]
    lam = rng.normal(size=7)
    slopes = [lam @ jounce.inverse_dynamics_partials(robot, *s)[0, 0] for s in states]
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")

    def work(k: int) -> None:
        for turn in range(125):
            q, v, a = (torch.tensor(x) for x in states[k])
            q.requires_grad_()
            (f(q, v, a)[0] @ torch.tensor(lam)).backward()
            assert_close(q.grad, slopes[k], INDEPENDENT)
            if turn == k:
                gc.collect()

    in_threads(8, work)
