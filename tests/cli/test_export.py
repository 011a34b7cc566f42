"""``jounce export``: the code that it writes is compiled by a C compiler and run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.cli.export import export
from jounce.kernels.description import kernel_spec
from jounce.kernels.export import sample
from jounce.kernels.table import QUANTITIES
from tests.cli.program import only_line, run
from tests.tolerances import ROUNDOFF, assert_close


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_exported_program_prints_what_the_library_computes(tmp_path: Path):
    place = tmp_path / "code"
    code, out, err = run("export", "planar2r", "id", "--order", "2", "--lang", "c", str(place))
    assert (code, err) == (0, "")
    *paths, closing = out.splitlines()
    assert [Path(p).relative_to(place).as_posix() for p in paths] == [
        "planar2r_inverse_dynamics.h",
        "planar2r_inverse_dynamics.c",
        "examples/main.c",
        "CMakeLists.txt",
    ]
    assert closing.startswith("inverse_dynamics of planar2r, order 2: ")
    program = tmp_path / "program"
    sources = [paths[1], paths[2]]
    subprocess.run(["cc", "-std=c99", "-I", place, *sources, "-o", program, "-lm"], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    rows = [line.split("=")[-1] if "=" in line else line for line in printed.splitlines()]
    numbers = np.array([float(word) for row in rows for word in _numbers(row)])
    robot = jounce.load("planar2r")
    wanted = jounce.inverse_dynamics(robot, *sample(kernel_spec(robot, "inverse_dynamics", 2)))
    assert_close(numbers, wanted.ravel(), ROUNDOFF)


def _numbers(row: str) -> list[str]:
    words = row.replace(",", " ").split()
    return [word for word in words if word.lstrip("-").replace(".", "", 1)[:1].isdigit()]


def test_options_reach_the_kernel(tmp_path: Path):
    options = ("--frame", "flange", "--representation", "spatial", "--name", "tool")
    code, _, err = run("export", "panda", "jacobian", str(tmp_path), *options)
    assert (code, err) == (0, "")
    text = (tmp_path / "tool.h").read_text(encoding="utf-8")
    assert "flange" in text
    assert "spatial" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody", "id", "d"), "nobody"),
        (("panda", "torque", "d"), "inverse_dynamics"),
        (("panda", "jacobian", "d"), "frame"),
        (("panda", "id", "d", "--lang", "ada"), "'ada' is not one of 'c', 'cpp'"),
        (("panda", "id", "d", "--frame", "flange"), "frame"),
        (("panda", "id", "d", "--wrench", "nose"), "'nose'"),
        (("panda", "id", "d", "--name", "2fast"), "C identifier"),
        (
            ("panda", "id", "d", "--lang", "matlab", "--float32"),
            "--float32 goes with --lang c, cpp",
        ),
        (("panda", "id", "d", "--lang", "casadi", "--batch", "4"), "--batch goes with --lang c"),
        (("panda", "id", "d", "--template", "sfunction"), "--template goes with --lang cpp, not c"),
        (("panda", "id", "d", "--batch", "0"), "'--batch'"),
        (("panda", "mass_matrix", "d", "--lang", "cpp", "--template", "ros2_control"), "order 0"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path):
    robot, quantity, directory, *options = arguments
    code, out, err = run("export", robot, quantity, str(tmp_path / directory), *options)
    assert (code, out) == (2, "")
    assert message in only_line(err)
    assert not (tmp_path / directory).exists()


def test_casadi_gets_one_file_with_a_jacobian(tmp_path: Path):
    code, out, err = run("export", "planar2r", "fd", str(tmp_path), "--lang", "casadi")
    assert (code, err) == (0, "")
    (path,) = tmp_path.iterdir()
    assert out.splitlines()[0] == str(path)
    source = path.read_text()
    for name in ("planar2r_forward_dynamics", "jac_planar2r_forward_dynamics"):
        for part in ("", "_n_in", "_n_out", "_name_in", "_name_out", "_sparsity_in", "_work"):
            assert f" {name}{part}(" in source or f"*{name}{part}(" in source


def test_every_option_of_the_table_is_one_of_the_command(tmp_path: Path):
    known = {param.name for param in export.params}
    for quantity, row in QUANTITIES.items():
        for option, values in row.options.items():
            assert option in known or values == ("",), (quantity, option)
    code, out, err = run("export", "panda", "coriolis_matrix", str(tmp_path), "--factorization",
                         "christoffel", "--lang", "matlab")  # fmt: skip
    assert (code, err) == (0, "")
    (path,) = tmp_path.iterdir()
    assert out.splitlines()[0] == str(path)
    assert "% factorization: christoffel" in path.read_text().splitlines()


def test_cpp_with_a_template_single_precision_and_a_batch(tmp_path: Path):
    options = ("--lang", "cpp", "--float32", "--batch", "8", "--template", "sfunction")
    code, out, err = run("export", "planar2r", "fd", str(tmp_path), "--name", "fd", *options)
    assert (code, err) == (0, "")
    *paths, closing = out.splitlines()
    assert [Path(p).relative_to(tmp_path).as_posix() for p in paths] == [
        "fd.hpp",
        "examples/main.cpp",
        "CMakeLists.txt",
        "fd_sfunction.cpp",
    ]
    assert closing.startswith("forward_dynamics of planar2r, order 0: ")
    header = Path(paths[0]).read_text()
    assert "using real = float;" in header
    assert "inline constexpr std::size_t q_size = 16;" in header
    assert " * Single precision.  Measured on 1000 random samples" in header
