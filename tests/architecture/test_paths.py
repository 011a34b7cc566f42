"""Pages that lead through the code name files that are there."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import PACKAGE, ROOT

PAGES = ("docs/architecture.md", "CONTRIBUTING.md")
PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:py|md|toml|json))`")


def paths(text: str) -> list[str]:
    """Return the names of files and folders in a page."""
    return [path for path in PATH.findall(text) if "…" not in path]


def exists(path: str) -> bool:
    return any((root / path).exists() for root in (ROOT, PACKAGE))


@pytest.mark.parametrize("page", PAGES)
def test_every_path_is_there(page: str):
    found = paths((ROOT / page).read_text(encoding="utf-8"))
    assert found, "no path found"
    assert [path for path in found if not exists(path)] == []


def test_every_package_has_a_line():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    packages = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    assert len(packages) > 15
    missing = [name for name in packages if f"| `{name}/` |" not in page]
    assert not missing, f"add a line to docs/architecture.md: {missing}"


def test_a_path_that_is_gone_is_found():
    assert paths("see `dynamics/nowhere.py`, `errors.py` and `q`") == [
        "dynamics/nowhere.py",
        "errors.py",
    ]
    assert not exists("dynamics/nowhere.py")
