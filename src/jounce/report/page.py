"""One page of HTML that needs nothing else: data, drawing and plots in one file."""

from __future__ import annotations

import base64
import html
import json
import re
from importlib import resources
from typing import Any

import numpy as np

from jounce.lazy import required
from jounce.report.records import Plot, Report

NUMBERS = 1_400_000  # of the plots together; 5.3 bytes of the page each
BINDS = 0.99  # of a limit: a band under the curves says when
_BANDS = 400  # of a plot, the longest
_FEWEST = 500  # samples that every plot keeps
_SCRIPTS = (
    "data.js",
    "camera.js",
    "shapes.js",
    "robot.js",
    "plots.js",
    "tables.js",
    "player.js",
    "main.js",
)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(report: Report) -> str:
    """Return the page of a report; the same report gives the same text."""
    plotly = required("plotly.offline", "a report", "report")
    arrays: list[np.ndarray] = []
    content = _content(report, arrays)
    places = {
        "title": html.escape(report.title),
        "style": _template("report.css"),
        "content": _json(content),
        "arrays": "\n".join(_array(i, values) for i, values in enumerate(arrays)),
        "plotly": plotly.get_plotlyjs(),
        "script": "\n".join(_template(name) for name in _SCRIPTS),
    }
    return _PLACE.sub(lambda match: places[match[1]], _template("report.html"))


def _content(report: Report, arrays: list[np.ndarray]) -> dict[str, Any]:
    """Return everything but the numbers, which go to ``arrays`` and are named by their place."""

    def stored(values: np.ndarray, kind: str = "float32") -> int:
        arrays.append(np.ascontiguousarray(values, np.dtype(kind).newbyteorder("<")))
        return len(arrays) - 1

    lines = sum(len(plot.lines) for section in report.sections for plot in section.plots)
    count = max(_FEWEST, NUMBERS // max(lines, 1))

    def plot(given: Plot) -> dict[str, Any]:
        values = stored(thinned(given.values, count).T)
        return {**given._asdict(), "values": values, "bands": bands(report.time, given)}

    return {
        **report._asdict(),
        "time": stored(thinned_time(report.time, count), "float64"),
        "pose_time": stored(report.pose_time, "float64"),
        "poses": stored(report.poses),
        "triangles": {
            name: stored(values, "float32" if name == "vertices" else "int32")
            for name, values in report.triangles._asdict().items()
        },
        "sections": [{**s._asdict(), "plots": [*map(plot, s.plots)]} for s in report.sections],
    }


def bands(time: np.ndarray, plot: Plot) -> list[tuple[int, float, float]]:
    """Return when which line is on a limit or beyond: line, from, to; at most `_BANDS` of them."""
    found = []
    for i, line in enumerate(plot.lines):
        values = plot.values[:, i]
        scale = 1.0 - BINDS
        high = line.high - scale * abs(line.high) if np.isfinite(line.high) else np.inf
        low = line.low + scale * abs(line.low) if np.isfinite(line.low) else -np.inf
        is_on = (values >= high) | (values <= low)
        changes = np.flatnonzero(np.diff(np.concatenate([[False], is_on, [False]]).astype(int)))
        found += [(i, float(time[a]), float(time[b - 1])) for a, b in changes.reshape(-1, 2)]
    return sorted(found, key=lambda band: band[1] - band[2])[:_BANDS]


def _json(content: Any) -> str:
    """Return JSON that no HTML parser takes for anything else; infinity is null."""
    text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _finite(content: Any) -> Any:
    if hasattr(content, "_asdict"):
        content = content._asdict()
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not np.isfinite(content) else content


def _array(index: int, values: np.ndarray) -> str:
    text = base64.b64encode(values.tobytes()).decode("ascii")
    kind = f"{values.dtype.name.capitalize()}Array"
    return f'<script type="text/plain" id="array-{index}" data-kind="{kind}">{text}</script>'


def _template(name: str) -> str:
    return resources.files("jounce.report").joinpath("template", name).read_text("utf-8")


def thinned_time(time: np.ndarray, count: int) -> np.ndarray:
    """Return the times that belong to `thinned` values."""
    if len(time) <= count:
        return time
    first, last = _buckets(len(time), count)
    return time[np.stack([first, last], axis=1).ravel()]


def thinned(values: np.ndarray, count: int) -> np.ndarray:
    """Return at most ``count`` rows of ``(samples, lines)`` that keep every peak.

    The samples are cut into buckets.  Of each bucket the smallest and the largest value of a
    line stay, at the times of the first and the last sample of the bucket: exactly the curve
    where it rises or falls within the bucket, its envelope where it does not.
    """
    if len(values) <= count:
        return values
    first, last = _buckets(len(values), count)
    low = np.minimum.reduceat(values, first, axis=0)
    high = np.maximum.reduceat(values, first, axis=0)
    rising = values[first] <= values[last]
    pairs = np.stack([np.where(rising, low, high), np.where(rising, high, low)], axis=1)
    return pairs.reshape(-1, *values.shape[1:])


def _buckets(samples: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last sample of every bucket; a bucket has two or more."""
    edges = np.linspace(0, samples, count // 2 + 1).astype(np.intp)
    return edges[:-1], edges[1:] - 1
