"""The viewer in a real browser: bodies stand where the kinematics put them, sliders answer."""

from __future__ import annotations

import json
import sys
import time as clock
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jounce
from jounce.report import default_motion

if sys.platform == "win32":
    pytest.skip("Chromium is driven over POSIX pipes", allow_module_level=True)

from tests.browser.chromium import chromium, executable

if TYPE_CHECKING:
    from jounce.viewer import View
    from tests.browser.chromium import Page

pytest.importorskip("viser")
pytest.importorskip("trimesh")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(executable() is None, reason="no chromium on this machine"),
]

TIME = np.linspace(0.0, 4.0, 401)
# React tells a debugger about its roots; that of three.js holds the scene.
HOOK = """
window.roots = new Set();
window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {renderers: new Map(), supportsFiber: true, inject: () => 1,
  checkDCE() {}, onScheduleFiberRoot() {}, onCommitFiberUnmount() {}, onPostCommitFiberRoot() {},
  onCommitFiberRoot(_, root) { window.roots.add(root); }};
window.scene = () => [...window.roots].map(r => r.containerInfo?.getState?.())
  .find(s => s?.scene)?.scene;
window.placed = () => { const found = []; window.scene()?.traverse(o => {
  if (o.type === 'Group') found.push([...o.position.toArray(), ...o.quaternion.toArray()]); });
  return found; };
"""
HARMLESS = ("THREE.Clock", "GPU stall")  # viser's own: a deprecation, and software rendering


def arm(tmp_path: Path) -> jounce.Robot:
    """Return two links with shapes of each kind, a mesh among them."""
    import trimesh

    trimesh.creation.box((0.1, 0.1, 0.4)).export(tmp_path / "upper.stl")
    text = """<robot name="arm"><material name="red"><color rgba="0.8 0.1 0.1 1"/></material>
    <link name="base"><visual><geometry><cylinder radius="0.1" length="0.05"/></geometry></visual>
    </link>
    <link name="upper"><visual><origin xyz="0 0 0.2"/><material name="red"/>
      <geometry><mesh filename="upper.stl"/></geometry></visual>
      <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="lower"><visual><origin xyz="0 0 0.15"/><geometry><box size="0.06 0.06 0.3"/>
      </geometry></visual><inertial><origin xyz="0 0 0.15"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
      <origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
      <limit lower="-2" upper="2" effort="12" velocity="3"/></joint>
    <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
      <origin xyz="0 0 0.4" rpy="0.3 0 0"/><axis xyz="0 1 0"/>
      <limit lower="-2" upper="2" effort="4" velocity="3"/></joint></robot>"""
    (tmp_path / "arm.urdf").write_text(text)
    return jounce.load(tmp_path / "arm.urdf")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """Return a viewer with a log."""
    robot = arm(tmp_path_factory.mktemp("arm"))
    W = np.zeros((2, TIME.size, 6))
    W[0, :, 1], W[0, :, 3] = 2.0, 10.0
    motion = default_motion(robot, TIME, 3)
    view = jounce.viewer.View(robot, TIME, *motion, wrenches={"lower": W}, port=8310)
    yield view
    view.close()


@pytest.fixture(scope="module")
def opened(shown: View) -> Iterator[Page]:
    """Return a page that shows it, opened once."""
    with chromium(1400, 900, webgl=True) as page:
        page.send("Page.addScriptToEvaluateOnNewDocument", source=HOOK)
        page.send("Page.navigate", url=shown.url)
        until(lambda: len(page.evaluate("window.placed()")) > 10)
        until(lambda: page.evaluate("document.querySelectorAll('canvas').length") > 1)
        yield page


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    """Return the page; after the test nothing may have failed, nor left this machine."""
    yield opened
    opened.settle()
    assert [e for e in opened.errors if not any(known in e for known in HARMLESS)] == []
    local = ("http://localhost:8310/", "ws://localhost:8310/", "data:", "blob:http://localhost")
    assert [x for x in opened.requests if not x.startswith(local)] == []


def until(holds: Callable[[], Any], seconds: float = 30.0) -> None:
    end = clock.monotonic() + seconds
    while not holds():
        assert clock.monotonic() < end, "waited in vain"
        clock.sleep(0.1)


def placed(page: Page) -> np.ndarray:
    """Return the poses of all groups of the scene, relative to the group above them."""
    rows = np.array(page.evaluate("window.placed()"))
    x, y, z, w = rows[:, 3:].T
    T = np.zeros((len(rows), 4, 4))
    T[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], 1)
    T[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], 1)
    T[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], 1)
    T[:, :3, 3], T[:, 3, 3] = rows[:, :3], 1.0
    return T


def stands(page: Page, robot: jounce.Robot, q: np.ndarray) -> bool:
    """Tell whether every body has a group with its pose."""
    found, (wanted,) = placed(page), jounce.poses(robot, q)
    return all(np.abs(found - T).max(axis=(1, 2)).min() < 1e-6 for T in wanted)


def curves(page: Page) -> str:
    """Return the pictures of all plots."""
    return page.evaluate("JSON.stringify([...document.querySelectorAll('.u-wrap canvas')]"
                         ".map(c => c.toDataURL()))")  # fmt: skip


def press(page: Page, text: str) -> None:
    """Click on the tab or button of this name."""
    found = (
        "[...document.querySelectorAll('*')].filter(e => !e.children.length && e.offsetParent && "
        f"e.textContent.trim() === {json.dumps(text)})"
    )
    until(lambda: page.evaluate(f"{found}.length > 0"), 10.0)
    box = page.evaluate(f"{found}[0].getBoundingClientRect().toJSON()")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, x, y, button="left", clickCount=1)
    page.settle()


def test_bodies_stand_where_the_kinematics_put_them(shown: View, page: Page, tmp_path: Path):
    q = default_motion(shown.robot, TIME, 3)[0]
    for t in (1.0, 2.5):
        shown.seek(t)
        until(lambda t=t: stands(page, shown.robot, q[round(100 * t)]), 10.0)
    assert not stands(page, shown.robot, q[0])
    clock.sleep(3.0)  # viser lets the scene appear slowly
    page.keep(tmp_path / "viewer_1400.png")


def test_time_moves_the_curves_and_play_moves_the_robot(shown: View, page: Page):
    shown.seek(1.0)
    page.settle()
    before = curves(page)
    shown.seek(3.0)
    until(lambda: curves(page) != before, 10.0)
    shown._speed.value = "0.1"  # a slow machine must not miss the end
    press(page, "Play")
    until(lambda: shown._now > 3.02, 10.0)
    press(page, "Pause")
    until(lambda: not shown._playing.is_set(), 10.0)
    stopped = shown.q
    clock.sleep(0.3)
    np.testing.assert_array_equal(shown.q, stopped)
    until(lambda: stands(page, shown.robot, stopped), 10.0)


def test_a_slider_moves_the_robot_and_the_curves(shown: View, page: Page, tmp_path: Path):
    shown.seek(0.0)
    press(page, "Joints")
    until(lambda: page.evaluate("document.querySelectorAll('[role=slider]').length") >= 2)
    clock.sleep(1.0)
    before, q = curves(page), shown.q
    page.evaluate("(() => { const all = [...document.querySelectorAll('[role=slider]')]"
                  ".filter(s => s.offsetParent); all[1].focus(); })()")  # fmt: skip
    for _ in range(40):
        for kind in ("keyDown", "keyUp"):
            page.send("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight",
                      windowsVirtualKeyCode=39)  # fmt: skip
    until(lambda: shown.q[1] > q[1] + 0.1, 10.0)
    assert shown.q[0] == q[0]
    until(lambda: curves(page) != before, 10.0)
    until(lambda: stands(page, shown.robot, shown.q), 10.0)
    plots = "[...document.querySelectorAll('.u-title')].map(e => e.textContent)"
    assert {"Holding torque [N m]", "Use of limits at rest"} <= set(page.evaluate(plots))
    use = jounce.gravity_forces(shown.robot, shown.q)[0] / shown.limits.effort
    share = max(*np.abs(use), *np.abs(shown.q) / 2.0)
    told = f"uses {share:.0%} of a limit"
    until(lambda: told in page.evaluate("document.body.textContent"), 10.0)
    page.keep(tmp_path / "viewer_joints_1400.png")


def test_what_is_shown_can_be_chosen_on_a_phone_too(shown: View, page: Page, tmp_path: Path):
    size = {"width": 400, "height": 850, "deviceScaleFactor": 1, "mobile": True}
    page.send("Emulation.setDeviceMetricsOverride", **size)
    press(page, "Show")
    until(lambda: page.evaluate("document.body.textContent.includes('Centre of mass')"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.keep(tmp_path / "viewer_400.png")
