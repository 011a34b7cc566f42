"""Parameters in the order of other programs and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.adapters import parameter_order as order

OURS = ["m", "x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz"]
PINOCCHIO = ["m", "x", "y", "z", "xx", "xy", "yy", "xz", "yz", "zz"]
SPATIAL_V2 = ["m", "x", "y", "z", "xx", "yy", "zz", "yz", "xz", "xy"]
PAIRS = [
    (order.to_pinocchio, order.from_pinocchio, PINOCCHIO),
    (order.to_spatial_v2, order.from_spatial_v2, SPATIAL_V2),
]


@pytest.mark.parametrize(("to", "back", "names"), PAIRS)
def test_order(to: Callable[..., Any], back: Callable[..., Any], names: list[str]) -> None:
    ours = np.arange(10.0)
    theirs = np.array([float(OURS.index(name)) for name in names])
    assert to(ours).tolist() == theirs.tolist()
    assert back(theirs).tolist() == ours.tolist()


@pytest.mark.parametrize(("to", "back", "names"), PAIRS)
def test_bodies_and_batches(
    to: Callable[..., Any], back: Callable[..., Any], names: list[str]
) -> None:
    values = np.arange(2 * 3 * 30.0).reshape(2, 3, 30)
    bodies = [2, 0, 1]
    theirs = to(values, bodies=bodies)
    assert theirs[0, 0, 0] == 20.0  # the mass of our body 2 comes first
    assert np.array_equal(back(theirs, bodies=bodies), values)
    assert np.array_equal(back(to(values)), values)


def test_pinocchio_agrees() -> None:
    pin = pytest.importorskip("pinocchio")
    panda = jounce.load("panda")
    pi = order.to_pinocchio(jounce.parameters(panda)).reshape(-1, 10)
    for body, own in zip(panda.bodies, pi, strict=True):
        com, about_com = np.array(body.inertia.com), np.array(body.inertia.rotational)
        wanted = pin.Inertia(body.inertia.mass, com, about_com).toDynamicParameters()
        assert np.allclose(own, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("to", "back", "names"), PAIRS)
@pytest.mark.parametrize("shape", [(0, 20), (3, 0), (0,), (2, 0, 10)])
def test_nothing(
    to: Callable[..., Any], back: Callable[..., Any], names: list[str], shape: tuple[int, ...]
) -> None:
    assert to(np.zeros(shape)).shape == back(np.zeros(shape)).shape == shape


def test_errors() -> None:
    with pytest.raises(jounce.ShapeError, match="ten a body"):
        order.to_pinocchio(np.zeros(11))
    with pytest.raises(jounce.ArgumentError, match="each of the 2 bodies"):
        order.from_spatial_v2(np.zeros(20), bodies=[0, 0])
    for bad in ([0.5, 1], ["0", "1"], [0], 0, [0, 2], [[0], [1, 2]], [{}, 1], [[0], [1]]):
        with pytest.raises(jounce.ArgumentError, match="each of the 2 bodies"):
            order.to_pinocchio(np.zeros(20), bodies=bad)  # type: ignore[arg-type]
