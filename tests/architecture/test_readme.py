"""The Python that README and the first page of the documentation show runs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.architecture.sources import ROOT


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_python_blocks_run(page: str):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert names["Q"].shape == names["Q2"].shape == (names["robot"].nv,)
