"""Run the benchmarks: every ``bench_*.py`` beside this file has a function ``run(console)``."""

import importlib
import os
import sys
from pathlib import Path

from rich.console import Console


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all of them, in alphabetical order."""
    stems = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    known = [stem.removeprefix("bench_") for stem in stems]
    wanted = [name.removeprefix("bench_") for name in names] or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        there_are = ", ".join(known) or "none"
        print(f"no benchmark {', '.join(unknown)}; there are: {there_are}", file=sys.stderr)
        return 2
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 120
    for name in wanted:
        console.rule(name)
        importlib.import_module(f"benchmarks.bench_{name}").run(console)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
