"""PyTorch: autograd, nested and batched; precision; threads."""

from __future__ import annotations

import gc
import warnings
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
    with pytest.raises(jounce.ArgumentError, match=r"q is torch.sparse_coo.*q.to_dense\(\)"):
        f(torch.ones(2, dtype=torch.float64).to_sparse())
    with pytest.raises(jounce.ArgumentError, match=r"q is torch.complex128.*real"):
        f(torch.ones(2, dtype=torch.complex128))
    with pytest.raises(jounce.ShapeError, match="q must be an array of real numbers"):
        f(None)
    assert f(torch.tensor([1, 2])).dtype == torch.float64
    with pytest.raises(jounce.ShapeError, match=r"q must have shape \(\*batch, 2\)"):
        f(torch.ones(3, dtype=torch.float64))
    with pytest.raises(jounce.ShapeError, match="expected 1 arrays"):
        f(torch.ones(2, dtype=torch.float64), 1)


@pytest.mark.parametrize("name", ["floating", "tree"])
def test_memory_of_any_layout(name: str, rng: np.random.Generator):
    """Transposed, repeated, reversed, of negative sign by a flag, none at all; machine code."""
    robot = case(name)
    q = np.stack([robot.random_configuration(rng) for _ in range(6)])
    v, a = rng.normal(size=(2, 6, robot.nv))
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")
    plain = [torch.tensor(x, requires_grad=True) for x in (q, v, a)]
    lam = torch.tensor(rng.normal(size=(1, 6, robot.nv)))
    y = f(*plain)
    slopes = torch.autograd.grad(y, plain, lam)
    turned = [torch.tensor(x.T.copy(), requires_grad=True) for x in (q, v, a)]
    again = f(*(x.T for x in turned))
    assert_close(again, y.detach(), EXACT)
    negative = torch._neg_view(-lam)  # what gradients of complex numbers are
    assert negative.is_neg()
    for found, wanted in zip(torch.autograd.grad(again, turned, negative), slopes, strict=True):
        assert_close(found.T, wanted, EXACT)
    assert_close(f(*plain[:2], torch._neg_view(-plain[2])), y.detach(), EXACT)
    still = torch._efficientzerotensor((6, robot.nv), dtype=torch.float64)  # of forward mode
    assert_close(f(plain[0], still, still), f(plain[0], 0 * plain[1], 0 * plain[2]).detach(), EXACT)
    assert f(plain[0][:0], plain[1][:0], plain[2][:0]).shape == (1, 0, robot.nv)


def test_tensors_without_numbers_are_refused():
    """What maps or records tensors by other means than torch.func would get no numbers, or old."""
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "gravity_forces")
    q = torch.ones(2, dtype=torch.float64, requires_grad=True)
    weights = torch.eye(2, dtype=torch.float64)[:, None]
    with pytest.raises(jounce.UnsupportedError, match=r"torch\.func .*is_grads_batched"):
        torch.autograd.grad(f(q), q, weights, is_grads_batched=True)
    with pytest.raises(jounce.UnsupportedError, match=r"linearize.*torch\.func\.jvp"):
        torch.func.linearize(f, q)
    with pytest.raises(jounce.UnsupportedError, match="records its operations"):
        torch.fx.experimental.proxy_tensor.make_fx(f)(q)
    with pytest.raises(jounce.UnsupportedError, match="PyTorch records"):
        torch.fx.experimental.proxy_tensor.make_fx(f, tracing_mode="symbolic")(weights[:, 0])


def test_other_default_devices(rng: np.random.Generator):
    """New tensors of PyTorch may be on a graphics card, or nowhere; ours are beside the others."""
    robot = jounce.load("planar2r", floating_base=True)
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")
    state = motion(robot, rng, 2)
    given = [torch.tensor(x, requires_grad=True) for x in state]

    def values() -> list[Any]:
        y = f(*given)
        slopes = torch.autograd.grad(y, given, torch.full_like(y, 0.5), create_graph=True)
        again = torch.autograd.grad(sum((x**2).sum() for x in slopes), given)
        return [y, f(*map(list, state)), *slopes, *again]

    wanted = values()
    with torch.device("meta"):
        for found, other in zip(values(), wanted, strict=True):
            assert_close(found, other.detach(), EXACT)


def test_tangents_of_single_precision(rng: np.random.Generator):
    """PyTorch takes them, with numbers of half the size."""
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "inverse_dynamics")
    state = tuple(torch.tensor(x) for x in rng.normal(size=(3, 5, 2)))
    steps = tuple(torch.tensor(x).float() for x in rng.normal(size=(3, 5, 2)))
    _, wanted = torch.func.jvp(f, state, tuple(x.double() for x in steps))
    _, found = torch.func.jvp(f, state, steps)
    assert_close(found, wanted, EXACT)
    with torch.autograd.forward_ad.dual_level():
        duals = [torch.autograd.forward_ad.make_dual(*x) for x in zip(state, steps, strict=True)]
        found = torch.autograd.forward_ad.unpack_dual(f(*duals)).tangent
        assert_close(found, wanted, EXACT)


def test_numbers_in_lists(rng: np.random.Generator):
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "gravity_forces")
    x = rng.normal(size=2)
    assert_close(f(x.tolist()), f(x), EXACT)
    assert_close(f(x[::-1].copy()[::-1]), f(x), EXACT)  # backwards in memory
    first = torch.tensor(x[0], requires_grad=True)
    (slope,) = torch.autograd.grad(f([first, x[1]]).sum(), first)
    assert_close(slope, torch.func.jacrev(f)(torch.tensor(x))[0, :, 0].sum(), ROUNDOFF)


def test_what_is_compiled_around_it(rng: np.random.Generator):
    """The function stays outside of what is compiled, without a warning of ours."""
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "gravity_forces")
    q = torch.tensor(rng.normal(size=(3, 2)), requires_grad=True)
    compiled = torch.compile(lambda q: (f(2.0 * q) ** 2).sum(), backend="eager")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        value = compiled(q)
    assert not [w for w in given if "jounce" in f"{w.filename} {w.message}"]
    wanted = (f(2.0 * q) ** 2).sum()
    assert_close(value, wanted.detach(), ROUNDOFF)
    (slope,), (reference,) = torch.autograd.grad(value, q), torch.autograd.grad(wanted, q)
    assert_close(slope, reference, ROUNDOFF)


def test_tensors_that_are_left_over_from_a_transformation(rng: np.random.Generator):
    robot = jounce.load("planar2r")
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")
    motion, kept = torch.tensor(rng.normal(size=(3, 4, 2))), []

    def cost(x: Any) -> Any:
        kept.extend(3.0 * x)
        return x.sum()

    torch.func.grad(cost)(motion)
    assert_close(f(*kept), f(*3.0 * motion), EXACT)


def test_results_have_memory_of_their_own(rng: np.random.Generator):
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "inverse_dynamics")
    motion = torch.tensor(rng.normal(size=(3, 1000, 2)), requires_grad=True)
    first = f(*motion)
    before = first.detach().clone()
    slope = torch.autograd.grad(first.sum(), motion, retain_graph=True)[0]
    kept = slope.clone()
    other = f(*2.0 * motion)
    torch.autograd.grad(other.sum(), motion)
    assert_close(first, before, EXACT)
    assert_close(slope, kept, EXACT)
    assert_close(torch.autograd.grad(first.sum(), motion)[0], kept, EXACT)


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


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore:`torch.jit.trace`")
def test_what_is_traced_computes_again(rng: np.random.Generator):
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "inverse_dynamics")
    first, *others = (torch.tensor(rng.normal(size=(3, n, 2))) for n in (4, 4, 9))
    traced = torch.jit.trace(lambda *x: f(*x), tuple(first))
    for state in (first, *others):
        given, same = (state.clone().requires_grad_() for _ in range(2))
        assert torch.equal(traced(*given), f(*same))
        for g, x in ((traced, given), (f, same)):
            g(*x).sum().backward()
        assert torch.equal(given.grad, same.grad)


def test_tensors_without_numbers_are_not_written_to():
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "inverse_dynamics")
    state = [torch.zeros(4, 2, dtype=torch.float64)] * 3
    mode = torch._subclasses.fake_tensor.FakeTensorMode()
    with mode, pytest.raises(jounce.UnsupportedError, match="FakeTensorMode"):
        f(*state)
