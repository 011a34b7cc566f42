"""Literal transcriptions of the papers' algorithms, misprints corrected: see docs/errata.md.

A module is named after its paper and what it transcribes; `equations` lists its functions.
"""

import re
from importlib import import_module
from typing import Any

_MODULES = [  # imported when asked for
    "chain",
    "goa13_adjoint_partials",
    "goa13_jacobians",
    "goa13_matrices",
    "km21_closed_form",
    "km21_recursive",
    "m20_body",
    "m20_dynamics",
    "m20_inverse_kinematics",
    "m20_kinematics",
    "mk21_second_order",
    "system_matrices",
    "tree",
]


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
