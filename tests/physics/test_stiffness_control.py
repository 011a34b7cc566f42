"""Drives of variable stiffness under feedback: placed poles, tracked stiffness, closed energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import jounce
from jounce.elastic import Antagonistic, TrackingController, VariableStiffness
from jounce.elastic.variable_stiffness import StiffnessDrives
from jounce.errors import ArgumentError
from jounce.simulation import taylor
from tests.elastic_swing import ARM, STIFFNESS, SWING
from tests.tolerances import assert_close

POLES = np.array([-8.0, -9.0, -10.0 + 4.0j, -10.0 - 4.0j])
STIFFNESS_POLES = np.array([-6.0, -7.0])
GAIN, T = 200.0, 1e-3
DRIVES = [
    VariableStiffness(ARM, 0.1, adjuster_inertia=0.02, gain=GAIN),
    Antagonistic(ARM, GAIN, 0.1),
]
IDS = ["variable", "antagonistic"]


def control_of(drives: StiffnessDrives, sample_time: float | None = None, **more: Any) -> Any:
    wanted = {"stiffness": STIFFNESS, "stiffness_poles": STIFFNESS_POLES}
    return TrackingController(drives, SWING, POLES, sample_time, **(wanted | more))


def wrong_start(drives: StiffnessDrives) -> tuple[np.ndarray, ...]:
    """Return a state 20 % off the plan in motion and stiffness."""
    return drives.state(1.2 * STIFFNESS(0.0, order=2), *(1.2 * SWING(0.0, order=4)))


def placed(poles: np.ndarray, error: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the error that obeys Π (d/dt − p) e = 0."""
    A = np.eye(len(poles), k=1)
    A[-1] = -np.poly(poles).real[:0:-1]
    return np.array([(expm(A * t) @ error)[0] for t in times])


@pytest.mark.parametrize("drives", DRIVES, ids=IDS)
def test_the_poles_are_where_they_were_placed(drives: StiffnessDrives):
    """q⁽⁴⁾ and K'' of the closed loop are what the error laws ask for, whatever the state."""
    t, state = 0.3, wrong_start(drives)
    torque = control_of(drives)(t, *state)
    a, j, q4, *_ = drives.series(*state, np.array([torque, 0 * torque, 0 * torque]))
    *_, K, K1 = drives.flat_state(*state)
    _, *motors = drives.forward_dynamics(*state, torque)
    _, sigma2 = drives.common(*motors)
    wanted, stiffness = SWING(t, order=4), STIFFNESS(t, order=2)
    gains, stiffness_gains = np.poly(POLES).real[:0:-1], np.poly(STIFFNESS_POLES)[:0:-1]
    errors = wanted[:4] - np.array([state[0], state[1], a, j])
    assert_close(q4, wanted[4] + np.tensordot(gains, errors, 1), 1e-9)
    errors = stiffness[:2] - np.array([K, K1])
    assert_close(GAIN * sigma2, stiffness[2] + np.tensordot(stiffness_gains, errors, 1), 1e-9)


@pytest.mark.parametrize("drives", DRIVES, ids=IDS)
def test_motion_and_stiffness_are_tracked_and_the_energy_closes(drives: StiffnessDrives):
    """Held torques cost second order of the sample time; their work is torque times angle."""
    state, times = wrong_start(drives), np.linspace(0.0, 0.5, 6)
    found = taylor(
        drives, state, t=(0.0, 0.5), controller=control_of(drives, T), sample_time=T, order=8
    )
    names = drives.state_names
    x = found(times)
    error = 0.2 * SWING(0.0, order=3)
    assert_close(x["q"] - SWING(times, order=0)[0], placed(POLES, error, times), 0.01)
    _, sigma = drives.common(x[names[2]], x[names[4]])
    error = 0.2 * STIFFNESS(0.0, order=1)
    wanted = placed(STIFFNESS_POLES, error, times)
    assert_close(GAIN * sigma - STIFFNESS(times, order=0)[0], wanted, 0.01)
    x = found.states
    energy = _energy(drives, x)
    angles = np.concatenate([x[names[2]], x[names[4]]], axis=1)
    work = np.cumsum(np.sum(found.forces * np.diff(angles, axis=0), axis=1))
    assert_close(energy[1:] - energy[0], work, 1e-12, scale=np.abs(energy).max())


def _energy(drives: StiffnessDrives, x: dict[str, np.ndarray]) -> np.ndarray:
    names, J = drives.state_names, (0.1, 0.02 if isinstance(drives, VariableStiffness) else 0.1)
    q, v, first, first1, second, second1 = (x[name] for name in names)
    motors = 0.5 * np.sum(J[0] * first1**2 + J[1] * second1**2, axis=1)
    if isinstance(drives, VariableStiffness):
        springs = 0.5 * GAIN * second * (first - q) ** 2
    else:
        springs = GAIN / 6.0 * ((first - q) ** 3 + (q - second) ** 3)
    links = jounce.kinetic_energy(ARM, q, v)[0] + jounce.potential_energy(ARM, q, v)[0]
    return links + motors + springs.sum(axis=1)


def test_what_a_controller_needs():
    variable, elastic = DRIVES[0], jounce.elastic.SeriesElastic(ARM, 500.0, 0.1)
    for missing in ({"stiffness": None}, {"stiffness_poles": None}):
        with pytest.raises(ArgumentError, match="drives of variable stiffness need"):
            control_of(variable, **missing)
    with pytest.raises(ArgumentError, match="others neither"):
        TrackingController(elastic, SWING, POLES, stiffness=STIFFNESS, stiffness_poles=[-1, -2])
    with pytest.raises(ArgumentError, match="stiffness_poles must be two numbers"):
        control_of(variable, stiffness_poles=[-1.0])
    with pytest.raises(ArgumentError, match="conjugate pairs"):
        control_of(variable, stiffness_poles=[-1.0 + 1j, -1.0])
