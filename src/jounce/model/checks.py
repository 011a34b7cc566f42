"""Checks of what users give, arrays, numbers and poses, used once, at the boundary."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.errors import (
    ArgumentError,
    JounceError,
    ModelError,
    NotFiniteError,
    ShapeError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from jounce.model.robot import Robot

QUATERNION_TOLERANCE = ROTATION_TOLERANCE = 1e-6
HIGHEST_ORDER = 168  # of forces; with an acceleration there are 170 rates, and 171! is infinite
ONE_THREAD = 8192  # numbers; for more, a dot product wakes all threads of BLAS, which costs more


def checked(name: str, values: Any, width: int, of: str = "nv") -> np.ndarray:
    """Return values as a float64 array of shape ``(*batch, width)``, finite, or raise."""
    array = as_floats(name, values)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ShapeError(
            f"{name} must have shape (*batch, {width}) with {of} = {width}, got {array.shape}."
        )
    check_finite(name, array)
    return array


def checked_integer(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return an integer of Python or NumPy in ``least … most``, as Python's, or raise."""
    if type(value) is int and value >= least and most is None:  # the usual case
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ArgumentError(f"{name} must be an integer ≥ {least}, got {value!r}.")
    if most is not None and int(value) > most:
        raise ArgumentError(f"{name} must be {most} at most, got {value!r}.")
    return int(value)


def checked_order(order: Any) -> int:
    """Return the order of a time derivative of forces, or raise."""
    order = checked_integer("order", order)
    if order > HIGHEST_ORDER:
        raise ArgumentError(
            f"order must be at most {HIGHEST_ORDER}, got {order}: beyond it the factorials of "
            "Taylor series leave the range of floating-point numbers."
        )
    return order


def as_floats(name: str, values: Any) -> np.ndarray:
    """Return values as a float64 array; anything that is not real numbers is refused."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    if np.ma.is_masked(values):
        index = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise NotFiniteError(f"{name}{index} is masked; all values must be finite.")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"its type is {array.dtype}")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, RuntimeError) as error:  # the last: a tensor with gradient
        adapter = _adapter(values)
        if adapter is None and isinstance(error, RuntimeError):
            raise
        if adapter is None:
            raise ShapeError(f"{name} must be an array of real numbers: {error}.") from error
        raise UnsupportedError(
            f"{name} is a {type(values).__name__} of {adapter}, whose numbers are not known yet or "
            f"are to be differentiated: take jounce.adapters.{adapter}.function(robot, quantity)."
        ) from error


def _adapter(values: Any) -> str | None:
    """Return the adapter for symbols, tracers and tensors, or for what holds them."""
    while isinstance(values, list | tuple) and values:
        values = values[0]
    home = type(values).__module__.partition(".")[0]
    return {"casadi": "casadi", "jax": "jax", "jaxlib": "jax", "torch": "torch"}.get(home)


def check_finite(name: str, array: np.ndarray) -> None:
    """Raise NotFiniteError that names the argument and the first bad index."""
    if array.size <= ONE_THREAD and array.flags.c_contiguous:
        flat = array.ravel()
        if isfinite(np.vdot(flat, flat)):  # the fastest; overflow leads to the full check
            return
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = f"{name}{list(index) or ''}"
        raise NotFiniteError(f"{where} is {array[index]}; all values must be finite.")


def first_late(times: np.ndarray) -> int | None:
    """Return the first of the times ``(m,)`` that does not come after the one before it."""
    late = times[1:] <= times[:-1]
    return int(np.argmax(late)) + 1 if late.any() else None


def check_increasing(name: str, times: np.ndarray) -> None:
    """Raise unless the times ``(m,)`` increase strictly."""
    i = first_late(times)
    if i is not None:
        raise ArgumentError(
            f"times must increase strictly, but {name}[{i}] = {times[i]!s} does not come after "
            f"{name}[{i - 1}] = {times[i - 1]!s}."
        )


def checked_configuration(robot: Robot, q: Any, name: str = "q") -> np.ndarray:
    """Return q as ``(*batch, nq)``, its quaternions normalised, or raise."""
    array = checked(name, q, robot.nq, "nq")
    if robot.quaternions:
        array = array.copy()
    for joint in robot.joints:
        if joint.quaternion is not None:
            quaternion = array[..., joint.quaternion]
            quaternion /= joint_quaternion_norms(name, quaternion, joint.name)[..., None]
    return array


def joint_quaternion_norms(name: str, quaternion: np.ndarray, joint: str) -> np.ndarray:
    """Return the norms of quaternions of a joint in an argument, or raise as `unit_norms` does."""
    return unit_norms(f"the quaternion (x y z w) of joint {joint!r} in {name}", quaternion)


def unit_norms(
    what: str | Callable[[int], str],
    quaternion: np.ndarray,
    error: type[JounceError] = ArgumentError,
) -> np.ndarray:
    """Return the norms of quaternions ``(*batch, 4)``, or raise for the first that is not near 1.

    ``what`` may be a function of its place in the batch.
    """
    with np.errstate(over="ignore"):
        norm = np.sqrt(np.sum(quaternion * quaternion, axis=-1))
    wrong = ~(np.abs(norm - 1.0) <= QUATERNION_TOLERANCE)
    if np.any(wrong):
        first = int(np.argmax(wrong))
        name = what if isinstance(what, str) else what(first)
        raise error(
            f"{name} must have unit norm to {QUATERNION_TOLERANCE:g}, got "
            f"{np.ravel(norm)[first]:.9g}; normalise it, or check the order of its components."
        )
    return norm


def finite_vec3(what: str, values: Any) -> Vec3:
    """Return three scalars as floats (symbols stay what they are)."""
    try:
        items = list(values)
    except TypeError:
        raise ShapeError(f"{what} must have 3 components, got {values!r}.") from None
    if len(items) != 3:
        raise ShapeError(f"{what} must have 3 components, got {len(items)}: {items}.")
    vector = Vec3(*(plain(a, what) for a in items))
    if any(isinstance(a, float) and not isfinite(a) for a in vector):
        raise ModelError(f"{what} must be finite, got {tuple(vector)}.")
    return vector


def of_type(given: Any, type_: type, what: str, example: str) -> Any:
    """Return what is given, or raise unless it is of this type."""
    if not isinstance(given, type_):
        found = type(given).__name__
        raise ModelError(f"the {what} must be of type {type_.__name__}, as {example}; got {found}.")
    return given


def plain(x: Any, what: str = "a number of the robot") -> Any:
    """Return a number as a Python float without negative zero; symbols stay as they are.

    Symbols are whatever else can be added and multiplied: SymPy, traced values, mpmath.
    """
    if isinstance(x, float):
        return float(x) + 0.0
    if isinstance(x, str | bytes | bool | complex) or not hasattr(x, "__mul__"):
        raise ModelError(f"{what} must be a number, got {x!r}.")
    if getattr(x, "shape", ()) != ():
        raise ShapeError(f"{what} must be a single number, got an array of shape {x.shape}.")
    if isinstance(x, list | tuple):
        raise ShapeError(f"{what} must be a single number, got {x!r}.")
    if not isinstance(x, int) and not hasattr(x, "dtype"):
        return x
    try:
        return float(x) + 0.0
    except OverflowError:
        raise ModelError(f"{what} is too large for a number of double precision.") from None


def repeated(given: Any, count: int, what: str) -> list[Any]:
    """Return so many entries of a list or array; a single number stands for all of them."""
    single = not isinstance(given, list | tuple) and not getattr(given, "ndim", 0)
    items = [given] * count if single else list(given)
    if len(items) != count:
        raise ShapeError(f"{what} must have {count} entries, got {len(items)}.")
    return items


def square_matrix(given: Any, count: int, what: str) -> list[list[Any]]:
    """Return the numbers of a square matrix, row by row; symbols stay what they are."""
    if hasattr(given, "tolist"):  # NumPy, and SymPy whose matrices iterate over entries
        given = given.tolist()
    try:
        rows = [list(row) for row in given]
    except TypeError:
        raise ShapeError(f"{what} must be a {count}x{count} matrix, got {given!r}.") from None
    lengths = [len(row) for row in rows]
    if lengths != [count] * count:
        raise ShapeError(f"{what} must be a {count}x{count} matrix, got rows of lengths {lengths}.")
    return [[plain(x, what) for x in row] for row in rows]


def rigid_transform(placement: Any, what: str = "a placement") -> Transform:
    """Return a 4x4 matrix (or a Transform) as a Transform, checked to be a rigid motion.

    A matrix with symbols is taken as it is, its numbers checked to be finite.
    """
    matrix = placement.matrix() if isinstance(placement, Transform) else placement
    entries = square_matrix(matrix, 4, what)
    numbers = [x for row in entries for x in row if isinstance(x, float)]
    if not np.isfinite(numbers).all() or not _is_last_row(entries[3]):
        raise ModelError(f"{what} must be finite with last row 0 0 0 1, got {entries}.")
    if len(numbers) == 16:
        entries = _nearest_rigid(np.array(entries), what).tolist()
    R = Rotation(tuple(Vec3(*row[:3]) for row in entries[:3]))  # type: ignore[arg-type]
    return Transform(R, Vec3(*(row[3] for row in entries[:3])))


def _is_last_row(row: list[Any]) -> bool:
    try:
        return all(abs(float(x) - y) < 1e-12 for x, y in zip(row, (0, 0, 0, 1), strict=True))
    except TypeError:  # a symbol
        return False


def _nearest_rigid(T: np.ndarray, what: str) -> np.ndarray:
    R = T[:3, :3]
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if error > ROTATION_TOLERANCE or np.linalg.det(R) < 0:
        raise ModelError(
            f"the rotation of {what} must be orthonormal and right-handed; "
            f"RᵀR differs from 1 by {error:.2g}, det R = {np.linalg.det(R):.3g}."
        )
    if error > 1e-12:  # typed by hand with few digits: use the nearest rotation
        U, _, Vt = np.linalg.svd(R)
        T = T.copy()
        T[:3, :3] = U @ Vt
    return T + 0.0
