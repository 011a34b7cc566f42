"""What became of every log: a line of JSON each, beside the results.

A line is appended when a log is done, so that whatever ends a run loses none of them; in the end
the file is written anew, one line a log in their order.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from jounce.errors import ArgumentError, JounceError
from jounce.files import atomic_write, is_taken, refuse_devices
from jounce.lazy import required

NAME = "manifest.jsonl"


class Record(NamedTuple):
    """A log and its result: ``key`` is what it was made from, ``error`` why there is none."""

    source: str
    output: str
    key: str = ""
    bytes: int = 0
    samples: int = 0
    notes: tuple[str, ...] = ()
    error: str | None = None

    def stands(self, key: str, out: Path) -> bool:
        """Whether the result is there and was made from the same."""
        path = out / self.output
        return self.error is None and self.key == key and _size(path) == self.bytes

    @property
    def line(self) -> str:
        """The record as a line of JSON; what is empty is left out."""
        said = {k: v for k, v in self._asdict().items() if v}
        text = json.dumps(said, ensure_ascii=False)
        return text if text.isprintable() else json.dumps(said)  # names of files may be any bytes


class Manifest:
    """The records in a folder, by the name of the result; a context in which more are added.

    One run at a time: what two write at once would be known by the records of either.
    """

    def __init__(self, out: Path) -> None:
        self.path = out / NAME
        self.records: dict[str, Record] = {}

    def __enter__(self) -> Manifest:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._open()
        while not self._is_current():  # a run that ends puts a new file in its place
            self._file.close()
            self._open()
        self._file.seek(0)
        before = self._file.read()
        for line in before.splitlines():
            record = _parsed(line)
            if record is not None:
                self.records[record.output] = record
        if before and not before.endswith("\n"):  # a line that a run was killed in
            self._file.write("\n")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _open(self) -> None:
        """Open the file for this run alone."""
        refuse_devices(self.path)
        self._file = self.path.open("a+", encoding="utf-8", errors="replace", newline="\n")
        if is_taken(self._file.fileno()):
            self._file.close()
            raise ArgumentError(
                f"{self.path.parent}: another run writes its results there; wait until it has "
                "ended, or give another folder."
            )

    def _is_current(self) -> bool:
        """Whether the file that is open is the one of this name."""
        return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())

    def add(self, record: Record) -> None:
        """Keep a record, at once."""
        self.records[record.output] = record
        self._file.write(f"{record.line}\n")
        self._file.flush()

    def rewrite(self, outputs: Iterable[str]) -> None:
        """Write the records of these results first, in this order, then all others."""
        order = dict.fromkeys([*outputs, *self.records])
        with atomic_write(self.path) as file:
            file.writelines(f"{self.records[name].line}\n" for name in order)


def content_key(path: str, *made_with: str) -> str:
    """Return a digest of the bytes of a log, or of all files of a folder, and of what it meets.

    It tells logs apart, not forgeries: XXH3 takes a quarter of the time of SHA-256.
    """
    xxhash = required("xxhash", "a fleet", "fleet")
    state = hashlib.blake2b(digest_size=20)
    for part in made_with:
        state.update(f"{len(part)} {part}\n".encode())
    top = Path(path)
    if not top.is_dir():
        refuse_devices(top)
    for file in sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]:
        state.update(os.fsencode(file.relative_to(top)) + b"\0")
        with file.open("rb") as data:
            state.update(hashlib.file_digest(data, xxhash.xxh3_128).digest())
    return state.hexdigest()


def one_line(failure: BaseException) -> str:
    """Say in a line what went wrong."""
    if isinstance(failure, OSError) and not isinstance(failure, JounceError) and failure.strerror:
        name = "" if failure.filename is None else f"{os.fsdecode(failure.filename)}: "
        return f"{name}{failure.strerror}"
    text = " ".join(str(failure).split())
    return text if isinstance(failure, JounceError) else f"{type(failure).__name__}: {text}"


def _parsed(line: str) -> Record | None:
    """Return the record of a line; None if it is torn, as by a run that was killed, or not ours."""
    try:
        data = json.loads(line)
        record = Record(**{**data, "notes": tuple(data.get("notes", ()))})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    texts = (record.source, record.output, record.key, record.error or "", *record.notes)
    numbers = (record.bytes, record.samples)
    is_ours = all(type(x) is str for x in texts) and all(type(x) is int for x in numbers)
    return record if is_ours else None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
