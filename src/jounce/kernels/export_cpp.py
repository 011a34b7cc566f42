"""A kernel as one C++17 header, for pointers, arrays of fixed size and Eigen; with frames for it.

The function is that of `jounce.codegen.c99`.  A frame is a file that calls it where it is needed:
the update of a ros2_control controller, or an S-function of Simulink.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from jounce.codegen.c99 import Dialect
from jounce.errors import UnsupportedError, unknown_name
from jounce.files import write_together
from jounce.kernels.export import GENERATED, Export, Parameter, description, example, fill
from jounce.model.components import velocity_names

_SEPARATOR = ",\n    "


def export_cpp(kernel: Export, directory: Path, template: str | None = None) -> tuple[Path, ...]:
    """Write header, example, CMakeLists.txt and the frame that is asked for, all or none."""
    if template is not None and template not in TEMPLATES:
        raise unknown_name("template", template, TEMPLATES)
    name = kernel.name
    files = {
        directory / f"{name}.hpp": cpp_header(kernel),
        directory / "examples" / "main.cpp": example(kernel),
        directory / "CMakeLists.txt": fill("CMakeLists_cpp.txt", name=name),
    }
    if template is not None:
        files[directory / f"{name}_{template}.cpp"] = TEMPLATES[template](kernel)
    return write_together(files, ours=GENERATED)


def cpp_header(kernel: Export) -> str:
    """Return the text of the header."""
    _, _, name, dialect, inputs, outputs = kernel
    both = (*inputs, *outputs)
    rows = 1 if dialect.samples is None else dialect.samples
    sizes = [f"inline constexpr std::size_t {x.name}_size = {x.width * rows};" for x in both]
    if dialect.samples is not None:
        sizes.insert(0, f"inline constexpr std::size_t samples = {rows};")
    matrix, is_batch = "matrix<Rows, Columns>", dialect.samples is not None
    ref = f"Eigen::Ref<{matrix}, 0, Eigen::OuterStride<Columns>>"
    return fill(
        "header.hpp",
        name=name,
        guard=f"{name.upper()}_HPP",
        comment=description(kernel),
        real=dialect.real,
        sizes="\n".join(sizes),
        functions=kernel.functions("compute", linkage="inline ").functions(),
        spans=_SEPARATOR.join(
            [f"span<const real, {x.name}_size> {x.name}" for x in inputs]
            + [f"span<real, {x.name}_size> {x.name}" for x in outputs]
        ),
        data=", ".join(f"{x.name}.data()" for x in both),
        eigen_takes="Eigen::Map, a row a sample" if is_batch else "its vectors",
        eigen_in=f"Eigen::{'Map' if is_batch else 'Ref'}<const {matrix}>",
        eigen_out=f"Eigen::Map<{matrix}>" if is_batch else ref,
        matrices=_SEPARATOR.join(
            [f"const matrix_in<{_extent(x, dialect)}> &{x.name}" for x in inputs]
            + [f"matrix_out<{_extent(x, dialect)}> {x.name}" for x in outputs]
        ),
    )


def _extent(x: Parameter, dialect: Dialect) -> str:
    """Return rows and columns of an argument as a matrix of Eigen; a batch has a row a sample."""
    if dialect.samples is not None:
        return f"{dialect.samples}, {x.width}"
    return ", ".join(map(str, x.shape)) if len(x.shape) in (1, 2) else str(x.width)


def _ros2_control(kernel: Export) -> str:
    """Return a controller that commands the torques of a desired motion."""
    spec, names = kernel.spec, velocity_names(kernel.spec.robot)
    rates = kernel.names["inputs"] == ["q", "v", "a"]
    simple = all(len(joint.damping) == 1 for joint in spec.robot.joints)
    if spec.quantity != "inverse_dynamics" or not rates or not simple:
        raise UnsupportedError(
            "the template ros2_control is for inverse_dynamics of order 0 without wrenches, of a "
            f"robot whose joints have one coordinate each; got {spec.quantity} of order "
            f"{spec.order} of {spec.robot.name!r}. Call compute() from a controller of your own."
        )
    if kernel.dialect.samples is not None:
        raise UnsupportedError("the template ros2_control takes one sample: leave out the batch.")
    joints = ",\n    ".join(json.dumps(x, ensure_ascii=False) for x in names)  # as C++ spells them
    return fill("ros2_control.cpp", name=kernel.name, joints=joints, count=str(len(names)))


def _sfunction(kernel: Export) -> str:
    """Return a level-2 S-function with a port for every argument."""
    _, _, name, dialect, inputs, outputs = kernel
    return fill(
        "sfunction.cpp",
        name=name,
        n_in=str(len(inputs)),
        n_out=str(len(outputs)),
        widths_in=_sizes(inputs),
        widths_out=_sizes(outputs),
        type="SS_SINGLE" if dialect.float32 else "SS_DOUBLE",
        arguments=",\n        ".join(
            [f"static_cast<const real *>(ssGetInputPortSignal(S, {k}))" for k in range(len(inputs))]
            + [f"static_cast<real *>(ssGetOutputPortSignal(S, {k}))" for k in range(len(outputs))]
        ),
    )


def _sizes(row: Sequence[Parameter]) -> str:
    return ", ".join(f"{x.name}_size" for x in row)


TEMPLATES: dict[str, Callable[[Export], str]] = {
    "ros2_control": _ros2_control,
    "sfunction": _sfunction,
}
