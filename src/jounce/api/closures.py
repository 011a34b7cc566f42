"""Public functions: closed loops and contacts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from jounce.api.call import (
    Wrench,
    Wrenches,
    evaluate,
    loaded_kernel,
    positive_weights,
    stacked,
    velocities_of,
)
from jounce.api.dynamics import gravity_forces
from jounce.api.matrices import SMALLEST_PIVOT, check_regular, forward_dynamics
from jounce.api.singular import singularity_error
from jounce.dynamics.closures import SOFTNESS
from jounce.dynamics.factorization import ZeroPivotError
from jounce.errors import ArgumentError, ClosureError, ShapeError, UnsupportedError, check_type
from jounce.model.checks import as_floats, checked, checked_configuration
from jounce.model.closures import Closure, Contact
from jounce.model.components import velocity_names
from jounce.model.configuration import difference, integrate
from jounce.model.directions import DIRECTIONS
from jounce.model.robot import Robot

CLOSED = 1e-13  # of the size of the robot: as near as `close` gets
OPEN = 1e-6  # beyond, forces and rates have no meaning
CONDITION_LIMIT = 1e6  # of the closure Jacobian, redundant rows apart
LEVER_LIMIT = 1e7  # of what closures carry to what the tree needs: more costs half of the digits
UNWANTED = 1e6  # times its size: that velocity is left to depend on others
FULL = 1e-9  # of the greatest singular value: less is none
ROUNDS = 100
DEAD_POINT = (
    "The closures lose a direction here that they hold nearby: keep away from this configuration, "
    "or name other independent joints."
)
STARTS = 20  # of the search for the rank that closures have in general


class Constrained(NamedTuple):
    """Accelerations or forces, ``(m, *batch, n)``, and multipliers, ``(m, *batch, rows)``.

    Of partials: a second axis of what is varied, and a last one of its components.
    """

    values: np.ndarray
    multipliers: np.ndarray


def closure_error(robot: Robot, q: Any) -> np.ndarray:
    """Return how far every held direction is from closed, ``(*batch, rows)``, in m and rad.

    Directions in the order of ``robot.closures``; rotations by θ count ``2 sin(θ/2)``.

    >>> import jounce
    >>> jounce.closure_error(jounce.examples.fourbar(), [0.0, 0.0, 0.0]).round(3).tolist()
    [0.0, 0.0, -0.1, 0.0, 0.0]
    """
    return evaluate(_closed(robot), "closure_error", (q,))[0]


def closure_jacobian(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return J of ``J v = 0`` and its time derivatives, ``(K + 1, *batch, rows, nv)``.

    >>> import jounce
    >>> jounce.closure_jacobian(jounce.examples.fourbar(), [0.5, 0.5, 1.5]).shape
    (1, 5, 3)
    """
    return evaluate(_closed(robot), "closure_jacobian", (q, *rates))


def close(robot: Robot, q0: Any, *, hold: str | Sequence[str] = ()) -> np.ndarray:
    """Return the closed configuration nearest to ``q0``, ``(nq,)``; joints in ``hold`` stay.

    Which of several assemblies is found depends on the start.  None near it: `ClosureError`.

    >>> import jounce
    >>> jounce.close(jounce.examples.fourbar(), [0.5, 0.5, 1.5], hold="crank_joint").round(3)
    array([0.5  , 0.421, 1.414])
    """
    _closed(robot)
    start = checked_configuration(robot, q0)
    if start.ndim != 1:
        raise ShapeError(f"close takes one configuration, ({robot.nq},), got {start.shape}.")
    held = _velocities(robot, hold)
    free = [j for j in range(robot.nv) if j not in held]
    size = 1.0 + float(np.abs(evaluate(robot, "poses", (start,))[0][:, :3, 3]).max(initial=0.0))
    q, d = start, np.zeros(robot.nv)
    best = np.inf
    for _ in range(ROUNDS):
        error = closure_error(robot, q)
        worst = float(np.abs(error).max())
        step = np.zeros(robot.nv)
        if free:
            J = closure_jacobian(robot, q)[0][:, free]
            # the shortest way from the start that closes, to first order
            step[free] = np.linalg.pinv(J, rcond=1e-10) @ (J @ d[free] - error) - d[free]
        length = float(np.linalg.norm(step))
        if worst <= CLOSED * size and (length < 1e-9 or worst >= 0.5 * best):
            return q
        best = min(best, worst)
        q = integrate(robot, q, step * min(1.0, 0.5 / max(length, 1e-300)))
        d = difference(robot, start, q)
    raise ClosureError(_not_closed(robot, closure_error(robot, q)))


def closed_rates(
    robot: Robot, q: Any, *rates: Any, independent: str | Sequence[str] | None = None
) -> np.ndarray:
    """Return all rates, ``(K, *batch, nv)``, from K rates of the independent joints.

    ``independent`` names joints, as many velocities as the robot has freedoms; None chooses those
    that leave the others best determined at the first q.  Rates are ``(*batch, freedoms)``, or
    ``(*batch, nv)``, of which the independent ones are taken.

    >>> import jounce
    >>> robot = jounce.examples.fourbar()
    >>> q = jounce.close(robot, [0.5, 0.5, 1.5])
    >>> jounce.closed_rates(robot, q, [1.0], [0.0], independent="crank_joint").shape
    (2, 3)
    """
    _closed(robot)
    if not rates:
        raise ShapeError("closed_rates needs q and at least the velocity.")
    at = checked_configuration(robot, q)
    check_closed(robot, at)
    first = at.reshape(-1, robot.nq)[0] if at.size else any_closed(robot)
    chosen = independent_velocities(robot, first, independent)
    given = []
    for k, rate in enumerate(rates):
        array = as_floats(f"rates[{k}]", rate)
        if array.ndim and array.shape[-1] == robot.nv:
            array = array[..., chosen]
        given.append(array)
    return rates_from(robot, at, given, chosen)


def independent_velocities(
    robot: Robot, q: np.ndarray, independent: str | Sequence[str] | None, *, plain: bool = False
) -> list[int]:
    """Return the velocities of these joints, which must decide all others, or choose some at q.

    With ``plain`` those of ball and free joints, which have no coordinates of their own, are chosen
    only where nothing else is left.
    """
    rank, _ = _ranks(_closed(robot), ())
    if independent is None:
        J = closure_jacobian(robot, q)[0]
        for joint in robot.joints:
            if plain and not joint.is_flat:
                J[:, joint.v_slice] *= UNWANTED
        return _chosen(J, rank)
    chosen = _velocities(robot, independent)
    if len(chosen) != robot.nv - rank:
        names = ", ".join(velocity_names(robot)[j] for j in chosen) or "none"
        raise ArgumentError(
            f"robot {robot.name!r} has {robot.nv - rank} freedoms, so as many velocities are "
            f"independent; got {len(chosen)}: {names}."
        )
    return chosen


def rates_from(
    robot: Robot, q: np.ndarray, rates: Sequence[np.ndarray], chosen: Sequence[int]
) -> np.ndarray:
    """Return all rates, ``(K, *batch, nv)``, from those of the chosen velocities at closed q."""
    arrays, order = (q, stacked("rates", *rates)), len(rates) - 1
    try:
        found = _run(robot, "closed_rates", order, arrays, independent=" ".join(map(str, chosen)))
    except ZeroDivisionError:  # a column of J, or what is left of it, is zero whatever q is
        names = ", ".join(velocity_names(robot)[j] for j in chosen) or "none"
        raise ArgumentError(
            f"the independent velocities {names} of robot {robot.name!r} leave others undecided; "
            "name other independent joints, or keep away from this configuration."
        ) from None
    _refuse(robot, (), q, found[0, ..., -1] <= CONDITION_LIMIT * 10, chosen)
    return np.ascontiguousarray(found[..., :-1])


def constrained_forward_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    *forces: Any,
    contacts: Sequence[Closure] = (),
    wrenches: Wrenches = None,
) -> Constrained:
    """Return accelerations and multipliers, with time derivatives, from the forces and theirs.

    ``(m, *batch, nv)`` and ``(m, *batch, rows)`` from m arrays Q, dQ/dt, ...  Multipliers are what
    closures, then contacts, exert on their ``frame`` in their directions.  Redundant ones are the
    smallest that do.  ``v`` must keep the closures closed.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar()
    >>> q = jounce.close(robot, [0.5, 0.5, 1.5])
    >>> a, force = jounce.constrained_forward_dynamics(robot, q, np.zeros(3), np.zeros(3))
    >>> a.shape, force.shape
    ((1, 3), (1, 5))
    """
    if not forces:
        raise ShapeError("constrained_forward_dynamics needs the forces Q (and dQ/dt, ...).")
    whole = with_contacts(robot, contacts)
    if not whole.closures:
        a = forward_dynamics(robot, q, v, *forces, wrenches=wrenches)
        return Constrained(a, np.zeros((*a.shape[:-1], 0)))
    at, speed = _state(robot, whole, q, v)
    Q = stacked("forces", *forces)
    arrays, order = (at, speed, Q), len(forces) - 1
    found = _run(whole, "constrained_forward_dynamics", order, arrays, wrenches)
    if not is_heavy(found):
        check_regular(robot, evaluate(robot, "mass_pivots", (at,))[0])
    n, rows = robot.nv, whole.n_closure_rows
    _, rank = _ranks(robot, tuple(contacts))
    smallest = CONDITION_LIMIT**-2
    counts = np.sum(found[0, ..., n + rows : -1] > max(smallest, 10 * SOFTNESS), axis=-1)
    _refuse(robot, tuple(contacts), at, counts >= rank)
    parts = found[..., :n], found[..., n : n + rows]
    return Constrained(*(np.ascontiguousarray(x) for x in parts))


def is_heavy(rows: np.ndarray) -> bool:
    """Tell from what the kernel of forward dynamics gives that no mass matrix is singular.

    If not, one may be: `check_regular` tells.
    """
    return bool((rows[0, ..., -1] < SMALLEST_PIVOT**-2).all())


def constrained_inverse_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    actuated: str | Sequence[str] | None = None,
    weights: Any = None,
    contacts: Sequence[Closure] = (),
    wrenches: Wrenches = None,
) -> Constrained:
    """Return the forces of the actuated joints and the multipliers, with time derivatives.

    ``(K − 1, *batch, n_actuated)`` and ``(K − 1, *batch, rows)`` from K rates of a closed motion.
    ``actuated`` names joints, in the order of the result; None takes all but free and ball joints.
    More actuators than freedoms: the forces of least ``Σ weights Q²``, at all times.

    >>> import jounce
    >>> robot = jounce.examples.fourbar()
    >>> q = jounce.close(robot, [0.5, 0.5, 1.5])
    >>> v, a = jounce.closed_rates(robot, q, [1.0], [0.0], independent="crank_joint")
    >>> jounce.constrained_inverse_dynamics(robot, q, v, a, actuated="crank_joint")[0].shape
    (1, 1)
    """
    whole = with_contacts(robot, contacts)
    if not whole.closures:
        raise UnsupportedError(
            f"robot {robot.name!r} has no closures and none were given as contacts: "
            "jounce.inverse_dynamics is for trees."
        )
    chosen = _actuated(robot, actuated)
    at, speed = _state(robot, whole, q, v)
    motion = stacked("rates", speed, a, *rates)
    compliance = 1.0 / positive_weights(weights, len(chosen), "an actuated velocity")
    arrays = at, motion, compliance
    found = _driven(robot, whole, "constrained_inverse_dynamics", arrays, chosen, wrenches)
    _check_left(robot, whole, at, found, chosen)
    parts = found[..., chosen], found[..., robot.nv :]
    return Constrained(*(np.ascontiguousarray(x) for x in parts))


def _driven(
    robot: Robot, whole: Robot, quantity: str, arrays: Sequence[np.ndarray], chosen: Sequence[int],
    wrenches: Wrenches,
) -> np.ndarray:  # fmt: skip
    """Run a kernel of actuated forces; what nothing drives, whatever the motion, is named."""
    order, actuated = len(arrays[1]) - 2, " ".join(map(str, chosen))
    try:
        return _run(whole, quantity, order, arrays, wrenches, actuated=actuated)
    except ZeroPivotError as error:
        raise ArgumentError(
            f"velocity {velocity_names(robot)[error.args[0]]!r} of robot {robot.name!r} is neither "
            "actuated nor held by itself. Name more actuated joints."
        ) from None


def _check_left(
    robot: Robot, whole: Robot, q: np.ndarray, found: np.ndarray, chosen: Sequence[int]
) -> None:
    """Raise where forces are left that no joint exerts, beyond rounding, or rounding is all.

    Rounding is that of the forces, of weights, which accelerations may cancel, and of what the
    closures exert, ``|J|ᵀ |λ|``, up to the order.
    """
    passive = [j for j in range(robot.nv) if j not in chosen]
    if not passive:
        return
    left, n = np.abs(found[..., passive]), robot.nv
    if not np.isfinite(found).all():
        raise ArgumentError(
            f"the actuated joints of robot {robot.name!r} do not drive it at this q: what closures "
            "would carry has no bound. Name more actuated joints, or give another q."
        )
    J = closure_jacobian(whole, q)[0]
    carried = (np.abs(found[..., None, n:]) @ np.abs(J))[..., 0, :]
    needed = np.abs(found[0, ..., :n] + (found[0, ..., None, n:] @ J)[..., 0, :]).max(axis=-1)
    most = carried[0].max(axis=-1)
    if (is_lost := most > LEVER_LIMIT * needed).any():
        raise ArgumentError(
            f"the actuated joints of robot {robot.name!r} hardly drive it at this q: closures "
            f"would carry {most[is_lost][0]:.3g} where {needed[is_lost][0]:.3g} is needed. Name "
            "more actuated joints, or give another q."
        )
    sizes = np.maximum(np.abs(found[..., :n]), carried).reshape(len(found), -1)
    scales = np.maximum.accumulate(sizes.max(axis=1, initial=0.0))
    if (left > 1e-9 * scales.reshape(-1, *[1] * (left.ndim - 1))).any():
        scales = np.maximum(scales, np.abs(gravity_forces(robot, q)).max(initial=0.0))
    wrong = left > 1e-9 * scales.reshape(-1, *[1] * (left.ndim - 1))
    if wrong.any():
        amount = np.where(wrong, left, 0.0)
        worst = passive[int(np.unravel_index(np.argmax(amount), left.shape)[-1])]
        raise ArgumentError(
            f"velocity {velocity_names(robot)[worst]!r} of robot {robot.name!r} is neither "
            f"actuated nor held: {amount.max():.3g} of its force is left. Name more actuated "
            "joints, or give a motion that needs no force there."
        )


def actuated_forces(
    robot: Robot,
    *motion: Any,
    actuated: str | Sequence[str] | None = None,
    wrenches: Wrenches = None,
) -> Constrained:
    """Return what `constrained_inverse_dynamics` does, the forces with zeros of other joints."""
    found, multipliers = constrained_inverse_dynamics(
        robot, *motion, actuated=actuated, wrenches=wrenches
    )
    Q = np.zeros((*found.shape[:-1], robot.nv))
    Q[..., _actuated(robot, actuated)] = found
    return Constrained(Q, multipliers)


def closure_wrenches(robot: Robot, q: Any, multipliers: Any) -> dict[str, Wrench]:
    """Return what the closures exert on the frames they hold, as wrenches on the tree.

    ``multipliers`` are ``(*batch, rows)``; inverse dynamics of the tree with these wrenches gives
    the forces of the actuated joints, and none of the passive ones.
    """
    at, start = checked_configuration(robot, q), 0
    found: dict[str, np.ndarray] = {}
    for closure in robot.closures:
        six = np.zeros((*at.shape[:-1], 6))
        stop = start + len(closure.rows)
        six[..., closure.rows] = np.asarray(multipliers)[..., start:stop]
        start = stop
        T_a = evaluate(robot, "frame_pose", (at,), frame=closure.frame)[0]
        held = closure.frame if closure.to is None else closure.to
        where = robot.neutral if closure.to is None else at
        T = np.linalg.inv(T_a) @ evaluate(robot, "frame_pose", (where,), frame=held)[0]
        R, r, force = T[..., :3, :3], T[..., :3, 3], six[..., 3:]
        moment = six[..., :3]
        angular = [row for row in closure.rows if row < 3]
        if len(angular) == 1:  # as `relative_rows` has it
            i = angular[0]
            axis = np.cross(np.eye(3)[(i + 1) % 3], R[..., (i + 2) % 3])
            moment = moment[..., i, None] * axis
        about_a = np.concatenate([moment + np.cross(r, force), force], axis=-1)
        found[closure.frame] = found.get(closure.frame, 0.0) + about_a
        if closure.to is not None:
            back = np.concatenate(
                [(x[..., None, :] @ R)[..., 0, :] for x in (-moment, -force)], axis=-1
            )
            found[closure.to] = found.get(closure.to, 0.0) + back
    return {name: Wrench(x[None]) for name, x in found.items()}


def constrained_forward_dynamics_partials(
    robot: Robot,
    q: Any,
    v: Any,
    *forces: Any,
    contacts: Sequence[Closure] = (),
    wrenches: Wrenches = None,
) -> Constrained:
    """Return the partials of accelerations and multipliers, and of their time derivatives.

    From m arrays Q, dQ/dt, ...: ``values[k, j]``, ``(m, m + 2, *batch, nv, nv)``, are those of
    ``a⁽ᵏ⁾`` by the j-th of q, v, Q, dQ/dt, ..., and ``multipliers[k, j]``, ``(…, rows, nv)``, those
    of ``λ⁽ᵏ⁾``.  They hold for any change of q and v, also one that opens the closures: a and λ are
    there what keeps ``J v`` as it is, ``(J v)' = 0``.  By q: by the increment of
    `jounce.integrate`.  Wrenches stay as they are in their representation.

    Redundant rows that disagree off the closure have no such partials and are refused by name.
    Those that depend on others everywhere, as in planar linkages, have the smallest multipliers.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar(directions="vx vy")
    >>> q = jounce.close(robot, [0.5, 0.5, 1.5])
    >>> a, force = jounce.constrained_forward_dynamics_partials(robot, q, *np.zeros((3, 3)))
    >>> a.shape, force.shape  # a and da/dt by q, v, Q and dQ/dt
    ((2, 4, 3, 3), (2, 4, 2, 3))
    """
    if not forces:
        raise ShapeError("constrained_forward_dynamics_partials needs the forces Q (and dQ/dt, …).")
    whole = _closed(with_contacts(robot, contacts))
    at, speed = _state(robot, whole, q, v)
    _check_smooth(robot, tuple(contacts), at)
    Q = stacked("forces", *forces)
    check_regular(robot, evaluate(robot, "mass_pivots", (at,))[0])
    arrays, order = (at, speed, Q), len(forces) - 1
    found = _run(whole, "constrained_forward_dynamics_partials", order, arrays, wrenches)
    return _matrices(found, len(forces), robot.nv)


def constrained_inverse_dynamics_partials(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    actuated: str | Sequence[str] | None = None,
    weights: Any = None,
    contacts: Sequence[Closure] = (),
    wrenches: Wrenches = None,
) -> Constrained:
    """Return the partials of actuated forces and multipliers, and of their time derivatives.

    From K rates: ``values[k, j]``, ``(K − 1, K + 1, *batch, n_actuated, nv)``, are those of
    ``Q⁽ᵏ⁾`` by the j-th of q, v, a, ..., and ``multipliers[k, j]`` those of ``λ⁽ᵏ⁾``.  They hold
    for any change of the motion, also one that opens the closures: Q and λ are there the least
    forces with the power of inverse dynamics in all velocities with ``J v = 0``.  What holds for
    `constrained_forward_dynamics_partials` holds for q, wrenches and redundant rows here too.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar()
    >>> q, rest = jounce.close(robot, [0.5, 0.5, 1.5]), np.zeros(3)
    >>> crank = {"actuated": "crank_joint"}
    >>> jounce.constrained_inverse_dynamics_partials(robot, q, rest, rest, **crank).values.shape
    (1, 3, 1, 3)
    """
    whole = _closed(with_contacts(robot, contacts))
    chosen = _actuated(robot, actuated)
    at, speed = _state(robot, whole, q, v)
    _check_smooth(robot, tuple(contacts), at)
    motion = stacked("rates", speed, a, *rates)
    compliance = 1.0 / positive_weights(weights, len(chosen), "an actuated velocity")
    arrays = at, motion, compliance
    quantity = "constrained_inverse_dynamics"
    if len(chosen) < robot.nv:  # what is left for passive joints is not among the partials
        forces = _driven(robot, whole, quantity, arrays, chosen, wrenches)
        _check_left(robot, whole, at, forces, chosen)
    found = _driven(robot, whole, f"{quantity}_partials", arrays, chosen, wrenches)
    forces, multipliers = _matrices(found, len(rates) + 1, robot.nv)
    return Constrained(np.ascontiguousarray(forces[..., chosen, :]), multipliers)


def _matrices(found: np.ndarray, orders: int, nv: int) -> Constrained:
    """Return the matrices of accelerations or forces, and of multipliers: [order, variable]."""
    rows, *batch, width = found.shape
    whole = found.reshape(orders, rows // orders, *batch, width // nv, nv)
    return Constrained(*(np.ascontiguousarray(x) for x in np.split(whole, [nv], axis=-2)))


@lru_cache(maxsize=64)
def _with_contacts(robot: Robot, contacts: tuple[Closure, ...]) -> Robot:
    return robot.with_closures(*(Contact(c.frame, directions=c.directions) for c in contacts))


def with_contacts(robot: Robot, contacts: Sequence[Closure]) -> Robot:
    """Return the robot with contacts: closures to the ground that are given with a call."""
    for contact in contacts:
        check_type("a contact", contact, Closure)
        if contact.to is not None:
            raise ArgumentError(
                f"contact {contact} is to a frame; contacts are to the ground. What holds two "
                "frames together belongs to the robot: robot.with_closures."
            )
    return _with_contacts(robot, tuple(contacts)) if contacts else robot


def _closed(robot: Robot) -> Robot:
    check_type("robot", robot, Robot)
    if not robot.closures:
        raise UnsupportedError(
            f"robot {robot.name!r} has no closures; see robot.with_closures and jounce.Closure."
        )
    return robot


def _run(
    robot: Robot, quantity: str, order: int, arrays: Sequence[Any], wrenches: Wrenches = None,
    **options: str,
) -> np.ndarray:  # fmt: skip
    kernel, loads = loaded_kernel(robot, quantity, order, wrenches, **options)
    with np.errstate(all="ignore"):  # singular samples are refused by the caller
        return kernel.call(*arrays, *loads, check=True, threads=None)


def _state(robot: Robot, whole: Robot, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v; a robot that is not closed, or comes apart at this v, is refused."""
    at, speed = checked_configuration(robot, q), checked("v", v, robot.nv)
    if robot.closures:
        check_closed(robot, at)
    check_velocity(whole, at, speed)
    return at, speed


def projected(robot: Robot, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest closed q, by one step of Newton's method, and the nearest v there."""
    J = np.linalg.pinv(closure_jacobian(robot, q)[0], rcond=1e-9)
    q = integrate(robot, q, -J @ closure_error(robot, q))
    J = closure_jacobian(robot, q)[0]
    return q, v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v)


def check_velocity(robot: Robot, q: np.ndarray, speed: np.ndarray) -> None:
    """Raise where a velocity opens a closure."""
    J = closure_jacobian(robot, q)[0]
    drift = np.abs((J @ speed[..., None])[..., 0])
    scale = (np.abs(J) @ np.abs(speed)[..., None])[..., 0].max(initial=0.0)
    if drift.size and not drift.max() <= OPEN * max(scale, 1e-3):
        row = _row_names(robot)[int(np.unravel_index(np.argmax(drift), drift.shape)[-1])]
        raise ClosureError(
            f"v does not keep the closures of robot {robot.name!r}: {row} moves at "
            f"{drift.max():.3g}. Take v from jounce.closed_rates, or project it on J v = 0."
        )


def check_closed(robot: Robot, q: np.ndarray) -> None:
    """Raise unless every sample is closed to `OPEN`."""
    error = closure_error(robot, q)
    if error.size and not np.abs(error).max() <= OPEN:
        worst = error.reshape(-1, error.shape[-1])
        raise ClosureError(_not_closed(robot, worst[np.abs(worst).max(axis=1).argmax()]))


def _not_closed(robot: Robot, error: np.ndarray) -> str:
    worst = int(np.nanargmax(np.abs(error)))
    return (
        f"robot {robot.name!r} is not closed: {_row_names(robot)[worst]} is off by "
        f"{abs(error[worst]):.3g}. jounce.close finds a closed configuration near a start, if "
        "there is one; try another start, or check frames and lengths."
    )


def _row_names(robot: Robot) -> list[str]:
    return [
        f"{DIRECTIONS[r]} of {c.frame!r} to {c.to or 'the ground'}"
        for c in robot.closures
        for r in c.rows
    ]


def _velocities(robot: Robot, joints: str | Sequence[str]) -> list[int]:
    """Return the velocities of these joints, in the order given; none may be named twice."""
    indices = velocities_of(robot, joints)
    if len(set(indices)) < len(indices):
        raise ArgumentError(f"each joint can be named once, got {list(joints)}.")
    return indices


def _actuated(robot: Robot, actuated: str | Sequence[str] | None) -> list[int]:
    if actuated is None:
        actuated = [j.name for j in robot.joints if j.is_flat and j.mimic is None]
    return _velocities(robot, actuated)


def _chosen(J: np.ndarray, rank: int) -> list[int]:
    """Return the velocities that leave the others best determined: the last of pivoted columns."""
    from scipy.linalg import qr

    order = qr(J, mode="r", pivoting=True)[-1]
    return sorted(int(j) for j in order[rank:])


def mobility(robot: Robot) -> tuple[int, int]:
    """Return the freedoms that closures leave in general, and how many rows are redundant.

    In general: not where it is singular.  Of assemblies that differ, the one of most freedoms.

    >>> import jounce
    >>> jounce.mobility(jounce.examples.stewart())
    (6, 0)
    """
    rank, _ = _ranks(_closed(robot), ())
    return robot.nv - rank, robot.n_closure_rows - rank


@lru_cache(maxsize=64)
def _ranks(robot: Robot, contacts: tuple[Closure, ...]) -> tuple[int, int]:
    """Return the least and greatest rank of the closure Jacobian at random closed configurations.

    They differ where a mechanism has assemblies of more freedoms and of fewer.
    """
    whole = with_contacts(robot, contacts)
    found = islice(_closed_configurations(robot), 3)
    ranks = [_rank_of(closure_jacobian(whole, q)[0]) for q in found]
    return min(ranks), max(ranks)


def any_closed(robot: Robot) -> np.ndarray:
    """Return a closed configuration that is not singular, near the neutral one if there is one."""
    least, _ = _ranks(_closed(robot), ())
    configurations = _closed_configurations(robot)
    return next(q for q in configurations if _rank_of(closure_jacobian(robot, q)[0]) == least)


def _closed_near(robot: Robot, q: np.ndarray, shifts: Iterable[float]) -> Iterator[np.ndarray]:
    """Yield closed configurations, from random starts so far from q, where there are some."""
    rng = np.random.default_rng(0)
    for shift in shifts:
        start = integrate(robot, q, rng.standard_normal(robot.nv) * shift)
        with suppress(ClosureError):
            yield close(robot, start) if robot.closures else start


def _closed_configurations(robot: Robot) -> Iterator[np.ndarray]:
    """Yield closed configurations, from random starts ever further from the neutral one."""
    found = None
    for found in _closed_near(robot, robot.neutral, 0.1 + 0.1 * np.arange(STARTS)):
        yield found
    if found is None:
        raise ClosureError(
            f"no closed configuration of robot {robot.name!r} was found from {STARTS} starts; "
            "check frames, directions and lengths of its closures."
        )


def _rank_of(J: np.ndarray) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(sizes > FULL * sizes[0])) if sizes.size and sizes[0] > 0 else 0


@lru_cache(maxsize=64)
def _open_rank(robot: Robot, contacts: tuple[Closure, ...]) -> int:
    """Return how many rows are independent of each other off the closure, taken together."""
    whole, rng = with_contacts(robot, contacts), np.random.default_rng(0)
    shifts = 0.3 * rng.standard_normal((3, robot.nv))
    columns = [closure_jacobian(whole, integrate(robot, robot.neutral, x))[0] for x in shifts]
    return _rank_of(np.concatenate(columns, axis=1))


def _check_smooth(robot: Robot, contacts: tuple[Closure, ...], q: np.ndarray) -> None:
    """Raise where what closures do has no partials: at singularities, or rows disagree off q."""
    whole = with_contacts(robot, contacts)
    J = closure_jacobian(whole, q)[0]
    if not J.size:
        return
    _refuse(robot, contacts, q, np.zeros(J.shape[:-2], dtype=bool))
    sizes = np.linalg.svd(J, compute_uv=False)
    ranks = np.sum(sizes > FULL * sizes[..., :1], axis=-1)
    first, rank = J.reshape(-1, *J.shape[-2:])[np.argmin(ranks)], ranks.min()
    if rank == whole.n_closure_rows or _open_rank(robot, contacts) == rank:
        return
    names = [_row_names(whole)[j] for j in _chosen(first.T, rank)]
    raise UnsupportedError(
        f"{len(names)} of the {whole.n_closure_rows} rows of robot {robot.name!r} are redundant: "
        f"{'; '.join(names)}. They agree with the others where the robot is closed and disagree "
        "beside it: there are no partials by q and v. Leave these directions out of the closures."
    )


def _rank_near(robot: Robot, contacts: tuple[Closure, ...], q: np.ndarray) -> int:
    """Return the rank that the closure Jacobian has in general beside a closed configuration."""
    whole, near = with_contacts(robot, contacts), _closed_near(robot, q, [1e-3] * 3)
    return max(_rank_of(closure_jacobian(whole, x)[0]) for x in (q, *near))


def _refuse(
    robot: Robot,
    contacts: tuple[Closure, ...],
    q: np.ndarray,
    is_fine: np.ndarray,
    independent: Sequence[int] = (),
) -> None:
    """Raise for the first sample, of those that are not fine, that has lost a direction."""
    places = np.argwhere(~np.atleast_1d(is_fine))
    if not len(places):
        return
    _, rank = _ranks(robot, contacts)
    free = [j for j in range(robot.nv) if j not in independent]
    samples = np.broadcast_to(q, (*np.shape(is_fine), robot.nq)).reshape(-1, robot.nq)
    samples = samples[~np.ravel(is_fine)]
    J = _measured_jacobian(robot, contacts, samples, free)
    for k in np.flatnonzero(_condition(J, rank) > CONDITION_LIMIT):
        if _condition(J[k], _rank_near(robot, contacts, samples[k])) > CONDITION_LIMIT:
            place = tuple(places[k].tolist()) if np.ndim(is_fine) else ()
            where = f"robot {robot.name!r}, {f'sample {list(place)}' if place else 'this q'}"
            raise singularity_error(
                J[k], _row_names(with_contacts(robot, contacts)),
                [velocity_names(robot)[j] for j in free],
                CONDITION_LIMIT, where, place, size=1.0, advice=DEAD_POINT,
            )  # fmt: skip


def _condition(J: np.ndarray, rank: int) -> np.ndarray:
    """Return the condition numbers of `_measured_jacobian`, ``(*batch,)``, redundant rows apart.

    Its rows have length one if they are not weak: one that is short alone counts as well.
    """
    sizes = np.linalg.svd(J, compute_uv=False)
    if not (count := min(rank, sizes.shape[-1])):
        return np.ones(sizes.shape[:-1])
    with np.errstate(divide="ignore"):
        return np.maximum(1.0, sizes[..., 0]) / sizes[..., count - 1]


def _measured_jacobian(
    robot: Robot, contacts: tuple[Closure, ...], q: np.ndarray, columns: Sequence[int]
) -> np.ndarray:
    """Return J ``(*batch, rows, columns)`` beside what its frames can do at all, without units.

    All three rows of each kind that a closure holds, together, and all columns of these rows have
    length one, or nearly: first the rows are divided by their lengths, then columns, and again.
    """
    whole = with_contacts(robot, contacts)
    J = closure_jacobian(whole, q)[0][..., columns]
    around = closure_jacobian(_around(whole), q)[0][..., columns]
    kinds = [(k, kind) for k, c in enumerate(whole.closures) for kind in _kinds(c)]
    rows = [kinds.index((k, r // 3)) for k, c in enumerate(whole.closures) for r in c.rows]
    around = around.reshape(*around.shape[:-2], len(kinds), 3, len(columns))
    for axes in ((-2, -1), (-3, -2), (-2, -1)):
        sizes = np.sqrt(np.sum(around * around, axis=axes, keepdims=True))
        sizes = np.maximum(sizes, FULL * np.max(sizes, axis=(-3, -1), keepdims=True, initial=0.0))
        sizes[sizes == 0] = 1.0
        around = around / sizes
        J = J / (sizes[..., rows, 0, :] if sizes.shape[-3] == len(kinds) else sizes[..., 0, :, :])
    return J


def _kinds(closure: Closure) -> list[int]:
    return sorted({row // 3 for row in closure.rows})


@lru_cache(maxsize=64)
def _around(robot: Robot) -> Robot:
    """Return the robot held in all three directions of every kind that a closure holds.

    Linear ones by two closures: three at a time are those of points that coincide.
    """
    held = {0: ("angular",), 1: ("vx vy", "vz")}
    return robot.without_closures().with_closures(
        *(
            type(c)(c.frame, c.to, directions=directions)
            for c in robot.closures
            for kind in _kinds(c)
            for directions in held[kind]
        )
    )
