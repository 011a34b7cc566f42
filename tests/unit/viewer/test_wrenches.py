"""Wrenches along a log: read, in the torques, and as arrows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.errors import JounceError, ShapeError, TableError, UnknownNameError, UnsupportedError
from jounce.tables.log import Log, open_log
from jounce.viewer.wrenches import PARTS, log_wrenches, read_wrenches
from tests.tolerances import ROUNDOFF, assert_close

ARM = jounce.load("planar2r")
TIME = np.linspace(0.0, 2.0, 201)
MOTION = jounce.trajectory.papers_motion(2)(TIME, 3)


def written(path: Path, header: str, rows: np.ndarray) -> Path:
    np.savetxt(path, rows, delimiter=",", header=header, comments="")
    return path


def test_a_table_gives_values_and_rates(tmp_path: Path):
    """What is left out is zero; times in between are those of a spline."""
    t = np.linspace(-0.1, 2.1, 1101)
    rows = np.stack([np.sin(2 * t), t, np.cos(t)], axis=1)
    file = written(tmp_path / "w.csv", "tip[fy],t,tip[mz]", rows)
    (found,) = read_wrenches(file, ARM, TIME).values()
    assert found.shape == (2, 201, 6)
    wanted = np.zeros((2, 201, 6))
    wanted[:, :, PARTS.index("fy")] = np.sin(2 * TIME), 2 * np.cos(2 * TIME)
    wanted[:, :, PARTS.index("mz")] = np.cos(TIME), -np.sin(TIME)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_a_table_on_the_clock_of_the_log(tmp_path: Path):
    """Seconds since 1970 keep all their digits."""
    start = Decimal("1700000000.123456789")
    t = [Decimal(k) / 100 for k in range(-10, 211)]
    lines = [f"{start + x},{2 * x + 1}" for x in t]
    (tmp_path / "w.csv").write_text("\n".join(["t,tip[fx]", *lines]))
    (found,) = read_wrenches(tmp_path / "w.csv", ARM, TIME, start).values()
    np.testing.assert_allclose(found[0, :, 3], 2 * TIME + 1, atol=1e-9)
    np.testing.assert_allclose(found[1, :, 3], 2.0, atol=1e-6)
    (tmp_path / "w.csv").write_text("\n".join(["t,tip[fx]", *(f"{x},1" for x in t)]))
    with pytest.raises(
        TableError, match=r"from -0.1 to 2.1 s, but the log from 1700000000.1234567"
    ):
        read_wrenches(tmp_path / "w.csv", ARM, TIME, start)


@pytest.mark.parametrize(
    ("header", "rows", "match"),
    [
        ("t,tip[fq]", ["0,1", "3,1"], r"FRAME\[mx\]"),
        ("tip[fx],tip[fy]", ["0,1", "3,1"], "columns t"),
        ("t", ["0", "3"], "one of them or more"),
        ("t,hand[fx]", ["0,1", "3,1"], "tip"),
        ("t,tip[fx]", ["0,1", "1,1"], "from 0 to 1 s, but the log from 0 to 2 s"),
        ("t,tip[fx]", [], "8 rows or more; got .* 7 rows"),
        ("t,tip[fx]", ["3,1", "0,1"], "increase"),
        ("t,tip[fx]", ["0,1", "3"], r"w.csv:9: 2 columns, but 1 cells"),
        ("t,tip[fx]", ["0,1", "3,"], r"w.csv:9: tip\[fx\] is '', not a finite number"),
        ("t,tip[fx]", ["0,1", "nan,1"], r"w.csv:9: t is 'nan'"),
    ],
)
def test_what_is_no_table_of_wrenches(tmp_path: Path, header: str, rows: list[str], match: str):
    """The first and the last row are given; without them it is too short."""
    cells = len(header.split(",")) - 1
    between = [f"{k / 10}{',1' * cells}" for k in range(1, 7)]
    lines = [rows[0], *between, rows[1]] if rows else ["0,1", *between]
    (tmp_path / "w.csv").write_text("\n".join([header, *lines]))
    with pytest.raises(JounceError, match=match) as caught:
        read_wrenches(tmp_path / "w.csv", ARM, TIME)
    assert isinstance(caught.value, TableError | UnknownNameError | ValueError)


def log_with_wrenches(path: Path, header: str) -> Log:
    """Return the log of a motion under a force and a moment on the tip."""
    columns = [1000.0 * TIME, *MOTION[0].T, np.sin(2 * TIME), np.cos(TIME)]
    written(path, header, np.stack(columns, axis=1))
    return open_log(ARM, path, order=3, units="ms")


def test_columns_of_the_log_itself(tmp_path: Path):
    """Those of frames that the robot has; the others are ignored, and said to be."""
    log = log_with_wrenches(tmp_path / "log.csv", "t,joint1,joint2,tip[fy],tip[mz]")
    (frame,) = found = log_wrenches(log, log.table().time)
    wanted = np.zeros((2, 201, 6))
    wanted[:, :, PARTS.index("fy")] = np.sin(2 * TIME), 2 * np.cos(2 * TIME)
    wanted[:, :, PARTS.index("mz")] = np.cos(TIME), -np.sin(TIME)
    assert frame == "tip"
    np.testing.assert_allclose(found["tip"], wanted, atol=1e-6)
    assert log.file.ignored == ()
    log = log_with_wrenches(tmp_path / "log.csv", "t,joint1,joint2,hand[fy],tip[mq]")
    assert log_wrenches(log, log.table().time) == {}
    assert log.file.ignored == ("hand[fy]", "tip[mq]")


@pytest.mark.parametrize("representation", ["body", "hybrid", "spatial"])
def test_arrows_and_torques(representation: str):
    pytest.importorskip("viser")
    pytest.importorskip("trimesh")
    W = np.zeros((2, 201, 6))
    W[0, :, 2], W[1, :, 2] = 2.0 * TIME, 2.0
    W[0, :, 3], W[1, :, 3] = 5.0 * TIME, 5.0
    wrench = jounce.Wrench(W, representation)
    view = jounce.viewer.View(ARM, TIME, *MOTION, wrenches={"tip": wrench}, port=8370)
    try:
        view.seek(1.5)
        i = 150
        Q = jounce.inverse_dynamics(ARM, *MOTION, wrenches={"tip": wrench})
        for order in (0, 1):
            assert_close(view._curves[order].values, Q[order], ROUNDOFF)
        (T,) = jounce.frame_pose(ARM, "tip", MOTION[0, i])
        # the wrench about the origin of the frame, in axes of the ground
        hybrid = np.split(W[0, i], 2)
        if representation == "body":
            hybrid = [T[:3, :3] @ part for part in hybrid]
        elif representation == "spatial":
            hybrid[0] = hybrid[0] - np.cross(T[:3, 3], hybrid[1])
        for handle, vector in zip(view._scene._pushes, hybrid, strict=True):
            for arrow in handle.points:
                np.testing.assert_allclose(arrow[0], T[:3, 3], atol=1e-6)
                along = (arrow[1] - arrow[0]) / np.linalg.norm(arrow[1] - arrow[0])
                np.testing.assert_allclose(along, vector / np.linalg.norm(vector), atol=1e-6)
        assert [len(handle.points) for handle in view._scene._pushes] == [2, 1]  # two heads, one
        view.seek(0.0)
        for handle in view._scene._pushes:
            np.testing.assert_allclose(handle.points[:, 0], handle.points[:, 1], atol=1e-6)
    finally:
        view.close()


def test_wrenches_of_another_log():
    pytest.importorskip("viser")
    with pytest.raises(ShapeError, match=r"\(derivatives, 201, 6\)"):
        jounce.viewer.View(ARM, TIME, *MOTION, wrenches={"tip": np.zeros((1, 5, 6))}, port=8371)
    with pytest.raises(UnsupportedError, match="belong to a log"):
        jounce.viewer.View(ARM, wrenches={"tip": np.zeros((1, 5, 6))}, port=8371)
