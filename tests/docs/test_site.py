"""The site is whole: public names have entries, pages are in the menu, links lead to files."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import jounce
from tests.architecture.sources import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ENTRIES = re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(encoding="utf-8"), re.M)
APPLICATIONS = (
    "elastic", "fleet", "identification", "ik", "planning", "report", "simulation", "tables",
    "trajectory", "viewer",
)  # fmt: skip
PACKAGES = {"adapters", *APPLICATIONS, "literature"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def found(path: str) -> object:
    """Return the object that an entry of the reference names."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except AttributeError:
        return import_module(path)


@pytest.mark.parametrize("entry", ENTRIES)
def test_entry_names_something_with_a_docstring(entry: str) -> None:
    assert (found(entry).__doc__ or "").strip()


def test_every_public_name_has_an_entry() -> None:
    last = {entry.rpartition(".")[2] for entry in ENTRIES}
    public = {name for name in jounce.__all__ if not name.startswith("__")} - PACKAGES
    for application in APPLICATIONS:
        module = import_module(f"jounce.{application}")
        listed = getattr(module, "__all__", None) or [n for n in vars(module) if n[0].isupper()]
        public |= set(listed)
    assert not public - last
    assert len(ENTRIES) == len(set(ENTRIES))


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = re.findall(r"(\S+\.md)$", menu, re.M)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=str)
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    local = [target for target in LINK.findall(text) if "://" not in target]
    made = "assets/made/"  # by the build
    missing = [x for x in local if made not in x and not (page.parent / x).exists()]
    assert not missing


def test_readme_is_two_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
