"""Curves over time as a picture: one pane a quantity, one legend for all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

ENDINGS = (".png", ".svg", ".pdf")
POINTS = 4000  # of a curve at most; more are thinned so that every peak stays
_DASHES = ("-", "--", ":", "-.")  # for names beyond the ten colours
_ROWS = 30  # of a column of the legend


class Pane(NamedTuple):
    """Curves ``values`` ``(samples, n)`` over time, named; ``label`` is that of the axis."""

    label: str
    names: Sequence[str]
    values: np.ndarray


class Sketch:
    """A long table, added block by block, in few enough points to draw it."""

    def __init__(self) -> None:
        self.blocks: list[tuple[np.ndarray, np.ndarray]] = []
        self.samples = 0

    def add(self, time: np.ndarray, values: np.ndarray) -> None:
        """Add samples, ``(orders, samples, n)``."""
        import numpy as np

        from jounce.report.page import thinned, thinned_time

        rows = np.concatenate([*values], axis=1)
        self.samples += len(time)
        self.blocks.append((thinned_time(time, POINTS), thinned(rows, POINTS)))
        if sum(len(block[0]) for block in self.blocks) > 8 * POINTS:
            time, rows = self.joined()
            self.blocks = [(thinned_time(time, POINTS), thinned(rows, POINTS))]

    def joined(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times and rows ``(points, orders n)``."""
        import numpy as np

        times, rows = zip(*self.blocks, strict=True)
        return np.concatenate(times), np.concatenate(rows)


def draw(path: Path, title: str, time: np.ndarray, panes: Sequence[Pane]) -> None:
    """Write a picture; a pane without curves says that no limit is known."""
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    from jounce.files import atomic_write

    figure = Figure(figsize=(9.0, 1.6 + 2.2 * len(panes)), layout="constrained")
    columns = figure.subplots(len(panes), 1, sharex=True, squeeze=False)[:, 0]
    known: dict[str, int] = {}  # a name has one colour in all panes
    for axes, pane in zip(columns, panes, strict=True):
        for name, values in zip(pane.names, pane.values.T, strict=True):
            place = known.setdefault(name, len(known))
            dash = _DASHES[place // 10 % len(_DASHES)]
            axes.plot(time, values, dash, color=f"C{place % 10}", linewidth=1.2, label=plain(name))
        axes.set_ylabel(plain(pane.label))
        axes.grid(visible=True, alpha=0.3)
        if not len(pane.names):
            axes.text(0.5, 0.5, "no limit is known", ha="center", transform=axes.transAxes)
    figure.suptitle(plain(title), fontsize="medium", wrap=True)
    columns[-1].set_xlabel("t [s]")
    handles = {
        label: handle
        for axes in columns
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if handles:
        ordered = [handles[plain(name)] for name in known]
        figure.legend(ordered, [*map(plain, known)], loc="outside right upper", fontsize="small",
                      ncols=1 + (len(ordered) - 1) // _ROWS)  # fmt: skip
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=path.suffix.lower()[1:], dpi=150)


def plain(text: str) -> str:
    """Return text of which matplotlib takes nothing for a formula, and no name for hidden."""
    hidden = "\u200b" if text.startswith("_") else ""
    return hidden + text.replace("$", r"\$")
