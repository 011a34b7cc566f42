"""Which logs are meant, and what their results are called."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from jounce.errors import ArgumentError
from jounce.tables.file import READERS

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
BAG = "metadata.yaml"  # a folder with it is one log


class Source(NamedTuple):
    """A log, and the name of its result below the folder of the results."""

    path: str
    output: str


def sources(files: Files, out: Path | None = None) -> list[Source]:
    """Return the logs in files, folders and globs, each once, without those below ``out``.

    A result is called as its log, with the folders below the one that was given, or below the
    last one without a wildcard.
    """
    given = [files] if isinstance(files, (str, os.PathLike)) else files
    patterns = [os.fspath(pattern) for pattern in given]
    found: dict[str, Source] = {}
    for pattern in patterns:
        for path, root in _expanded(Path(pattern)):
            if out is None or not path.absolute().is_relative_to(out.absolute()):
                output = path.relative_to(root).with_suffix(".parquet").as_posix()
                log = os.fspath(path.absolute())
                found.setdefault(log, Source(log, output))
    if not found:
        endings = ", ".join(READERS)
        raise ArgumentError(
            f"no logs in {', '.join(patterns) or 'nothing'}; give files that end in "
            f"{endings}, folders of them, or patterns such as 'logs/**/*.parquet'."
        )
    named: dict[str, Source] = {}
    for source in found.values():
        other = named.setdefault(source.output, source)
        if other is not source:
            raise ArgumentError(
                f"{other.path} and {source.path} would both become {source.output}; give the "
                "folder above them, rename one, or give them one by one."
            )
    return list(named.values())


def _expanded(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the logs that a file, folder or pattern stands for, and what they are named from."""
    if path.is_dir() and not (path / BAG).is_file():
        yield from ((log, path) for log in _below(path))
    elif path.exists():
        yield path, path.parent
    elif not glob.has_magic(os.fspath(path)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    else:
        parts = path.parts
        plain = next(i for i, part in enumerate(parts) if glob.has_magic(part))
        root = Path(*parts[:plain])
        for name in sorted(glob.glob(os.fspath(path), recursive=True)):  # noqa: PTH207
            match = Path(name)
            inside = _below(match) if match.is_dir() and not (match / BAG).is_file() else [match]
            yield from (
                (log, root) for log in inside if log.suffix.lower() in READERS or log.is_dir()
            )


def _below(folder: Path) -> Iterator[Path]:
    """Yield the logs in a folder and in those below it, in the order of their names."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not (path / BAG).is_file():
            yield from _below(path)
        elif path.is_dir() or path.suffix.lower() in READERS:
            yield path
