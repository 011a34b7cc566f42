"""Kernels inside CasADi, JAX and PyTorch: what the programs add to the time of the kernel."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.timing import Action, at_most, best_times

SAMPLES = 10_000
ROUNDS = 200
ORDER = 1

Call = Callable[..., np.ndarray]


def run(console: Console) -> None:
    panda = jounce.load("panda")
    rng = np.random.default_rng(0)
    motion = [panda.random_configuration(rng), *rng.normal(size=(ORDER + 2, 7))]
    batch = [np.tile(x, (SAMPLES, 1)) for x in motion]
    table = Table("", "kernel [µs]", "there [µs]", "ratio", title=f"Panda, Q to order {ORDER}")
    if shutil.which("cc"):
        _casadi(table, panda, motion)
    _jax(table, panda, batch)
    _torch(table, panda, batch)
    console.print(table)


def _casadi(table: Table, panda: jounce.Robot, motion: list[np.ndarray]) -> None:
    """One sample: the exported C from CasADi, beside a function of CasADi that does nothing."""
    import casadi

    kernel = jounce.kernel(panda, "inverse_dynamics", order=ORDER)
    with tempfile.TemporaryDirectory() as folder:
        (path,) = kernel.export_casadi(folder)
        library = path.with_suffix(".so")
        command = ["cc", "-O2", "-march=native", "-shared", "-fPIC", path, "-o", library, "-lm"]
        subprocess.run(command, check=True)
        external = casadi.external(path.stem, str(library))
        (empty,) = _empty(casadi, external, Path(folder))
        given = [casadi.DM(x) for x in motion]
        called, own, nothing = _times(
            lambda: external.call(given),
            lambda: kernel(*motion),
            lambda: empty.call(given),
            loops=200,
        )
    table.add_row("CasADi: a call that does nothing", "", f"{nothing:.2f}", "")
    bar = own + nothing
    table.add_row(
        "CasADi: C, kernel + that call", f"{bar:.2f}", f"{called:.2f}", at_most(called / bar, 1.3)
    )


def _empty(casadi: Any, external: Any, folder: Path) -> tuple[Any]:
    """Return an external function of the same shapes that leaves its results as they are."""
    source = folder / "empty.c"
    ins, outs = external.n_in(), external.n_out()
    source.write_text(
        f"""
typedef long long int casadi_int;
int empty(const double **arg, double **res, casadi_int *iw, double *w, int mem) {{ return 0; }}
casadi_int empty_n_in(void) {{ return {ins}; }}
casadi_int empty_n_out(void) {{ return {outs}; }}
static const casadi_int dense[] = {{7, 1, 1}};
const casadi_int *empty_sparsity_in(casadi_int i) {{ return dense; }}
const casadi_int *empty_sparsity_out(casadi_int i) {{ return dense; }}
"""
    )
    library = source.with_suffix(".so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    return (casadi.external("empty", str(library)),)


def _jax(table: Table, panda: jounce.Robot, batch: list[np.ndarray]) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    value, slope = _kernels(panda, batch)
    f = jounce.adapters.jax.function(panda, "inverse_dynamics", order=ORDER)
    given, weights = [jax.numpy.asarray(x) for x in batch], jax.numpy.ones(_weights().shape)
    forward = jax.jit(f)
    gradient = jax.jit(lambda lam, *x: jax.vjp(f, *x)[1](lam))
    _row(table, "JAX: value", lambda: jax.block_until_ready(forward(*given)), [value])
    _row(table, "JAX: gradient", lambda: jax.block_until_ready(gradient(weights, *given)), [slope])


def _torch(table: Table, panda: jounce.Robot, batch: list[np.ndarray]) -> None:
    import torch

    value, slope = _kernels(panda, batch)
    f = jounce.adapters.torch.function(panda, "inverse_dynamics", order=ORDER)
    given = [torch.tensor(x, requires_grad=True) for x in batch]
    weights = torch.tensor(_weights())
    _row(table, "PyTorch: value", lambda: f(*given), [value])
    _row(
        table,
        "PyTorch: value and gradient",
        lambda: torch.autograd.grad(f(*given), given, weights),
        [value, slope],
    )


def _weights() -> np.ndarray:
    return np.ones((ORDER + 1, SAMPLES, 7))


def _kernels(panda: jounce.Robot, batch: list[np.ndarray]) -> tuple[Call, Call]:
    """Return what the adapters are beside: value and gradient by kernels, on as many threads."""
    kernel = jounce.kernel(panda, "inverse_dynamics", order=ORDER)
    product, lam = kernel.product("vjp").compile(), _weights()
    return (
        lambda **options: kernel.call(*batch, threads=None, **options),
        lambda **options: product.call(*batch, lam, threads=None, **options),
    )


def _row(table: Table, what: str, there: Action, kernels: list[Call]) -> None:
    """Measure a call of an adapter beside kernels that return new arrays, as the adapter does.

    Beside them, without a bar: kernels that fill the arrays of the call before.
    """
    kept = [kernel() for kernel in kernels]
    called, own, filled = _times(
        there,
        lambda: [kernel() for kernel in kernels],
        lambda: [kernel(out=out) for kernel, out in zip(kernels, kept, strict=True)],
    )
    ratios = f"{at_most(called / own, 1.2)}, with out= {called / filled:.3g}×"
    table.add_row(f"{what} of {SAMPLES} samples", f"{own:.0f}", f"{called:.0f}", ratios)


def _times(*calls: Action, loops: int = 1) -> list[float]:
    """Return the least time of each call in µs, measured in turn."""
    named = {str(k): call for k, call in enumerate(calls)}
    return [1e6 * x for x in best_times(named, rounds=ROUNDS, loops=loops).values()]
