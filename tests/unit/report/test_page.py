"""The page: complete in itself, safe against any name, small."""

from __future__ import annotations

import base64
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError, ShapeError, UnsupportedError
from jounce.report import write_report
from jounce.report.page import BINDS, bands, page, thinned, thinned_time
from jounce.report.records import Line, Plot, Report, Section
from jounce.report.triangles import few_triangles
from jounce.report.write import report_of
from tests.tolerances import EXACT, assert_close

TIME = np.linspace(0.0, 2.0, 41)
ARM = jounce.load("planar2r")
MOTION = jounce.trajectory.papers_motion(2)(TIME)
LIMIT = 15_000_000  # bytes, for 10,000 samples


class Scripts(HTMLParser):
    """The script elements of a page, as a browser cuts it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[dict[str, str | None], str]] = []
        self.title = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        if tag == "script":
            self.found.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            attributes, text = self.found[-1]
            self.found[-1] = attributes, text + data
        if self._inside == "title":
            self.title += data

    def content(self) -> dict[str, Any]:
        return json.loads(next(text for a, text in self.found if a.get("id") == "content"))

    def array(self, index: int) -> np.ndarray:
        kinds = {"Float32Array": "<f4", "Float64Array": "<f8", "Int32Array": "<i4"}
        attributes, text = next((a, t) for a, t in self.found if a.get("id") == f"array-{index}")
        return np.frombuffer(base64.b64decode(text), kinds[attributes["data-kind"] or ""])


def test_the_numbers_are_all_there():
    report = report_of(ARM, TIME, *MOTION)
    scripts = Scripts(page(report))
    content = scripts.content()
    assert_close(scripts.array(content["time"]), TIME, EXACT)
    assert_close(scripts.array(content["poses"]), report.poses.astype("f4").ravel(), EXACT)
    for section, shown in zip(report.sections, content["sections"], strict=True):
        assert section.title == shown["title"]
        for plot, drawn in zip(section.plots, shown["plots"], strict=True):
            wanted = plot.values.T.astype("f4").ravel()
            assert_close(scripts.array(drawn["values"]), wanted, EXACT)
            assert [line["name"] for line in drawn["lines"]] == [line.name for line in plot.lines]


def test_a_long_motion_is_drawn_at_fewer_times(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.report.write.POSE_NUMBERS", 140)
    report = report_of(ARM, TIME, *MOTION)
    assert len(report.pose_time) == len(report.poses) == 10
    assert (report.pose_time[0], report.pose_time[-1]) == (TIME[0], TIME[-1])
    wanted = jounce.poses(ARM, MOTION[0, np.isin(TIME, report.pose_time)])[0, ..., :3, 3]
    assert_close(report.poses[..., :3], wanted, EXACT)


def test_bands_say_when_a_limit_binds():
    """A sine of height 2 under the limit 2 is on it about its peaks; another has no limit."""
    values = np.stack([2.0 * np.sin(np.pi * TIME), 5.0 * TIME], axis=1)
    plot = Plot("x", "m", (Line("a", 0, low=-2.0, high=2.0), Line("b", 1)), values)
    found = bands(TIME, plot)
    assert [line for line, *_ in found] == [0, 0]
    for _, start, end in found:
        inside = np.abs(values[(start <= TIME) & (end >= TIME), 0])
        assert inside.min() >= 2.0 * BINDS
    covered = sum(end - start + 0.05 for _, start, end in found) / 0.05
    assert round(covered) == (np.abs(values[:, 0]) >= 2.0 * BINDS).sum()


def test_no_name_breaks_out():
    bad = '</script><script>alert("x")</script><!-- & "\u2028'
    data = ARM.to_dict()
    data["name"] = data["description"] = bad
    data["bodies"][0]["joint"]["name"] = bad
    robot = jounce.load(data)
    report = report_of(robot, TIME, *MOTION, source=bad)
    scripts = Scripts(page(report))
    usual = Scripts(page(report_of(ARM, TIME, *MOTION)))
    assert len(scripts.found) == len(usual.found)
    assert scripts.title == robot.name
    content = scripts.content()
    assert content["title"] == robot.name
    assert content["sections"][0]["plots"][0]["lines"][0]["name"] == robot.joints[0].name
    assert bad in dict(content["facts"]).values()


def test_places_in_names_are_not_filled():
    data = ARM.to_dict() | {"name": "{{plotly}} {{none}}"}
    text = page(report_of(jounce.load(data), TIME, *MOTION))
    assert "<title>{{plotly}} {{none}}</title>" in text


def test_nothing_is_fetched():
    text = page(report_of(ARM, TIME, *MOTION))
    assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=", text)
    assert re.findall(r"<link[^>]*>", text) == ['<link rel="icon" href="data:,">']
    assert "default-src 'none'" in text


def test_the_same_report_gives_the_same_page():
    assert page(report_of(ARM, TIME, *MOTION)) == page(report_of(ARM, TIME, *MOTION))


@pytest.mark.parametrize("lines", [3, 60, 300])
def test_ten_thousand_samples_are_small(rng: np.random.Generator, lines: int):
    """Whatever the number of lines; few keep all samples."""
    plot = Plot(
        "x", "m", tuple(Line(f"{i}", i) for i in range(lines)), rng.normal(size=(10_000, lines))
    )
    report = Report(
        title="many",
        facts=(),
        time=np.arange(1e4),
        drawing={"bodies": [], "up": [0, 0, 1]},
        pose_time=np.array([0.0, 9999.0]),
        poses=rng.normal(size=(250_000 // 7, 1, 7)),
        triangles=few_triangles([]),
        sections=(Section("x", plots=(plot,)),),
    )
    text = page(report)
    assert len(text.encode()) < LIMIT
    scripts = Scripts(text)
    shown = scripts.array(scripts.content()["time"])
    assert len(shown) == 10_000 if lines == 3 * 20 else len(shown) > 2000
    assert (shown[0], shown[-1]) == (0.0, 9999.0)


def test_a_file_appears_when_it_is_complete(tmp_path: Path):
    out, ticks = tmp_path / "report.html", []
    write_report(out, ARM, TIME, *MOTION, progress=lambda: ticks.append(1))
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert len(ticks) == jounce.report.write.STEPS
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_without_plotly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'jounce\[report\]'"):
        write_report(tmp_path / "report.html", ARM, TIME, *MOTION)


@pytest.mark.parametrize(
    ("time", "motion", "match"),
    [
        (TIME[:1], MOTION[:, :1], "two or more"),
        (TIME[::-1], MOTION, "increase strictly"),
        (TIME, MOTION[:2], "acceleration at least"),
        (TIME, MOTION[:, :40], r"q must have shape \(41, 2\)"),
        (TIME, MOTION[..., :1], "nq = 2"),
    ],
)
def test_what_is_no_motion(time: np.ndarray, motion: np.ndarray, match: str):
    with pytest.raises((ShapeError, ValueError), match=match):
        report_of(ARM, time, *motion)


def test_drives_of_another_robot():
    drives = jounce.elastic.SeriesElastic(jounce.load("panda"), 500.0, 0.1)
    with pytest.raises(ArgumentError, match="same robot"):
        report_of(ARM, TIME, *MOTION, elastic=drives)


def test_a_robot_that_cannot_move():
    robot = jounce.RobotBuilder("stone").build()
    with pytest.raises(UnsupportedError, match="'stone' has no joint"):
        jounce.report.default_motion(robot, TIME)
    with pytest.raises(UnsupportedError, match="'stone' has no joint"):
        report_of(robot, TIME, *np.zeros((3, 41, 0)))


def test_few_samples_stay_as_they_are(rng: np.random.Generator):
    time, values = np.arange(10.0), rng.normal(size=(10, 3))
    assert thinned_time(time, 10) is time
    assert thinned(values, 10) is values


@pytest.mark.parametrize(("samples", "count"), [(11, 10), (1000, 10), (997, 100), (10_001, 3333)])
def test_peaks_stay(rng: np.random.Generator, samples: int, count: int):
    values = rng.normal(size=(samples, 4))
    kept = thinned(values, count)
    assert len(kept) == len(thinned_time(np.arange(samples), count)) <= count
    assert np.array_equal(kept.min(axis=0), values.min(axis=0))
    assert np.array_equal(kept.max(axis=0), values.max(axis=0))


def test_a_spike_stays_where_it_was():
    time, values = np.linspace(0.0, 1.0, 10_000), np.zeros((10_000, 1))
    values[7012] = 5.0
    times = thinned_time(time, 200)[thinned(values, 200)[:, 0] == 5.0]
    assert np.abs(times - time[7012]).max() <= 0.01


def test_a_curve_that_rises_or_falls_is_exact():
    time = np.linspace(0.0, 2.0, 5000)
    values = np.stack([np.exp(time), -(time**3)], axis=1)
    times = thinned_time(time, 300)
    assert np.array_equal(thinned(values, 300), np.stack([np.exp(times), -(times**3)], axis=1))
    assert (times[0], times[-1]) == (time[0], time[-1])
    assert (np.diff(times) > 0).all()
