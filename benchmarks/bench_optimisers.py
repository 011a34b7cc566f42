"""Kernels inside CasADi, JAX and PyTorch: what the programs add to the time of the kernel."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import jounce
from benchmarks.timing import Action, at_most, best_times

SAMPLES = 10_000
ROUNDS = 60
ORDER = 1


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
    kernel = jounce.kernel(panda, "inverse_dynamics", order=ORDER)
    backward = kernel.product("vjp").compile()
    f = jounce.adapters.jax.function(panda, "inverse_dynamics", order=ORDER)
    lam = np.ones((ORDER + 1, SAMPLES, 7))
    given, weights = [jax.numpy.asarray(x) for x in batch], jax.numpy.asarray(lam)
    forward = jax.jit(f)
    gradient = jax.jit(lambda lam, *x: jax.vjp(f, *x)[1](lam))
    there, own = _times(
        lambda: jax.block_until_ready(forward(*given)), lambda: kernel.call(*batch, threads=None)
    )
    _row(table, f"JAX: {SAMPLES} samples", own, there)
    there, own = _times(
        lambda: jax.block_until_ready(gradient(weights, *given)),
        lambda: backward.call(*batch, lam, threads=None),
    )
    _row(table, f"JAX: gradient of {SAMPLES} samples", own, there)


def _torch(table: Table, panda: jounce.Robot, batch: list[np.ndarray]) -> None:
    import torch

    kernel = jounce.kernel(panda, "inverse_dynamics", order=ORDER)
    backward = kernel.product("vjp").compile()
    f = jounce.adapters.torch.function(panda, "inverse_dynamics", order=ORDER)
    lam = np.ones((ORDER + 1, SAMPLES, 7))
    given = [torch.tensor(x, requires_grad=True) for x in batch]
    weights = torch.tensor(lam)
    there, own = _times(lambda: f(*given), lambda: kernel.call(*batch, threads=None))
    _row(table, f"PyTorch: {SAMPLES} samples", own, there)
    there, own = _times(
        lambda: torch.autograd.grad(f(*given), given, weights),
        lambda: (kernel.call(*batch, threads=None), backward.call(*batch, lam, threads=None)),
    )
    _row(table, f"PyTorch: value and gradient of {SAMPLES} samples", own, there)


def _row(table: Table, what: str, own: float, there: float) -> None:
    table.add_row(what, f"{own:.0f}", f"{there:.0f}", at_most(there / own, 1.2))


def _times(*calls: Action, loops: int = 1) -> list[float]:
    """Return the least time of each call in µs, measured in turn."""
    named = {str(k): call for k, call in enumerate(calls)}
    return [1e6 * x for x in best_times(named, rounds=ROUNDS, loops=loops).values()]
