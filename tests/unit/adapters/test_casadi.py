"""CasADi: values and Jacobians of the SX function and of the exported C."""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from tests.optimiser_cases import CASES, case, force_jacobian, in_threads, motion
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close

casadi = pytest.importorskip("casadi")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def blocks(function: Any, *inputs: Any) -> np.ndarray:
    """Return the Jacobian of all outputs by all inputs, from the function's own Jacobian."""
    nominal = [0] * function.n_out()
    found = [block.full() for block in function.jacobian().call([*inputs, *nominal])]
    n = function.n_in()
    return np.stack([np.hstack(found[k : k + n]) for k in range(0, len(found), n)])


def external(robot: jounce.Robot, quantity: str, place: Path, **options: Any) -> Any:
    """Export, compile and load a quantity."""
    (path,) = jounce.kernel(robot, quantity, **options).export_casadi(place)
    library = path.with_suffix(".so")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, path, "-o", library, "-lm"], check=True)
    return casadi.external(path.stem, str(library))


@pytest.mark.parametrize("name", CASES)
def test_values_and_jacobian_on_symbols(name: str, rng: np.random.Generator):
    robot = case(name)
    state = motion(robot, rng, 3)
    f = jounce.adapters.casadi.function(robot, "inverse_dynamics", order=1)
    Q = np.stack([row.full()[:, 0] for row in f(*state)])
    assert_close(Q, jounce.inverse_dynamics(robot, *state), INDEPENDENT)
    assert_close(blocks(f, *state), force_jacobian(robot, *state), INDEPENDENT)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_values_and_jacobian_of_the_external_function(
    name: str, tmp_path: Path, rng: np.random.Generator
):
    robot = case(name)
    order = 0 if name == "panda.urdf" else 1
    state = motion(robot, rng, order + 2)
    f = external(robot, "inverse_dynamics", tmp_path, order=order)
    Q = np.stack([row.full()[:, 0] for row in f.call(state)])
    assert_close(Q, jounce.inverse_dynamics(robot, *state), INDEPENDENT)
    assert_close(blocks(f, *state), force_jacobian(robot, *state), INDEPENDENT)
    on_symbols = jounce.adapters.casadi.function(robot, "inverse_dynamics", order=order)
    assert f.name_in() == on_symbols.name_in()
    assert f.name_out() == on_symbols.name_out()
    assert f.jacobian().nnz_out() <= on_symbols.jacobian().nnz_out()


@needs_compiler
def test_wrenches_and_matrices_are_columns(tmp_path: Path, rng: np.random.Generator):
    robot = jounce.load("planar2r", floating_base=True)
    state, W = motion(robot, rng, 3), rng.normal(size=(2, 6))
    wanted = jounce.inverse_dynamics(robot, *state, wrenches={"tip": W})
    options: dict[str, Any] = {"order": 1, "wrenches": ("tip",)}
    symbols = jounce.adapters.casadi.function(robot, "inverse_dynamics", **options)
    compiled = external(robot, "inverse_dynamics", tmp_path / "id", **options)
    assert symbols.name_in() == ["q", "v", "a", "j", "wrench_on_tip"]
    for f in (symbols, compiled):
        rows = [row.full()[:, 0] for row in f(*state, W)]
        assert_close(rows, wanted, INDEPENDENT)
    assert_close(blocks(compiled, *state, W), blocks(symbols, *state, W), INDEPENDENT)
    for quantity, wanted, options in (
        ("jacobian", jounce.jacobian(robot, "tip", state[0])[0], {"frame": "tip"}),
        ("mass_matrix_partials", jounce.mass_matrix_partials(robot, state[0]).reshape(64, 8), {}),
        ("potential_energy", jounce.potential_energy(robot, *state[:2]).reshape(1, 1), {}),
    ):
        inputs = state[:2] if quantity == "potential_energy" else state[:1]
        symbols = jounce.adapters.casadi.function(robot, quantity, **options)
        compiled = external(robot, quantity, tmp_path / quantity, **options)
        assert_close(symbols(*inputs).full(), wanted, INDEPENDENT)
        assert_close(compiled(*inputs).full(), wanted, INDEPENDENT)
        assert_close(blocks(compiled, *inputs), blocks(symbols, *inputs), INDEPENDENT)


@needs_compiler
def test_inputs_and_outputs_that_are_left_out(tmp_path: Path):
    robot = jounce.load("planar2r")
    f = external(robot, "inverse_dynamics", tmp_path, order=1)
    q = casadi.MX.sym("q", 2)
    still = casadi.Function("still", [q], [f(q, 0, 0, 0)[0]])  # no rates, no second output
    assert_close(
        still([0.1, 0.2]).full()[:, 0], jounce.gravity_forces(robot, [0.1, 0.2])[0], ROUNDOFF
    )
    slope = casadi.Function("slope", [q], [casadi.jacobian(f(q, 0, 0, 0)[0], q)])
    assert_close(slope([0.1, 0.2]).full(), jounce.gravity_partials(robot, [0.1, 0.2]), ROUNDOFF)


@needs_compiler
def test_calls_from_many_threads(tmp_path: Path, rng: np.random.Generator):
    robot = jounce.load("panda")
    states = [motion(robot, rng, 2) for _ in range(8)]
    wanted = [jounce.inverse_dynamics(robot, *s)[0] for s in states]
    for make in (
        lambda: jounce.adapters.casadi.function(robot, "inverse_dynamics"),
        lambda: external(robot, "inverse_dynamics", tmp_path),
    ):
        f = make()

        def work(k: int, f: Any = f) -> None:
            for _ in range(125):
                assert_close(f(*states[k]).full()[:, 0], wanted[k], INDEPENDENT)

        in_threads(8, work)
        mapped = f.map(8, "thread", 8)
        columns = [np.stack(x).T for x in zip(*states, strict=True)]
        assert_close(mapped(*columns).full().T, wanted, INDEPENDENT)
        slope = f.jacobian()
        del f, mapped
        gc.collect()
        assert slope(*states[0], 0)[2].shape == (7, 7)


def test_names_are_given_or_made():
    robot = jounce.load("planar2r")
    assert jounce.adapters.casadi.function(robot, "mass_matrix").name() == "planar2r_mass_matrix"
    assert jounce.adapters.casadi.function(robot, "mass_matrix", name="M").name() == "M"
    for name in ("no name", 5):
        with pytest.raises(jounce.UnsupportedError, match="C identifier"):
            jounce.adapters.casadi.function(robot, "mass_matrix", name=name)  # type: ignore[arg-type]
    for name in ("null", "jac", "two__words"):
        with pytest.raises(jounce.UnsupportedError, match=f"CasADi does not take .*{name}"):
            jounce.adapters.casadi.function(robot, "mass_matrix", name=name)


@needs_compiler
def test_the_c_as_acados_calls_it(tmp_path: Path, rng: np.random.Generator):
    """Indices are int, sizes of the work are asked for, arrays are handed over as pointers."""
    robot = jounce.load("planar2r")
    state = motion(robot, rng, 2)
    (path,) = jounce.kernel(robot, "inverse_dynamics").export_casadi(tmp_path, "dynamics")
    library = path.with_suffix(".so")
    flags = ["-std=c99", "-Wall", "-Werror", "-Dcasadi_int=int", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, path, "-o", library, "-lm"], check=True)
    code = ctypes.CDLL(str(library))
    found = _called(code, "jac_dynamics", [*state, np.zeros(0)])
    for j, block in enumerate(found):
        assert_close(block, force_jacobian(robot, *state)[0][:, 2 * j : 2 * j + 2], INDEPENDENT)
    (Q,) = _called(code, "dynamics", state)
    assert_close(Q[:, 0], jounce.inverse_dynamics(robot, *state)[0], INDEPENDENT)


def _called(code: Any, name: str, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Return the dense results of a function with CasADi's C interface."""
    sizes = [ctypes.c_int() for _ in range(4)]
    assert getattr(code, f"{name}_work")(*(ctypes.byref(size) for size in sizes)) == 0
    _, _, integers, numbers = (max(size.value, 1) for size in sizes)
    assert getattr(code, f"{name}_n_in")() == len(inputs)
    sparsity = getattr(code, f"{name}_sparsity_out")
    sparsity.restype = ctypes.POINTER(ctypes.c_int)
    patterns = [_pattern(sparsity(k)) for k in range(getattr(code, f"{name}_n_out")())]
    results = [np.zeros(max(len(places), 1)) for _, places in patterns]
    work = (ctypes.c_int * integers)(), (ctypes.c_double * numbers)()
    assert getattr(code, name)(_pointers(inputs), _pointers(results), *work, None) == 0
    dense = []
    for (shape, places), values in zip(patterns, results, strict=True):
        matrix = np.zeros(shape)
        for place, value in zip(places, values, strict=False):
            matrix[place] = value
        dense.append(matrix)
    return dense


def _pattern(found: Any) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    rows, columns = found[0], found[1]
    if found[2] == 1:
        return (rows, columns), [(r, c) for c in range(columns) for r in range(rows)]
    starts = found[2 : 3 + columns]
    row = found[3 + columns : 3 + columns + starts[-1]]
    return (rows, columns), [
        (row[k], c) for c in range(columns) for k in range(starts[c], starts[c + 1])
    ]


def _pointers(arrays: list[np.ndarray]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
