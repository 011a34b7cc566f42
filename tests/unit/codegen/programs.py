"""Programs to test with: random expressions, and a chain of rotations like a robot's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from jounce.algebra import scalar
from jounce.codegen import Graph, Program

CONSTANTS = (0.0, 1.0, -1.0, 2.0, -0.3, 0.7)
KINDS = ("add", "sub", "mul", "div", "neg", "sqrt", "scale", "shift", "subtracted")

Recipe = list[tuple[str, int, int]]
recipes = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 200), st.integers(0, 200)),
    min_size=1,
    max_size=60,
)


def evaluate(recipe: Recipe, inputs: list[Any]) -> list[Any]:
    """Carry out a recipe on any kind of number; return all values after the inputs."""
    pool = list(inputs)
    for kind, i, j in recipe:
        pool.append(_step(kind, pool[i % len(pool)], pool[j % len(pool)], CONSTANTS[j % 6]))
    return pool[len(inputs) :]


def _step(kind: str, x: Any, y: Any, c: float) -> Any:
    simple = {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: x / (y * y + 1.0),
        "neg": lambda: -x,
        "sqrt": lambda: scalar.sqrt(x * x + 1.0),
        "scale": lambda: c * x,
        "shift": lambda: x + c,
        "subtracted": lambda: c - x,
    }
    return simple[kind]()


def trace(recipe: Recipe, count: int) -> Program:
    """Trace a recipe; the outputs are its last five values and, in a second row, the first."""
    graph = Graph()
    values = evaluate(recipe, graph.inputs(count))
    return graph.program([count], [values[-5:], values[:1]])


def chain(joints: int, seed: int = 0, *, sines: bool = True) -> Program:
    """Trace products along a chain of rotations.

    Inputs are angles (or their sines and cosines) and rates, outputs one row of three values
    per chain and one of a value per joint.
    """
    rng = np.random.default_rng(seed)
    graph = Graph()
    angles = graph.inputs(joints if sines else 2 * joints)
    rates = graph.inputs(joints)
    vector: list[Any] = [0.0, 0.0, 9.81]
    torques = []
    for k in range(joints):
        s, c = angles[k].sincos() if sines else angles[2 * k : 2 * k + 2]
        x, y, z = vector
        vector = [c * x - s * y, s * x + c * y, z + rates[k] * float(rng.normal())]
        vector = vector[1:] + vector[:1]
        matrix = rng.normal(size=(3, 3)) / 2
        force = [sum(float(matrix[i, j]) * vector[j] for j in range(3)) for i in range(3)]
        torques.append(force[0] * vector[1] - force[1] * vector[0] + rates[k] * force[2])
        vector = [vector[i] - 0.1 * force[i] for i in range(3)]
    widths = [len(angles), joints]
    return graph.program(widths, [vector, torques])


def finite(values: list[Any]) -> bool:
    """Tell whether all numbers are of moderate size."""
    return all(math.isfinite(v) and abs(v) < 1e100 for v in values)
