"""The oracle files of tests/data/oracle: results that nobody here wrote.

`model` and `samples` give the content of a file, `robot` its robot through `from_screws`.  The
meaning of every entry is in tests/data/oracle/README.md.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from jounce.formats.screws import from_screws
from jounce.model.inertia import Inertia
from jounce.model.robot import Robot

DIRECTORY = Path(__file__).parent / "data" / "oracle"
NAMES = tuple(sorted(path.name.removesuffix(".json.gz") for path in DIRECTORY.glob("*.json.gz")))
TREES = ("tree6_open",)
PHYSICAL = ("chain5_open", "panda_gaz", "tree6_open")  # by the strict check; see `robot`
REPRESENTATIONS = ("body", "spatial")


@cache
def contents(name: str) -> dict[str, Any]:
    """Return a whole file: ``{"model": …, "samples": […]}``; do not change it."""
    with gzip.open(DIRECTORY / f"{name}.json.gz", "rt", encoding="utf-8") as stream:
        return json.load(stream)


def model(name: str) -> dict[str, Any]:
    """Return the description of a robot."""
    return contents(name)["model"]


def samples(name: str) -> list[dict[str, Any]]:
    """Return the samples of a robot."""
    return contents(name)["samples"]


@cache
def robot(name: str, representation: str = "body") -> Robot:
    """Return the robot of a file, built from body or from spatial screws.

    Not strict: the ``*_authors`` tables are non-physical on purpose, planar2R has moments no
    body has about the axes that never turn, and two links of kuka_steiner miss the condition
    by 1e-3 of the trace (the published matrices do).
    """
    bodies = model(name)["bodies"]
    spatial = representation == "spatial"
    return from_screws(
        [b["screw_spatial" if spatial else "screw_body"] for b in bodies],
        [b["A_world_to_body_ref" if spatial else "B_parent_to_body_ref"] for b in bodies],
        inertias(name),
        parents=[b["parent"] for b in bodies],
        representation=representation,
        gravity=model(name)["gravity"],
        strict=False,
        name=name,
    )


def inertias(name: str) -> list[Inertia]:
    """Return the inertias, from the matrix that is the given one in the file."""
    about, key = {"com": ("com", "inertia_com"), "body": ("origin", "inertia_body")}[
        model(name)["inertia_primary"]
    ]
    return [Inertia(b["mass"], b["com"], b[key], about=about) for b in model(name)["bodies"]]


def motion(name: str, rates: int = 6) -> tuple[np.ndarray, ...]:
    """Return ``q, v, a, …`` of all samples, ``(samples, n)`` each; at most six rates."""
    stacked = np.array([s["q_derivatives"] for s in samples(name)])
    return tuple(np.ascontiguousarray(stacked[:, k]) for k in range(rates + 1))


def exact(name: str, quantity: str) -> np.ndarray:
    """Return a quantity of the 34-digit reference for all samples, ``(samples, …)``.

    Q, Q_nograv, Q_with_wrench, M, C_authors, C_skew_garofalo and Qgrav have the order on axis
    1; V, J and S the body on axis 1 and the order on axis 2; pose the body on axis 1.
    """
    return np.array([s["exact"][quantity] for s in samples(name)])


def wrenches(name: str) -> np.ndarray:
    """Return the wrench on the last body and its rates, ``(rates, samples, 6)``.

    The sign is the API's: exerted by the environment on the robot, so minus that of the file.
    """
    return -np.array([s["wrench_last_body"] for s in samples(name)]).swapaxes(0, 1)


def other(name: str, *keys: str) -> np.ndarray:
    """Return a quantity of another program for all samples, as in ``other(n, "authors", …)``."""
    rows = []
    for sample in samples(name):
        value: Any = sample
        for key in keys:
            value = value[key]
        rows.append(value)
    return np.array(rows)
