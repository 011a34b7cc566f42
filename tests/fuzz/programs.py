"""Functions of other programs, with odd options and arguments: the numbers of the kernel, or no."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import jounce
from jounce.kernels.table import QUANTITIES
from tests.fuzz import mutants

SLOW = ("inverse_dynamics_second_partials", "coriolis_parameter_partials")
NAMES = [name for name, row in QUANTITIES.items() if name not in SLOW and not row.needs_closures]
AGREE = 1e-9  # of the largest number; CasADi and XLA add up in another order


@cache
def _robot(name: str) -> jounce.Robot:
    """Return an arm, or a body that floats with an arm on it."""
    if name == "arm":
        return jounce.load("planar2r")
    builder = jounce.RobotBuilder("boat")
    hull = jounce.Inertia(2.0, (0.1, 0, 0), np.diag([0.1, 0.2, 0.25]))
    builder.add("hull", joint=jounce.joints.free(), inertia=hull)
    builder.add("mast", "hull", jounce.joints.revolute((0, 1, 0)), np.eye(4), hull)
    return builder.build()


def calls(rng: random.Random, _place: Path) -> str | None:
    """Make a function of JAX, PyTorch or CasADi and call it, or reorder parameters."""
    if rng.random() < 0.1:
        return _reordered(rng)
    maker = rng.choice((_jax, _torch, _casadi))
    robot = _robot(rng.choice(("arm", "arm", "boat")))
    quantity = rng.choice((*NAMES, "inverse_dynamics", "mass_matrix", "frame_twist"))
    options: dict[str, Any] = {"order": rng.choice((0, 0, 0, 1, 2))}
    known = QUANTITIES[quantity]
    if known.highest_order is not None:
        options["order"] = 0
    if "frame" in known.options:
        options["frame"] = robot.frames[-1].name
    if known.takes_wrenches and rng.random() < 0.3:
        options["wrenches"] = (
            rng.choice((robot.frames[-1].name, (robot.frames[-1].name, "body"))),
        )
    if rng.random() < 0.25:
        quantity, options = _odd_options(rng, robot, quantity, options)
    try:
        kernel = jounce.kernel(robot, quantity, **options)
        refused = None
    except (jounce.JounceError, TypeError) as error:
        kernel, refused = None, error
    try:
        call = maker(robot, quantity, options)
    except ImportError:
        return None
    except (jounce.JounceError, TypeError) as error:
        odd = isinstance(error, jounce.JounceError) is not isinstance(refused, jounce.JounceError)
        if odd or refused is None:
            return f"{maker.__name__} of {quantity} {options}: {error!r}, the kernel: {refused!r}"
        return None
    if kernel is None:
        return f"{maker.__name__} of {quantity} {options} is made, the kernel: {refused!r}"
    batch = () if maker is _casadi else rng.choice(((), (), (3,), (2, 3), (0,), (1,)))
    return _called(rng, call, kernel, batch, f"{maker.__name__} of {quantity} {options} {batch}")


def _reordered(rng: random.Random) -> str | None:
    """Give parameters in the order of other programs and take them back."""
    orders = jounce.adapters.parameter_order
    program = rng.choice(("pinocchio", "spatial_v2"))
    there = getattr(orders, f"to_{program}")
    back = getattr(orders, f"from_{program}")
    values: Any = np.random.default_rng(rng.randrange(2**32)).normal(size=(3, 20))
    odd: tuple[Any, ...] = (None, 5, [], [0], [1, 0], [0, 0], [0, 2], ["0", "1"], [[0], [1]],
                            [[0], [1, 2]], [None, 1], [{}, 1], (1, 0), np.array([1, 0]), "01",
                            [0.0, 1.0], [True, False], {0: 1, 1: 0}, 1j)  # fmt: skip
    bodies = rng.choice((None, *odd))
    given = rng.choice(EDITS)(values) if rng.random() < 0.4 else values
    try:
        found = back(there(given, bodies=bodies), bodies=bodies)
    except jounce.JounceError:
        return None
    return _compared(found, np.asarray(given, dtype=float), f"{program} {bodies}")


def _odd_options(
    rng: random.Random, robot: jounce.Robot, quantity: str, options: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    odd: tuple[Any, ...] = (None, -1, 1.0, True, 169, 10**400, "", "x", [], ("x",), [("hull",)],
                            np.int64(1), float("nan"), {"tip": "body"}, ["tip", "tip"],
                            *mutants.NAMES[:4])  # fmt: skip
    if rng.random() < 0.2:
        return rng.choice((*mutants.NAMES, None, 5)), options
    keys = ("order", "wrenches", "frame", "representation", "formulation", "friction", "x")
    chosen = {**options, rng.choice(keys): rng.choice(odd)}
    if chosen["order"] == 169:  # the highest are slow to trace, and no others
        chosen["order"] = rng.choice((169, 3))
    return quantity, chosen


def _called(
    rng: random.Random, call: Callable[..., Any], kernel: Any, batch: tuple[int, ...], what: str
) -> str | None:
    """Call a function with arguments that fit, or almost."""
    sound = [_sound(rng, kernel, argument, batch) for argument in kernel.signature.arguments]
    given: list[Any] = list(sound)
    fits = rng.random() < 0.4 or not given
    if not fits:
        k = rng.randrange(len(given))
        edit = rng.randrange(len(EDITS) + 2)
        if edit == len(EDITS):
            del given[k]
        elif edit > len(EDITS):
            given.insert(k, sound[k])
        else:
            with np.errstate(all="ignore"):
                given[k] = EDITS[edit](sound[k])
    try:
        found = call(*given)
    except jounce.JounceError as error:
        return f"{what}: sound arguments refused, {error!r}" if fits else None
    wanted = kernel(*[np.asarray(x, dtype=float) for x in given])
    return _compared(found, wanted, what)


def _compared(found: np.ndarray, wanted: np.ndarray, what: str) -> str | None:
    if found.shape != wanted.shape:
        return f"{what}: shape {found.shape} instead of {wanted.shape}"
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    finite = np.isfinite(found) & np.isfinite(wanted)
    scale = np.abs(wanted[finite]).max(initial=1.0)
    with np.errstate(all="ignore"):
        near = same | (finite & (np.abs(found - wanted) <= AGREE * scale))
    large = np.abs(wanted[finite]).max(initial=0.0) > 1e100  # what overflows depends on the order
    return None if near.all() or large else f"{what}: {found} instead of {wanted}"


def _sound(rng: random.Random, kernel: Any, argument: Any, batch: tuple[int, ...]) -> np.ndarray:
    lead = (argument.orders, *batch) if argument.orders else batch
    values = np.random.default_rng(rng.randrange(2**32)).uniform(0.1, 1.0, (*lead, argument.width))
    if argument.name == "q":
        for part in kernel.spec.robot.quaternions:
            values[..., part] /= np.linalg.norm(values[..., part], axis=-1, keepdims=True)
    return values


EDITS: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda x: x[..., :-1], lambda x: x[..., None], lambda x: x[None], lambda x: x.tolist(),
    lambda x: x.astype(np.float32), lambda x: x.astype(complex), lambda x: x > 0.5,
    lambda x: np.rint(x).astype(int), lambda x: x.astype(object), lambda x: x.astype(str),
    lambda x: x * np.nan, lambda x: x * 1e308 * 10, lambda x: np.asfortranarray(x),
    lambda x: np.repeat(x, 2, -1)[..., ::2], lambda x: x[..., ::-1].copy()[..., ::-1],
    lambda x: np.ma.masked_greater(x, 2.0), lambda _: None, lambda _: "0.1", lambda _: 0.1,
    lambda _: [], lambda _: [[0.1], [0.1, 0.2]], lambda x: x.astype(np.longdouble),
    lambda x: x.astype(np.int8), lambda x: {"q": x}, lambda x: x.astype("datetime64[s]"),
    lambda x: x.byteswap().view(x.dtype.newbyteorder()), lambda x: np.stack([x, x]),
    lambda x: memoryview(np.ascontiguousarray(x)), lambda x: iter(x.tolist()), lambda _: object(),
    lambda x: np.broadcast_to(x, (2, *x.shape)),
)  # fmt: skip


def _jax(robot: jounce.Robot, quantity: Any, options: dict[str, Any]) -> Callable[..., Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    call = jounce.adapters.jax.function(robot, quantity, **options)

    def called(*given: Any) -> np.ndarray:
        found = np.asarray(call(*given))
        if found.size % 3 == 0 and all(isinstance(x, np.ndarray) for x in given):  # some of them
            same = np.asarray(jax.jit(call)(*given))
            assert np.array_equal(same, found, equal_nan=True), f"compiled {same}, not {found}"
        return found

    return called


def _torch(robot: jounce.Robot, quantity: Any, options: dict[str, Any]) -> Callable[..., Any]:
    call = jounce.adapters.torch.function(robot, quantity, **options)
    return lambda *given: call(*given).numpy()


def _casadi(robot: jounce.Robot, quantity: Any, options: dict[str, Any]) -> Callable[..., Any]:
    """CasADi checks its own arguments: only what fits is called, one sample."""
    call = jounce.adapters.casadi.function(robot, quantity, **options)
    for name in ("", "a b", "1", "ü", "null", "x" * 300, 5, "q"):
        with suppress(jounce.JounceError):
            jounce.adapters.casadi.function(robot, quantity, **options, name=name)  # type: ignore[arg-type]
    kernel = jounce.kernel(robot, quantity, **options)

    def called(*given: Any) -> np.ndarray:
        if not all(isinstance(x, np.ndarray) for x in given):
            raise jounce.ShapeError("left to CasADi")
        arrays = list(given)
        shapes = [
            (a.orders, a.width) if a.orders else (a.width,) for a in kernel.signature.arguments
        ]
        if [x.shape for x in arrays] != shapes or any(x.dtype != float for x in arrays):
            raise jounce.ShapeError("left to CasADi")
        found = call(*arrays)
        parts = found if isinstance(found, tuple) else (found,)
        tail = kernel.signature.tail
        return np.stack([np.array(part.full()).reshape(tail) for part in parts])

    return called
