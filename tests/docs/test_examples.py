"""Every numbered example runs as a user would run it, and shows what it promises."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.docs import papers_data

EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
FIGURES = {  # how many deviations from the authors' programs each of these prints
    "03_km21_figures": 9,
    "04_m20_figure_2": 6,
    "05_mk21_figures_3_4": 3,
}
DEVIATION = re.compile(r"largest deviation (\S+) of scale")
ALLOWED = 1e-11
SMALLEST_PICTURE = 5_000  # bytes
LONGEST = 59  # lines


def run(path: Path, folder: Path, *arguments: str) -> str:
    """Return what an example prints; a warning is an error."""
    result = subprocess.run(
        [sys.executable, "-W", "error", str(path), *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    return result.stdout


def written(path: Path) -> str | None:
    """Return the ending of the file that an example writes where its argument says, if any."""
    found = re.search(r'len\(sys\.argv\) > 1 else "demo/\w+(\.\w+)"', path.read_text("utf-8"))
    return found[1] if found else None


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    ending = written(path)
    target = tmp_path / "made" / f"picture{ending}"
    printed = run(path, tmp_path, *([str(target)] if ending else []))
    assert printed.strip()
    deviations = [float(x) for x in DEVIATION.findall(printed)]
    assert len(deviations) == FIGURES.get(path.stem, 0)
    assert all(x <= ALLOWED for x in deviations)
    left = [x for x in tmp_path.rglob("*") if x.is_file()]
    assert left == ([target] if ending else [])  # nothing else
    if ending:
        assert target.stat().st_size > SMALLEST_PICTURE


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_says_what_it_shows(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert ast.get_docstring(ast.parse(text))


def test_examples_without_an_argument_write_below_demo(tmp_path: Path) -> None:
    run(ROOT / "examples" / "02_torque_rates.py", tmp_path)
    assert [x.name for x in (tmp_path / "demo").iterdir()] == ["torque_rates.png"]


def test_figures_are_among_the_examples() -> None:
    assert set(FIGURES) < {path.stem for path in EXAMPLES}


def test_numbers_of_the_papers_are_those_of_the_oracle() -> None:
    found = json.loads(papers_data.FILE.read_text("utf-8"))
    assert found == papers_data.collected(), "run: python -m tests.docs.papers_data"


def test_gallery_shows_every_example() -> None:
    """A section each, in order, with the picture that the build makes of what it writes."""
    text = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    numbered = [path.stem for path in EXAMPLES]
    assert re.findall(r"^python examples/(\w+)\.py", text, re.M) == numbered
    names = {".png": str, ".html": lambda _: "report"}  # a page is photographed
    pictures = [names[ending](path.stem) for path in EXAMPLES if (ending := written(path))]
    assert re.findall(r"^!\[[^\]]+\]\(assets/made/(\w+)\.png\)", text, re.M) == pictures
