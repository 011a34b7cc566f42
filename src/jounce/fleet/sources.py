"""Which logs are meant, and what their results are called."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from jounce.errors import ArgumentError
from jounce.tables.bags import is_bag
from jounce.tables.file import READERS

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Source(NamedTuple):
    """A log, and the name of its result below the folder of the results."""

    path: str
    output: str


def sources(files: Files, out: Path | None = None) -> list[Source]:
    """Return the logs in files, folders and globs, each once, without those below ``out``.

    A result is called as its log, with the folders below the one that was given, or below the
    last one without a wildcard; with ``out``, where results go, no two may have the same name.
    """
    given = [files] if isinstance(files, (str, os.PathLike)) else files
    patterns = [os.fspath(pattern) for pattern in given]
    results = None if out is None else os.path.realpath(out)
    found: dict[str, Source] = {}
    below = 0
    for pattern in patterns:
        for path, root in _expanded(Path(pattern)):
            if results is not None and Path(os.path.realpath(path)).is_relative_to(results):
                below += 1
            else:
                log = os.fspath(path.absolute())
                found.setdefault(log, Source(log, _result(path.relative_to(root))))
    if not found:
        asked = ", ".join(patterns) or "nothing"
        if below:
            raise ArgumentError(
                f"all logs in {asked} are below {out}, where the results go; give another folder "
                "for the results."
            )
        endings = ", ".join(READERS)
        raise ArgumentError(
            f"no logs in {asked}; give files that end in {endings}, folders of them, or patterns "
            "such as 'logs/**/*.parquet'."
        )
    if out is not None:
        _refuse_same_results(found.values())
    return list(found.values())


def _result(log: Path) -> str:
    """Return what the result of a log is called; the folder of a bag may have dots in its name."""
    name = log.stem if log.suffix.lower() in READERS else log.name
    return log.with_name(f"{name}.parquet").as_posix()


def _refuse_same_results(logs: Iterable[Source]) -> None:
    named: dict[str, Source] = {}
    for source in logs:
        other = named.setdefault(source.output, source)
        if other is not source:
            raise ArgumentError(
                f"{other.path} and {source.path} would both become {source.output}; give the "
                "folder above them, rename one, or give them one by one."
            )


def _expanded(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the logs that a file, folder or pattern stands for, and what they are named from."""
    if is_folder(path):
        yield from ((log, path) for log in _below(path))
    elif path.exists():
        yield path, path.parent
    elif not glob.has_magic(os.fspath(path)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    else:
        parts = path.parts
        plain = next(i for i, part in enumerate(parts) if glob.has_magic(part))
        root = Path(*parts[:plain])
        for match in _matches(path, root, parts[plain:]):
            inside = _below(match) if is_folder(match) else [match]
            yield from (
                (log, root) for log in inside if log.suffix.lower() in READERS or log.is_dir()
            )


def is_folder(path: Path) -> bool:
    """Whether a path is a folder of logs, and not a bag, which is one."""
    return path.is_dir() and not is_bag(path)


def _matches(path: Path, root: Path, pattern: tuple[str, ...]) -> Iterator[Path]:
    """Yield what a pattern below ``root`` stands for, in the order of the names.

    With ``**`` it is walked here: that of `glob` goes round links that lead back again and again.
    """
    if "**" not in pattern:
        yield from map(Path, sorted(glob.glob(os.fspath(path))))  # noqa: PTH207
    else:
        yield from (
            found for found in _walked(root) if _fits(found.relative_to(root).parts, pattern)
        )


def _fits(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether names match a pattern; hidden ones only where it says so."""
    if not pattern:
        return not names
    if pattern[0] == "**" and _fits(names, pattern[1:]):
        return True
    if not names or (names[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    if pattern[0] == "**":
        return _fits(names[1:], pattern)
    return fnmatch(names[0], pattern[0]) and _fits(names[1:], pattern[1:])


def _walked(
    folder: Path, enters: Callable[[Path], bool] = Path.is_dir, above: tuple[str, ...] = ()
) -> Iterator[Path]:
    """Yield all that is in a folder and below; links are followed, but not to a folder above."""
    here = os.path.realpath(folder)
    if here in above or not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        yield path
        if enters(path):
            yield from _walked(path, enters, (*above, here))


def _below(folder: Path) -> Iterator[Path]:
    """Yield the logs in a folder and in those below it, in the order of their names."""

    def enters(path: Path) -> bool:
        return is_folder(path) and not path.name.startswith(".")

    for path in _walked(folder, enters):
        is_log = path.suffix.lower() in READERS or path.is_dir()
        if is_log and not is_folder(path) and not path.name.startswith("."):
            yield path
