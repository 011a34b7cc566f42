"""What all adapters share: extras that are missing, and foreign numbers in ordinary functions."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jounce

ROBOT = jounce.load("planar2r")


@pytest.mark.parametrize("name", ["casadi", "jax", "torch"])
def test_a_missing_package_is_named_with_its_extra(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, name, None)
    adapter = getattr(jounce.adapters, name)
    with pytest.raises(jounce.UnsupportedError, match=rf"pip install 'jounce\[{name}\]'"):
        adapter.function(ROBOT, "inverse_dynamics")


def test_importing_the_adapters_imports_none_of_the_packages():
    code = (
        "import sys, jounce\n"
        "for name in ('casadi', 'jax', 'torch'): getattr(jounce.adapters, name).function\n"
        "print(sorted({'casadi', 'jax', 'torch'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("kind", ["SX", "MX"])
def test_symbols_of_casadi_are_sent_to_the_adapter(kind: str):
    casadi = pytest.importorskip("casadi")
    q = getattr(casadi, kind).sym("q", 2)
    for given in (q, [q[0], q[1]]):
        with pytest.raises(jounce.UnsupportedError, match=r"jounce\.adapters\.casadi\.function"):
            jounce.gravity_forces(ROBOT, given)
    with pytest.raises(jounce.UnsupportedError, match=r"q is a .*adapters\.casadi"):
        jounce.integrate(ROBOT, q, [0, 0])
    number = casadi.DM([0.1, 0.2])
    assert jounce.gravity_forces(ROBOT, number.full()[:, 0]).shape == (1, 2)


def test_tracers_are_sent_to_the_adapter():
    jax = pytest.importorskip("jax")
    for transform in (jax.jit, jax.grad, jax.vmap):
        with pytest.raises(jounce.UnsupportedError, match=r"jounce\.adapters\.jax\.function"):
            transform(lambda q: jounce.gravity_forces(ROBOT, q).sum())(np.ones(2))
    assert jounce.gravity_forces(ROBOT, jax.numpy.ones(2)).shape == (1, 2)  # numbers pass


def test_tensors_with_gradient_are_sent_to_the_adapter():
    torch = pytest.importorskip("torch")
    q = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(jounce.UnsupportedError, match=r"jounce\.adapters\.torch\.function"):
        jounce.gravity_forces(ROBOT, q)
    assert jounce.gravity_forces(ROBOT, q.detach()).shape == (1, 2)
