"""Checks of the options of a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.errors import ArgumentError

FINEST = float(np.finfo(float).eps)  # the spacing of floating-point numbers at one


def span_of(t: Any) -> tuple[float, float]:
    """Return start and end of the time to simulate."""
    try:
        start, end = (float(x) for x in t)
    except (TypeError, ValueError):
        raise ArgumentError(f"t must be (start, end), got {t!r}.") from None
    if not (np.isfinite(start) and np.isfinite(end) and end > start):
        raise ArgumentError(f"t must be (start, end) with end > start, got {t!r}.")
    return start, end


def check_drive(forces: Any, controller: Any, sample_time: Any) -> None:
    """Raise unless forces, or a controller with its sample time, are given."""
    if (controller is None) != (sample_time is None):
        raise ArgumentError("a controller needs a sample_time, and the other way round.")
    if controller is not None and forces is not None:
        raise ArgumentError("give either forces or a controller, not both.")
    if controller is not None and not callable(controller):
        raise ArgumentError(f"controller must be callable, got {type(controller).__name__}.")
    if sample_time is not None:
        check_positive("sample_time", sample_time)


def check_tolerance(tol: Any, step: Any, progress: Any) -> None:
    """Raise unless the tolerance can be met, the step goes forward and progress can be told."""
    if not _is_number(tol) or not FINEST <= tol < 1.0:
        raise ArgumentError(
            f"tol must lie between {FINEST:.2g}, which is rounding, and 1, got {tol!r}."
        )
    if step is not None:
        check_positive("step", step)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress must be callable, got {type(progress).__name__}.")


def check_steps(span: tuple[float, float], horizon: float, max_steps: int) -> None:
    """Raise where a given step or sample time alone makes too many steps."""
    count = (span[1] - span[0]) / horizon
    if count > max_steps * (1.0 + 1e-9):
        raise ArgumentError(
            f"steps of {horizon:g} s from {span[0]:g} to {span[1]:g} s are {count:.4g}, more than "
            f"max_steps = {max_steps}. All are kept in memory: simulate less at a time, or give "
            "a larger max_steps."
        )


def check_positive(name: str, value: Any) -> None:
    """Raise unless a value is a finite number above zero."""
    if not _is_number(value) or not 0.0 < value < np.inf:
        raise ArgumentError(f"{name} must be positive, got {value!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number)
