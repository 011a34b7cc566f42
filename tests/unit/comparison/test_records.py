"""The comparison as text, CSV and figure; and the page that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

import jounce
from jounce.comparison.contestants import as_array, trace, without_motors
from jounce.comparison.records import Comparison, Measurement, csv_text, tables
from jounce.literature.chain import from_robot
from jounce.literature.km21_closed_form import closed_form
from tests.architecture.sources import ROOT
from tests.comparison_rows import rows_of_csv

PAGE = ROOT / "docs" / "comparison.md"
TABLE = ROOT / "docs" / "assets" / "compare_panda.csv"


def row(name: str, order: int, error: float | None = 1e-16) -> Measurement:
    if name == "closed_form":
        return Measurement(name, order, None, None, None, None, None, 1e5, 2e3, 2e3, error)
    return Measurement(name, order, 12, 1345, 1360, 0.1, 0.2, 1 / 3, 0.25, 870.0, error)


@pytest.fixture
def found() -> Comparison:
    rows = (row("momentum", 0), row("momentum", 2, None), row("mk21", 2), row("closed_form", 2))
    return Comparison("arm", rows, ("a note",), "a computer", 64, 1e-50)


def test_csv_round_trip(found: Comparison, tmp_path: Path):
    found.to_csv(tmp_path / "table.csv")
    content = (tmp_path / "table.csv").read_text(encoding="utf-8")
    assert rows_of_csv(content) == found.rows
    assert csv_text(rows_of_csv(content)) == content


def test_text_shows_everything(found: Comparison):
    text = str(found)
    assert text.startswith("arm: inverse dynamics on a computer")
    lines = [line.split() for line in text.splitlines()]
    assert ["formulation", "order", "0", "order", "2"] in lines
    assert ["momentum", "1,360", "1,360"] in lines  # operations
    assert ["mk21", "–", "1.0e-16"] in lines  # errors
    assert ["mk21", "69", "8.7", "0.0025"] in lines  # 10,000 calls
    assert ["closed_form", "124", "20", "–"] in lines
    assert "note: a note" in text
    assert "differ by 1e-50" in text


def test_rows_are_found_by_name_and_order(found: Comparison):
    assert found["mk21", 2] is found.rows[2]
    with pytest.raises(jounce.UnknownNameError, match="mk21, 2"):
        found["mk21", 1]


def test_plot(found: Comparison, tmp_path: Path):
    pytest.importorskip("matplotlib")
    found.plot(tmp_path / "figure.svg")
    found.plot(tmp_path / "again.svg")
    picture = (tmp_path / "figure.svg").read_bytes()
    assert b"<svg" in picture
    assert (tmp_path / "again.svg").read_bytes() == picture


def test_plot_says_what_is_missing(
    found: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import sys

    with pytest.raises(jounce.UnsupportedError, match=r"\.svg, \.png or \.pdf"):
        found.plot(tmp_path / "figure.txt")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(jounce.UnsupportedError, match=r"pip install 'jounce\[plot\]'"):
        found.plot(tmp_path / "figure.svg")
    assert not list(tmp_path.iterdir())


def test_the_page_shows_the_tables_of_its_csv():
    rows = rows_of_csv(TABLE.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert "jounce compare panda --csv docs/assets/compare_panda.csv" in page
    lines = [line.split() for line in page.splitlines()]
    for table in tables(Comparison("panda", rows, (), "", 4096, None)):
        assert table.title.split() in lines, table.title
        for row in [table.headings, *table.rows]:
            assert " ".join(row).split() in lines, row


def test_the_counts_of_the_page_are_still_true():
    rows = rows_of_csv(TABLE.read_text(encoding="utf-8"))
    for order in (0, 2):
        kernel = jounce.kernel(jounce.load("panda"), "inverse_dynamics", order=order)
        kept = next(r for r in rows if (r.formulation, r.order) == ("momentum", order))
        assert kept.operations
        change = abs(kernel.operations / kept.operations - 1.0)
        assert change < 0.05, "run the command of docs/comparison.md again"


def test_the_count_of_the_literal_closed_form():
    robot = without_motors(jounce.load("panda"))
    chain = from_robot(robot)
    program = trace(lambda rows: closed_form(chain, as_array(rows)).Q, robot, 2)
    assert f"{program.operations:,} or 17 times" in PAGE.read_text(encoding="utf-8")
