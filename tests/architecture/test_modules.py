"""Modules have telling names, keep their private ones, and packages say what they hold."""

from __future__ import annotations

import ast

from tests.architecture.sources import PACKAGE, parse, python_files, relative

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}


def test_module_names_say_something():
    names = [relative(p) for p in python_files("src", "tests", "benchmarks")]
    assert names, "no file found"
    empty = [n for n in names if EMPTY_NAMES & set(n.removesuffix(".py").split("/"))]
    assert not empty, empty


def test_no_module_imports_private_names_of_another():
    offenders = [
        f"{relative(path)}:{line} {name}"
        for path in python_files("src")
        for line, name in private_imports(parse(path))
    ]
    assert not offenders, offenders


def test_private_imports_are_found():
    text = "from jounce.a import _b\nfrom jounce._a import b\nfrom __future__ import annotations"
    assert private_imports(ast.parse(text)) == [(1, "_b"), (2, "_a")]


def test_every_package_says_what_lives_there():
    packages = sorted(path for path in PACKAGE.rglob("__init__.py"))
    assert len(packages) > 10
    silent = [
        relative(path)
        for path in packages
        if len((ast.get_docstring(parse(path)) or "").split("\n")[0]) < 20
    ]
    assert not silent, f"say in the first line what lives there: {silent}"


def private_imports(tree: ast.Module) -> list[tuple[int, str]]:
    """Return line and name of every import of a name that another module keeps for itself."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named = [
        (n.lineno, part)
        for n in nodes
        for part in [*(n.module or "").split("."), *(a.name for a in n.names)]
    ]
    return [
        (line, name) for line, name in named if name.startswith("_") and not name.endswith("__")
    ]


def test_values_are_kept_without_a_lock():
    """That of `functools` has one in Python 3.11, which a forked child would find taken."""
    offenders = [
        f"{relative(path)}:{node.lineno}"
        for path in python_files("src")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.module == "functools"
        for name in node.names
        if name.name == "cached_property"
    ]
    assert not offenders, f"take that of jounce.lazy: {offenders}"
