"""Fixtures for every test."""

from __future__ import annotations

import signal
import zlib
from functools import lru_cache

import numpy as np
import pytest

# Programs that tests start and interrupt would inherit it from a shell that runs in the background.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Return random numbers that are the same in every run and different in every test."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute with the interpreter: for tests of many robots with one sample each.

    The kernels of such a test are its own, so that no other test meets an interpreted one.
    """
    from jounce.adapters import jax, rules
    from jounce.kernels import kernel as kernels

    key_of = jax.key_of
    monkeypatch.setattr(jax, "key_of", lambda *parts: key_of("interpreted", *parts))

    monkeypatch.setenv("JOUNCE_INTERPRET", "1")
    monkeypatch.setattr(kernels, "_kernel", lru_cache(kernels.Kernel))
    monkeypatch.setattr(rules, "_bound", lru_cache(rules.Bound))
    monkeypatch.setattr("jounce.api.call._called", {})
