"""Closures of MJCF files against MuJoCo, whose equalities are stiff springs: to their accuracy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

import jounce  # noqa: E402

pytestmark = pytest.mark.usefixtures("interpreted")

STIFF = 'solref="0.002 1" solimp="0.99999 0.99999 1e-6"'
ACCURACY = 1e-3  # of scale: what an impedance of 0.99999 leaves
LINK = '<geom type="capsule" fromto="0 0 0 {} 0 0" size="0.02" mass="{}" contype="0" '
LINK += 'conaffinity="0"/>'


def fourbar(equality: str, extra: str = "") -> str:
    """Return a four-bar in the x-y plane that is closed at qpos0, with this equality."""
    return f"""<mujoco><option gravity="0 -9.81 0"/><worldbody>
      <body name="crank" euler="0 0 60"><joint name="j1" axis="0 0 1"/>{LINK.format(0.2, 0.4)}
        <body name="coupler" pos="0.2 0 0" euler="0 0 -60"><joint name="j2" axis="0 0 1"/>
          {LINK.format(0.5, 0.8)}<site name="end" pos="0.5 0 0"/></body></body>
      <body name="rocker" pos="0.5 0 0" euler="0 0 60"><joint name="j3" axis="0 0 1"/>
        {LINK.format(0.2, 0.6)}<site name="top" pos="0.2 0 0"/>{extra}</body>
    </worldbody><equality>{equality}</equality></mujoco>"""


CONNECTS = {
    "anchor": f'<connect name="pin" body1="coupler" body2="rocker" anchor="0.5 0 0" {STIFF}/>',
    "sites": f'<connect name="pin" site1="end" site2="top" {STIFF}/>',
}


@pytest.mark.parametrize("kind", CONNECTS)
def test_connect(tmp_path: Path, kind: str):
    path = tmp_path / "fourbar.xml"
    path.write_text(fourbar(CONNECTS[kind]))
    robot = jounce.load(path)
    (closure,) = robot.closures
    assert closure.directions == "vx vy vz"
    q = robot.neutral
    assert np.abs(jounce.closure_error(robot, q)).max() < 1e-12
    v = jounce.closed_rates(robot, q, [1.5], independent="j1")[0]
    Q = np.array([0.3, -0.1, 0.2])
    a, force = jounce.constrained_forward_dynamics(robot, q, v, Q)
    wanted = acceleration(path, q, v, Q)
    assert np.abs(a[0] - wanted).max() < ACCURACY * np.abs(wanted).max()
    assert np.abs(force).max() > 0.1


def test_weld(tmp_path: Path):
    """A block on a free joint, welded to the rocker off its origin and turned: one body more."""
    block = '<body name="block" pos="0.7 0.1 0" euler="0 0 25"><freejoint/>'
    block += '<geom type="box" size="0.1 0.05 0.02" mass="0.5" contype="0" conaffinity="0"/></body>'
    text = fourbar(f'<weld name="glue" body1="rocker" body2="block" {STIFF}/>')
    path = tmp_path / "weld.xml"
    path.write_text(text.replace("</worldbody>", f"{block}</worldbody>"))
    robot = jounce.load(path)
    q = mujoco_start(path, robot)
    assert np.abs(jounce.closure_error(robot, q)).max() < 1e-12
    v = jounce.closed_rates(robot, q, [1.0, 0.5, -2.0], independent=["j1", "j2", "j3"])[0]
    Q = np.zeros(robot.nv)
    a, _ = jounce.constrained_forward_dynamics(robot, q, v, Q)
    wanted = acceleration(path, q, v, Q)
    assert np.abs(a[0][:3] - wanted[:3]).max() < ACCURACY * np.abs(wanted[:3]).max()


def mujoco_start(path: Path, robot: jounce.Robot) -> np.ndarray:
    """Return qpos0 with quaternions x y z w."""
    q = mujoco.MjModel.from_xml_path(str(path)).qpos0.copy()
    for part in robot.quaternions:
        q[part] = np.roll(q[part], -1)
    return q


def acceleration(path: Path, q: np.ndarray, v: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Return MuJoCo's acceleration; the free block moves by v in the world, then ω."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[: len(q)] = q
    data.qvel[:] = v
    data.qfrc_applied[:] = Q
    if model.nq != model.nv:
        data.qpos[-4:] = np.roll(q[-4:], 1)
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, data.qpos[-4:])
        data.qvel[-6:] = [*(R.reshape(3, 3) @ v[-3:]), *v[-6:-3]]
    mujoco.mj_forward(model, data)
    return data.qacc.copy()
