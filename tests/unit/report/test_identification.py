"""The page about an identification."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.identification import identify
from jounce.report.identification import write_identification

pytest.importorskip("clarabel")
pytest.importorskip("plotly")


def test_a_page_with_all_joints_and_parameters(tmp_path: Path) -> None:
    arm = jounce.load("planar2r")
    q, v, a = np.random.default_rng(0).normal(size=(3, 300, 2))
    Q = 1.2 * jounce.inverse_dynamics(arm, q, v, a)[0] + 0.1 * v
    log = q, v, a, Q
    found = identify(arm, log)
    write_identification(tmp_path / "page.html", found, log)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for word in ("measured", "before", "after", "joint2", "Izz(link2)", "Residuals"):
        assert word in text
    assert text.count("plotly-graph-div") == 3
    assert "https://cdn" not in text.split("<body>")[0]
