"""Every paper that the code cites is in the bibliography."""

from __future__ import annotations

import re

from tests.architecture.sources import ROOT, docstrings, python_files, relative

TAG = re.compile(r"\[([A-Z][A-Za-z]*\d\d)(?=[\],; ])")  # [KM21], [KM21, (17)]
ENTRY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)


def test_every_tag_resolves():
    keys = set(ENTRY.findall((ROOT / "docs" / "references.bib").read_text(encoding="utf-8")))
    pages = sorted((ROOT / "docs").rglob("*.md"))
    texts = [(path, text) for path in python_files("src") for text in docstrings(path)]
    texts += [(path, path.read_text(encoding="utf-8")) for path in pages]
    unknown = {
        f"{relative(path)}: [{key}]"
        for path, text in texts
        for key in TAG.findall(text)
        if key not in keys
    }
    assert not unknown, f"add to docs/references.bib: {sorted(unknown)}"


def test_the_four_papers_are_there():
    keys = ENTRY.findall((ROOT / "docs" / "references.bib").read_text(encoding="utf-8"))
    assert {"KM21", "GOA13", "MK21", "M20"} <= set(keys)
    assert len(keys) == len(set(keys))


def test_tags_are_found():
    assert TAG.findall("as in [KM21, (17)] and [M20]; not [x21] or [nv, nv]") == ["KM21", "M20"]
