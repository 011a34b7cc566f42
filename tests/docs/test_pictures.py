"""Pictures that scripts draw are those that were checked in."""

from __future__ import annotations

import runpy

import pytest

from tests.architecture.sources import ROOT

SCRIPTS = [
    path
    for path in sorted((ROOT / "docs" / "assets").glob("*.py"))
    if path.with_suffix(".svg").exists()
]


@pytest.mark.parametrize("script", [script.name for script in SCRIPTS])
def test_picture_is_what_its_script_draws(script: str, interpreted: None) -> None:
    path = ROOT / "docs" / "assets" / script
    drawn = runpy.run_path(str(path))["picture"]()
    found = path.with_suffix(".svg").read_text(encoding="utf-8")
    assert drawn == found, f"run: python docs/assets/{script}"


def test_there_are_pictures() -> None:
    assert [script.stem for script in SCRIPTS] == ["frames", "overview"]
