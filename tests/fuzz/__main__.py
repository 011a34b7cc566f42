"""``python -m tests.fuzz MINUTES [KIND SEED]``: try mutants until the time is over."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from tests.fuzz.cases import KINDS, tried


def main(minutes: float, kind: str | None = None, seed: int | None = None) -> int:
    """Return the exit code: 1 if anything was found."""
    os.environ["JOUNCE_INTERPRET"] = "1"
    end, done, found = time.monotonic() + 60.0 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        seeds = count() if seed is None else [seed]
        for number in seeds:
            for name in KINDS if kind is None else [kind]:
                finding = tried(name, number, place)
                done += 1
                if finding is not None:
                    found += 1
                    sys.stdout.write(f"{finding}\n")
                if seed is None and time.monotonic() > end:
                    sys.stdout.write(f"{done} mutants, {found} found; seeds 0 to {number}\n")
                    return int(bool(found))
    return int(bool(found))


if __name__ == "__main__":
    given = sys.argv[1:] or ["1"]
    words = given[1:3]
    sys.exit(main(float(given[0]), *words[:1], *map(int, words[1:])))
