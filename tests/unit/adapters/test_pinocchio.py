"""Places of Pinocchio's coordinates among ours, for models that Pinocchio has read itself."""

from __future__ import annotations

import pytest

pin = pytest.importorskip("pinocchio")

import jounce  # noqa: E402
from jounce.adapters.pinocchio import pinocchio_order  # noqa: E402

LINK = (
    "<inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
)
LIMIT = "<limit effort='1' velocity='1' lower='-1' upper='1'/>"


def urdf(kind: str) -> str:
    """Return a base with two joints of this kind, in the other order than that of their names."""
    links = "".join(f"<link name='{name}'>{LINK}</link>" for name in ("base", "right", "left"))
    joints = "".join(
        f"<joint name='{name}_joint' type='{kind}'><parent link='base'/><child link='{name}'/>"
        f"<axis xyz='0 0 1'/>{LIMIT}</joint>"
        for name in ("right", "left")
    )
    return f"<robot name='walker'>{links}{joints}</robot>"


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_order_of_a_model_that_was_read(tmp_path, kind: str) -> None:
    path = tmp_path / "walker.urdf"
    path.write_text(urdf(kind), encoding="utf-8")
    robot = jounce.load(path, floating_base=True)
    order = pinocchio_order(robot, pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()))
    if kind == "continuous":  # an angle here, its cosine and sine there
        assert order is None
        return
    assert order is not None
    assert order[0].tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 7]
    assert order[1].tolist() == [3, 4, 5, 0, 1, 2, 7, 6]
