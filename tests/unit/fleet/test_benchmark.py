"""The benchmark of fleets, small, on processes of this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")


@pytest.mark.slow
def test_all_figures_are_printed(tmp_path: Path):
    """Logs are evaluated and copied with 1 and 2 workers, in rounds, and deleted."""
    from benchmarks.bench_fleet import compare

    console = Console(record=True, width=300)
    compare(console, rows=30_000, files=3, small=4, rounds=2, folder=tmp_path)
    one, two, faster, small = console.export_text().splitlines()[1:]
    for workers, line in ((1, one), (2, two)):
        figures = [float(x) for x in re.findall(r"[\d.]+(?:e[+-]\d+)?", line)]
        assert figures[0] == workers
        assert len(figures) == 9, line
        assert all(figures), line
    assert "times (≥ 1.7) as fast" in faster
    assert re.fullmatch(r"4 small logs: [\d.e+]+ ms \(≤ 50\) a log", small)
    assert not [*tmp_path.iterdir()]
