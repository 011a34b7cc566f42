"""Checks of the arrays and numbers users give, used once, at the boundary."""

from __future__ import annotations

from math import isfinite
from numbers import Integral
from typing import Any

import numpy as np

from jounce.errors import ArgumentError, NotFiniteError, ShapeError
from jounce.model.robot import Robot

QUATERNION_TOLERANCE = 1e-6


def checked(name: str, values: Any, width: int, of: str = "nv") -> np.ndarray:
    """Return values as a float64 array of shape ``(*batch, width)``, finite, or raise."""
    array = as_floats(name, values)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ShapeError(
            f"{name} must have shape (*batch, {width}) with {of} = {width}, got {array.shape}."
        )
    check_finite(name, array)
    return array


def checked_integer(name: str, value: Any, least: int = 0) -> int:
    """Return an integer of Python or NumPy that is at least ``least``, as Python's, or raise."""
    if type(value) is int and value >= least:  # the usual case
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ArgumentError(f"{name} must be an integer ≥ {least}, got {value!r}.")
    return int(value)


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
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{name} must be an array of real numbers: {error}.") from error


def check_finite(name: str, array: np.ndarray) -> None:
    """Raise NotFiniteError that names the argument and the first bad index."""
    if array.flags.c_contiguous:
        flat = array.ravel()
        if isfinite(np.vdot(flat, flat)):  # no temporary; overflow leads to the full check
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
    balls = [joint for joint in robot.joints if joint.kind in ("spherical", "free")]
    if balls:
        array = array.copy()
    for joint in balls:
        quaternion = array[..., joint.q_slice.stop - 4 : joint.q_slice.stop]
        check_quaternion(name, quaternion, joint.name)
        quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return array


def check_quaternion(name: str, quaternion: np.ndarray, joint: str) -> None:
    """Raise unless the quaternions have unit norm to 1e-6."""
    norm = np.sqrt(np.sum(quaternion * quaternion, axis=-1))
    error = np.abs(norm - 1.0)
    if np.any(error > QUATERNION_TOLERANCE):
        worst = float(norm.ravel()[int(np.argmax(error))])
        raise ShapeError(
            f"the quaternion (x y z w) of joint {joint!r} in {name} must have unit norm to "
            f"{QUATERNION_TOLERANCE:g}, got {worst:.9g}; normalise it, or check the order of "
            "its components."
        )
