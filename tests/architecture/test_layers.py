"""Imports point down only."""

from __future__ import annotations

import ast

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.architecture.sources import PACKAGE, ROOT, parse, python_files, relative


def test_contracts_of_pyproject_hold():
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, "see the output above, or run `lint-imports`"


def test_only_the_command_line_imports_the_package_itself():
    """`import jounce` gathers everything, so a layer that imports it depends on all layers."""
    modules = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_")}
    offenders = [
        f"{relative(path)}:{node.lineno}"
        for path in python_files("src")
        if "cli" not in path.relative_to(PACKAGE).parts
        for node in ast.walk(parse(path))
        if _imports_package(node, modules)
    ]
    assert not offenders, f"import the defining module instead: {offenders}"


def _imports_package(node: ast.AST, modules: set[str]) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name == "jounce" for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module == "jounce":
        return any(alias.name not in modules for alias in node.names)
    return False
