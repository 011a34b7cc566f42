"""The source files that the architecture tests look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "jounce"


def python_files(*directories: str) -> list[Path]:
    """Return the Python files below these directories of the project."""
    return sorted(path for name in directories for path in (ROOT / name).rglob("*.py"))


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a file, methods and inner functions included."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def docstrings(path: Path) -> Iterator[str]:
    """Yield every docstring of a file."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def relative(path: Path) -> str:
    """Return the path as messages show it."""
    return path.relative_to(ROOT).as_posix()
