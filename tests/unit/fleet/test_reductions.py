"""Information and limits of many logs: what one process finds, whoever does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce import fleet
from jounce.errors import ArgumentError
from jounce.identification import Information, identify
from jounce.limits.check import check_log
from jounce.limits.limits import MotionLimits
from jounce.tables import open_log
from tests.tolerances import EXACT, INDEPENDENT, assert_close
from tests.unit.fleet.logs import ARM, write_log

pytest.importorskip("distributed")

COUNT = 70  # logs, more than a wave


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for i in range(COUNT):
        write_log(folder / f"{i:02}.npz", 300, seed=i, forces=True)
    (folder / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n")
    return folder


def told(information: Information) -> list[np.ndarray]:
    return [*information.factors, *(R for level in information.batches for R in level)]


def test_information_does_not_depend_on_the_workers(two: Any, one: Any, logs: Path):
    steps: list[tuple[int, int]] = []
    found, again = (
        fleet.information(ARM, logs, client=client, progress=lambda *x: steps.append(x))
        for client in (two, one)
    )
    for a, b in zip(told(found), told(again), strict=True):
        assert_close(a, b, EXACT)
    assert steps[COUNT] == (COUNT + 1, COUNT + 1)
    alone = [identify_one(path) for path in sorted(logs.glob("*.npz"))]
    total = alone[0]
    for other in alone[1:]:
        total = total + other
    assert found.samples == total.samples
    for a, b in zip(found.factors, total.factors, strict=True):
        assert_close(a.T @ a, b.T @ b, INDEPENDENT)
    (line,) = found.failed
    assert "bad.csv" in line
    assert f"left out: {line}" in found.notes
    fit = identify(ARM, found, consistent=False)
    assert fit.samples == total.samples


def identify_one(path: Path) -> Information:
    from jounce.identification.logs import information_of

    return information_of(ARM, path, {}, {})


def test_no_log_that_can_be_read(one: Any, tmp_path: Path):
    (tmp_path / "bad.csv").write_text("t,joint1,joint2\n0,1,2\n")
    with pytest.raises(ArgumentError, match=r"no log can be read; the first: .*bad\.csv"):
        fleet.information(ARM, tmp_path, client=one)


def test_limits_of_every_log_and_joint_the_worst_first(two: Any, logs: Path):
    limits = MotionLimits.of(ARM, velocity=1.2, effort=20.0)
    found = fleet.check(ARM, logs, limits, client=two)
    assert len(found.rows) == 2 * COUNT
    uses = [row.use for _, row in found.rows]
    assert uses == sorted(uses, reverse=True)
    assert len(found.failed) == 1
    assert 0 < len(found.violations) < len(found.rows)
    path = str(logs / "07.npz")
    log = open_log(ARM, path, order=limits.order)
    alone = check_log(ARM, log, limits).rows
    for file, row in found.rows:
        if file == path:
            assert row in alone
            assert row.use == max(other.use for other in alone if other.joint == row.joint)
    assert fleet.check(ARM, logs, limits, client=two) == found


def test_no_limits(logs: Path):
    with pytest.raises(ArgumentError, match="no limits are known"):
        fleet.check(jounce.load("planar2r"), logs, MotionLimits.of(ARM, lower=None, upper=None))
