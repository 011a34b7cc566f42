"""Literal transcriptions of the papers' algorithms, misprints corrected: see docs/errata.md."""

from importlib import import_module
from typing import Any

_MODULES = [  # imported when asked for
    "chain",
    "goa13_adjoint_partials",
    "goa13_jacobians",
    "km21_closed_form",
    "km21_recursive",
    "m20_body",
    "m20_dynamics",
    "m20_inverse_kinematics",
    "m20_kinematics",
    "mk21_second_order",
    "system_matrices",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return _MODULES
