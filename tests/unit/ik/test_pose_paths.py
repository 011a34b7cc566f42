"""Paths of a pose: smooth, through the poses, with true twists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.algebra.rigid import pose_exponential
from jounce.ik import PoseSpline, ScrewMotions, read_poses
from jounce.trajectory import TableError
from tests.tolerances import assert_close

TIMES = np.array([0.0, 0.7, 1.5, 2.0])


def poses(rng: np.random.Generator, n: int = 4) -> np.ndarray:
    steps = pose_exponential(rng.normal(size=(n, 6)) * 0.6)
    for k in range(1, n):
        steps[k] = steps[k - 1] @ steps[k]
    return steps


@pytest.mark.parametrize("kind", [PoseSpline, ScrewMotions])
def test_twists_are_derivatives_of_the_pose(kind: Any, rng: np.random.Generator):
    T = poses(rng)
    path = kind(TIMES, T)
    assert (path.start, path.end) == (0.0, 2.0)
    assert_close(path(TIMES)[0], T, 1e-12)
    t, h = np.array([[0.1, 0.6], [1.2, 1.9]]), 1e-5
    pose, V = path(t)
    assert pose.shape == (2, 2, 4, 4)
    assert V.shape == (4, 2, 2, 6)
    rate = np.linalg.solve(pose, (path(t + h)[0] - path(t - h)[0]) / (2 * h))
    seen = np.stack([rate[..., 2, 1], rate[..., 0, 2], rate[..., 1, 0]], axis=-1)
    assert_close(V[0], np.concatenate([seen, rate[..., :3, 3]], axis=-1), 1e-7)
    for k in range(3):
        slope = (path(t + h)[1][k] - path(t - h)[1][k]) / (2 * h)
        assert_close(V[k + 1], slope, 1e-5, what=f"order {k + 1}")


def test_both_start_and_end_at_rest(rng: np.random.Generator):
    T = poses(rng)
    _, V = ScrewMotions(TIMES, T)(TIMES)
    assert np.abs(V).max() < 1e-9
    _, V = PoseSpline(TIMES, T)(TIMES[[0, -1]])
    assert np.abs(V[:2]).max() < 1e-9
    assert np.abs(V[2]).max() > 1e-3


@pytest.mark.parametrize("kind", [PoseSpline, ScrewMotions])
def test_four_derivatives_are_continuous(kind: Any, rng: np.random.Generator):
    path = kind(TIMES, poses(rng))
    before, after = path(TIMES[1] - 1e-9)[1], path(TIMES[1] + 1e-9)[1]
    scale = np.abs(path(np.linspace(0, 2, 50))[1]).max(axis=(1, 2))
    for k in range(4):
        assert_close(after[k], before[k], 1e-6, scale=scale[k], what=f"order {k}")


@pytest.mark.parametrize("axis", np.eye(3))
def test_several_turns(axis: np.ndarray):
    """Signs of quaternions change on the way: the spline still turns on, at constant speed."""
    times = np.arange(31.0)
    turned = pose_exponential(np.outer(0.7 * times, [*axis, 0, 0, 0]))
    t = np.linspace(0, 30, 91)
    pose, V = PoseSpline(times, turned, ends="free")(t)
    assert_close(pose, pose_exponential(np.outer(0.7 * t, [*axis, 0, 0, 0])), 1e-4)
    assert_close(V[0, :, :3], np.tile(0.7 * axis, (91, 1)), 1e-3)


def test_a_screw_keeps_its_axis():
    end = pose_exponential(np.array([0, 0, 1.0, 0, 0, 0.5]))
    path = ScrewMotions([0, 1], [np.eye(4), end])
    pose, V = path(0.5)
    assert_close(pose, pose_exponential(np.array([0, 0, 0.5, 0, 0, 0.25])), 1e-12)
    assert_close(V[0] / V[0, 2], [0, 0, 1, 0, 0, 0.5], 1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        (([0.0], [np.eye(4)]), {}, "n ≥ 2"),
        (([0.0, 0.0], [np.eye(4)] * 2), {}, "increase"),
        (([0.0, 1.0], [np.eye(4)] * 2), {"ends": "free"}, "needs 6 poses"),
        (([0.0, 1.0], [np.eye(4)] * 2), {"degree": 4}, "degree"),
        (([0.0, 1.0], [np.eye(4), np.diag([-1.0, -1, 1, 1])]), {}, "120°"),
    ],
)
def test_bad_paths(arguments: Any, options: Any, match: str):
    with pytest.raises((jounce.errors.ArgumentError, jounce.ShapeError), match=match):
        PoseSpline(*arguments, **options)


def test_poses_from_a_file(tmp_path: Path):
    file = tmp_path / "path.csv"
    file.write_text("t,qw,qx,qy,qz,x,y,z\n0,1,0,0,0,1,2,3\n\n1,0,1,0,0,4,5,6\n", encoding="utf-8")
    times, T = read_poses(file)
    assert times.tolist() == [0.0, 1.0]
    assert T[0, :3, 3].tolist() == [1.0, 2.0, 3.0]
    assert_close(T[1, :3, :3], np.diag([1.0, -1.0, -1.0]), 1e-15)
    for text, where in (
        ("t,x\n0,1\n", ":1: a path has one column each"),
        ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,2\n", ":2: the quaternion"),
        ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,one\n", ":2: expected 8 finite"),
        ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n", "two poses"),
        ("", ":1: a path has"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(TableError, match=where):
            read_poses(file)
