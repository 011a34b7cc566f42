"""A kernel as a function of MATLAB, one file; Octave takes it too."""

from __future__ import annotations

from pathlib import Path

from jounce.codegen.matlab import LONGEST_NAME, print_matlab
from jounce.errors import ArgumentError
from jounce.files import write_together
from jounce.kernels.export import GENERATED, Export, described


def export_matlab(kernel: Export, directory: Path) -> tuple[Path, ...]:
    """Write ``name.m``; return its path."""
    name = kernel.name
    if len(name) > LONGEST_NAME:
        raise ArgumentError(
            f"names in MATLAB have at most {LONGEST_NAME} letters, {name} has {len(name)}; give "
            "a shorter name."
        )
    return write_together({directory / f"{name}.m": matlab_source(kernel)}, ours=GENERATED)


def matlab_source(kernel: Export) -> str:
    """Return the text of the file."""
    shapes, comment = [x.shape for x in kernel.outputs], ["", *described(kernel, "Outputs:")]
    text = print_matlab(kernel.program, kernel.name, **kernel.names, shapes=shapes, comment=comment)
    return f"% {GENERATED}\n{text}"
