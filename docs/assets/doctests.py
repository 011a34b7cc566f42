"""Show the examples in docstrings as code; griffe calls ``on_object`` for everything it reads."""

from __future__ import annotations

import re
from typing import Any

import griffe  # pyright: ignore[reportMissingImports]

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$|>>> ).*\n?)*)+", re.MULTILINE)


class Doctests(griffe.Extension):
    """Put a fence around every example."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of one object, once."""
        if obj.docstring is not None and "```" not in obj.docstring.value:
            obj.docstring.value = EXAMPLE.sub(fenced, obj.docstring.value)


def fenced(example: re.Match[str]) -> str:
    """Return an example as a block of code."""
    return f"```pycon\n{example[0].rstrip()}\n```\n"
