"""Generated text of a small kernel; ``python -m tests.golden.generated --update`` rewrites it.

The C99 source, the C++ header of a batch, the function of MATLAB and the LLVM IR (four lanes,
products fused into sums) of inverse dynamics with one time derivative, of the two-joint arm.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jounce
from jounce.codegen.llvm.printer import print_common, print_llvm
from jounce.kernels.description import kernel_spec
from jounce.kernels.export import c_source, exported
from jounce.kernels.export_cpp import cpp_header
from jounce.kernels.export_matlab import matlab_source
from jounce.kernels.tracing import trace

PLACE = Path(__file__).parent
ENDINGS = ("c", "hpp", "m", "ll")


def texts() -> dict[str, str]:
    """Return the generated texts by the names of their files."""
    spec = kernel_spec(jounce.load("planar2r"), "inverse_dynamics", 1)
    program = trace(spec)
    own = exported(spec, program)
    made = (
        c_source(own),
        cpp_header(exported(spec, program, cpp=True, batch=100)),
        matlab_source(own),
        "\n".join(
            [
                *print_llvm(program, lanes=4, fma=True, host_fma=True).modules,
                *print_common(4, host_fma=True),
            ]
        ),
    )
    return {f"{own.name}.{ending}": text for ending, text in zip(ENDINGS, made, strict=True)}


def main(arguments: list[str]) -> int:
    """Tell which files differ; with ``--update`` write them."""
    for name, text in texts().items():
        path = PLACE / name
        if path.exists() and path.read_bytes() == text.encode():
            continue
        sys.stdout.write(f"{name} differs\n")
        if "--update" in arguments:
            path.write_bytes(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
