"""Draw the comparison: operations, time and error over the order of the derivative."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any

from jounce.comparison.records import Comparison
from jounce.errors import UnsupportedError
from jounce.lazy import required

_PANELS = (
    ("operations", "operations of one sample"),
    ("ns_per_sample", "ns per sample"),
    ("error", "relative error"),
)
_MARKERS = "osv^DPX*<>"
_GIVEN = "_given"
FORMATS = ("svg", "png", "pdf")


def require_matplotlib(path: str | PathLike[str]) -> str:
    """Return the format for a path; raise where it is unknown or matplotlib is missing."""
    format = Path(path).suffix.removeprefix(".").lower()
    if format not in FORMATS:
        raise UnsupportedError(
            f"a plot is written as .svg, .png or .pdf, got {str(path)!r}: name it like that."
        )
    required("matplotlib", "plotting", "plot")
    return format


def figure_bytes(comparison: Comparison, path: str | PathLike[str]) -> bytes:
    """Return the figure in the format that the suffix of ``path`` names."""
    format = require_matplotlib(path)
    import matplotlib as mpl  # pyright: ignore[reportMissingImports]

    memory = io.BytesIO()
    undated: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "jounce"}):  # the same figure is the same file
        _figure(comparison).savefig(memory, format=format, metadata=undated[format], dpi=120)
    return memory.getvalue()


def _figure(comparison: Comparison) -> Any:
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    figure = Figure(figsize=(13.0, 4.6), layout="constrained")
    axes = figure.subplots(1, len(_PANELS))
    for panel, (quantity, title) in zip(axes, _PANELS, strict=True):
        for name in comparison.formulations:
            _line(panel, comparison, name, quantity)
        panel.set(yscale="log", title=title, xlabel="order", xticks=comparison.orders)
        panel.grid(visible=True, which="major", alpha=0.3)
    handles, labels = axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    figure.suptitle(f"Inverse dynamics of {comparison.robot}")
    return figure


def _line(panel: Any, comparison: Comparison, name: str, quantity: str) -> None:
    """Draw one formulation; on the bodies as given it is dashed, in the same colour."""
    rows = [row for row in comparison.rows if row.formulation == name]
    points = [(r.order, getattr(r, quantity)) for r in rows if getattr(r, quantity)]
    bases = list(dict.fromkeys(x.removesuffix(_GIVEN) for x in comparison.formulations))
    i = bases.index(name.removesuffix(_GIVEN))
    panel.plot(
        [order for order, _ in points],
        [value for _, value in points],
        marker=_MARKERS[i % len(_MARKERS)],
        linestyle="--" if name.endswith(_GIVEN) else "-",
        color=f"C{i % 10}",
        markersize=5,
        label=name,
    )
