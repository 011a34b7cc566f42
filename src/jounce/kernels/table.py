"""Every quantity that can be compiled; adding one is its text, one row here, a public function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from jounce.dynamics import (
    centroidal,
    closures,
    elastic,
    forward,
    gravity,
    inverse,
    inverse_kinematics,
    jacobian,
    joint_wrenches,
    matrices,
    momentum,
    partials,
    pose_step,
    poses,
    regressor,
    tensors,
    twists,
    wrenches,
)
from jounce.model.parameters import armature_words, friction_words, speed_words
from jounce.model.robot import Robot

RATE_NAMES = ("v", "a", "j", "s")


def rate_name(k: int) -> str:
    """Name the k-th rate: v, a, j, s, then by order."""
    return RATE_NAMES[k] if k < len(RATE_NAMES) else f"rate {k + 1}"


def _force_name(k: int) -> str:
    """Name what forward dynamics takes: v, then the forces Q, Q1, Q2, ..."""
    return "v" if k == 0 else f"Q{k - 1 or ''}"


def derivative_name(what: str, k: int) -> str:
    """Name the k-th time derivative of something."""
    return what if k == 0 else f"time derivative {k} of {what}"


def _derivatives(what: str, order: int) -> list[str]:
    return [derivative_name(what, k) for k in range(order + 1)]


def _mixed(what: str, rows: int, columns: int) -> list[str]:
    """Name the partials of something and of its time derivatives by q and its own."""
    return [f"d{what}({k})/dq({j})" for k in range(rows) for j in range(columns)]


def _accelerations_by(order: int) -> list[str]:
    """Name the partials of accelerations and multipliers by q, v and the forces."""
    variables = ["q", "v", *(f"Q({j})" for j in range(order + 1))]
    return [f"d(a, multipliers)({k})/d{x}" for k in range(order + 1) for x in variables]


class Argument(NamedTuple):
    """An input: ``(*batch, width)``, or ``(orders, *batch, width)`` where orders > 0."""

    name: str
    width: int
    orders: int = 0


class Signature(NamedTuple):
    """Shapes of a kernel: ``rows`` orders of results of shape ``(*batch, *tail)``."""

    arguments: tuple[Argument, ...]
    rows: int
    tail: tuple[int, ...]


class Words(NamedTuple):
    """An option with many values: what they may be, and what makes words of one, or of None."""

    meaning: str
    read: Callable[[Any], str]


Size = int | str | Callable[..., int]  # or by attribute of the robot, by robot and options
Given = tuple[str, Size] | tuple[str, Size, int]


class Quantity(NamedTuple):
    """One compilable quantity; its name is that of its text.

    ``text`` maps robot, q, rates (and wrenches, if it names them) and the options to rows of
    scalars, one row an order; it takes ``extra_rates`` more rates than the order.  ``tail`` is the
    shape of a result, by number, by attribute of the robot, or by a function of robot and options.
    ``options`` gives the allowed values of each option, the first one the default, or how it is
    read; the option ``frame`` takes any frame of the robot.
    ``results`` names the rows at an order where they are not the quantity and its time
    derivatives; ``unit`` is that of the first of them.

    ``arguments`` are those of a text that takes other things than q and rates, in one list: name
    and width, and for what comes with time derivatives how many rows more than the order.
    ``inputs`` are arguments that an option of this name adds, by letters.
    ``methods`` gives the values of the text's argument ``method`` that are worth counting for a
    robot: the one with the fewest operations is compiled.
    ``closed`` names the function for robots with closures, where this one holds for trees only;
    ``needs_closures`` where there is nothing to compute without.  ``needs_flat`` says what needs
    velocities that are rates of coordinates.
    """

    text: Callable[..., list[list[Any]]]
    tail: tuple[Size, ...] = ()
    extra_rates: int = 0
    options: Mapping[str, tuple[str, ...] | Words] = {}
    rate_name: Callable[[int], str] = rate_name
    unit: str = "SI units"
    results: Callable[[int], list[str]] | None = None
    highest_order: int | None = None
    arguments: tuple[Given, ...] = ()
    inputs: Mapping[str, Given] = {}
    methods: Callable[[Robot], tuple[str, ...]] | None = None
    closed: str = ""
    needs_closures: bool = False
    needs_flat: str = ""

    @property
    def takes_wrenches(self) -> bool:
        """Whether the text knows external wrenches."""
        return "wrenches" in inspect.signature(self.text).parameters

    def rows(self, order: int) -> int:
        """Return how many results there are at an order."""
        return order + 1 if self.results is None else len(self.results(order))


def _count(words: str) -> int:
    return len(words.split())


def _partials_width(robot: Robot, **_: str) -> int:
    return robot.nv * (robot.nv + robot.n_closure_rows)


_FRAME = {"frame": ()}
VELOCITIES = ("", "indices of velocities")  # an option that takes any of them, in words
_REPRESENTATION = {"representation": twists.REPRESENTATIONS}
_FACTORIZATION = {"factorization": matrices.FACTORIZATIONS}
_FORCES = "N m (rotation), N (translation)"
_STATE = ("q", "nq"), ("v", "nv")
_DRIVEN = (*_STATE, ("forces", "nv", 1))
_MOVED = ("q", "nq"), ("rates", "nv", 2), ("compliance", lambda _, actuated: _count(actuated))
_FEEDFORWARD = [
    "motor angle",
    "motor velocity",
    "motor acceleration",
    "motor torque",
    "spring torque",
    "rate of the spring torque",
    "motor power",
]

_forward = partial(Quantity, extra_rates=2, rate_name=_force_name)
_fixed = partial(Quantity, highest_order=0)  # without time derivatives
_closed = partial(Quantity, needs_closures=True)

_ROWS = (
    Quantity(
        inverse.inverse_dynamics,
        ("nv",),
        2,
        {"formulation": tuple(inverse.FORMULATIONS)},
        unit=_FORCES,
        closed="constrained_inverse_dynamics",
    ),
    Quantity(
        joint_wrenches.joint_wrenches,
        ("n_bodies", 6),
        2,
        _REPRESENTATION,
        unit="N m, N; body after body",
        closed="constrained_inverse_dynamics",
    ),
    _forward(
        forward.forward_dynamics,
        ("nv",),
        unit="rad/s^2, m/s^2",
        methods=forward.fewest,
        closed="constrained_forward_dynamics",
    ),
    _forward(
        forward.forward_dynamics_and_pivots,
        ("nv",),
        results=lambda order: [*_derivatives("acceleration", order), "pivots of M"],
        methods=forward.fewest,
        closed="constrained_forward_dynamics",
    ),
    _fixed(forward.mass_pivots, ("nv",), methods=forward.fewest),
    _forward(
        forward.forward_dynamics_partials,
        ("nv", "nv"),
        results=lambda _: ["da/dq", "da/dv", "da/dQ"],
        highest_order=0,
        # many more solutions than factors
        methods=lambda robot: forward.fewest(robot, shallow=12.0),
        closed="constrained_forward_dynamics_partials",
    ),
    Quantity(
        partials.inverse_dynamics_partials,
        ("nv", "nv"),
        2,
        results=lambda order: _mixed("Q", order + 1, order + 3),
        closed="constrained_inverse_dynamics_partials",
    ),
    _fixed(
        tensors.inverse_dynamics_second_partials,
        ("nv", "nv", "nv"),
        2,
        results=lambda _: ["Q by qq", "Q by vv", "Q by qv", "Q by aq"],
        closed="constrained_inverse_dynamics_partials",
    ),
    Quantity(
        regressor.regressor,
        ("nv", regressor.regressor_columns),
        2,
        {
            "friction": Words("viscous coulomb offset, or some of them", friction_words),
            "armature": Words("yes or no", armature_words),
            "coulomb_speed": Words("speed of smoothing", speed_words),
        },
    ),
    Quantity(regressor.static_regressor, ("nv", "n_parameters")),
    Quantity(regressor.kinetic_energy_regressor, ("n_parameters",), 1),
    Quantity(regressor.potential_energy_regressor, ("n_parameters",), 1),
    _fixed(
        regressor.regressor_gradient,
        (lambda robot: 3 * robot.nv,),
        results=lambda _: ["gradient"],
        arguments=(*_STATE, ("a", "nv"), ("G", lambda robot: robot.nv * robot.n_parameters)),
    ),
    _fixed(
        regressor.slotine_li_regressor,
        ("nv", "n_parameters"),
        3,
        _FACTORIZATION,
        rate_name=lambda k: ("v", "v_r", "a_r")[k],
    ),
    _fixed(tensors.mass_matrix_partials, ("nv", "nv", "nv")),
    _fixed(
        tensors.coriolis_partials,
        ("nv", "nv", "nv"),
        1,
        _FACTORIZATION,
        results=lambda _: ["dC/dq", "dC/dv"],
    ),
    _fixed(tensors.gravity_partials, ("nv", "nv")),
    _fixed(tensors.mass_matrix_parameter_partials, ("nv", "nv", "n_parameters")),
    _fixed(tensors.coriolis_parameter_partials, ("nv", "nv", "n_parameters"), 1, _FACTORIZATION),
    _fixed(tensors.gravity_parameter_partials, ("nv", "n_parameters")),
    Quantity(tensors.jacobian_partials, (6, "nv", "nv"), options=_FRAME | _REPRESENTATION),
    Quantity(tensors.frame_pose_partials, (4, 4, "nv"), options=_FRAME),
    Quantity(
        tensors.frame_twist_partials,
        (6, "nv"),
        1,
        _FRAME | _REPRESENTATION,
        results=lambda order: _mixed("V", order + 1, order + 2),
    ),
    Quantity(tensors.com_jacobian_partials, (3, "nv", "nv")),
    Quantity(centroidal.centroidal_momentum_matrix, (6, "nv")),
    Quantity(
        centroidal.centroidal_momentum_partials,
        (6, "nv"),
        1,
        results=lambda order: _mixed("h", order + 1, order + 2),
    ),
    Quantity(wrenches.wrench_forces, ("nv",), unit=_FORCES),
    Quantity(matrices.mass_matrix, ("nv", "nv")),
    Quantity(matrices.coriolis_matrix, ("nv", "nv"), 1, _FACTORIZATION),
    Quantity(gravity.gravity_forces, ("nv",), unit=_FORCES),
    Quantity(
        gravity.gravity_wrenches,
        ("n_bodies", 6),
        options=_REPRESENTATION,
        unit="N m, N; body after body",
    ),
    Quantity(
        poses.poses,
        ("n_bodies", 4, 4),
        unit="4x4 matrices row by row, body after body; translation in m",
    ),
    Quantity(
        twists.twists, ("n_bodies", 6), 1, _REPRESENTATION, unit="rad/s, m/s; body after body"
    ),
    Quantity(
        twists.relative_twists, ("n_bodies", 6), 1, _FRAME, unit="rad/s, m/s; body after body"
    ),
    Quantity(
        poses.frame_pose, (4, 4), options=_FRAME, unit="4x4 matrix row by row; translation in m"
    ),
    Quantity(twists.frame_twist, (6,), 1, _FRAME | _REPRESENTATION, unit="rad/s, m/s"),
    Quantity(jacobian.jacobian, (6, "nv"), options=_FRAME | _REPRESENTATION),
    Quantity(jacobian.body_jacobians, ("n_bodies", 6, "nv"), options=_REPRESENTATION),
    Quantity(
        jacobian.joint_screws, ("nv", 6), options={"representation": ("spatial", "body", "hybrid")}
    ),
    Quantity(
        inverse_kinematics.inverse_kinematics_rates,
        (lambda robot, directions, **_: robot.nv + _count(directions) + 1,),
        options=_FRAME | _REPRESENTATION | inverse_kinematics.RATE_OPTIONS,
        arguments=(("q", "nq"), ("twists", lambda _, directions, **__: _count(directions), 1)),
        inputs={"z": ("null_space", "nv", 1), "w": ("scale", "nv"), "d": ("damping", 1)},
    ),
    _fixed(
        pose_step.pose_step,
        (lambda robot, **_: 2 * robot.nv + 1,),
        options=_FRAME
        | {"representation": ("body", "hybrid")}
        | inverse_kinematics.DIRECTION_OPTIONS,
        arguments=(("q", "nq"), ("target", 16), ("scale", "nv"), ("damping", 2)),
    ),
    _fixed(
        elastic.elastic_feedforward,
        ("nv",),
        results=lambda _: _FEEDFORWARD,
        arguments=(
            *_STATE,
            *((x, "nv") for x in ("a", "j", "s", "compliance", "motor inertia")),
        ),
        closed="constrained_inverse_dynamics",
        needs_flat="elastic drives need",
    ),
    Quantity(
        elastic.elastic_coupled,
        ("nv",),
        results=lambda order: [
            *_derivatives("acceleration of the links", order),
            *_derivatives("acceleration of the motors", order),
        ],
        arguments=(
            *_STATE,
            *((x, "nv") for x in ("theta", "theta1", "damping", "motor mobility", "rigid")),
            ("stiffness", "nv", 1),
            ("torque", "nv", 1),
        ),
        closed="constrained_forward_dynamics",
    ),
    _closed(closures.closure_error, ("n_closure_rows",), highest_order=0, unit="rad, m"),
    _closed(closures.closure_jacobian, ("n_closure_rows", "nv")),
    _closed(
        closures.closed_rates,
        (lambda robot, **_: robot.nv + 1,),
        options={"independent": VELOCITIES},
        arguments=(("q", "nq"), ("rates", lambda _, independent: _count(independent), 1)),
    ),
    _closed(
        closures.constrained_forward_dynamics,
        (lambda robot: robot.nv + 2 * robot.n_closure_rows + 1,),
        arguments=_DRIVEN,
    ),
    _closed(
        closures.constrained_inverse_dynamics,
        (lambda robot, **_: robot.nv + robot.n_closure_rows,),
        options={"actuated": VELOCITIES},
        arguments=_MOVED,
    ),
    _closed(
        closures.constrained_forward_dynamics_partials,
        (_partials_width,),
        results=_accelerations_by,
        arguments=_DRIVEN,
    ),
    _closed(
        closures.constrained_inverse_dynamics_partials,
        (_partials_width,),
        options={"actuated": VELOCITIES},
        results=lambda order: _mixed("(Q, multipliers)", order + 1, order + 3),
        arguments=_MOVED,
    ),
    Quantity(momentum.center_of_mass, (3,), unit="m"),
    Quantity(momentum.com_jacobian, (3, "nv")),
    Quantity(
        momentum.body_momenta,
        ("n_bodies", 6),
        1,
        _REPRESENTATION,
        unit="N m s, N s; body after body",
    ),
    Quantity(momentum.momentum, (6,), 1, unit="N m s, N s"),
    Quantity(momentum.centroidal_momentum, (6,), 1, unit="N m s, N s"),
    Quantity(momentum.kinetic_energy, extra_rates=1, unit="J"),
    Quantity(momentum.potential_energy, extra_rates=1, unit="J"),
)
QUANTITIES: dict[str, Quantity] = {row.text.__name__: row for row in _ROWS}
