"""A page about an identification: forces measured and computed, what is left, and parameters."""

from __future__ import annotations

import html
import os
from typing import Any

import numpy as np

from jounce.api.dynamics import inverse_dynamics
from jounce.files import atomic_write
from jounce.identification.identify import Identified
from jounce.identification.logs import samples_of
from jounce.lazy import required
from jounce.model.components import velocity_names

SHOWN = 4000  # samples of a curve; of longer logs every so-manieth is drawn
BINS = 60
COLOURS = {"measured": "#888888", "before": "#d58a00", "after": "#0060c0"}
ROW = 220  # pixels of the height of a joint


def write_identification(
    path: str | os.PathLike[str], found: Identified, log: Any, **reading: Any
) -> None:
    """Write one page of HTML that compares a log with the robot that was found.

    For every joint the measured force and those of the robot before and after, a histogram of
    what is left of both, and every parameter with its standard deviation beside the value before.
    ``log`` is any log but an `Information`, which has no samples; ``reading`` is as in `identify`.
    The page needs no other file and no network.
    """
    required("plotly", "a report", "report")
    blocks = [*samples_of(found.terms.robot, log, reading)]
    time, q, v, a, Q = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    computed = {
        "before": inverse_dynamics(found.terms.robot, q, v, a)[0],
        "after": inverse_dynamics(found.robot, q, v, a)[0],
    }
    names = velocity_names(found.robot)
    figures = [_curves(names, time, Q, computed), _left(names, Q, computed), _parameters(found)]
    parts = [
        figure.to_html(full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)
    ]
    title = html.escape(f"{found.robot.name}: identification")
    text = html.escape(found.report())
    with atomic_write(path) as file:
        file.write(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head><body><h1>{title}</h1>\n{''.join(parts)}\n<pre>{text}</pre></body></html>\n"
        )


def _curves(names: tuple[str, ...], time: np.ndarray, Q: np.ndarray, computed: dict) -> Any:
    from plotly.subplots import make_subplots

    figure = make_subplots(len(names), 1, shared_xaxes=True, subplot_titles=_plain(names))
    some = slice(None, None, -(-len(time) // SHOWN))
    for i in range(len(names)):
        for kind, values in {"measured": Q, **computed}.items():
            line = {"mode": "lines", "line": {"color": COLOURS[kind]}}
            figure.add_scatter(x=time[some], y=values[some, i], **line, **_named(kind, i))
    return _sized(figure, "Forces, N m (N), over time in s", len(names))


def _left(names: tuple[str, ...], Q: np.ndarray, computed: dict) -> Any:
    from plotly.subplots import make_subplots

    figure = make_subplots(len(names), 1, subplot_titles=_plain(names))
    for i in range(len(names)):
        for kind, values in computed.items():
            counts, edges = np.histogram(Q[:, i] - values[:, i], BINS)
            bar = {"opacity": 0.6, "marker_color": COLOURS[kind]}
            figure.add_bar(x=(edges[1:] + edges[:-1]) / 2, y=counts, **bar, **_named(kind, i))
    figure.update_layout(barmode="overlay")
    return _sized(figure, "Residuals, N m (N): measured less computed", len(names))


def _parameters(found: Identified) -> Any:
    """Show every parameter over its standard deviation beside that before."""
    import plotly.graph_objects as go

    names = _plain(found.names)
    error = np.where(np.isfinite(found.uncertainty), found.uncertainty, 0.0)
    figure = go.Figure()
    figure.add_scatter(
        x=names, y=found.parameters, mode="markers", name="after",
        error_y={"type": "data", "array": error},
    )  # fmt: skip
    figure.add_scatter(x=names, y=found.terms.start(), mode="markers", name="before")
    return _sized(figure, "Parameters, SI units, with one standard deviation", 3)


def _named(kind: str, i: int) -> dict[str, Any]:
    """Return where joint i is shown, and the name that is in the legend once."""
    return {"row": i + 1, "col": 1, "name": kind, "legendgroup": kind, "showlegend": i == 0}


def _plain(names: tuple[str, ...]) -> list[str]:
    return [html.escape(name) for name in names]


def _sized(figure: Any, title: str, rows: int) -> Any:
    return figure.update_layout(title=title, height=120 + ROW * rows, template="plotly_white")
