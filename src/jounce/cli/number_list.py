"""Several numbers as the value of one option, such as ``--q "0 0.5 1"``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import numpy as np


def numbers(
    option: str, text: str, *counts: int, infinite: bool = False, meaning: str = ""
) -> np.ndarray:
    """Return the numbers, with spaces or commas between them; as many as one of the counts."""
    import numpy as np

    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        values = np.array([])
    if len(values) not in counts or not (infinite or np.isfinite(values).all()):
        wanted = " or ".join(map(str, counts))
        hint = f" ({meaning})" if meaning else ""
        raise click.UsageError(f"{option} takes {wanted} numbers{hint}, got {text!r}")
    return values
