"""Inverse kinematics: poses solved against roboticstoolbox, rates against M20's algorithm 2."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import jounce
from jounce.literature.chain import from_robot
from jounce.literature.m20_inverse_kinematics import inverse_kinematics as algorithm_2
from jounce.model.robot import Robot

POSES = 1000
PEER_POSES = 200
SAMPLES = 100_000
LITERAL_SAMPLES = 200


def run(console: Console) -> None:
    for robot, frame in _arms():
        _poses(console, robot, frame)
    _rates(console)


def _arms() -> list[tuple[Robot, str]]:
    arms = [(jounce.load("iiwa14"), "flange"), (jounce.load("panda"), "flange")]
    try:
        data = distribution("example-robot-data")
    except PackageNotFoundError:
        return arms
    place = Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    panda = jounce.load(place / "panda_description/urdf/panda.urdf", strict=False)
    ur5 = jounce.load(place / "ur_description/urdf/ur5_robot.urdf", strict=False)
    return [arms[0], (panda, "panda_hand"), (ur5, "tool0")]


def _poses(console: Console, robot: Robot, frame: str) -> None:
    """Solve random reachable poses, 1e-8 within the limits, and let the peer do some of them."""
    rng = np.random.default_rng(1)
    q = np.array([robot.random_configuration(rng) for _ in range(POSES)])
    goals = jounce.frame_pose(robot, frame, q)[0]
    jounce.inverse_kinematics(robot, frame, goals[:2])
    found = jounce.inverse_kinematics(robot, frame, goals)
    ours = _median(lambda: jounce.inverse_kinematics(robot, frame, goals), 7) / POSES
    solved = np.mean(found.converged & (found.error < 1e-8))
    line = f"{robot.name}: {solved:.1%} of {POSES} poses solved, {1e6 * ours:.0f} µs a pose"
    peer = _peer(robot, frame, goals[:PEER_POSES])
    if peer is None:
        console.print(f"{line}; no peer: pip install roboticstoolbox-python", markup=False)
        return
    rate, theirs = peer
    console.print(
        f"{line}; roboticstoolbox ikine_LM {rate:.1%} of {PEER_POSES}, {1e6 * theirs:.0f} µs: "
        f"{theirs / ours:.0f} times slower",
        markup=False,
    )


def _peer(robot: Robot, frame: str, goals: np.ndarray) -> tuple[float, float] | None:
    """Return success rate and seconds a pose of `ikine_LM` with limits, on the same kinematics."""
    try:
        from roboticstoolbox import ET, ETS  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    chain = ETS()
    for body, joint in _chain(robot, frame):
        axis = np.array(joint.type.axes[0])
        turn = [ET.Rx, ET.Ry, ET.Rz][int(np.argmax(np.abs(axis)))]
        flip = bool(axis.sum() < 0)
        limits = [joint.limits.lower[0], joint.limits.upper[0]]
        chain = chain * ET.SE3(np.array(body.placement.matrix())) * turn(flip=flip, qlim=limits)
    chain = chain * ET.SE3(np.array(robot.frame(frame).placement.matrix()))
    begin = time.perf_counter()
    found = [chain.ikine_LM(T, tol=1e-16, joint_limits=True, seed=0) for T in goals]
    seconds = time.perf_counter() - begin
    moving = [joint.q_slice.start for _, joint in _chain(robot, frame)]
    q = np.tile(robot.neutral, (len(goals), 1))
    q[:, moving] = [solution.q for solution in found]
    error = np.abs(jounce.frame_pose(robot, frame, q)[0] - goals).max(axis=(1, 2))
    return float(np.mean([s.success for s in found] & (error < 1e-7))), seconds / len(goals)


def _chain(robot: Robot, frame: str) -> list[tuple[Any, Any]]:
    """Return bodies and joints from the ground to the frame."""
    pairs, i = [], robot.frame(frame).body
    while i >= 0:
        pairs.append((robot.bodies[i], robot.joints[i]))
        i = robot.parents[i]
    return pairs[::-1]


def _rates(console: Console) -> None:
    """Fourth-order rates of a 7-joint arm, one joint prescribed, as algorithm 2 needs it."""
    robot = jounce.load("iiwa14")
    bare = [replace(j, armature=(0.0,), damping=(0.0,)) for j in robot.joints]
    robot = replace(robot, joints=tuple(bare))
    rng = np.random.default_rng(0)
    q = np.array([0.1, 0.5, 0.2, -1.0, 0.3, 0.8, 0.1]) + 0.05 * rng.normal(size=(SAMPLES, 7))
    rates = rng.normal(size=(4, SAMPLES, 7))
    V = jounce.frame_twist(robot, "link7", q, *rates, representation="spatial")
    options: dict[str, Any] = {"representation": "spatial", "independent": "joint3"}

    def ours() -> np.ndarray:
        return jounce.inverse_kinematics_rates(robot, "link7", q, *V, null_space=rates, **options)

    chain, few = from_robot(robot), range(LITERAL_SAMPLES)
    got = ours()
    begin = time.perf_counter()
    wanted = np.array([algorithm_2(chain, q[i], V[:, i], (2,), rates[:, i]) for i in few])
    literal = (time.perf_counter() - begin) / LITERAL_SAMPLES
    error = np.abs(np.moveaxis(wanted, 0, 1) - got[:, few]).max() / np.abs(wanted).max()
    fast = _median(ours, 5) / SAMPLES
    console.print(
        f"rates to fourth order, {SAMPLES} samples of {robot.name}: {1e6 * fast:.2f} µs a sample, "
        f"{literal / fast:.0f} times faster than a NumPy loop over algorithm 2 "
        f"({1e6 * literal:.0f} µs); they differ by {error:.1g}",
        markup=False,
    )


def _median(action: Callable[[], object], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begin)
    return float(np.median(seconds))
