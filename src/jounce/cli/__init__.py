"""The ``jounce`` command: one file per command, everything they share in one place each."""

from jounce.cli.main import main

__all__ = ["main"]
