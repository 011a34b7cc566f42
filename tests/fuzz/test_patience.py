"""Large input that is no attack: done within the patience of the mutants."""

from __future__ import annotations

from pathlib import Path

import pytest

import jounce
from tests.fuzz.rule import patience

BOX = jounce.Inertia(1.0, (0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def test_a_robot_of_ten_thousand_links():
    with patience():
        builder = jounce.RobotBuilder("tree")
        for k in range(10_000):
            parent = f"link{(k - 1) // 2}" if k else None
            builder.add(
                f"link{k}", joint=jounce.joints.revolute((0, 0, 1)), inertia=BOX, parent=parent
            )
        assert builder.build().nv == 10_000


def test_five_thousand_bodies_without_a_name(tmp_path: Path):
    pytest.importorskip("mujoco")
    body = '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    path = tmp_path / "many.xml"
    path.write_text(f"<mujoco><worldbody>{body * 5000}</worldbody></mujoco>")
    with patience():
        assert jounce.load(path).nv == 5000


def test_a_file_of_comments_that_never_end(tmp_path: Path):
    for name in ("arm.urdf", "arm.xml", "arm.xacro"):
        path = tmp_path / name
        path.write_text("<!--" * 200_000)
        with patience():
            try:
                jounce.load(path)
            except jounce.JounceError:
                continue
        raise AssertionError(f"{name} was taken")
