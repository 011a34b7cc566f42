"""Generated text changes only on purpose: it is compared byte for byte."""

from __future__ import annotations

import pytest

from tests.golden.generated import PLACE, texts


@pytest.mark.parametrize("name", texts())
def test_text_is_the_golden_one(name: str) -> None:
    found = texts()[name].encode()
    assert found == (PLACE / name).read_bytes(), (
        "on purpose? python -m tests.golden.generated --update"
    )
