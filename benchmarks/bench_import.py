"""How long it takes to start: the import, and reading a URDF file."""

from __future__ import annotations

import subprocess
import sys

from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.peers import Pinocchio, urdf
from benchmarks.timing import at_most, best_times

ROBOT = "talos_full_v2.urdf"


def run(console: Console) -> None:
    """Print the table."""
    table = Table(title="starting")
    for heading in ("what", "time", "against"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    times = best_times({name: lambda n=name: _run(n) for name in ("jounce", "numpy", "")}, rounds=7)
    spent = {name: seconds - times[""] for name, seconds in times.items()}
    table.add_row(
        "import jounce", at_most(spent["jounce"], 0.3, " s"), f"import numpy {spent['numpy']:.3f} s"
    )
    everything = "jounce; import jounce; jounce.kernel, jounce.load, jounce.inverse_dynamics"
    all_names = best_times({"all": lambda: _run(everything)}, rounds=5)["all"] - times[""]
    table.add_row("and the names of a first script", f"{all_names:.3f} s", "")
    path = urdf(ROBOT)
    links = path.read_text(encoding="utf-8").count("<link ")
    best = best_times({"ours": lambda: jounce.load(path), "peer": lambda: Pinocchio(ROBOT)})
    table.add_row(
        f"jounce.load({ROBOT!r}), {links} links",
        at_most(best["ours"] * 1e3, 50.0, " ms"),
        f"Pinocchio {best['peer'] * 1e3:.1f} ms",
    )
    console.print(table)


def _run(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}" if module else ""], check=True)
