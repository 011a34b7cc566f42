"""The numbers that the figures of the papers are compared with: examples/data/papers.json.

Taken from tests/data/oracle, the results of the authors' own programs: the ten samples of their
motion, ``(orders, samples, joints)``.  ``python -m tests.docs.papers_data`` writes the file.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tests import oracle_data
from tests.architecture.sources import ROOT

FILE = ROOT / "examples" / "data" / "papers.json"
ABOUT = (
    "Generalised forces by the programs of the papers' authors, [order][sample][joint], SI units. "
    "Q: inertias about the centres of mass, as their sources give them. Q_scripts: the same "
    "numbers taken for inertias about the origins of the bodies, as in the authors' scripts. "
    "q: their motion at these times, [sample][joint]."
)
PROGRAMS = {  # figure -> table of the physical robot, table of the authors' scripts, program
    "KM21": ("panda_gaz", "panda_authors", "nth_closed_form"),
    "M20": ("panda_gaz", "panda_authors", "hand_recursive_spatial"),
    "MK21": ("kuka_steiner", "kuka_authors", "closed_form_2nd"),
}


def collected() -> dict[str, Any]:
    """Return the content of the file, from the oracle."""
    moving = [s for s in oracle_data.samples("panda_gaz") if s["t"] is not None]
    result: dict[str, Any] = {"about": ABOUT, "time": [s["t"] for s in moving]}
    result["q"] = [s["q_derivatives"][0] for s in moving]
    for paper, (physical, scripts, program) in PROGRAMS.items():
        result[paper] = {"Q": _forces(physical, program), "Q_scripts": _forces(scripts, program)}
    return result


def _forces(name: str, program: str) -> list[Any]:
    rows = [s["authors"][program]["Q"] for s in oracle_data.samples(name) if s["t"] is not None]
    return np.array(rows).swapaxes(0, 1).tolist()


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(collected(), separators=(",", ":")) + "\n", encoding="utf-8")
