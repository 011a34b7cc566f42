"""Every Python block of the documentation runs, page by page, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[tuple[int, str]]:
    """Return the line above each Python block, and the block."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start()) + 1, m[1]) for m in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_python_blocks_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interpreted: None
) -> None:
    """Blocks of a page share their names; the working directory is empty."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, block in blocks(ROOT / page):
        code = compile("\n" * line + block, page, "exec")  # tracebacks show the line of the page
        exec(code, names)


def test_blocks_are_found() -> None:
    """Each block is closed, none is indented, and pages that should show code do."""
    counts = {page.relative_to(ROOT).as_posix(): len(blocks(page)) for page in PAGES}
    for page in PAGES:
        name, text = page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
        assert counts[name] == text.count("```python"), name
        assert text.count("```") % 2 == 0, name
    assert all(counts[name] for name in ("README.md", "docs/index.md", "docs/frames.md"))
