"""The project stands on its own: no path leads out of the checkout."""

from __future__ import annotations

import re

from tests.architecture.sources import ROOT, relative

DIRECTORIES = ("src", "tests", "docs", "examples", "benchmarks")
TEXT = {".py", ".md", ".toml", ".json", ".urdf", ".xml", ".xacro", ".bib", ".txt", ".c", ".h"}
OUTSIDE = re.compile(r"\.\.[/]shared\b|(?<![\w.])[/]work[/]")


def test_no_file_mentions_a_path_outside():
    files = [p for name in DIRECTORIES for p in (ROOT / name).rglob("*") if p.suffix in TEXT]
    assert files, "no file found"
    offenders = [
        relative(path)
        for path in files
        if OUTSIDE.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not offenders, offenders


def test_paths_are_found():
    assert OUTSIDE.search("{0}work{0}x".format("/"))
    assert OUTSIDE.search("..{}shared".format("/"))
    assert not OUTSIDE.search("framework/x")
