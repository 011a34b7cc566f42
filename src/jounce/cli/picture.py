"""Curves over time as a picture: one pane a quantity, one legend for all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jounce.cli.arguments import check_output
from jounce.errors import TableError
from jounce.lazy import required

if TYPE_CHECKING:
    import numpy as np

    from jounce.tables.log import Gap

ENDINGS = (".png", ".svg", ".pdf")
POINTS = 4000  # of a curve; of many times more only peaks are drawn
_DASHES = ("-", "--", ":", "-.")  # for names beyond the ten colours
_ROWS = 30  # of a column of the legend


class Pane(NamedTuple):
    """Curves ``values`` ``(samples, n)`` over time, named; ``label`` is that of the axis.

    ``time`` ``(samples, n)`` is given where the curves have times of their own.
    """

    label: str
    names: Sequence[str]
    values: np.ndarray
    time: np.ndarray | None = None


class _Buckets(NamedTuple):
    """Neighbouring samples as one: ``(b,)`` the first of them and the gaps before it.

    ``times`` and ``values`` ``(2, b, n)`` are those of the smallest value of every curve, and of
    the largest, negated: both are what a minimum finds, first and last where several are equal.
    """

    first: np.ndarray
    gaps: np.ndarray
    times: np.ndarray
    values: np.ndarray

    def merged(self, stride: int) -> _Buckets:
        """Return buckets of ``stride`` samples, none of which reaches over a gap."""
        import numpy as np

        places = np.stack([self.first // stride, self.gaps])
        new = np.diff(places, axis=1, prepend=-1).any(axis=0)
        starts, bucket = np.flatnonzero(new), np.cumsum(new) - 1
        least = np.minimum.reduceat(self.values, starts, axis=1)
        times = np.where(self.values == least[:, bucket], self.times, np.inf)
        times = np.minimum.reduceat(times, starts, axis=1)
        return _Buckets(self.first[starts], self.gaps[starts], times, least)


class Sketch:
    """A long table, added block by block, in few enough points to draw it.

    Of every ``stride`` samples the smallest and the largest value of a curve stay, at their times.
    """

    def __init__(self) -> None:
        self.samples, self.stride = 0, 1
        self._blocks: list[_Buckets] = []
        self._waiting = 0  # samples that are not merged yet

    def add(self, time: np.ndarray, values: np.ndarray, gaps: Sequence[Gap] = ()) -> None:
        """Add samples, ``(orders, samples, n)``; ``gaps`` are those so far, of the whole table."""
        import numpy as np

        rows = np.concatenate([*values], axis=1)
        times = np.broadcast_to(time[:, None], rows.shape)
        before = np.searchsorted([(gap.start + gap.end) / 2.0 for gap in gaps], time)
        first = np.arange(self.samples, self.samples + len(time))
        self._blocks.append(
            _Buckets(first, before, np.stack([times, -times]), np.stack([rows, -rows]))
        )
        self.samples += len(time)
        self._waiting += len(time)
        if self._waiting > 2 * POINTS:
            self._merge()

    def joined(self) -> tuple[np.ndarray, np.ndarray]:
        """Return times and values ``(points, orders n)``; a row of NaN stands for a gap."""
        import numpy as np

        if not self.samples:
            raise TableError("there are no samples to draw.")
        self._merge()
        (buckets,) = self._blocks
        sign = np.array([1.0, -1.0])[:, None, None]
        times, values = sign * buckets.times, sign * buckets.values
        order = np.argsort(times, axis=0, kind="stable")
        times, values = (
            np.take_along_axis(x, order, axis=0).swapaxes(0, 1).reshape(-1, x.shape[2])
            for x in (times, values)
        )
        breaks = 2 * (1 + np.flatnonzero(np.diff(buckets.gaps)))
        return np.insert(times, breaks, np.nan, axis=0), np.insert(values, breaks, np.nan, axis=0)

    def _merge(self) -> None:
        """Make one table of the blocks; with too many buckets make them twice as wide."""
        import numpy as np

        first, gaps, times, values = zip(*self._blocks, strict=True)
        numbers = np.concatenate(first), np.concatenate(gaps)
        extremes = np.concatenate(times, axis=1), np.concatenate(values, axis=1)
        buckets = _Buckets(*numbers, *extremes).merged(self.stride)
        while len(buckets.first) > 2 * POINTS and self.stride < self.samples:
            self.stride *= 2
            buckets = buckets.merged(self.stride)
        self._blocks, self._waiting = [buckets], 0


def check_picture(path: Path | None) -> Path | None:
    """Return the path of a picture, if there is one, after finding out whether it can be drawn."""
    if check_output(path, *ENDINGS) is not None:
        required("matplotlib", "--plot", "plot")
    return path


def draw(path: Path, title: str, time: np.ndarray, panes: Sequence[Pane]) -> None:
    """Write a picture; a pane without curves says that no limit is known."""
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    from jounce.files import atomic_write

    figure = Figure(figsize=(9.0, 1.6 + 2.2 * len(panes)), layout="constrained")
    columns = figure.subplots(len(panes), 1, sharex=True, squeeze=False)[:, 0]
    lines: dict[str, Any] = {}  # a name has one colour in all panes
    for axes, pane in zip(columns, panes, strict=True):
        for k, (name, values) in enumerate(zip(pane.names, pane.values.T, strict=True)):
            place = [*lines, name].index(name)
            dash = _DASHES[place // 10 % len(_DASHES)]
            when = time if pane.time is None else pane.time[:, k]
            (lines[name],) = axes.plot(when, values, dash, color=f"C{place % 10}", linewidth=1.2)
        axes.set_ylabel(plain(pane.label))
        axes.grid(visible=True, alpha=0.3)
        if not len(pane.names):
            axes.text(0.5, 0.5, "no limit is known", ha="center", transform=axes.transAxes)
    figure.suptitle(plain(title), fontsize="medium", wrap=True)
    columns[-1].set_xlabel("t [s]")
    if lines:
        figure.legend([*lines.values()], [*map(plain, lines)], loc="outside right upper",
                      fontsize="small", ncols=1 + (len(lines) - 1) // _ROWS)  # fmt: skip
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=path.suffix.lower()[1:], dpi=150)


def plain(text: str) -> str:
    """Return text of which matplotlib takes nothing for a formula, and no name for hidden."""
    hidden = "\u200b" if text.startswith("_") else ""
    return hidden + text.replace("$", r"\$")
