"""The site opened from the disk: its search finds, and nothing is fetched from elsewhere."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if sys.platform == "win32":
    pytest.skip("Chromium is driven over POSIX pipes", allow_module_level=True)

from tests.browser.chromium import chromium, executable

if TYPE_CHECKING:
    from tests.browser.chromium import Page

pytest.importorskip("material")
ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(executable() is None, reason="no chromium on this machine"),
]


def built(folder: Path) -> Path:
    """Return two pages built with the settings of the site, without its pictures and docstrings."""
    import yaml
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    (folder / "docs" / "assets").mkdir(parents=True)
    for name in ("iframe-worker.js", "site.css"):
        shutil.copy(ROOT / "docs" / "assets" / name, folder / "docs" / "assets" / name)
    (folder / "docs" / "index.md").write_text("# Start\n\nNothing here.\n")
    (folder / "docs" / "other.md").write_text("# Screws\n\nAbout the *regressor* of a robot.\n")
    settings: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    settings["plugins"] = [x for x in settings["plugins"] if isinstance(x, str)]
    for name in ("hooks", "nav", "validation"):
        settings.pop(name)
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    logging.getLogger("mkdocs").setLevel(logging.ERROR)
    build(load_config(str(folder / "mkdocs.yml")))
    return folder / "site" / "index.html"


def until(page: Page, condition: str) -> None:
    end = time.monotonic() + 20.0
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.1)


def test_search_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    start = built(tmp_path)
    with chromium(1400, 900) as page:
        page.send("Page.navigate", url=start.as_uri())
        until(
            page,
            "document.readyState === 'complete' && !!document.querySelector('input[name=query]')",
        )
        page.evaluate(
            "(() => { const box = document.querySelector('input[name=query]'); box.focus();"
            " box.value = 'regressor'; box.dispatchEvent(new Event('keyup', {bubbles: true}));"
            " box.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        until(page, "document.querySelectorAll('.md-search-result__item').length > 0")
        found = "document.querySelector('.md-search-result__item a').getAttribute('href')"
        assert "other.html" in page.evaluate(found)
        assert page.errors == []
        here = tmp_path.as_uri()
        assert [x for x in page.requests if not x.startswith((here, "data:", "about:"))] == []
