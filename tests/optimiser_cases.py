"""Robots and motions to test the adapters with, and our partials by every number of q."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import jounce
from tests.example_robots import urdf

CASES = ("panda.urdf", "floating", "tree")


def case(name: str) -> jounce.Robot:
    """Return an industrial arm, one on a floating base, or a tree of every joint kind."""
    if name == "panda.urdf":
        return jounce.load(urdf("panda_description/urdf/panda.urdf"))
    if name == "floating":
        return jounce.load("planar2r", floating_base=True)
    return jounce.examples.random_tree(
        np.random.default_rng(5), 5, ("spherical", "mimic", "helical")
    )


def motion(robot: jounce.Robot, rng: np.random.Generator, rates: int) -> list[np.ndarray]:
    """Return q and some rates."""
    return [robot.random_configuration(rng), *rng.normal(size=(rates, robot.nv))]


def force_jacobian(robot: jounce.Robot, *state: np.ndarray) -> np.ndarray:
    """Return ∂Q⁽ᵏ⁾/∂(q, v, a, …) from the analytic partials, ``(K − 1, nv, nq + K nv)``.

    By the numbers of q, on which unit quaternions lie: ``∂Q/∂q = P Γ⁺``, where ``dq/dt = Γ v``,
    and Q does not change along the length of a quaternion.
    """
    P = jounce.inverse_dynamics_partials(robot, *state)
    rows = jounce.configuration_rate(robot, np.tile(state[0], (robot.nv, 1)), np.eye(robot.nv))
    by_q = P[:, 0] @ np.linalg.pinv(rows.T)
    return np.concatenate([by_q, *np.moveaxis(P[:, 1:], 1, 0)], axis=-1)


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run ``work(0), work(1), …`` in as many threads; return the results or raise."""
    results: list[Any] = [None] * count

    def run(k: int) -> None:
        try:
            results[k] = work(k)
        except BaseException as error:
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
