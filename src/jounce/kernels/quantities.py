"""What can be compiled: for every quantity its arguments, its result and its text.

Adding a quantity is one row in `QUANTITIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from jounce.derivatives import forces as force_texts
from jounce.derivatives import (
    forward,
    inverse_kinematics,
    kinematics,
    matrices,
    momenta,
    parameters,
    partials,
)
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.twists import REPRESENTATIONS
from jounce.errors import ShapeError, UnknownNameError, UnsupportedError, unknown_name
from jounce.model.robot import Robot

RATE_NAMES = ("v", "a", "j", "s")
FORMULATIONS = tuple(force_texts.FORMULATIONS)


def rate_name(k: int) -> str:
    """Name the k-th rate: v, a, j, s, then by order."""
    return RATE_NAMES[k] if k < len(RATE_NAMES) else f"rate {k + 1}"


def force_name(k: int) -> str:
    """Name the forces of forward dynamics: Q, Q1, Q2, ...; before them comes v."""
    return "v" if k < 0 else f"Q{k or ''}"


class Argument(NamedTuple):
    """An input: ``(*batch, width)``, or ``(orders, *batch, width)`` where orders > 0."""

    name: str
    width: int
    orders: int = 0


class KernelSpec(NamedTuple):
    """Everything that decides a kernel; hashable, the key of the caches."""

    robot: Robot
    quantity: str
    order: int
    wrenches: tuple[tuple[str, str], ...] = ()  # frame and representation
    options: tuple[tuple[str, str], ...] = ()  # sorted by name


class Signature(NamedTuple):
    """Shapes of a kernel: ``rows`` orders of results of shape ``(*batch, *tail)``."""

    arguments: tuple[Argument, ...]
    rows: int
    tail: tuple[int, ...]


class Quantity(NamedTuple):
    """One compilable quantity.

    ``text`` maps robot, q, rates (and wrenches) and the options to rows of scalars, one row an
    order; it takes ``extra_rates`` more rates than the order.  ``tail`` is the shape of one
    result, by number or by attribute of the robot.  ``options`` gives the allowed values of each option, the first one the default;
    the option ``frame`` takes any frame of the robot.

    With ``shapes``, which maps robot, order and options to the arguments and the length of a
    result, the text takes the robot, one entry an argument, and the options.
    """

    extra_rates: int
    tail: tuple[int | str, ...]
    text: Callable[..., list[list[Any]]]
    options: Mapping[str, tuple[str, ...]] = {}
    takes_wrenches: bool = False
    rate_name: Callable[[int], str] = rate_name
    rows: Callable[[int], int] = lambda order: order + 1
    highest_order: int | None = None
    shapes: Callable[..., tuple[list[tuple[str, int, int]], int]] | None = None


def _forward(robot: Robot, q: Any, rates: Any, wrenches: Any) -> list[list[Any]]:
    return forward.accelerations(robot, q, rates[0], rates[1:], wrenches)


def _pivots(robot: Robot, q: Any, rates: Any, wrenches: Any) -> list[list[Any]]:
    return forward.accelerations_and_pivots(robot, q, rates[0], rates[1:], wrenches)


def _forward_partials(robot: Robot, q: Any, rates: Any, wrenches: Any) -> list[list[Any]]:
    return forward.acceleration_partials(robot, q, rates[0], rates[1], wrenches)


def _partials(robot: Robot, q: Any, rates: Any, wrenches: Any) -> list[list[Any]]:
    """Return one row for each k and j, in this order."""
    size = robot.nv * robot.nv
    table = partials.mixed_partials(robot, q, rates, wrenches)
    return [row[n : n + size] for row in table for n in range(0, size * (len(rates) + 1), size)]


_representation = {"representation": REPRESENTATIONS}
_frame = {"frame": ()}

QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(
        2, ("nv",), force_texts.forces, {"formulation": FORMULATIONS}, True
    ),
    "joint_wrenches": Quantity(
        2, ("n_bodies", 6), force_texts.wrenches_of_joints, _representation, True
    ),
    "forward_dynamics": Quantity(
        2, ("nv",), _forward, takes_wrenches=True, rate_name=lambda k: force_name(k - 1)
    ),
    "forward_dynamics_and_pivots": Quantity(
        2,
        ("nv",),
        _pivots,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
        rows=lambda order: order + 2,
    ),
    "forward_dynamics_partials": Quantity(
        2,
        ("nv", "nv"),
        _forward_partials,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
        rows=lambda order: 3,
        highest_order=0,
    ),
    "inverse_dynamics_partials": Quantity(
        2,
        ("nv", "nv"),
        _partials,
        takes_wrenches=True,
        rows=lambda order: (order + 1) * (order + 3),
    ),
    "regressor": Quantity(2, ("nv", "n_parameters"), parameters.force_regressor),
    "slotine_li_regressor": Quantity(
        3,
        ("nv", "n_parameters"),
        parameters.adaptive_regressor,
        {"factorization": FACTORIZATIONS},
        rate_name=lambda k: ("v", "v_r", "a_r")[k],
        highest_order=0,
    ),
    "mass_matrix": Quantity(0, ("nv", "nv"), matrices.mass),
    "coriolis_matrix": Quantity(
        1, ("nv", "nv"), matrices.coriolis, {"factorization": FACTORIZATIONS}
    ),
    "gravity_forces": Quantity(0, ("nv",), force_texts.gravity),
    "poses": Quantity(0, ("n_bodies", 4, 4), kinematics.body_poses),
    "twists": Quantity(1, ("n_bodies", 6), kinematics.body_twists, _representation),
    "frame_pose": Quantity(0, (4, 4), kinematics.frame_pose, _frame),
    "frame_twist": Quantity(1, (6,), kinematics.frame_twist, _frame | _representation),
    "jacobian": Quantity(0, (6, "nv"), kinematics.frame_jacobian, _frame | _representation),
    "body_jacobians": Quantity(
        0, ("n_bodies", 6, "nv"), kinematics.body_jacobians, _representation
    ),
    "inverse_kinematics_rates": Quantity(
        0,
        (),
        inverse_kinematics.joint_rates,
        _frame | _representation | inverse_kinematics.RATE_OPTIONS,
        shapes=inverse_kinematics.rate_shapes,
    ),
    "pose_step": Quantity(
        0,
        (),
        inverse_kinematics.pose_rows,
        _frame | {"representation": ("body", "hybrid")} | inverse_kinematics.STEP_OPTIONS,
        shapes=inverse_kinematics.step_shapes,
    ),
    "joint_screws": Quantity(
        0,
        ("nv", 6),
        kinematics.screws_of_joints,
        {"representation": ("spatial", "body", "hybrid")},
    ),
    "center_of_mass": Quantity(0, (3,), momenta.center_of_mass),
    "com_jacobian": Quantity(0, (3, "nv"), momenta.com_jacobian),
    "momentum": Quantity(1, (6,), momenta.total_momentum),
    "centroidal_momentum": Quantity(1, (6,), momenta.centroidal_momentum),
    "kinetic_energy": Quantity(1, (), momenta.energy_of_motion),
    "potential_energy": Quantity(1, (), momenta.energy_of_position),
}


def kernel_spec(
    robot: Robot,
    quantity: str,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    options: Mapping[str, str] | None = None,
) -> KernelSpec:
    """Return the checked description of a kernel.

    ``wrenches`` are frames or pairs of frame and representation.
    """
    if not isinstance(robot, Robot):
        raise TypeError(
            f"robot must be a jounce.Robot, got {type(robot).__name__}; see jounce.load."
        )
    if quantity not in QUANTITIES:
        raise unknown_name("quantity", quantity, QUANTITIES)
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise ShapeError(f"order must be an integer ≥ 0, got {order!r}.")
    limit = QUANTITIES[quantity].highest_order
    if limit is not None and order > limit:
        raise UnsupportedError(f"{quantity} has no time derivatives: order must be {limit}.")
    pairs = []
    for given in (wrenches,) if isinstance(wrenches, str) else wrenches:
        frame, representation = (given, "body") if isinstance(given, str) else given
        robot.frame(frame)
        _check_option("representation", representation, REPRESENTATIONS)
        pairs.append((frame, representation))
    if pairs and not QUANTITIES[quantity].takes_wrenches:
        raise UnsupportedError(f"{quantity} does not depend on wrenches.")
    if len({frame for frame, _ in pairs}) < len(pairs):
        raise ShapeError(f"each frame takes one wrench, got {[frame for frame, _ in pairs]}.")
    chosen = _options(robot, quantity, options or {})
    return KernelSpec(robot, quantity, order, tuple(pairs), chosen)


def _options(robot: Robot, quantity: str, given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return all options of a quantity with their values, sorted by name."""
    known = QUANTITIES[quantity].options
    for name in given:
        if name not in known:
            raise unknown_name(f"option of {quantity}", name, known)
    chosen = {
        name: given.get(name, values[0] if values else None) for name, values in known.items()
    }
    for name, value in chosen.items():
        if name == "frame" and value is None:
            raise UnknownNameError(f"{quantity} needs a frame; this robot has: {_names(robot)}.")
        if name == "frame":
            robot.frame(str(value))
        else:
            _check_option(name, value, known[name])
    return tuple(sorted((name, str(value)) for name, value in chosen.items()))


def _check_option(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise unknown_name(name, value, allowed)


def _names(robot: Robot) -> str:
    return ", ".join(f.name for f in robot.frames)


def signature(spec: KernelSpec) -> Signature:
    """Return names and shapes of the arguments and of the result."""
    quantity, robot = QUANTITIES[spec.quantity], spec.robot
    if quantity.shapes is not None:
        own, width = quantity.shapes(robot, spec.order, **dict(spec.options))
        return Signature(tuple(Argument(*a) for a in own), spec.order + 1, (width,))
    count = spec.order + quantity.extra_rates
    rates = [Argument(quantity.rate_name(k), robot.nv) for k in range(count)]
    wrenches = [Argument(f"wrench on {frame}", 6, spec.order + 1) for frame, _ in spec.wrenches]
    arguments = (Argument("q", robot.nq), *rates, *wrenches)
    tail = (getattr(robot, n) if isinstance(n, str) else n for n in quantity.tail)
    return Signature(arguments, quantity.rows(spec.order), tuple(tail))


def run_text(spec: KernelSpec, values: Sequence[Any]) -> list[list[Any]]:
    """Run the text of a kernel on a flat list of scalars, in the order of its arguments."""
    stream = iter(values)

    def take(width: int) -> list[Any]:
        return [next(stream) for _ in range(width)]

    quantity = QUANTITIES[spec.quantity]
    if quantity.shapes is not None:
        groups = [
            [take(width) for _ in range(orders)] if orders else take(width)
            for _, width, orders in signature(spec).arguments
        ]
        return quantity.text(spec.robot, groups, **dict(spec.options))
    q = take(spec.robot.nq)
    rates = [take(spec.robot.nv) for _ in range(spec.order + quantity.extra_rates)]
    options: dict[str, Any] = dict(spec.options)
    if quantity.takes_wrenches:
        options["wrenches"] = {
            key: [take(6) for _ in range(spec.order + 1)] for key in spec.wrenches
        }
    return quantity.text(spec.robot, q, rates, **options)
