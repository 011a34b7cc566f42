"""What is there when it is first used: public names, listed once in a stub, extras, and values."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

_IMPORT = re.compile(r"^from ([\w.]+) import \(?\s*(\w+) as", re.MULTILINE)

Value = TypeVar("Value")


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


class cached_property(Generic[Value]):
    """A value that is computed when it is first asked for, and kept.

    That of `functools` holds a lock meanwhile in Python 3.11, one for all instances, and a process
    forked by another thread would find it taken.  Here threads that ask together all compute it.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
