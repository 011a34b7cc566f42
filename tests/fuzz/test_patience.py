"""Large input that is no attack: done within the patience of the mutants."""

from __future__ import annotations

from pathlib import Path

import jounce
from tests.fuzz.cases import patience

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
