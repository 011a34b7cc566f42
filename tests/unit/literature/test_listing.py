"""What the package lists, and that every function says what it transcribes."""

from __future__ import annotations

import inspect
from pathlib import Path

import jounce.literature

MODULES = [name for name in dir(jounce.literature) if name != "equations"]
SHARED = ("chain", "system_matrices", "tree")  # of several papers


def test_the_package_lists_its_modules() -> None:
    folder = Path(jounce.literature.__file__).parent
    assert sorted(p.stem for p in folder.glob("*.py") if p.stem[0] != "_") == MODULES
    for name in MODULES:
        doc = getattr(jounce.literature, name).__doc__
        assert name in SHARED or "[" in doc.split("\n")[0], name


def test_every_function_names_its_equations() -> None:
    listed = jounce.literature.equations()
    for name in MODULES:
        module = getattr(jounce.literature, name)
        for label, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and label[0] != "_" and name not in SHARED:
                key = name.partition("_")[0].upper()
                assert listed.get(f"{name}.{label}", "").startswith(f"[{key}, "), (name, label)
    assert "[KM21, (12)]" in listed["chain.mass_matrix"]
    assert listed["system_matrices.joint_rates"] == "[KM21, (25)], [MK21, (20)]"
