"""Literal transcriptions of the papers' algorithms, misprints corrected: see docs/errata.md.

A module is named after its paper and what it transcribes; `equations` lists its functions.
"""

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

_MODULES = sorted(module.name for module in iter_modules(__path__))  # imported when asked for


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_MODULES, "equations"])


def equations() -> dict[str, str]:
    """Return what every function transcribes, as in ``{"goa13_jacobians.jacobians": …}``.

    >>> import jounce
    >>> jounce.literature.equations()["goa13_jacobians.jacobians"]
    '[GOA13, (27)-(29)]'
    """
    found = {}
    for name in _MODULES:
        module = import_module(f"{__name__}.{name}")
        for label, thing in sorted(vars(module).items()):
            if callable(thing) and getattr(thing, "__module__", "") == module.__name__:
                tags = re.findall(r"\[(?:KM21|GOA13|MK21|M20), [^]]*\]", thing.__doc__ or "")
                if tags:
                    found[f"{name}.{label}"] = ", ".join(" ".join(tag.split()) for tag in tags)
    return found
