"""Exported C++: clean in every compiler, the bits of Python, nothing allocated; frames that run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.codegen.interpreter import interpret
from jounce.kernels.description import kernel_spec
from jounce.kernels.export import sample
from jounce.kernels.kernel import Kernel
from jounce.kernels.table import QUANTITIES
from tests.tolerances import EXACT, LAST_DIGITS, ROUNDOFF, SINGLE, assert_close, assert_orders_close
from tests.unit.kernels.exported import (
    ALLOCATIONS,
    EIGEN,
    STANDINS,
    called,
    compiled,
    cpp,
    each_compiler,
    of_rows,
    parsed,
    printed,
    run_kernel,
)
from tests.unit.kernels.sines import libm_sines, sines_as_inputs

PANDA = jounce.load("panda")


def two_axes() -> jounce.Robot:
    builder = jounce.RobotBuilder("two axes")
    joint = jounce.joints.universal([1, 0, 0], [0, 1, 0])
    builder.add("ball", joint=joint, inertia=jounce.Inertia(1, [0, 0, 1], np.eye(3)))
    return builder.build()


NO_EIGEN = "-DJOUNCE_NO_EIGEN"


def example(kernel: Kernel, place: Path, compiler: str, *flags: str, **form) -> Path:
    """Export a kernel and build its example program."""
    paths = kernel.export_cpp(place, "f", **form)
    return cpp(compiler, paths[1], place / "program", "-I", place, *flags)


@each_compiler
@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 3])
def test_the_bits_of_the_interpreter_without_fma(compiler: str, order: int, tmp_path: Path):
    """Given the C library's sines; order 3 is long enough to be cut into several functions."""
    kernel = jounce.kernel(PANDA, "inverse_dynamics", order=order)
    result = printed(example(kernel, tmp_path, compiler, NO_EIGEN, "-ffp-contract=off"), order + 1)
    assert ("compute_part1" in (tmp_path / "f.hpp").read_text()) == (order == 3)
    program, angles = sines_as_inputs(kernel.program)
    inputs = sample(kernel.spec)
    wanted = interpret(program, [*inputs, libm_sines(kernel.program, angles, inputs)])
    assert_close(result, np.array(wanted), EXACT)


@each_compiler
@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "coriolis_matrix"])
def test_the_last_digits_with_fma(
    compiler: str, quantity: str, tmp_path: Path, rng: np.random.Generator
):
    kernel = jounce.kernel(PANDA, quantity, order=2)
    kernel.export_cpp(tmp_path, "f")
    count = len(kernel.program.input_widths) + len(kernel.program.outputs)
    names = ", ".join(f"x{k}" for k in range(count))
    inputs = len(kernel.program.input_widths)
    words = [f"{'const ' * (k < inputs)}double *x{k}" for k in range(count)]
    driver = tmp_path / "driver.cpp"
    driver.write_text(
        f'#include "f.hpp"\nextern "C" void driver({", ".join(words)}) {{ f::compute({names}); }}\n'
    )
    flags = ["-march=native", "-ffp-contract=fast", "-shared", "-fPIC", NO_EIGEN]
    library = cpp(compiler, driver, tmp_path / "driver.so", *flags)
    q = PANDA.random_configuration(rng, size=50)
    rows = [q, *(rng.normal(size=(50, w)) for w in kernel.program.input_widths[1:])]
    got = [np.full((50, w), np.nan) for w in kernel.program.output_widths]
    for k in range(50):
        called(library, "driver", [*(x[k] for x in rows), *(x[k] for x in got)])
    assert_orders_close(got, of_rows(kernel, rows), LAST_DIGITS)


@each_compiler
@pytest.mark.slow
@pytest.mark.parametrize("form", [{}, {"float32": True}, {"batch": 40}], ids=str)
def test_every_form_prints_the_sample(compiler: str, form: dict, tmp_path: Path):
    """With Eigen beside it."""
    kernel = jounce.kernel(PANDA.with_floating_base(), "mass_matrix", order=1)
    wanted = run_kernel(kernel)
    got = printed(example(kernel, tmp_path, compiler, **form), len(wanted))
    assert_orders_close(got, wanted, SINGLE if "float32" in form else ROUNDOFF)


@each_compiler
@pytest.mark.slow
def test_every_quantity(compiler: str, tmp_path: Path):
    """All of them in one program, each example in a namespace of its own."""
    kernels: list[Kernel] = []
    includes = ["#include <array>", "#include <cstddef>", "#include <cstdio>"]
    blocks, runs = ["#define main run"], []
    for name, row in QUANTITIES.items():
        robot = jounce.examples.fourbar() if row.needs_closures else jounce.load("planar2r")
        options = dict.fromkeys(row.options, "0") if row.needs_closures else {}
        if "frame" in row.options:  # inverse kinematics among them: more than two joints
            robot, options = PANDA, {"frame": "flange"}
        order = 0 if row.highest_order == 0 else 1
        kernels.append(Kernel(kernel_spec(robot, name, order, (), options)))
        kernels[-1].export_cpp(tmp_path / name, f"f_{name}")
        includes.append(f'#include "{name}/f_{name}.hpp"')
        blocks.append(f'namespace in_{name} {{\n#include "{name}/examples/main.cpp"\n}}')
        runs.append(f'    in_{name}::run();\n    std::puts("");')
    main = ["#undef main", "int main()", "{", *runs, "}", ""]
    (tmp_path / "main.cpp").write_text("\n".join([*includes, *blocks, *main]))
    places = [word for name in QUANTITIES for word in ("-I", tmp_path / name)]
    program = cpp(compiler, tmp_path / "main.cpp", tmp_path / "main", NO_EIGEN, "-O0", *places)
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    for kernel, block in zip(kernels, text.split("\n\n")[:-1], strict=True):
        wanted = run_kernel(kernel)
        got = parsed(block, len(wanted))
        assert_orders_close(got, wanted, ROUNDOFF, what=kernel.spec.quantity)


OVERLOADS = r"""
#define EIGEN_RUNTIME_NO_MALLOC
#include "f.hpp"
#include "g.hpp"
#include "h.hpp"
#include <cstdio>

using Vector = Eigen::Matrix<double, 7, 1>;
using Matrix = Eigen::Matrix<double, 7, 7, Eigen::RowMajor>;
static_assert(f::q_size == 7 && f::out0_size == 7 && g::out0_size == 49);
static_assert(h::samples == 40 && h::q_size == 280 && h::out0_size == 40 * 49);
static_assert(noexcept(f::compute(
    static_cast<double *>(nullptr), nullptr, nullptr, static_cast<double *>(nullptr))));
static_assert(noexcept(f::compute(
    std::declval<const std::array<double, 7> &>(), std::declval<const std::array<double, 7> &>(),
    std::declval<const std::array<double, 7> &>(), std::declval<std::array<double, 7> &>())));
void (*const nothrow)(const g::matrix_in<7> &, g::matrix_out<7, 7>) noexcept = g::compute;

static void print(int k, const double *x, int n)
{
    for (int j = 0; j < n; ++j) std::printf("out%d[%d] = %.17g\n", k, j, x[j]);
}

int main()
{
    const std::array<double, 7> q{{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}}, v{{1, 2, 3, 4, 5, 6, 7}};
    std::array<double, 7> a{{7, 6, 5, 4, 3, 2, 1}}, out{};
    f::compute(q, v, a, out);
    print(0, out.data(), 7);

    double raw[7] = {};
    f::compute(q.data(), v.data(), a.data(), raw);
    print(1, raw, 7);

    using In = f::span<const double, 7>;
    std::array<double, 7> spanned{};
    f::compute(In(q.data()), v, a, f::span<double, 7>(spanned.data()));
    print(2, spanned.data(), 7);

    Eigen::Matrix<double, 21, 1> all;
    all << Eigen::Map<const Vector>(q.data()), Eigen::Map<const Vector>(v.data()),
        Eigen::Map<const Vector>(a.data());
    Vector torque;
    Eigen::internal::set_is_malloc_allowed(false);
    f::compute(all.segment<7>(0), all.segment<7>(7), Eigen::Map<Vector>(a.data()), torque);
    print(3, torque.data(), 7);
    f::compute(all.head<7>(), 1.0 * all.segment<7>(7), all.tail<7>(), Eigen::Map<Vector>(raw));
    print(4, raw, 7);

    Matrix mass;
    g::compute(all.head<7>(), mass);
    static_cast<void>(nothrow);

    static double rows[40 * 7], masses[40 * 49];
    Eigen::Map<Eigen::Matrix<double, 40, 7, Eigen::RowMajor>> many(rows);
    many.rowwise() = all.head<7>().transpose();
    h::compute(Eigen::Map<const h::matrix<40, 7>>(rows), Eigen::Map<h::matrix<40, 49>>(masses));
    print(6, Vector(Eigen::Map<Matrix>(masses + 39 * 49) * Vector::Ones()).data(), 7);
    print(5, Vector(mass * Vector::Ones()).data(), 7);
}
"""


@each_compiler
@pytest.mark.slow
def test_pointers_arrays_spans_and_eigen_give_the_same(compiler: str, tmp_path: Path):
    """Three headers in one program; a strided expression is copied, on the stack."""
    jounce.kernel(PANDA, "inverse_dynamics").export_cpp(tmp_path, "f")
    jounce.kernel(PANDA, "mass_matrix").export_cpp(tmp_path, "g")
    jounce.kernel(PANDA, "mass_matrix").export_cpp(tmp_path, "h", batch=40)
    (tmp_path / "main.cpp").write_text(OVERLOADS)
    program = cpp(compiler, tmp_path / "main.cpp", tmp_path / "main", "-ffp-contract=off")
    result = printed(program, 7)
    q, v, a = 0.1 * np.arange(1, 8), np.arange(1.0, 8), np.arange(7.0, 0, -1)
    wanted = jounce.inverse_dynamics(PANDA, q, v, a)[0]
    for row in result[:5]:
        assert_close(row, result[0], EXACT)
    assert_close(result[0], wanted, ROUNDOFF)
    assert_close(result[5], jounce.mass_matrix(PANDA, q)[0].sum(axis=1), ROUNDOFF)
    assert_close(result[6], result[5], EXACT)


@pytest.mark.slow
@each_compiler
@pytest.mark.parametrize(
    "call",
    [
        "std::array<double, 6> q{}; std::array<double, 49> M{}; g::compute(q, M);",
        "const std::array<double, 49> M{}; std::array<double, 7> q{}; g::compute(q, M);",
        "Eigen::Matrix<double, 7, 1> q; Eigen::Matrix<double, 7, 7> M; g::compute(q, M);",
        "Eigen::Matrix<double, 7, 1> q; g::matrix<9, 9> M; g::compute(q, M.block<7, 7>(0, 0));",
        "Eigen::Matrix<float, 7, 1> q; g::matrix<7, 7> M; g::compute(q, M);",
    ],
)
def test_wrong_sizes_types_and_orders_of_storage_do_not_compile(
    compiler: str, call: str, tmp_path: Path
):
    jounce.kernel(PANDA, "mass_matrix").export_cpp(tmp_path, "g")
    (tmp_path / "main.cpp").write_text(f'#include "g.hpp"\nint main() {{ {call} }}\n')
    command = [compiler, "-std=c++17", "-fsyntax-only", "-isystem", EIGEN, "-I", tmp_path]
    done = subprocess.run([*command, tmp_path / "main.cpp"], capture_output=True, text=True)
    assert done.returncode != 0, "it compiles"
    assert "compute" in done.stderr


@each_compiler
@pytest.mark.parametrize("float32", [False, True])
def test_the_s_function_runs(compiler: str, float32: bool, tmp_path: Path):
    """In Simulink's place stands a program that fills the ports once."""
    kernel = jounce.kernel(PANDA, "inverse_dynamics", order=1, wrenches=("flange",))
    *_, source = kernel.export_cpp(tmp_path, "f", float32=float32, template="sfunction")
    assert source.name == "f_sfunction.cpp"
    flags = ["-DMATLAB_MEX_FILE", "-isystem", STANDINS, NO_EIGEN]
    program = cpp(compiler, source, tmp_path / "block", *flags)
    given = " ".join(repr(float(x)) for row in sample(kernel.spec) for x in row)
    tolerance = SINGLE if float32 else ROUNDOFF
    assert_orders_close(printed(program, 2, given), run_kernel(kernel), tolerance)


CONTROLLER = r"""
#include "f_ros2_control.cpp"
#include <cstdio>

extern "C" unsigned long allocations(void);
std::unique_ptr<controller_interface::ControllerInterface> make_controller();

int main()
{
    const auto controller = make_controller();
    const rclcpp_lifecycle::State state;
    controller->on_init();
    controller->on_configure(state);
    for (const auto &name : controller->command_interface_configuration().names) {
        std::fprintf(stderr, "%s ", name.c_str());
    }
    controller->command_interfaces_.resize(7);
    controller->on_activate(state);
    const auto step = [&](int k) {
        const unsigned long before = allocations();
        controller->update(rclcpp::Time(), rclcpp::Duration());
        const unsigned long used = allocations() - before;
        for (std::size_t j = 0; j < 7; ++j) {
            std::printf("out%d[%zu] = %.17g\n", k, j, controller->command_interfaces_[j].value);
        }
        std::printf("out%d[7] = %lu\n", k, used);
    };
    step(0);
    trajectory_msgs::msg::JointTrajectoryPoint point;
    point.positions = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    point.velocities = {1, 2, 3, 4, 5, 6, 7};
    point.accelerations = {7, 6, 5, 4, 3, 2, 1};
    controller->get_node()->publish(point);
    step(1);
    point.velocities[3] = NAN;
    controller->get_node()->publish(point);
    point.velocities = {1, 2, 3};
    controller->get_node()->publish(point);
    step(2);
    controller->on_activate(state);
    step(3);
    for (auto &command : controller->command_interfaces_) command.value = 1.0;
    controller->on_deactivate(state);
    for (std::size_t j = 0; j < 7; ++j) {
        std::printf("out4[%zu] = %.17g\n", j, controller->command_interfaces_[j].value);
    }
    std::printf("out4[7] = 0\n");
}
"""


@each_compiler
@pytest.mark.slow
def test_the_controller_runs_and_allocates_nothing(compiler: str, tmp_path: Path):
    """In the place of ros2_control stand declarations of the tests."""
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    kernel.export_cpp(tmp_path, "f", template="ros2_control")
    (tmp_path / "main.cpp").write_text(CONTROLLER)
    hook = tmp_path / "hook.o"
    subprocess.run(["cc", "-c", ALLOCATIONS, "-o", hook], check=True)
    flags = ["-isystem", STANDINS, NO_EIGEN, hook]
    program = cpp(compiler, tmp_path / "main.cpp", tmp_path / "main", *flags)
    nothing, torques, kept, again, left = printed(program, 5)
    said = subprocess.run([program], capture_output=True, text=True).stderr
    assert said.startswith(" ".join(f"joint{k}/effort" for k in range(1, 8)))
    assert said.count("must be 7 finite numbers each") == 2
    q, v, a = 0.1 * np.arange(1, 8), np.arange(1.0, 8), np.arange(7.0, 0, -1)
    wanted = np.append(jounce.inverse_dynamics(PANDA, q, v, a)[0], 0.0)
    assert_close(torques, wanted, ROUNDOFF)
    for row, other in (
        (kept, torques),
        (nothing, np.zeros(8)),
        (again, np.zeros(8)),
        (left, np.zeros(8)),
    ):
        assert_close(row, other, EXACT)


@pytest.mark.parametrize(
    ("template", "places"),
    [
        ("ros2_control", [*Path("/opt/ros").glob("*/include/*")]),
        ("sfunction", [*Path("/usr/local/MATLAB").glob("*/simulink/include"),
                       *Path("/usr/local/MATLAB").glob("*/extern/include")]),
    ],
)  # fmt: skip
def test_templates_compile_with_the_headers_of_their_programs(
    template: str, places: list[Path], tmp_path: Path
):
    if not places:
        pytest.skip(f"no headers for {template}: stand-ins take their place in other tests")
    *_, source = jounce.kernel(PANDA, "inverse_dynamics").export_cpp(tmp_path, template=template)
    words = [word for place in places for word in ("-isystem", place)]
    compiled(["c++", "-std=c++17", "-fsyntax-only", "-DMATLAB_MEX_FILE", *words, source])


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_cmake_builds_it(tmp_path: Path):
    kernel = jounce.kernel(PANDA, "inverse_dynamics")
    kernel.export_cpp(tmp_path)
    place = tmp_path / "build"
    for command in (["cmake", "-S", tmp_path, "-B", place], ["cmake", "--build", place]):
        subprocess.run(command, check=True, capture_output=True)
    result = printed(place / "panda_inverse_dynamics_example", 1)
    assert_orders_close(result, run_kernel(kernel), ROUNDOFF)


@pytest.mark.parametrize(
    ("quantity", "order", "robot", "template", "match"),
    [
        ("mass_matrix", 0, PANDA, "ros2_control", "mass_matrix of order 0 of 'panda'"),
        ("inverse_dynamics", 1, PANDA, "ros2_control", "of order 1"),
        ("inverse_dynamics", 0, PANDA.with_floating_base(), "ros2_control", "one coordinate each"),
        ("inverse_dynamics", 0, two_axes(), "ros2_control", "one coordinate each"),
        ("inverse_dynamics", 0, PANDA, "fpga", "'fpga'.*ros2_control, sfunction"),
    ],
)
def test_templates_that_do_not_fit(
    quantity: str, order: int, robot: jounce.Robot, template: str, match: str, tmp_path: Path
):
    kernel = Kernel(jounce.kernel(robot, quantity, order=order).spec)
    with pytest.raises(jounce.JounceError, match=match):
        kernel.export_cpp(tmp_path, template=template)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["class", "namespace", "std", "q", "compute", "sin", "2x"])
def test_names_that_cpp_does_not_take(name: str, tmp_path: Path):
    with pytest.raises(jounce.UnsupportedError, match="C identifier"):
        jounce.kernel(PANDA, "inverse_dynamics").export_cpp(tmp_path, name)


def test_the_header_is_alone(tmp_path: Path):
    path, *_ = jounce.kernel(PANDA, "inverse_dynamics").export_cpp(tmp_path)
    assert path.name == "panda_inverse_dynamics.hpp"
    included = re.findall(r'#include ([<"].*[>"])', path.read_text())
    assert included == ["<array>", "<cmath>", "<cstddef>", "<type_traits>", "<Eigen/Core>"]
