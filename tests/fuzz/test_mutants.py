"""A minute of `make fuzz`: the same seeds in every run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.fuzz.cases import KINDS, tried

SEEDS = {  # of the slower kinds
    "log": 60, "options": 150, "motions": 24, "view": 24, "closures": 60, "closed": 32, "fleet": 40,
    "adapters": 60, "bags": 60,
}  # fmt: skip
USUAL = 300


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found(kind: str, part: int, tmp_path: Path, interpreted: None):
    count = SEEDS.get(kind, USUAL)
    found = [tried(kind, seed, tmp_path) for seed in range(part, count, 4)]
    assert not (wrong := [str(x) for x in found if x is not None]), "\n\n".join(wrong[:3])


def test_what_breaks_the_rule_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise IndexError("a defect")

    def endless(*_: object) -> None:
        while True:
            pass

    def untidy(_: object, place: Path) -> None:
        (place / ".jounce-0123456789ab.tmp").touch()

    monkeypatch.setattr("tests.fuzz.rule.PATIENCE", 0.2)
    for case, message in ((broken, "a defect"), (endless, "took more"), (untidy, "left")):
        monkeypatch.setitem(KINDS, "urdf", case)
        finding = tried("urdf", 0, tmp_path)
        assert finding is not None
        assert message in finding.what


def test_what_took_long_while_the_machine_stood_still_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls = []

    def sleeping(_: object, place: Path) -> None:
        calls.append(place)
        time.sleep(0.0 if len(calls) == second else 5.0)

    monkeypatch.setattr("tests.fuzz.rule.PATIENCE", 0.05)
    monkeypatch.setitem(KINDS, "urdf", sleeping)
    second = 2
    assert tried("urdf", 0, tmp_path) is None
    second = 0
    finding = tried("urdf", 0, tmp_path)
    assert finding is not None
    assert "took more" in finding.what
