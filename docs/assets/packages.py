"""Draw packages.svg: the packages of Jounce, who imports whom, in the layers of pyproject.toml.

Run ``python docs/assets/packages.py TARGET``; the build of the site does.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "jounce"
WIDTH, BOX, HEIGHT, GAP = 960.0, 140.0, 30.0, 62.0
INK, LINE, FILL = "#263238", "#90a4ae", "#e3f2fd"


def layers() -> list[list[str]]:
    """Return the packages in rows, the commands first, as the contract of the imports has them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    (rows,) = (contract["layers"] for contract in contracts if contract["id"] == "layers")
    named = [re.findall(r"\w+", row) for row in rows]
    return [kept for row in named if (kept := [x for x in row if (PACKAGE / x).is_dir()])]


def imports() -> dict[str, set[str]]:
    """Return the packages of lower layers that each package imports."""
    rank = {name: r for r, row in enumerate(layers()) for name in row}
    found: dict[str, set[str]] = {name: set() for name in rank}
    for name, used in found.items():
        for path in (PACKAGE / name).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jounce."):
                    used.add((node.module or "").split(".")[1])
        used &= {other for other in rank if rank[other] > rank[name]}
    return found


def direct(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports that do not also go by way of another package."""
    below: dict[str, set[str]] = {}
    for row in reversed(layers()):
        for name in row:
            below[name] = graph[name].union(*(below.get(other, set()) for other in graph[name]))
    return {
        name: {x for x in used if not any(x in below[other] for other in used - {x})}
        for name, used in graph.items()
    }


def picture() -> str:
    """Return the picture as SVG."""
    rows = layers()
    places = {
        name: (WIDTH * (k + 1) / (len(row) + 1), GAP * (r + 0.6))
        for r, row in enumerate(rows)
        for k, name in enumerate(row)
    }
    parts = []
    for name, used in sorted(direct(imports()).items()):
        for other in sorted(used):
            (x0, y0), (x1, y1) = places[name], places[other]
            start, end = y0 + HEIGHT / 2, y1 - HEIGHT / 2
            bend = f"C {x0:.0f},{start + 24:.0f} {x1:.0f},{end - 24:.0f}"
            parts.append(
                f'<path d="M {x0:.0f},{start:.0f} {bend} {x1:.0f},{end:.0f}" fill="none" '
                f'stroke="{LINE}" marker-end="url(#tip)"/>'
            )
    for name, (x, y) in places.items():
        parts.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX:.0f}" '
            f'height="{HEIGHT:.0f}" rx="5" fill="{FILL}" stroke="{LINE}"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" fill="{INK}">{name}</text>'
        )
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M 0,0 L 8,4 L 0,8 z" fill="{LINE}"/>'
        "</marker></defs>"
    )
    height = GAP * (len(rows) + 0.2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
        f'font-family="monospace" font-size="15">{tip}\n' + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
