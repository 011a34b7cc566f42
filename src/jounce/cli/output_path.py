"""Where a command is to write: found out before the work whether it can."""

from __future__ import annotations

from pathlib import Path

import click


def check_target(path: Path | None, *endings: str) -> Path | None:
    """Return the path, if there is one; it must have one of the endings, if there are any."""
    if path is None:
        return None
    if endings and path.suffix.lower() not in endings:
        raise click.UsageError(f"{path} must end in {' or '.join(endings)}")
    if path.is_dir():
        raise IsADirectoryError(21, "is a directory", str(path))
    if not path.resolve().parent.is_dir():
        raise click.UsageError(f"no directory {path.parent} to write {path.name} to")
    return path
