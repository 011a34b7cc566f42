"""Batches of tensors in machine code: which they are, and that all else goes as before."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.adapters import dlpack, rules
from jounce.adapters.rules import Batch
from jounce.kernels import kernel as kernels
from jounce.kernels.execution import BLOCK_ROWS
from jounce.kernels.team import words_of_team
from tests.optimiser_cases import in_threads
from tests.tolerances import INDEPENDENT, assert_close

torch = pytest.importorskip("torch")
pytestmark = [
    # PyTorch's own forward mode calls what it has deprecated
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),
    pytest.mark.skipif(
        not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), reason="PyTorch does not offer it"
    ),
]


class Watched:
    """A function of a kernel, and how often it goes through Python."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, quantity: str = "inverse_dynamics") -> None:
        self.calls = 0
        self.robot = jounce.load("planar2r")
        self.kernel = jounce.kernel(self.robot, quantity)
        self.f = jounce.adapters.torch.function(self.robot, quantity)
        for owner in (Batch, rules.Bound):
            self._count(monkeypatch, owner)

    def _count(self, monkeypatch: pytest.MonkeyPatch, owner: Any) -> None:
        original = owner.run

        def run(*arguments: Any) -> Any:
            self.calls += 1
            return original(*arguments)

        monkeypatch.setattr(owner, "run", run)

    def through_python(self, *tensors: Any) -> int:
        """Return how often a call went through Python; its result is that of the kernel."""
        before = self.calls
        found = self.f(*tensors)
        arrays = [x.detach().resolve_neg().numpy() for x in tensors]
        np.testing.assert_array_equal(found.detach(), self.kernel(*arrays, threads=None))
        return self.calls - before


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def tensors(rng: np.random.Generator, rows: int, **options: Any) -> list[Any]:
    return [torch.tensor(x, **options) for x in rng.normal(size=(3, rows, 2))]


def test_machine_code_takes_over(watched: Watched, rng: np.random.Generator):
    q, v, a = tensors(rng, 41)
    watched.through_python(q, v, a)
    assert watched.through_python(v, a, q) == 0
    q[3, 1] = np.nan
    assert watched.through_python(q, v, a) == 0
    assert watched.through_python(torch.nn.Parameter(q), v, a) == 0
    assert watched.through_python(q[:, None][:, 0], v, a) == 0
    with torch.no_grad():
        assert watched.through_python(*tensors(rng, 41, requires_grad=True)) == 0
    with torch.inference_mode():
        assert watched.through_python(*tensors(rng, 41)) == 0


def test_what_is_not_plain_goes_through_python(watched: Watched, rng: np.random.Generator):
    q, v, a = tensors(rng, 42)
    watched.through_python(q, v, a)

    class Own(torch.Tensor):
        pass

    for odd in (q.T.contiguous().T, torch._neg_view(q), q.as_subclass(Own), q[:1].expand(42, 2)):
        assert watched.through_python(odd, v, a) == 1
    still = torch._efficientzerotensor((42, 2), dtype=torch.float64)
    before = watched.calls
    assert torch.equal(watched.f(q, still, a), watched.f(q, 0 * v, a))
    assert watched.calls == before + 1
    assert watched.through_python(q, v, a) == 0


def test_refusals_are_the_same(watched: Watched, rng: np.random.Generator):
    q, v, a = tensors(rng, 43)
    watched.through_python(q, v, a)
    with pytest.raises(jounce.ArgumentError, match=r"v is torch.float32.*v.double\(\)"):
        watched.f(q, v.float(), a)
    with pytest.raises(jounce.ArgumentError, match="a is on meta"):
        watched.f(q, v, a.to("meta"))
    with pytest.raises(jounce.ArgumentError, match=r"q is torch.sparse_coo"):
        watched.f(q.to_sparse(), v, a)
    with pytest.raises(jounce.ShapeError, match=r"q must have shape \(\*batch, 2\)"):
        watched.f(q[:, :1], v, a)
    with pytest.raises(jounce.ShapeError, match="do not broadcast"):
        watched.f(q, v[:7], a)
    with pytest.raises(jounce.ShapeError, match="expected 3 arrays"):
        watched.f(q, v)
    with pytest.raises(jounce.ShapeError, match="expected 3 arrays"):
        watched.f(q, v, a, a)
    assert watched.f(q[0], v, a).shape == (1, 43, 2)
    assert watched.through_python(q, v, a) == 0


def test_who_comes_second_goes_through_python(
    watched: Watched, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
):
    state = tensors(rng, 44, requires_grad=True)
    watched.through_python(*state)
    assert watched.kernel.runner is not None
    taken = watched.kernel.runner.reserve[0]
    monkeypatch.setattr(taken, "value", words_of_team.value)
    assert watched.through_python(*state) == 1
    taken.value = 0
    assert watched.through_python(*state) == 0


@pytest.mark.parametrize("rows", [0, BLOCK_ROWS + 1])
def test_batches_that_need_python(rows: int, watched: Watched, rng: np.random.Generator):
    state = tensors(rng, rows)
    for _ in range(2):
        assert watched.through_python(*state) == 1


@pytest.mark.usefixtures("interpreted")
def test_without_machine_code(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    watched, state = Watched(monkeypatch), tensors(rng, 45)
    for _ in range(3):
        assert watched.through_python(*state) == 1


def test_other_versions_and_layouts_are_left_alone(monkeypatch: pytest.MonkeyPatch):
    trial = dlpack._is_known.__wrapped__
    assert trial(torch)
    assert dlpack._look(SimpleNamespace(Tensor=object)) is None
    for verdict in (True, False):
        monkeypatch.setattr(dlpack, "_fill", lambda *_, verdict=verdict: lambda _: verdict)
        assert not trial(torch)
    monkeypatch.undo()
    monkeypatch.setattr(dlpack, "MAJOR", 7)
    assert dlpack._look(torch) is None
    assert not trial(torch)


def test_a_first_call_inside_of_a_transformation(watched: Watched, rng: np.random.Generator):
    """Tensors that are made there are not what they seem: the trial waits."""
    dlpack._is_known.cache_clear()
    state = tensors(rng, 51)
    torch.func.jvp(watched.f, tuple(state), tuple(state))
    torch.func.vmap(watched.f)(*[x[:, None] for x in state])
    watched.through_python(*state)
    assert watched.through_python(*state) == 0


def slopes(f: Any, state: list[Any], lam: Any, **options: Any) -> Any:
    return torch.autograd.grad(f(*state), state, lam, **options)


def test_derivatives_of_a_batch_that_is_known(watched: Watched, rng: np.random.Generator):
    f, state = watched.f, tensors(rng, 46, requires_grad=True)
    lam = torch.tensor(rng.normal(size=(1, 46, 2)))
    product = watched.kernel.product("vjp")
    arrays = [x.detach().numpy() for x in state]
    wanted = product.call(*arrays, lam.numpy())
    for count in (2, 0, 0):
        before = watched.calls
        found = slopes(f, state, lam)
        assert watched.calls - before == count
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(x, y)
    for x, y in zip(slopes(f, state, torch._neg_view(-lam)), wanted, strict=True):
        np.testing.assert_array_equal(x, y)
    assert f(*state).requires_grad
    assert f(*[x.detach() for x in state]).grad_fn is None
    again = slopes(f, state, lam, create_graph=True)
    twice = torch.autograd.grad(sum((x**2).sum() for x in again), state)
    curved = torch.func.grad(
        lambda s: sum((x**2).sum() for x in torch.func.vjp(lambda s: f(*s), s)[1](lam)[0])
    )([x.detach() for x in state])
    for x, y in zip(twice, curved, strict=True):
        assert_close(x.numpy(), y.numpy(), INDEPENDENT)
    with torch.autograd.forward_ad.dual_level():
        make = torch.autograd.forward_ad.make_dual
        duals = [make(x.detach(), x.detach()) for x in state]
        along = torch.autograd.forward_ad.unpack_dual(f(*duals)).tangent
    moved = watched.kernel.product("jvp")(*arrays, *arrays)
    np.testing.assert_array_equal(along, moved)


def test_what_is_noted_is_what_was_given(watched: Watched, rng: np.random.Generator):
    """Hooks get the operands, and one that was changed since is found."""
    f, state = watched.f, tensors(rng, 47, requires_grad=True)
    watched.through_python(*state)
    seen: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: seen.append(x) or x, lambda x: x):
        f(*state)
    assert [x.data_ptr() for x in seen] == [x.data_ptr() for x in state]
    y = f(*state)
    with torch.no_grad():
        state[1] += 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_tensors_without_numbers(watched: Watched, rng: np.random.Generator):
    f, state = watched.f, tensors(rng, 48, requires_grad=True)
    lam = torch.ones(1, 48, 2, dtype=torch.float64)
    wanted = slopes(f, state, lam)
    slopes(f, state, lam)
    kept: list[Any] = []
    torch.func.grad(lambda x: kept.append(2.0 * x) or x.sum())(state[0].detach())
    assert torch.equal(f(*kept, *state[1:]), f(2.0 * state[0], *state[1:]))
    with pytest.raises(jounce.UnsupportedError, match="is_grads_batched"):
        slopes(f, state, torch.stack([lam, lam]), is_grads_batched=True)
    mode = torch._subclasses.fake_tensor.FakeTensorMode()
    with mode, pytest.raises(jounce.UnsupportedError, match="FakeTensorMode"):
        f(*state)
    with torch.device("meta"):
        for x, y in zip(slopes(f, state, lam), wanted, strict=True):
            assert torch.equal(x, y)
    mapped = torch.func.vmap(f, out_dims=1)(*state)
    assert torch.equal(mapped, f(*state))


def test_threads_with_batches(rng: np.random.Generator):
    """Some compute in machine code, and who finds the memory taken in Python."""
    robot = jounce.load("panda")
    motions, lam = rng.normal(size=(8, 3, 200, 7)), rng.normal(size=(1, 200, 7))
    kernel = jounce.kernel(robot, "inverse_dynamics")
    wanted = [kernel(*x) for x in motions]
    gradients = [kernel.product("vjp")(*x, lam) for x in motions]
    f = jounce.adapters.torch.function(robot, "inverse_dynamics")

    def work(k: int) -> None:
        state = [torch.tensor(x, requires_grad=True) for x in motions[k]]
        for turn in range(125):
            y = f(*state)
            np.testing.assert_array_equal(y.detach(), wanted[k])
            found = torch.autograd.grad(y, state, torch.tensor(lam))
            np.testing.assert_array_equal(np.stack(found), gradients[k])
            if turn == k:
                gc.collect()

    in_threads(8, work)


def test_functions_outlive_kernels(rng: np.random.Generator):
    state = tensors(rng, 49)
    f = jounce.adapters.torch.function(jounce.load("planar2r"), "inverse_dynamics")
    wanted = f(*state)
    for cache in (rules._bound, kernels._kernel):
        cache.cache_clear()
    gc.collect()
    noise = [np.full(n, np.nan) for n in range(1, 2000)]
    for _ in range(3):
        assert torch.equal(f(*state), wanted)
    del noise


def test_references_are_as_before(watched: Watched, rng: np.random.Generator):
    state = tensors(rng, 50)
    watched.through_python(*state)
    things = [*state, True, False, torch.Tensor, torch.Tensor.is_neg]
    before = [sys.getrefcount(x) for x in things]
    for _ in range(1000):
        watched.f(*state)
        watched.f(state[0], state[1].T.contiguous().T, state[2])
    after = [sys.getrefcount(x) for x in things]
    assert max(abs(x - y) for x, y in zip(before, after, strict=True)) < 100


FORK = """
import os, warnings
warnings.simplefilter("ignore")
import jounce, numpy, torch
f = jounce.adapters.torch.function(jounce.load("panda"), "inverse_dynamics")
state = [torch.full((20000, 7), 0.1 * k, dtype=torch.float64) for k in range(3)]
wanted = [f(*state) for _ in range(3)][-1].numpy()
child = os.fork()
if not child:
    os._exit(7 if all(numpy.array_equal(f(*state).numpy(), wanted) for _ in range(3)) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_forked_child_computes_the_same():
    command = [sys.executable, "-c", FORK]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    assert found.stdout == "7\n", found.stderr
