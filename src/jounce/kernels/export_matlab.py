"""A kernel as a function of MATLAB, one file; Octave takes it too."""

from __future__ import annotations

from pathlib import Path

from jounce.codegen.matlab import LONGEST_NAME, WORDS, print_matlab
from jounce.codegen.program import Program
from jounce.errors import ArgumentError
from jounce.files import write_together
from jounce.kernels.description import KernelSpec
from jounce.kernels.export import GENERATED, described, function_name, parameters


def export_matlab(
    spec: KernelSpec, program: Program, directory: Path, name: str | None = None
) -> tuple[Path, ...]:
    """Write ``name.m``; return its path."""
    name = function_name(spec, name, taken=WORDS.split())
    if len(name) > LONGEST_NAME:
        raise ArgumentError(
            f"names in MATLAB have at most {LONGEST_NAME} letters, {name} has {len(name)}; give "
            "a shorter name."
        )
    path = directory / f"{name}.m"
    write_together({path: matlab_source(spec, program, name)}, ours=GENERATED)
    return (path,)


def matlab_source(spec: KernelSpec, program: Program, name: str) -> str:
    """Return the text of the file."""
    inputs, outputs = parameters(spec)
    text = print_matlab(
        program,
        name,
        inputs=[x.name for x in inputs],
        outputs=[x.name for x in outputs],
        shapes=[x.shape for x in outputs],
        comment=["", *described(spec, None)],
    )
    return f"% {GENERATED}\n{text}"
