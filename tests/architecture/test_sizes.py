"""Files, functions and nesting stay small; modules have names that say something."""

from __future__ import annotations

import ast

from tests.architecture.sources import functions, python_files, relative

MAX_FILE = 300
MAX_FUNCTION = 50
MAX_NESTING = 3
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def test_files_are_short():
    lengths = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files("src", "benchmarks", "examples")
    }
    assert lengths, "no source file found"
    too_long = {name: n for name, n in lengths.items() if n > MAX_FILE}
    assert not too_long, f"split by idea: {too_long}"


def test_functions_are_short():
    too_long = [
        f"{relative(path)}:{function.lineno} {function.name}: {_body_lines(function)} lines"
        for path in python_files("src")
        for function in functions(path)
        if _body_lines(function) > MAX_FUNCTION
    ]
    assert not too_long, too_long


def test_nesting_is_shallow():
    too_deep = [
        f"{relative(path)}:{function.lineno} {function.name}: {_depth(function.body)} levels"
        for path in python_files("src")
        for function in functions(path)
        if _depth(function.body) > MAX_NESTING
    ]
    assert not too_deep, too_deep


def test_module_names_say_something():
    names = [relative(p) for p in python_files("src", "tests", "benchmarks")]
    empty = [n for n in names if EMPTY_NAMES & set(n.removesuffix(".py").split("/"))]
    assert not empty, empty


def test_nesting_is_counted():
    """An elif is no deeper than its if; an inner function counts for itself."""
    text = "if a:\n for x in y:\n  pass\nelif b:\n with c:\n  while d:\n   pass\nelse:\n pass"
    assert _depth(ast.parse(text).body) == 3
    assert _depth(ast.parse("if a:\n def f():\n  if b:\n   pass").body) == 1


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def _depth(nodes: list[ast.stmt]) -> int:
    return max((_depth_of(node) for node in nodes), default=0)


def _depth_of(node: ast.AST) -> int:
    if isinstance(node, FUNCTIONS):
        return 0
    inner = max((_depth_of(child) for child in ast.iter_child_nodes(node)), default=0)
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        chained = _depth_of(node.orelse[0])
        return max(1 + _depth(node.body), chained)
    return inner + isinstance(node, BLOCKS)
