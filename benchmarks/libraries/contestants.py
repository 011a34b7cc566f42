"""One function per library: it returns what it can compute of ``(q, v, a, jerk, snap)``.

A contestant has ``batch`` and ``call``, each by what it computes: "Q" or "Q…Q⁽²⁾"; the batch is the
whole of the samples in one go where the library offers that, else a loop in Python.  Each returns
arrays ``(orders, samples, n)``, so that the numbers can be held against ours.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import jounce
from benchmarks.libraries.arm import as_urdf, links, newton_euler

Compute = Callable[..., Any]
ORDERS = {"Q": 0, "Q…Q⁽²⁾": 2}


class Contestant(NamedTuple):
    """A library with its version, the way it is used, and what it computes."""

    name: str
    how: str
    batch: dict[str, Compute]
    call: dict[str, Compute]
    seconds: dict[str, float]  # to build or compile


def ours(robot: jounce.Robot) -> Contestant:
    """Return our kernels, compiled from nothing."""
    kernels, seconds = {}, {}
    before = os.environ.get("JOUNCE_CACHE_DIR")
    with tempfile.TemporaryDirectory() as place:
        os.environ["JOUNCE_CACHE_DIR"] = place
        for what, order in ORDERS.items():
            begin = time.perf_counter()
            kernels[what] = jounce.kernel(robot, "inverse_dynamics", order=order)
            seconds[what] = time.perf_counter() - begin
        os.environ.pop("JOUNCE_CACHE_DIR")
    if before is not None:
        os.environ["JOUNCE_CACHE_DIR"] = before
    wide = {what: (lambda *m, k=k: k(*m, threads=1)) for what, k in kernels.items()}
    return Contestant("Jounce", "compiled for the robot", wide, kernels, seconds)


def pinocchio(robot: jounce.Robot) -> Contestant:
    """Return Pinocchio's recursion, which ends at order zero."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    from jounce.adapters.pinocchio import pinocchio_model

    model = pinocchio_model(robot)
    data, pool = model.createData(), pin.ModelPool(model, 1)

    def batch(*motion: Any) -> Any:
        columns = [np.asfortranarray(x.T) for x in motion]
        out = np.zeros_like(columns[1], order="F")
        pin.rneaInParallel(1, pool, *columns, out)
        return out.T[None]

    def call(*motion: Any) -> Any:
        return pin.rnea(model, data, *motion)

    how = "rneaInParallel, one thread"
    return Contestant(f"Pinocchio {pin.__version__}", how, {"Q": batch}, {"Q": call}, {})


def mujoco(robot: jounce.Robot) -> Contestant:
    """Return MuJoCo's recursion; a batch is a loop, as its rollouts go forward only."""
    import mujoco as mj  # pyright: ignore[reportMissingImports]

    model = mj.MjModel.from_xml_string(as_urdf(robot))
    model.opt.gravity[:] = robot.gravity
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)

    def call(q: Any, v: Any, a: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mj.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    how = "mj_inverse, called from Python"
    return Contestant(f"MuJoCo {mj.__version__}", how, {"Q": _loop(call)}, {"Q": call}, {})


def drake(robot: jounce.Robot) -> Contestant:
    """Return Drake's recursion, called from Python."""
    from importlib.metadata import version

    from pydrake.multibody.parsing import Parser  # pyright: ignore[reportMissingImports]
    from pydrake.multibody.plant import MultibodyPlant  # pyright: ignore[reportMissingImports]
    from pydrake.multibody.tree import MultibodyForces  # pyright: ignore[reportMissingImports]

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(as_urdf(robot), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("ground"))
    plant.mutable_gravity_field().set_gravity_vector(np.array(robot.gravity, float))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    forces = MultibodyForces(plant)

    def call(q: Any, v: Any, a: Any) -> Any:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces.SetZero()
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, a, forces)

    how = "CalcInverseDynamics, called from Python"
    return Contestant(f"Drake {version('drake')}", how, {"Q": _loop(call)}, {"Q": call}, {})


def casadi(robot: jounce.Robot) -> Contestant:
    """Return a recursion on CasADi's symbols, differentiated by it, in its virtual machine."""
    import casadi as ca  # pyright: ignore[reportMissingImports]

    functions, seconds = _symbols(ca, robot)
    return _casadi(ca, "SX, jtimes, virtual machine", functions, seconds)


def casadi_compiled(robot: jounce.Robot) -> Contestant:
    """Return the same, as C that CasADi writes and the C compiler compiles with -O3."""
    import casadi as ca  # pyright: ignore[reportMissingImports]

    if shutil.which("cc") is None:
        raise ImportError("no C compiler")
    functions, seconds = _symbols(ca, robot)
    place = Path(tempfile.mkdtemp(prefix="jounce_casadi_"))
    for what, function in functions.items():
        begin = time.perf_counter()
        source, library = place / f"order{ORDERS[what]}.c", place / f"order{ORDERS[what]}.so"
        code = ca.CodeGenerator(source.name)
        code.add(function)
        code.generate(f"{place}/")
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        functions[what] = ca.external("forces", str(library))
        seconds[what] += time.perf_counter() - begin
    shutil.rmtree(place)  # what is loaded stays loaded
    return _casadi(ca, "SX, jtimes, C, cc -O3 -march=native", functions, seconds)


def _symbols(ca: Any, robot: jounce.Robot) -> tuple[dict[str, Any], dict[str, float]]:
    """Return functions of the motion and the seconds that they took to build."""
    arm, n = links(robot), robot.nv
    ops = SimpleNamespace(sin=ca.sin, cos=ca.cos, cross=ca.cross, dot=ca.dot)
    functions, seconds = {}, {}
    for what, order in ORDERS.items():
        begin = time.perf_counter()
        motion = [ca.SX.sym(name, n) for name in "qvajs"[: order + 3]]
        rows = [ca.vertcat(*newton_euler(arm, robot.gravity, ops, *motion[:3]))]
        for _ in range(order):
            pairs = pairwise(motion)
            rows.append(sum(ca.jtimes(rows[-1], x, x1) for x, x1 in pairs))
        functions[what] = ca.Function("forces", motion, rows)
        seconds[what] = time.perf_counter() - begin
    return functions, seconds


def _casadi(ca: Any, how: str, functions: dict[str, Any], seconds: dict[str, float]) -> Contestant:
    def batch(function: Any) -> Compute:
        kept: dict[int, Any] = {}

        def run(*motion: Any) -> Any:
            samples = len(motion[0])
            if samples not in kept:
                kept[samples] = function.map(samples)
            found = kept[samples](*(x.T for x in motion))
            found = found if isinstance(found, tuple) else (found,)
            return np.array([np.array(x).T for x in found])

        return run

    wide = {what: batch(function) for what, function in functions.items()}
    return Contestant(f"CasADi {ca.__version__}", how, wide, functions, seconds)


def jax(robot: jounce.Robot) -> Contestant:
    """Return a recursion in JAX, differentiated along the motion by nested ``jvp``, jitted."""
    os.environ.setdefault(
        "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    )
    import jax as jx  # pyright: ignore[reportMissingImports]
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    jx.config.update("jax_enable_x64", True)
    arm = links(robot)
    ops = SimpleNamespace(sin=jnp.sin, cos=jnp.cos, cross=jnp.cross, dot=jnp.dot)

    def forces(q: Any, v: Any, a: Any) -> Any:
        return jnp.stack(newton_euler(arm, robot.gravity, ops, q, v, a))

    def second(q: Any, v: Any, a: Any, j: Any, s: Any) -> Any:
        def rate(*motion: Any) -> Any:
            return jx.jvp(forces, motion[:3], motion[1:])[1]

        first = rate(q, v, a, j)
        return jnp.stack([forces(q, v, a), first, jx.jvp(rate, (q, v, a, j), (v, a, j, s))[1]])

    texts = {"Q": lambda *m: forces(*m)[None], "Q…Q⁽²⁾": second}
    single, wide, seconds = {}, {}, {}
    for what, order in ORDERS.items():
        begin = time.perf_counter()
        single[what] = jx.jit(texts[what])
        np.asarray(single[what](*np.zeros((order + 3, robot.nv))))
        seconds[what] = time.perf_counter() - begin
        wide[what] = jx.jit(jx.vmap(texts[what], out_axes=1))
    calls = {what: (lambda *m, f=f: np.asarray(f(*m))) for what, f in single.items()}
    batches = {what: (lambda *m, f=f: np.asarray(f(*m))) for what, f in wide.items()}
    return Contestant(f"JAX {jx.__version__}", "jit, vmap, nested jvp", batches, calls, seconds)


def _loop(call: Compute) -> Compute:
    return lambda *motion: np.array([[call(*row) for row in zip(*motion, strict=True)]])


CONTESTANTS = (ours, pinocchio, mujoco, drake, casadi, casadi_compiled, jax)
