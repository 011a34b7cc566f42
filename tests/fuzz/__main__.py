"""``python -m tests.fuzz MINUTES [--first SEED] [--kind KIND]``: mutants until the time is over.

``python -m tests.fuzz 0 --kind urdf --first 17`` tries one of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from tests.fuzz.cases import KINDS, tried


def main(minutes: float, first: int, kinds: Sequence[str]) -> int:
    """Return the exit code: 1 if anything was found."""
    os.environ["JOUNCE_INTERPRET"] = "1"
    end, done, found = time.monotonic() + 60.0 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in count(first):
            for kind in kinds:
                finding = tried(kind, seed, Path(directory))
                done += 1
                if finding is not None:
                    found += 1
                    sys.stdout.write(f"{finding}\n")
                    sys.stdout.flush()
                if time.monotonic() > end:
                    said = f"{done} mutants, {found} found; seeds {first} to {seed}"
                    sys.stdout.write(f"{said}\n")
                    return int(bool(found))
    raise AssertionError("seeds do not end")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--kind", choices=KINDS, action="append")
    given = parser.parse_args()
    sys.exit(main(given.minutes, given.first, given.kind or [*KINDS]))
