"""Classic and Slotine-Li regressors against spatial_v2_extended."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.adapters.parameter_order import from_spatial_v2
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close

NAMES = ("kuka_steiner", "panda_authors", "panda_gaz", "planar2R", "tree6_open")
pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.parametrize("name", NAMES)
def test_classic(name: str) -> None:
    got = jounce.regressor(oracle.robot(name), *oracle.motion(name, rates=2))[0]
    wanted = oracle.other(name, "spatial_v2_extended", "regressor")
    assert_close(got, from_spatial_v2(wanted), INDEPENDENT)


@pytest.mark.parametrize("name", NAMES)
def test_slotine_li(name: str) -> None:
    q, v, *_ = oracle.motion(name)
    v_r, a_r, Y = (
        oracle.other(name, "spatial_v2_extended", "slotine_li", key)
        for key in ("qd_r", "qdd_r", "Y")
    )
    robot = oracle.robot(name)
    got = jounce.slotine_li_regressor(robot, q, v, v_r, a_r, "christoffel")
    assert_close(got, from_spatial_v2(Y), INDEPENDENT)


@pytest.mark.parametrize("name", oracle.NAMES)
def test_time_derivatives(name: str) -> None:
    """Parameters do not change, so ``Y⁽ᵏ⁾ π`` are the derivatives of the 34-digit reference."""
    robot = oracle.robot(name)
    got = jounce.regressor(robot, *oracle.motion(name, rates=6)) @ jounce.parameters(robot)
    wanted = np.moveaxis(oracle.exact(name, "Q"), 1, 0)
    for k in range(5):
        assert_close(got[k], wanted[k], INDEPENDENT, what=f"order {k}")
