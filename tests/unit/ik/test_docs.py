"""The page on inverse kinematics runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "inverse-kinematics.md"


def test_the_page_runs():
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    for block in blocks:
        exec(block, names)
    assert names["motion"].rates.shape == (4, 21, 7)
