"""What is imported when it is first used: public names, listed once in a stub, and extras."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^from ([\w.]+) import \(?\s*(\w+) as", re.MULTILINE)


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the stub beside it.

    The stub (``__init__.pyi``) says ``from home import name as name``, one name a statement: type
    checkers read it as it is, and here it is the list of what to import from where.
    """
    with open(file.removesuffix(".py") + ".pyi", encoding="utf-8") as stub:  # noqa: PTH123
        homes = {name: home for home, name in _IMPORT.findall(stub.read())}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        found = None if home == package else getattr(import_module(home), name, None)
        value = import_module(f"{home}.{name}") if found is None else found
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: [*names], (names := sorted(homes))


def required(module: str, what: str, extra: str) -> Any:
    """Return a module of an optional dependency, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        from jounce.errors import UnsupportedError

        raise UnsupportedError(
            f"{what} needs {module.partition('.')[0]}: pip install 'jounce[{extra}]'."
        ) from None
