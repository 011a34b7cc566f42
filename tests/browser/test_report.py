"""A report in a real browser, opened as a file: it moves, it answers, nothing fails."""

from __future__ import annotations

import base64
import contextlib
import re
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jounce
from jounce.report import write_report

if sys.platform == "win32":
    pytest.skip("Chromium is driven over POSIX pipes", allow_module_level=True)

from tests.browser.chromium import chromium, executable

if TYPE_CHECKING:
    from tests.browser.chromium import Page

pytestmark = pytest.mark.skipif(executable() is None, reason="no chromium on this machine")

SCREEN: dict[str, Any] = {"deviceScaleFactor": 1, "mobile": False}
PALETTE = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2")
HOSTILE = "</script><script>window.broken = true</script><img src=x onerror='window.broken = true'>"
TIME = np.linspace(0.0, 4.0, 401)
MOTION = jounce.trajectory.papers_motion(2)(TIME)


def arm() -> jounce.Robot:
    """Return two joints, one with a limit that the motion exceeds, one with a bad name."""
    data = jounce.load("planar2r").to_dict() | {"name": HOSTILE}
    first, second = (body["joint"] for body in data["bodies"])
    first["limits"] = {"lower": [-3.0], "upper": [2.0], "velocity": [1.5]}
    second["name"] = HOSTILE
    return jounce.load(data)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Return a page with a report, opened once."""
    robot, file = arm(), tmp_path_factory.mktemp("report") / "report.html"
    drives = jounce.elastic.SeriesElastic(robot, 500.0, 0.1)
    write_report(file, robot, TIME, *MOTION, elastic=drives)
    with chromium() as page:
        page.open(file)
        yield page


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    """Return the page at t = 0, scrolled to its top; after the test nothing may have failed."""
    opened.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    opened.evaluate("scrollTo(0, 0)")
    opened.mouse("mouseMoved", 5, 5)
    slide(opened, 0.0)
    yield opened
    opened.settle()
    assert opened.errors == []
    beyond = [x for x in opened.requests if not x.startswith(("data:", "blob:"))]
    assert len(beyond) == 1, "only the file itself"
    assert opened.evaluate("window.broken === undefined")


def slide(page: Page, t: float) -> None:
    page.evaluate(
        f"(() => {{ const s = document.getElementById('slider'); s.value = {t};"
        " s.dispatchEvent(new Event('input')); })()"
    )
    page.settle()


def clock(page: Page) -> float:
    return float(page.evaluate("document.getElementById('clock').textContent").split()[0])


def picture(page: Page) -> str:
    return page.evaluate("document.getElementById('robot').toDataURL()")


def cursors(page: Page, kind: str = "cursor") -> list[float | None]:
    """Return where the cursors of the plots in view are, in pixels; None for hidden ones."""
    return page.evaluate(
        "[...document.querySelectorAll('.area')]"
        ".filter(a => a.getBoundingClientRect().top < innerHeight)"
        f".map(a => a.querySelector('.{kind}')).map(c => c.hidden ? null : "
        "new DOMMatrix(getComputedStyle(c).transform).m41)"
    )


def readout(page: Page, plot: int) -> list[float]:
    texts = page.evaluate(
        f"[...document.querySelectorAll('.plot')[{plot}].querySelectorAll('.value')]"
        ".map(v => v.textContent)"
    )
    return [float(text.replace("−", "-")) for text in texts]


def box(page: Page, selector: str) -> dict[str, float]:
    return page.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")


def at_share(page: Page, share: float, plot: int = 0) -> tuple[float, float]:
    """Return a point of the page at this share of the time axis of a plot."""
    area = page.evaluate(
        f"document.querySelectorAll('.plot .area')[{plot}].querySelector('.nsewdrag')"
        ".getBoundingClientRect().toJSON()"
    )
    return area["x"] + share * area["width"], area["y"] + area["height"] / 2


def test_the_slider_moves_robot_cursors_and_values(page: Page, tmp_path: Path):
    before, lines = picture(page), cursors(page)
    slide(page, 1.5)
    assert picture(page) != before
    assert clock(page) == 1.5
    moved = cursors(page)
    assert len(moved) >= 2
    width = at_share(page, 1.0)[0] - at_share(page, 0.0)[0]
    for old, new in zip(lines, moved, strict=True):
        assert old is not None
        assert new is not None
        assert new - old == pytest.approx(1.5 / 4.0 * width, abs=1.0)
    for order in range(2):
        assert readout(page, order) == pytest.approx(MOTION[order, 150], rel=1e-3)
    page.keep(tmp_path / "report_1366.png")
    slide(page, 0.0)
    assert picture(page) == before


def test_the_mouse_shows_its_time_everywhere(page: Page):
    slide(page, 1.0)
    before = picture(page)
    page.mouse("mouseMoved", *at_share(page, 0.75))
    page.settle()
    assert clock(page) == pytest.approx(3.0, abs=0.02)
    assert picture(page) != before
    pointers = cursors(page, "pointer")
    assert None not in pointers
    assert len(set(pointers)) == 1
    assert readout(page, 1) == pytest.approx(MOTION[1, 300], abs=0.1)
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    assert clock(page) == 1.0
    assert set(cursors(page, "pointer")) == {None}
    assert picture(page) == before


def test_a_click_goes_there(page: Page):
    point = at_share(page, 0.5)
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, *point, button="left", clickCount=1)
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    assert clock(page) == pytest.approx(2.0, abs=0.02)
    slider = float(page.evaluate("document.getElementById('slider').value"))
    assert slider == pytest.approx(2.0, abs=0.02)


def test_play_and_pause(page: Page):
    page.evaluate("document.getElementById('play').click()")
    page.evaluate(
        "new Promise(done => { const slider = document.getElementById('slider'); const look = () =>"
        " slider.value > 0.1 ? done(true) : setTimeout(look, 20); look(); })"
    )
    page.evaluate("document.getElementById('play').click()")
    page.settle()
    stopped = clock(page)
    assert stopped > 0.1
    assert page.evaluate("document.getElementById('play').getAttribute('aria-label')") == "Play"
    page.evaluate("new Promise(done => setTimeout(done, 100))")
    assert clock(page) == stopped


def test_dragging_turns_the_robot_and_a_double_click_turns_it_back(page: Page):
    before, canvas = picture(page), box(page, "#robot")
    x, y = canvas["x"] + 150, canvas["y"] + 150
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 20, button="left", buttons=1)
    page.mouse("mouseReleased", x + 60, y + 20, button="left", clickCount=1)
    page.settle()
    assert picture(page) != before
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            page.mouse(kind, x, y, button="left", clickCount=count)
    page.settle()
    assert picture(page) == before


def test_plots_are_drawn_when_they_come_into_view(page: Page):
    drawn = "document.querySelectorAll('.area .main-svg').length > 0 && "
    drawn += "[...document.querySelectorAll('.area')].filter(a => a.querySelector('svg')).length"
    total = page.evaluate("document.querySelectorAll('.area').length")
    assert 0 < page.evaluate(drawn) < total
    for i in range(total):
        page.evaluate(f"document.querySelectorAll('.area')[{i}].scrollIntoView()")
        page.settle()
        page.settle()
    assert page.evaluate(drawn) == total


def test_a_joint_is_singled_out_with_its_limits(page: Page):
    press = "document.querySelectorAll('.plot')[1].querySelector('.readout button').click()"
    lines = "document.querySelectorAll('.area')[1].layout.shapes.filter(s => s.type === 'line')"
    shapes = f"{lines}.map(s => s.y0)"
    opacity = "document.querySelectorAll('.area')[1].data.map(d => d.opacity)"
    before = picture(page)
    page.evaluate(press)
    page.settle()
    assert page.evaluate(shapes) == [-1.5, 1.5]
    assert page.evaluate(opacity) == [1, 0.12]
    assert picture(page) != before
    page.evaluate(press)
    page.settle()
    assert page.evaluate(shapes) == []
    assert page.evaluate(opacity) == [1, 1]
    assert picture(page) == before


def test_bands_of_two_joints_stand_above_each_other(tmp_path: Path):
    robot, file = jounce.load("planar2r"), tmp_path / "bands.html"
    limits = jounce.trajectory.MotionLimits.of(robot, velocity=0.2)
    write_report(file, robot, TIME, *MOTION, limits=limits)
    with chromium() as page:
        page.open(file)
        shapes = (
            "document.querySelectorAll('.area')[1].layout.shapes.filter(s => s.type === 'rect')"
        )
        found = page.evaluate(f"{shapes}.map(s => [s.fillcolor, s.y0, s.y1])")
    lanes = {color: (low, high) for color, low, high in found}
    assert len({tuple(row) for row in found}) == len(lanes) == 2  # one lane each
    (_, top), (bottom, _) = sorted(lanes.values())
    assert top == bottom


def test_all_plots_zoom_together(page: Page):
    (x0, y), (x1, _) = at_share(page, 0.25), at_share(page, 0.5)
    page.mouse("mouseMoved", x0, y)
    page.mouse("mousePressed", x0, y, button="left", clickCount=1)
    for x in (0.5 * (x0 + x1), x1):
        page.mouse("mouseMoved", x, y, button="left", buttons=1)
    page.mouse("mouseReleased", x1, y, button="left", clickCount=1)
    page.settle()
    ranges = "[...document.querySelectorAll('.area')].filter(a => a.layout)"
    ranges += ".map(a => a.layout.xaxis.range.map(Number))"
    for found in page.evaluate(ranges):
        assert found == pytest.approx([1.0, 2.0], abs=0.03)
    assert set(cursors(page)) == {None}, "t = 0 is out of sight"
    slide(page, 1.5)
    assert None not in cursors(page)
    page.evaluate(
        "Plotly.relayout(document.querySelector('.area'), {'xaxis.range': [0, 4]}).then(() => 1)"
    )
    page.settle()
    assert page.evaluate(ranges)[1] == [0, 4]


def test_exceeded_limits_are_red_and_lead_to_their_time(page: Page):
    cells = "[...document.querySelectorAll('td.bad')].map(c => c.querySelector('.use').textContent)"
    (text,) = page.evaluate(cells)
    assert text == "147 % of 1.5"
    page.evaluate("document.querySelector('td.bad button').click()")
    page.settle()
    worst = TIME[np.argmax(np.abs(MOTION[1, :, 0]))]
    assert clock(page) == pytest.approx(worst, abs=1e-9)
    red = page.evaluate("getComputedStyle(document.querySelector('td.bad')).color")
    assert red == "rgb(185, 28, 28)"


def test_names_are_shown_as_they_are(page: Page):
    assert page.evaluate("document.title") == HOSTILE
    assert page.evaluate("document.querySelector('h1').textContent") == HOSTILE
    names = page.evaluate("[...document.querySelectorAll('.name')].map(n => n.textContent)")
    assert HOSTILE in names


def test_it_fits_a_phone(page: Page):
    size: dict[str, Any] = {"deviceScaleFactor": 1, "mobile": True}
    page.send("Emulation.setDeviceMetricsOverride", width=400, height=800, **size)
    page.settle()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.evaluate("scrollTo(0, 1500)")
    assert box(page, "aside")["bottom"] < 0, "the robot does not stay in the way"
    page.evaluate("scrollTo(0, 0)")
    size["mobile"] = False
    page.send("Emulation.setDeviceMetricsOverride", width=1366, height=768, **size)
    page.settle()


def test_print_draws_all_plots_within_the_page(page: Page):
    width = 718  # px that Chromium gives a letter
    lines = page.evaluate("[...document.querySelectorAll('.readout')].map(r => r.children.length)")
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, **SCREEN)
    page.send("Emulation.setEmulatedMedia", media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.settle()
    drawn = page.evaluate(
        "[...document.querySelectorAll('.area')]"
        ".map(a => a.querySelectorAll('.scatterlayer .trace path.js-line').length)"
    )
    ends = page.evaluate(
        "[...document.querySelectorAll('.area svg, .readout')]"
        ".map(a => a.getBoundingClientRect().right)"
    )
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.send("Emulation.setEmulatedMedia", media="")
    page.send("Emulation.setDeviceMetricsOverride", width=1366, height=768, **SCREEN)
    page.settle()
    assert drawn == lines
    assert max(ends) <= width


def test_a_printed_file_has_all_curves(page: Page):
    """Also those that were never in view."""
    wanted = page.evaluate("document.querySelectorAll('.readout li').length")
    pdf = page.printed()
    assert len(re.findall(rb"/Type */Page\b", pdf)) >= 4
    assert strokes(pdf) == wanted


def strokes(pdf: bytes) -> int:
    """Return how many curves of several pieces, in colours of joints, a PDF has.

    Its pages are compressed lists of numbers and operators: l and c go on to a point, rg sets a
    colour, S draws what was gone and f fills it, as many small pieces for a dashed curve.
    """
    colors = [[int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)] for text in PALETTE]
    count = pieces = 0
    for match in re.finditer(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        with contextlib.suppress(zlib.error):
            color = [-1.0] * 3
            words = map(bytes.split, zlib.decompress(match[1]).splitlines())
            for *numbers, operator in filter(None, words):
                if operator == b"rg":
                    color = [float(x) for x in numbers[:3]]
                pieces += operator in (b"l", b"c")
                if operator in (b"S", b"f", b"f*", b"n"):
                    is_joint = any(np.allclose(color, known, atol=3e-3) for known in colors)
                    count += is_joint and pieces >= {b"S": 5, b"f": 100}.get(operator, np.inf)
                    pieces = 0
    return count


def test_every_plot_can_be_saved(page: Page):
    page.send("Browser.setDownloadBehavior", behavior="deny")
    assert page.evaluate("document.querySelectorAll('.plot .save').length") == page.evaluate(
        "document.querySelectorAll('.plot').length"
    )
    page.evaluate(
        "(() => { window.saved = null; const before = Plotly.downloadImage; Plotly.downloadImage ="
        " (figure, options) => { window.saved = Plotly.toImage(figure, options)"
        ".then(url => [options.filename, url, figure.layout.title.text]);"
        " Plotly.downloadImage = before; return window.saved; }; })()"
    )
    page.evaluate("document.querySelectorAll('.plot .save')[1].click()")
    name, url, title = page.evaluate("window.saved")
    assert "Velocity" in name
    assert title.startswith("Velocity")
    kind, _, data = url.partition(",")
    assert kind == "data:image/png;base64"
    size = struct.unpack(">II", base64.b64decode(data)[16:24])
    assert size == (2400, 1200)


def test_ellipsoids_larger_than_the_robot_are_off_at_first(page: Page, tmp_path: Path):
    assert page.evaluate("document.getElementById('ellipsoids').checked")
    data = arm().to_dict()
    data["bodies"][1]["inertia"][4:7] = [900.0] * 3
    file = tmp_path / "heavy.html"
    write_report(file, jounce.load(data), TIME, *MOTION)
    with chromium() as other:
        other.open(file)
        assert not other.evaluate("document.getElementById('ellipsoids').checked")


def shaped_arm(folder: Path) -> jounce.Robot:
    """Return two links, a red box with a yellow ball at its end, of which neither is a mesh."""
    text = """<robot name="arm"><link name="base"/>
    <link name="upper"><visual><origin xyz="0 0 0.3"/><material name="red"><color rgba="1 0 0 1"/>
    </material><geometry><box size="0.1 0.1 0.6"/></geometry></visual>{inertial}</link>
    <link name="lower"><visual><material name="yellow"><color rgba="1 1 0 1"/></material><geometry>
    <sphere radius="0.15"/></geometry></visual>{inertial}</link>
    <joint name="shoulder_pan_joint" type="continuous"><parent link="base"/><child link="upper"/>
      <axis xyz="0 1 0"/></joint>
    <joint name="shoulder_lift_joint" type="continuous"><parent link="upper"/><child link="lower"/>
      <origin xyz="0 0 0.6" rpy="0.3 0 0"/><axis xyz="1 0 0"/></joint></robot>"""
    inertial = """<inertial><origin xyz="0 0 0.1"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    (folder / "arm.urdf").write_text(text.format(inertial=inertial))
    return jounce.load(folder / "arm.urdf")


# Where pixels of a pure colour are: how many, and their middle.
SPOT = """(([r, g, b]) => {
  const c = document.getElementById('robot');
  const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let [n, x, y] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4) {
    const [R, G, B] = data.subarray(i, i + 3);
    const is = (value, on) => on ? value > 100 : value < 40;
    if (is(R, r) && is(G, g) && is(B, b)) { n++; x += (i / 4) % c.width; y += i / 4 / c.width; }
  }
  return [n, x / n, y / n];
})"""


def test_shapes_stand_where_the_kinematics_put_them(tmp_path: Path):
    robot, file = shaped_arm(tmp_path), tmp_path / "shapes.html"
    write_report(file, robot, TIME, *MOTION)
    with chromium(1400, 900) as page:
        page.open(file)
        seen = []
        for t in (0.0, 1.5, 3.2):
            slide(page, t)
            (wanted,) = jounce.poses(robot, MOTION[0, round(100 * t)])
            for T, placed in zip(wanted, page.evaluate("jouncePoses()")[:-1], strict=True):
                np.testing.assert_allclose(np.transpose(placed["columns"]), T[:3, :3], atol=1e-6)
                np.testing.assert_allclose(placed["p"], T[:3, 3], atol=1e-6)
            seen.append(page.evaluate(f"{SPOT}([1, 1, 0])"))
            assert seen[-1][0] > 200, "the ball is drawn"
            assert page.evaluate(f"{SPOT}([1, 0, 0])")[0] > 200, "and the box"
        assert np.ptp(seen, axis=0)[1:].max() > 20, "they move"
        page.keep(tmp_path / "report_shapes_1400.png")
        size: dict[str, Any] = {"deviceScaleFactor": 1, "mobile": True}
        page.send("Emulation.setDeviceMetricsOverride", width=400, height=850, **size)
        page.keep(tmp_path / "report_shapes_400.png")
        page.evaluate("document.getElementById('shapes').click()")
        assert page.evaluate(f"{SPOT}([1, 1, 0])")[0] == 0
        assert [e for e in page.errors if "readback" not in e] == []  # which is this test's
        names = [file.resolve().as_uri()]
        assert [x for x in page.requests if not x.startswith(("data:", "blob:"))] == names


def test_names_are_cut_between_their_parts(tmp_path: Path):
    file = tmp_path / "names.html"
    write_report(file, shaped_arm(tmp_path), TIME, *MOTION)
    with chromium(1400, 900) as page:
        page.open(file)
        names = "[...document.querySelector('.readout').querySelectorAll('.name')]"
        assert page.evaluate(f"{names}.map(n => n.textContent)") == [
            "shoulder_pan_joint", "shoulder_lift_joint",
        ]  # fmt: skip
        assert page.evaluate(f"{names}.map(n => n.querySelectorAll('wbr').length)") == [2, 2]
        assert page.evaluate(f"{names}.every(n => n.scrollWidth <= n.clientWidth + 1)")


def test_a_mechanism_moves_and_stays_closed(tmp_path: Path):
    """Both frames of a closure are at one place of the drawing, wherever the slider is."""
    robot, file = jounce.examples.fourbar(), tmp_path / "fourbar.html"
    motion = jounce.report.default_motion(robot, TIME, actuated="crank_joint")
    write_report(file, robot, TIME, *motion, actuated="crank_joint")
    a, b = (robot.frame(name) for name in ("coupler_tip", "rocker_tip"))
    with chromium(1400, 900) as page:
        page.open(file)
        seen = []
        for t in (0.0, 1.5, 3.2):
            slide(page, t)
            placed = page.evaluate("jouncePoses()")
            tips = [
                np.transpose(placed[frame.body]["columns"]) @ np.array(frame.placement.p, float)
                + placed[frame.body]["p"]
                for frame in (a, b)
            ]
            np.testing.assert_allclose(tips[0], tips[1], atol=1e-6)
            seen.append((picture(page), *tips[0]))
        assert len({picture for picture, *_ in seen}) == 3
        assert np.ptp([x[1:] for x in seen], axis=0).max() > 0.02, "it moves"
        titles = page.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)")
        assert "Closures" in titles
        assert "Closed to" in page.evaluate("document.body.textContent")
        page.keep(tmp_path / "report_fourbar.png")
        assert page.errors == []


@pytest.mark.slow
def test_ten_thousand_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The size is promised; how long it takes to open is told."""
    panda, time = jounce.load("panda"), np.linspace(0.0, 10.0, 10_001)
    motion = jounce.report.default_motion(panda, time)
    drives = jounce.elastic.SeriesElastic(panda, 2000.0, 0.5)
    file = tmp_path / "report.html"
    write_report(file, panda, time, *motion, elastic=drives)
    assert file.stat().st_size < 15_000_000
    with chromium() as page:
        ready, opened = page.open(file), page.evaluate("window.jounceOpen")
        assert page.errors == []
    assert 0 < opened < ready
    with capsys.disabled():
        size = f"{file.stat().st_size / 1e6:.1f} MB"
        sys.stdout.write(f"\n10,001 samples: {size}, open in {opened:.0f} ms, curves {ready:.0f}\n")
