"""Joint rates of any order from the twist of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from jounce.api.call import positive_weights, rows_to_order, stacked, velocities_of
from jounce.api.kinematics import jacobian
from jounce.api.singular import condition_numbers, singularity_error
from jounce.dynamics.inverse_kinematics import Task, task_of
from jounce.dynamics.twists import REPRESENTATIONS
from jounce.errors import (
    ArgumentError,
    ShapeError,
    SingularityError,
    UnsupportedError,
    check_name,
    check_type,
)
from jounce.kernels.description import KernelSpec
from jounce.kernels.kernel import kernel_of
from jounce.model.checks import as_floats
from jounce.model.components import velocity_names
from jounce.model.directions import DIRECTIONS, checked_directions, in_order
from jounce.model.robot import Robot

CONDITION_LIMIT = 1e8


class IKRates(NamedTuple):
    """Joint rates and how well they do the task.

    ``residual`` of shape ``(m, *batch, directions)`` is ``V^(k) − (J v)^(k)``, what the motion
    misses of the twist and its derivatives: zero up to roundoff unless the task is damped or has
    more directions than joints.  ``condition`` of shape ``batch`` is the condition number of
    the Jacobian, its columns divided by the square roots of the weights.
    """

    rates: np.ndarray
    residual: np.ndarray
    condition: np.ndarray


@overload
def inverse_kinematics_rates(
    robot: Robot,
    frame: str,
    q: Any,
    *twists: Any,
    full_output: Literal[False] = ...,
    **options: Any,
) -> np.ndarray: ...
@overload
def inverse_kinematics_rates(
    robot: Robot, frame: str, q: Any, *twists: Any, full_output: Literal[True], **options: Any
) -> IKRates: ...
def inverse_kinematics_rates(
    robot: Robot,
    frame: str,
    q: Any,
    *twists: Any,
    representation: str = "body",
    null_space: Any = None,
    weights: Any = None,
    damping: float = 0.0,
    directions: str | Sequence[str] | None = None,
    independent: str | Sequence[str] = (),
    condition_limit: float = CONDITION_LIMIT,
    full_output: bool = False,
) -> np.ndarray | IKRates:
    """Return the joint rates q̇, q̈, … that give a frame this twist and its derivatives.

    ``twists`` are V, V̇, … of shape ``(*batch, 6)``, the result ``(m, *batch, nv)``: v and its
    derivatives to the same order [M20, algorithm 2].  With ``directions``, such as
    ``"vx vy wz"`` or ``"linear"``, a twist has one entry a direction, in that order.

    Arms with more joints than directions move as near to ``null_space`` as the task lets them:
    z, ż, … of shape ``(orders, *batch, nv)``, missing ones zero; near in the norm of the
    ``weights`` ``(nv,)``, constant in time.  The derivatives are those of this choice, so that
    ``J(q(t)) v(t) = V(t)`` and ``v = z + W⁻¹ Jᵀ λ`` hold at every order.  The joints named in
    ``independent`` move with ``null_space`` exactly, the others do the task [M20, Remark 2].
    Joints that do not move the frame follow ``null_space``.  With fewer joints than directions
    the rates are those of least residual; ``full_output=True`` returns `IKRates` with it.

    A condition number above ``condition_limit`` is a `SingularityError`.  ``damping`` δ > 0 bounds
    the rates instead, ``J v + δ² λ = V``: then every order misses its part of the task by the
    residual δ² λ^(k), but v̇ is still the derivative of v, and so on.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> q, V, V1 = [0.0, 1.5708], [0.0, 1.0], [0.0, 0.0]
    >>> jounce.inverse_kinematics_rates(arm, "tip", q, V, V1, directions="vx vy").round(3)
    array([[0.  , 1.25],
           [0.  , 0.  ]])
    """
    check_name("representation", representation, REPRESENTATIONS)
    if not twists:
        raise ShapeError("inverse_kinematics_rates needs q and at least one twist.")
    names = checked_directions(directions)
    prescribed = " ".join(map(str, sorted({*velocities_of(robot, independent)})))
    task = checked_task(robot, frame, representation, names, prescribed)
    V = _in_order(twists, names)
    q = as_floats("q", q)
    more: dict[str, np.ndarray] = {}  # arguments of the kernel by their letters
    if null_space is not None:
        one, order = "velocity is z[None]", len(twists) - 1
        more["z"] = rows_to_order("null_space", null_space, order, robot.nv, one)
    if weights is not None:
        more["w"] = 1.0 / np.sqrt(positive_weights(weights, robot.nv, "a velocity"))
    if not isinstance(damping, Real) or not 0 <= damping < np.inf:
        raise ArgumentError(f"damping must be one number ≥ 0, got {damping!r}.")
    if damping > 0:
        more["d"] = np.array([float(damping)])
    options = {
        "directions": in_order(names),
        "frame": frame,
        "inputs": "".join(more),
        "prescribed": prescribed,
        "representation": representation,
    }
    spec = KernelSpec(
        robot, "inverse_kinematics_rates", len(twists) - 1, (), tuple(options.items())
    )
    with np.errstate(all="ignore"):  # a singular sample divides by zero; it is refused below
        found = kernel_of(spec).call(q, V, *more.values(), check=True, threads=None)
    where = _Place(robot, frame, task, q, more.get("w"))
    where.refuse_singular(found[0, ..., -1], condition_limit)
    rates = np.ascontiguousarray(found[..., : robot.nv])
    if not full_output:
        return rates
    order = [in_order(names).split().index(n) for n in names]
    residual = found[..., robot.nv : -1][..., order]
    condition = np.broadcast_to(condition_numbers(where.jacobian()), rates.shape[1:-1]).copy()
    return IKRates(rates, np.ascontiguousarray(residual), condition)


def checked_task(
    robot: Robot, frame: str, representation: str, names: Sequence[str], prescribed: str = ""
) -> Task:
    """Return the task of a frame that at least one joint moves."""
    check_type("robot", robot, Robot)
    if robot.closures:
        raise UnsupportedError(
            f"inverse kinematics knows trees only and robot {robot.name!r} has closures that it "
            "would open: use jounce.close and jounce.closed_rates, or robot.without_closures()."
        )
    task = task_of(robot, frame, representation, in_order(names), prescribed)
    if not task.free:
        raise UnsupportedError(
            f"no joint that may move carries the frame {frame!r} of robot {robot.name!r}; "
            "choose a frame further out."
        )
    return task


def _in_order(twists: Sequence[Any], names: list[str]) -> np.ndarray:
    """Return the twists as ``(m, *batch, directions)``, components in the order of the six."""
    arrays = [as_floats(f"twists[{k}]", V) for k, V in enumerate(twists)]
    for k, array in enumerate(arrays):
        if array.ndim == 0 or array.shape[-1] != len(names):
            raise ShapeError(
                f"twists[{k}] must have shape (*batch, {len(names)}), one entry a direction "
                f"({' '.join(names)}), got {array.shape}."
            )
    order = [names.index(d) for d in DIRECTIONS if d in names]
    return stacked("twists", *arrays)[..., order]


class _Place(NamedTuple):
    """Where a task is asked for: enough to say what the Jacobian has lost."""

    robot: Robot
    frame: str
    task: Task
    q: np.ndarray
    scale: np.ndarray | None

    def refuse_singular(self, bound: np.ndarray, limit: float) -> None:
        """Raise for the first sample whose condition number is above the limit.

        ``bound`` of the kernel is at least the condition number, at most six times as large.
        """
        suspects = np.argwhere(~(bound <= limit))
        if not len(suspects):
            return
        q = np.broadcast_to(self.q, (*bound.shape, self.robot.nq))
        for index in map(tuple, suspects.tolist()):
            J = self._replace(q=q[index]).jacobian()
            if not condition_numbers(J) <= limit or not np.isfinite(bound[index]):
                raise self._error(J, limit, index)

    def jacobian(self) -> np.ndarray:
        """Return the Jacobian that is inverted: rows that move, free columns, weighted."""
        J = jacobian(self.robot, self.frame, self.q, representation=self.task.representation)[0]
        J = J[..., self.task.rows, :][..., self.task.free]
        if self.scale is not None:
            J = J * self.scale[list(self.task.free)]
        return J[..., moved_rows(self.robot, self.frame, self.task), :]

    def _error(self, J: np.ndarray, limit: float, index: tuple[int, ...]) -> SingularityError:
        moved = moved_rows(self.robot, self.frame, self.task)
        rows = [DIRECTIONS[self.task.rows[k]] for k in moved]
        columns = [velocity_names(self.robot)[j] for j in self.task.free]
        at = f"sample {list(index)}" if index else "this q"
        where = f"frame {self.frame!r} of robot {self.robot.name!r}, {at}"
        return singularity_error(J, rows, columns, limit, where, index)


@lru_cache(maxsize=256)
def moved_rows(robot: Robot, frame: str, task: Task) -> list[int]:
    """Return the rows of a task that joints move: those that live at random configurations."""
    rng = np.random.default_rng(0)
    q = np.array([robot.random_configuration(rng) for _ in range(3)])
    J = jacobian(robot, frame, q, representation=task.representation)[0]
    return np.flatnonzero(np.any(J[:, task.rows][..., task.free], axis=(0, 2))).tolist()
