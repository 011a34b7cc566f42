"""Exported C: compiles without a warning, prints the numbers of the kernel, overwrites nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.codegen.interpreter import interpret
from jounce.kernels.description import kernel_spec
from jounce.kernels.export import GENERATED, identifier, sample
from jounce.kernels.kernel import Kernel
from jounce.kernels.single_precision import errors, random_inputs
from jounce.kernels.table import QUANTITIES
from tests.tolerances import EXACT, ROUNDOFF, SINGLE, assert_close, assert_orders_close
from tests.unit.kernels.exported import (
    WARNINGS,
    called,
    compiled,
    needs_compiler,
    of_rows,
    printed,
    run_kernel,
)
from tests.unit.kernels.sines import libm_sines, sines_as_inputs

needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
FLAGS = ["-std=c99", *WARNINGS, "-O2"]
PANDA = jounce.load("panda")


def build(place: Path, name: str, *flags: str) -> Path:
    program = place / "program"
    sources = [str(place / f"{name}.c"), str(place / "examples" / "main.c")]
    command = ["cc", *FLAGS, *flags, "-I", str(place), *sources, "-o", str(program), "-lm"]
    compiled(command)
    return program


@needs_compiler
@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_c_prints_the_numbers_of_the_kernel(order: int, floating: bool, tmp_path: Path):
    robot = PANDA.with_floating_base() if floating else PANDA
    frames = (robot.bodies[3].name, (robot.bodies[6].name, "hybrid"))
    kernel = jounce.kernel(robot, "inverse_dynamics", order=order, wrenches=frames)
    kernel.export_c(tmp_path)
    result = printed(build(tmp_path, "panda_inverse_dynamics"), order + 1)
    assert_orders_close(result, run_kernel(kernel), ROUNDOFF)


@needs_compiler
@pytest.mark.parametrize("order", [1, 3])
def test_c_gives_the_bits_of_the_interpreter(order: int, tmp_path: Path):
    """Given the C library's sines; order 3 is long enough to be cut into several functions."""
    kernel = jounce.kernel(PANDA, "inverse_dynamics", order=order)
    paths = kernel.export_c(tmp_path)
    assert ("_part1" in paths[1].read_text()) == (order == 3)
    result = printed(build(tmp_path, "panda_inverse_dynamics", "-ffp-contract=off"), order + 1)
    program, angles = sines_as_inputs(kernel.program)
    inputs = sample(kernel.spec)
    wanted = interpret(program, [*inputs, libm_sines(kernel.program, angles, inputs)])
    assert_close(result, np.array(wanted), EXACT)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity(quantity: str, tmp_path: Path, rng: np.random.Generator):
    # joints with coordinates like velocities for some, few joints for long programs
    plain = quantity.startswith("elastic") or any(
        x in quantity for x in ("second", "parti", "grad")
    )
    robot = jounce.examples.chain(4) if plain else jounce.examples.random_tree(rng, 9)
    limit = QUANTITIES[quantity].highest_order
    order = 0 if limit == 0 else 1
    needs_frame = "frame" in QUANTITIES[quantity].options
    options = {"frame": robot.bodies[-1].name} if needs_frame else {}
    if QUANTITIES[quantity].needs_closures:
        robot = jounce.examples.fourbar()
        options = dict.fromkeys(QUANTITIES[quantity].options, "0")
    kernel = jounce.kernel(robot, quantity, order=order, **options)
    kernel.export_c(tmp_path, "f")
    wanted = run_kernel(kernel)
    assert_orders_close(printed(build(tmp_path, "f"), len(wanted)), wanted, ROUNDOFF)


@needs_cmake
@needs_compiler
def test_cmake_builds_it(tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics", order=1)
    kernel.export_c(tmp_path)
    place = tmp_path / "build"
    for command in (["cmake", "-S", tmp_path, "-B", place], ["cmake", "--build", place]):
        subprocess.run(command, check=True, capture_output=True)
    result = printed(place / "panda_inverse_dynamics_example", 2)
    assert_orders_close(result, run_kernel(kernel), ROUNDOFF)


def test_the_source_has_no_heap_and_no_globals():
    source = jounce.kernel(PANDA, "inverse_dynamics", order=3).c_source()
    assert not re.search(r"\b(malloc|calloc|realloc|free|extern)\b", source)
    outside = re.sub(r"^{.*?^}", "", source, flags=re.S | re.M)  # bodies of functions
    outside = re.sub(r"/\*.*?\*/", "", outside, flags=re.S)
    for line in filter(None, map(str.strip, outside.splitlines())):
        assert line.startswith(("#include", "static void ", "void ")), line


def test_the_header_documents_the_arguments(tmp_path: Path):
    frame = PANDA.bodies[6].name
    kernel = jounce.kernel(PANDA, "inverse_dynamics", order=1, wrenches=(frame,))
    header = kernel.export_c(tmp_path)[0].read_text()
    names = re.findall(r"double \*(\w+)", header)
    assert names[:4] == ["q", "v", "a", "jerk"]
    assert names[-2:] == ["out0", "out1"]
    for name in names:
        assert re.search(rf"^ \*   {name} +\[\d+\]  .*\b(rad|N m)\b", header, re.M), name
    for joint in PANDA.joints:
        assert joint.name in header


def test_the_four_files(tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    paths = kernel.export_c(str(tmp_path / "new" / "place"), "tau")
    names = ["tau.h", "tau.c", "examples/main.c", "CMakeLists.txt"]
    assert [p.relative_to(tmp_path / "new" / "place").as_posix() for p in paths] == names
    found = sorted(p for p in (tmp_path / "new" / "place").rglob("*") if p.is_file())
    assert found == sorted(paths), "something was left behind"
    assert all(GENERATED in p.read_text().splitlines()[0] for p in paths)
    before = [p.read_text() for p in paths]
    (tmp_path / "new" / "place" / "mine.c").write_text("mine")
    kernel.export_c(tmp_path / "new" / "place", "tau")  # its own files may be replaced
    assert [p.read_text() for p in paths] == before
    assert (tmp_path / "new" / "place" / "mine.c").read_text() == "mine"


@pytest.mark.parametrize("name", ["CMakeLists.txt", "examples/main.c", "tau.c"])
def test_foreign_files_are_left_alone(name: str, tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    theirs = tmp_path / name
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("project(mine)\n")
    with pytest.raises(FileExistsError, match="not written by Jounce"):
        kernel.export_c(tmp_path, "tau")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [theirs]
    assert theirs.read_text() == "project(mine)\n"


def test_nothing_is_written_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    real, count = os.open, 0

    def full(path: str, *rest):
        nonlocal count
        count += "jounce-" in str(path)
        if count == 3:
            raise OSError(28, os.strerror(28), str(path))
        return real(path, *rest)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(OSError, match=os.strerror(28)):
        kernel.export_c(tmp_path)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_file_instead_of_a_directory(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError):
        jounce.kernel(PANDA, "inverse_dynamics").export_c(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "x"


@needs_compiler
@pytest.mark.parametrize(
    "name", ["7 of 9", "*/ int main", "/* ??/", "naïve \\ robot", "", "?", "int", "a\nb", "_x"]
)
def test_any_robot_name(name: str, tmp_path: Path):
    builder = jounce.RobotBuilder(name)
    builder.add(f"{name} body", None, jounce.joints.revolute((0, 0, 1)), joint_name=f"{name} joint",
                inertia=jounce.Inertia(1.0, (0.1, 0, 0), np.eye(3)))  # fmt: skip
    robot = builder.build()
    kernel = jounce.kernel(robot, "inverse_dynamics", wrenches=(f"{name} body",))
    path = kernel.export_c(tmp_path)[0]
    assert re.fullmatch(r"[A-Za-z]\w*", path.stem, re.A)
    assert_orders_close(printed(build(tmp_path, path.stem), 1), run_kernel(kernel), ROUNDOFF)


@pytest.mark.parametrize("name", ["", "7x", "a-b", "double", "q", "out0", "main", "_x", "é"])
def test_names_that_c_does_not_take(name: str, tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    with pytest.raises(jounce.UnsupportedError, match="C identifier"):
        kernel.export_c(tmp_path, name)
    assert not list(tmp_path.iterdir())


def test_identifiers():
    assert identifier("UR5e (left)") == "UR5e_left"
    assert jounce.kernel(PANDA, "poses").c_source("f").count("void f(const double *q") == 1
    assert "void panda_poses(" in Kernel(kernel_spec(PANDA, "poses")).c_source()


def test_results_that_are_no_time_derivatives_have_names() -> None:
    robot = jounce.load("planar2r")
    trees = {name: row for name, row in QUANTITIES.items() if not row.needs_closures}
    for quantity, entry in trees.items():
        order = 1 if entry.highest_order is None else 0
        if entry.rows(order) != order + 1:
            frame = {"frame": "tip"} if "frame" in entry.options else {}
            text = jounce.kernel(robot, quantity, order=order, **frame).c_source()
            assert f"derivative {entry.rows(order) - 1} of" not in text, quantity
            assert f"of {quantity}:" not in text, quantity
    partials = jounce.kernel(robot, "inverse_dynamics_partials", order=1).c_source()
    assert "out5 [4]  dQ(1)/dq(1)" in partials
    momentum = jounce.kernel(robot, "centroidal_momentum_partials", order=1).c_source()
    assert "out4 [12]  dh(1)/dq(1)" in momentum


def library(place: Path, *flags: str, compiler: str = "cc") -> Path:
    """Compile f.c to a shared library."""
    found = place / "f.so"
    compiled([compiler, *FLAGS, *flags, "-shared", "-fPIC", place / "f.c", "-o", found, "-lm"])
    return found


def batch_of(kernel: Kernel, samples: int, place: Path, *flags: str) -> tuple[list, list]:
    """Return the inputs and what the exported function of a batch makes of them."""
    kernel.export_c(place, "f", batch=samples)
    inputs = [
        np.ascontiguousarray(x[:samples], dtype=np.float64)
        for x in random_inputs(kernel.spec, kernel.program)
    ]
    outputs = [np.full((samples, width), np.nan) for width in kernel.program.output_widths]
    called(library(place, *flags), "f", [*inputs, *outputs])
    return inputs, outputs


@needs_compiler
@pytest.mark.parametrize(
    ("quantity", "samples"),
    [("inverse_dynamics", 1), ("inverse_dynamics", 70), ("mass_matrix", 32), ("poses", 33)],
)
def test_a_batch_gives_the_bits_of_its_samples(quantity: str, samples: int, tmp_path: Path):
    kernel = jounce.kernel(PANDA, quantity, order=1)
    inputs, outputs = batch_of(kernel, samples, tmp_path, "-ffp-contract=off")
    kernel.export_c(tmp_path, "f")
    single = library(tmp_path, "-ffp-contract=off").rename(tmp_path / "single.so")
    wanted = [np.full_like(x, np.nan) for x in outputs]
    for k in range(samples):
        called(single, "f", [*(x[k].copy() for x in inputs), *(x[k] for x in wanted)])
    assert_close(outputs, wanted, EXACT)
    assert_orders_close(outputs, of_rows(kernel, inputs), ROUNDOFF)


@needs_compiler
@pytest.mark.slow
def test_a_batch_of_every_joint_kind(tmp_path: Path, rng: np.random.Generator):
    robot = jounce.examples.random_tree(rng, 9)
    frame = robot.bodies[-1].name
    kernel = jounce.kernel(robot, "inverse_dynamics", order=1, wrenches=(frame,))
    kernel.export_c(tmp_path, "f", batch=40)
    rows = [np.tile(x, (40, 1)) for x in sample(kernel.spec)]
    outputs = [np.full((40, robot.nv), np.nan) for _ in range(2)]
    called(library(tmp_path), "f", [*rows, *outputs])
    wanted = np.broadcast_to(run_kernel(kernel)[:, None], (2, 40, robot.nv))
    assert_orders_close(outputs, wanted, ROUNDOFF)
    assert_orders_close(printed(build(tmp_path, "f"), 2), run_kernel(kernel), ROUNDOFF)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_compilers_turn_a_batch_into_vector_instructions(tmp_path: Path):
    jounce.kernel(PANDA, "inverse_dynamics", order=1).export_c(tmp_path, "f", batch=256)
    command = ["gcc", "-std=c99", "-O3", "-c", "-fopt-info-vec", "f.c", "-o", "f.o"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    loops = (tmp_path / "f.c").read_text().count("for (int i = 0; i < n; ++i)")
    vectorized = {line.split(":")[1] for line in said.splitlines() if "loop vectorized" in line}
    assert len(vectorized) > loops / 2 > 3  # not sines, nor the loops that turn rows to columns


def error_of(got: list, wanted: list) -> list[float]:
    return [float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(got, wanted, strict=True)]


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_the_stated_error_of_single_precision(quantity: str, tmp_path: Path):
    """Measured again on what a compiler makes of it, on the samples of the header and on others."""
    kernel = jounce.kernel(PANDA, quantity, order=1)
    header = kernel.export_c(tmp_path, "f", float32=True, batch=1000)[0].read_text()
    stated = [float(x) for x in re.findall(r"^ \*   out\d  (\S+e-\d+)$", header, re.M)]
    assert stated == [float(f"{x:.1e}") for x in errors(kernel.spec, kernel.program)]
    assert all(1e-8 < x < 1e-4 for x in stated)
    found = library(tmp_path)
    for seed in (0, 1):
        inputs = random_inputs(kernel.spec, kernel.program, seed)
        outputs = [np.full((1000, 7), np.nan, np.float32) for _ in stated]
        called(found, "f", [*inputs, *outputs])
        measured = error_of(outputs, interpret(kernel.program, inputs))
        for got, said in zip(measured, stated, strict=True):
            assert said / 3 < got < 3 * said


@needs_compiler
def test_single_precision_prints_the_sample(tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics", wrenches=("flange",))
    source = kernel.export_c(tmp_path, "f", float32=True)[1].read_text()
    assert not re.search(r"\b(double|sin|cos|sqrt)\b", re.sub(r"/\*.*?\*/", "", source, flags=re.S))
    assert_orders_close(printed(build(tmp_path, "f"), 1), run_kernel(kernel), SINGLE)


def test_an_error_that_is_no_number_is_said(tmp_path: Path):
    """Random numbers are no rotations."""
    kernel = jounce.kernel(PANDA, "pose_step", frame="flange")
    header = kernel.export_c(tmp_path, float32=True)[0].read_text()
    assert " *   out0  not finite on some of them\n" in header


def test_constants_beyond_single_precision_are_refused(tmp_path: Path):
    builder = jounce.RobotBuilder("heavy")
    inertia = jounce.Inertia(1e39, (0.1, 0, 0), 1e39 * np.eye(3))
    builder.add("body", None, jounce.joints.revolute((0, 1, 0)), inertia=inertia)
    kernel = jounce.kernel(builder.build(), "inverse_dynamics")
    with pytest.raises(jounce.UnsupportedError, match=r"single precision ends at 3\.4e"):
        kernel.export_c(tmp_path, float32=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("batch", [0, -1, 1.5, True])
def test_batches_that_are_none(batch: object, tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    with pytest.raises(jounce.ArgumentError, match="batch must be an integer ≥ 1"):
        kernel.export_c(tmp_path, batch=batch)
    with pytest.raises(jounce.ArgumentError, match="more than an int counts"):
        kernel.export_c(tmp_path, batch=10**9)
    assert not list(tmp_path.iterdir())
