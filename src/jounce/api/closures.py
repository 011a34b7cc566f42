"""Public functions: closed loops and contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from jounce.api.call import as_wrenches, evaluate, rows_to_order
from jounce.api.matrices import forward_dynamics
from jounce.api.singular import singularity_error
from jounce.dynamics.closures import SOFTNESS
from jounce.errors import ArgumentError, ClosureError, ShapeError, UnsupportedError, check_type
from jounce.kernels.description import KernelSpec, kernel_spec
from jounce.kernels.kernel import kernel_of
from jounce.model.checks import as_floats, checked, checked_configuration
from jounce.model.closures import Closure
from jounce.model.components import velocity_names
from jounce.model.configuration import difference, integrate
from jounce.model.directions import DIRECTIONS
from jounce.model.robot import Robot

CLOSED = 1e-13  # of the size of the robot: as near as `close` gets
OPEN = 1e-6  # beyond, forces and rates have no meaning
CONDITION_LIMIT = 1e6  # of the closure Jacobian, redundant rows apart
UNWANTED = 1e6  # times its size: that velocity is left to depend on others
ROUNDS = 100
STARTS = 20  # of the search for the rank that closures have in general


class Constrained(NamedTuple):
    """Accelerations or forces, ``(m, *batch, n)``, and multipliers, ``(m, *batch, rows)``."""

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
    array([0.5  , 0.135, 1.374])
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
    chosen = independent_velocities(robot, at.reshape(-1, robot.nq)[0], independent)
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
    rank = _rank(_closed(robot), ())
    if independent is None:
        J = closure_jacobian(robot, q)[0]
        for joint in robot.joints:
            if plain and joint.quaternion is not None:
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
    spec = _spec(robot, "closed_rates", len(rates) - 1, independent=_words(chosen))
    found = _run(spec, q, np.stack(np.broadcast_arrays(*rates)))
    _refuse(robot, q, found[0, ..., -1] <= CONDITION_LIMIT * 10, _rank(robot, ()), chosen)
    return np.ascontiguousarray(found[..., :-1])


def constrained_forward_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    *forces: Any,
    contacts: Sequence[Closure] = (),
    wrenches: Mapping[str, Any] | None = None,
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
    Q = np.stack(np.broadcast_arrays(*(as_floats("forces", x) for x in forces)))
    spec = _spec(whole, "constrained_forward_dynamics", len(forces) - 1, wrenches)
    found = _run(spec, at, speed, Q, wrenches=wrenches)
    n, rows = robot.nv, whole.n_closure_rows
    rank = _rank(robot, tuple(contacts))
    smallest = CONDITION_LIMIT**-2
    counts = np.sum(found[0, ..., n + rows :] > max(smallest, 10 * SOFTNESS), axis=-1)
    _refuse(whole, at, counts >= rank, rank)
    parts = found[..., :n], found[..., n : n + rows]
    return Constrained(*(np.ascontiguousarray(x) for x in parts))


def constrained_inverse_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    actuated: str | Sequence[str] | None = None,
    weights: Any = None,
    contacts: Sequence[Closure] = (),
    wrenches: Mapping[str, Any] | None = None,
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
    motion = [speed, *(as_floats("rates", x) for x in (a, *rates))]
    stacked = np.stack(np.broadcast_arrays(*motion))
    compliance = 1.0 / _weights(weights, len(chosen))
    spec = _spec(
        whole, "constrained_inverse_dynamics", len(rates), wrenches, actuated=_words(chosen)
    )
    found = _run(spec, at, stacked, compliance, wrenches=wrenches)
    n = robot.nv
    passive = [j for j in range(n) if j not in chosen]
    left, scale = np.abs(found[..., passive]), np.abs(found).max(initial=0.0)
    if left.size and not left.max() <= 1e-9 * scale:
        worst = passive[int(np.unravel_index(np.argmax(left), left.shape)[-1])]
        raise ArgumentError(
            f"velocity {velocity_names(robot)[worst]!r} of robot {robot.name!r} is neither "
            f"actuated nor held: {left.max():.3g} of its force is left. Name more actuated joints, "
            "or give a motion that needs no force there."
        )
    return Constrained(
        np.ascontiguousarray(found[..., chosen]), np.ascontiguousarray(found[..., n:])
    )


def actuated_forces(
    robot: Robot,
    *motion: Any,
    actuated: str | Sequence[str] | None = None,
    wrenches: Mapping[str, Any] | None = None,
) -> np.ndarray:
    """Return the forces of the actuated joints as ``(K − 1, *batch, nv)``, those of others zero."""
    found, _ = constrained_inverse_dynamics(robot, *motion, actuated=actuated, wrenches=wrenches)
    Q = np.zeros((*found.shape[:-1], robot.nv))
    Q[..., _actuated(robot, actuated)] = found
    return Q


class ForwardPartials(NamedTuple):
    """∂a/∂q, ∂a/∂v, ∂a/∂Q and ∂λ/∂q, ∂λ/∂v, ∂λ/∂Q; the last axis is what is varied."""

    da_dq: np.ndarray
    da_dv: np.ndarray
    da_dQ: np.ndarray
    dmultipliers_dq: np.ndarray
    dmultipliers_dv: np.ndarray
    dmultipliers_dQ: np.ndarray


def constrained_forward_dynamics_partials(
    robot: Robot,
    q: Any,
    v: Any,
    Q: Any,
    *,
    contacts: Sequence[Closure] = (),
    wrenches: Mapping[str, Any] | None = None,
) -> ForwardPartials:
    """Return the partials of accelerations and multipliers at order zero.

    Those of `constrained_forward_dynamics` as a function of any q and v near the given ones: what
    J, J̇ and M say, without moving back onto the closure.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar()
    >>> q = jounce.close(robot, [0.5, 0.5, 1.5])
    >>> found = jounce.constrained_forward_dynamics_partials(robot, q, np.zeros(3), np.zeros(3))
    >>> found.da_dQ.shape, found.dmultipliers_dq.shape
    ((3, 3), (5, 3))
    """
    whole = _closed(with_contacts(robot, contacts))
    at, speed = _state(robot, whole, q, v)
    spec = _spec(whole, "constrained_forward_dynamics_partials", 0, wrenches)
    found = _run(spec, at, speed, as_floats("Q", Q), wrenches=wrenches)
    a, multipliers = _matrices(found, robot.nv)
    return ForwardPartials(*a, *multipliers)


class InversePartials(NamedTuple):
    """∂Q/∂q, ∂Q/∂v, ∂Q/∂a of the actuated joints, and the same of λ; last axis: what is varied."""

    dQ_dq: np.ndarray
    dQ_dv: np.ndarray
    dQ_da: np.ndarray
    dmultipliers_dq: np.ndarray
    dmultipliers_dv: np.ndarray
    dmultipliers_da: np.ndarray


def constrained_inverse_dynamics_partials(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *,
    actuated: str | Sequence[str] | None = None,
    weights: Any = None,
    contacts: Sequence[Closure] = (),
    wrenches: Mapping[str, Any] | None = None,
) -> InversePartials:
    """Return the partials of the actuated forces and the multipliers at order zero.

    >>> import jounce, numpy as np
    >>> robot = jounce.examples.fourbar()
    >>> q, rest = jounce.close(robot, [0.5, 0.5, 1.5]), np.zeros(3)
    >>> crank = {"actuated": "crank_joint"}
    >>> jounce.constrained_inverse_dynamics_partials(robot, q, rest, rest, **crank).dQ_da.shape
    (1, 3)
    """
    whole = _closed(with_contacts(robot, contacts))
    chosen = _actuated(robot, actuated)
    at, speed = _state(robot, whole, q, v)
    quantity = "constrained_inverse_dynamics_partials"
    spec = _spec(whole, quantity, 0, wrenches, actuated=_words(chosen))
    compliance = 1.0 / _weights(weights, len(chosen))
    found = _run(spec, at, speed, as_floats("a", a), compliance, wrenches=wrenches)
    forces, multipliers = _matrices(found, robot.nv)
    return InversePartials(*(np.ascontiguousarray(x[..., chosen, :]) for x in forces), *multipliers)


def _matrices(found: np.ndarray, nv: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the matrices of accelerations or forces, and of multipliers, one each a row."""
    columns = found.reshape(*found.shape[:-1], nv, -1)
    whole = np.swapaxes(columns, -1, -2)
    first = [np.ascontiguousarray(x[..., :nv, :]) for x in whole]
    return first, [np.ascontiguousarray(x[..., nv:, :]) for x in whole]


@lru_cache(maxsize=64)
def _with_contacts(robot: Robot, contacts: tuple[Closure, ...]) -> Robot:
    return robot.with_closures(*contacts)


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


def _spec(
    robot: Robot,
    quantity: str,
    order: int,
    wrenches: Mapping[str, Any] | None = None,
    **options: str,
) -> KernelSpec:
    frames = [(name, w.representation) for name, w in as_wrenches(wrenches).items()]
    return kernel_spec(robot, quantity, order, frames, options)


def _run(spec: KernelSpec, *arrays: Any, wrenches: Mapping[str, Any] | None = None) -> np.ndarray:
    loads = [rows_to_order(name, w.values, spec.order) for name, w in as_wrenches(wrenches).items()]
    with np.errstate(all="ignore"):  # singular samples are refused by the caller
        return kernel_of(spec).call(*arrays, *loads, check=True, threads=None)


def _state(robot: Robot, whole: Robot, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v; a robot that is not closed, or comes apart at this v, is refused."""
    at, speed = checked_configuration(robot, q), checked("v", v, robot.nv)
    if robot.closures:
        check_closed(robot, at)
    check_velocity(whole, at, speed)
    return at, speed


def check_motion(robot: Robot, q: np.ndarray, v: np.ndarray) -> None:
    """Raise unless every sample is closed and stays so."""
    check_closed(robot, q)
    check_velocity(robot, q, v)


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
    """Return the velocities of these joints, in the order given."""
    names = [joints] if isinstance(joints, str) else list(joints)
    found = [robot.joint(name) for name in names]
    for joint in found:
        if joint.mimic is not None:
            raise UnsupportedError(f"joint {joint.name!r} follows another; name that one.")
    indices = [j for joint in found for j in range(robot.nv)[joint.v_slice]]
    if len(set(indices)) < len(indices):
        raise ArgumentError(f"each joint can be named once, got {names}.")
    return indices


def _actuated(robot: Robot, actuated: str | Sequence[str] | None) -> list[int]:
    if actuated is not None:
        return _velocities(robot, actuated)
    return [
        j
        for joint in robot.joints
        if joint.quaternion is None and joint.mimic is None
        for j in range(robot.nv)[joint.v_slice]
    ]


def _words(indices: Sequence[int]) -> str:
    return " ".join(map(str, indices))


def _weights(weights: Any, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    array = as_floats("weights", weights)
    if array.shape != (count,):
        raise ShapeError(f"weights must have shape ({count},), one an actuated velocity.")
    if not (np.isfinite(array).all() and np.all(array > 0)):
        raise ArgumentError(f"weights must be positive and finite, got {array.tolist()}.")
    return array


def _chosen(J: np.ndarray, rank: int) -> list[int]:
    """Return the velocities that leave the others best determined: the last of pivoted columns."""
    from scipy.linalg import qr

    order = qr(J, mode="r", pivoting=True)[-1]
    return sorted(int(j) for j in order[rank:])


def mobility(robot: Robot) -> tuple[int, int]:
    """Return the freedoms that closures leave in general, and how many rows are redundant."""
    rank = _rank(_closed(robot), ())
    return robot.nv - rank, robot.n_closure_rows - rank


@lru_cache(maxsize=64)
def _rank(robot: Robot, contacts: tuple[Closure, ...]) -> int:
    """Return the rank that the closure Jacobian has in general: at random closed configurations."""
    whole = with_contacts(robot, contacts)
    rng = np.random.default_rng(0)
    ranks = []
    for k in range(STARTS):
        shift = rng.standard_normal(robot.nv) * (0.1 + 0.1 * k)
        try:
            q = integrate(robot, robot.neutral, shift)
            q = close(robot, q) if robot.closures else q
        except ClosureError:
            continue
        sizes = np.linalg.svd(closure_jacobian(whole, q)[0], compute_uv=False)
        ranks.append(int(np.sum(sizes > 1e-9 * sizes[0])) if sizes.size and sizes[0] > 0 else 0)
        if len(ranks) == 3:
            break
    if not ranks:
        raise ClosureError(
            f"no closed configuration of robot {robot.name!r} was found from {STARTS} starts; "
            "check frames, directions and lengths of its closures."
        )
    return max(ranks)


def _refuse(
    robot: Robot, q: np.ndarray, is_fine: np.ndarray, rank: int, independent: Sequence[int] = ()
) -> None:
    """Raise for the first sample whose closure Jacobian has lost a direction."""
    for index in map(tuple, np.argwhere(~np.atleast_1d(is_fine)).tolist()):
        place = index if np.ndim(is_fine) else ()
        at = np.broadcast_to(q, (*np.shape(is_fine), robot.nq))[place]
        J = closure_jacobian(robot, at)[0]
        free = [j for j in range(robot.nv) if j not in independent]
        sizes = np.linalg.svd(J[:, free], compute_uv=False)
        condition = float(sizes[0] / sizes[rank - 1]) if sizes[rank - 1] > 0 else np.inf
        if condition > CONDITION_LIMIT:
            where = f"robot {robot.name!r}, {f'sample {list(place)}' if place else 'this q'}"
            raise singularity_error(
                J[:, free], _row_names(robot), [velocity_names(robot)[j] for j in free],
                CONDITION_LIMIT, where, place,
            )  # fmt: skip
