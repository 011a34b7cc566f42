"""Limits as a table in a file."""

from __future__ import annotations

import csv
import json
import os
from math import nan
from pathlib import Path
from typing import Any

from jounce.errors import TableError, UnsupportedError


def read_bounds(path: str | os.PathLike[str]) -> dict[str, dict[str, float | None]]:
    """Return ``{limit: {joint: bound}}`` of a CSV or JSON file; None is no bound."""
    path = Path(path)
    readers = {".csv": _csv, ".json": _json}
    if path.suffix.lower() not in readers:
        raise UnsupportedError(
            f"{path}: tables of limits end in .csv or .json, not in {path.suffix!r}."
        )
    bounds: dict[str, dict[str, float | None]] = {}
    for where, joint, name, value in readers[path.suffix.lower()](path):
        try:
            number = None if value is None else nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = nan
        if number is not None and number != number:
            raise TableError(f"{where}: {name} of {joint!r} is {value!r}, not a number.")
        if joint in bounds.setdefault(name, {}):
            raise TableError(f"{where}: {name} of {joint!r} is given twice.")
        bounds[name][joint] = number
    return bounds


def _csv(path: Path) -> list[tuple[str, str, str, Any]]:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        lines = csv.reader(stream)
        header = [name.strip() for name in next(lines, [])]
        if "joint" not in header:
            raise TableError(f"{path}:1: no column 'joint' among {', '.join(header) or 'none'}.")
        found = []
        for fields in lines:
            where = f"{path}:{lines.line_num}"
            if not fields:
                continue
            if len(fields) != len(header):
                raise TableError(f"{where}: {len(fields)} fields, expected {len(header)}.")
            row = {name: field.strip() for name, field in zip(header, fields, strict=True)}
            joint = row.pop("joint")
            found += [(where, joint, name, value) for name, value in row.items() if value]
        return found


def _json(path: Path) -> list[tuple[str, str, str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TableError(f"{path}: not a JSON file ({error}).") from error
    if not isinstance(data, dict) or not all(isinstance(row, dict) for row in data.values()):
        raise TableError(f'{path}: limits must be {{"joint": {{"velocity": 2.0, …}}, …}}.')
    return [
        (str(path), joint, name, value)
        for joint, row in data.items()
        for name, value in row.items()
    ]
