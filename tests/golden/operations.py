"""Operation counts of the dynamics; ``python -m tests.golden.operations --update`` rewrites.

For every robot and order 0 … 4: ``plain`` bodies as given, ``regrouped`` inertias, ``sparse``
frames, and ``both``, which is what kernels run; ``forward`` is forward dynamics.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import jounce
from jounce.codegen import Graph
from jounce.dynamics.inverse import inverse_dynamics
from jounce.kernels.description import kernel_spec
from jounce.kernels.tracing import trace
from jounce.model.lowering.reduced import reduced
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

GOLDEN = Path(__file__).with_name("operations.json")
ORDERS = range(5)
URDFS = {
    "panda.urdf": "panda_description/urdf/panda.urdf",
    "talos_reduced.urdf": "talos_data/robots/talos_reduced.urdf",
}

Counts = dict[str, list[int]]


def robots() -> Iterator[tuple[str, Robot]]:
    """Yield the bundled robots and, where they are installed, two URDF files."""
    for name in jounce.robots():
        yield name, jounce.load(name)
    try:
        found = distribution("example-robot-data").locate_file("cmeel.prefix/share")
    except PackageNotFoundError:
        return
    place = Path(str(found)) / "example-robot-data" / "robots"
    for name, path in URDFS.items():
        for floating in (False, True):
            robot = jounce.load(place / path, mimic=False, floating_base=floating)
            yield f"{name}, floating" if floating else name, robot


def count(robot: Robot, order: int, tree: Tree) -> int:
    """Return the operations of one sample of Q and its derivatives to ``order``."""
    graph = Graph()
    widths = [robot.nq, *[robot.nv] * (order + 2)]
    q, *rates = [graph.inputs(width) for width in widths]
    return graph.program(widths, inverse_dynamics(robot, q, rates, tree=tree)).operations


def counts(robot: Robot, orders: range = ORDERS) -> Counts:
    """Return the counts of a robot, order by order: inverse dynamics of four trees, forward."""
    trees = {
        "plain": lowered(robot),
        "regrouped": reduced(robot, sparse=False),
        "sparse": reduced(robot, regrouped=False),
        "both": reduced(robot),
    }
    found = {name: [count(robot, k, tree) for k in orders] for name, tree in trees.items()}
    specs = [kernel_spec(robot, "forward_dynamics", k) for k in orders]
    return found | {"forward": [trace(spec).operations for spec in specs]}


def main(arguments: list[str]) -> int:
    """Print the table; with ``--update`` write it as well."""
    table = {name: counts(robot) for name, robot in robots()}
    rows = [
        f"{name:<30}{column:<10}" + "".join(f"{n:>8}" for n in numbers)
        for name, columns in table.items()
        for column, numbers in columns.items()
    ]
    sys.stdout.write("\n".join(rows) + "\n")
    if "--update" in arguments:
        lines = [f"  {json.dumps(name)}: {json.dumps(table[name])}" for name in table]
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
