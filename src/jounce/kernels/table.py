"""Every quantity that can be compiled; adding one is its text, one row here, a public function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from jounce.dynamics import tensor_arrays as arrays
from jounce.dynamics.centroidal import (
    centroidal_momentum_matrix,
    centroidal_momentum_partials,
)
from jounce.dynamics.closures import (
    closed_rate_shapes,
    closed_rates,
    closure_error,
    closure_jacobian,
    constrained_forward_dynamics,
    constrained_forward_dynamics_partials,
    constrained_inverse_dynamics,
    constrained_inverse_dynamics_partials,
    forward_partial_shapes,
    forward_shapes,
    inverse_partial_shapes,
    inverse_shapes,
)
from jounce.dynamics.elastic import (
    coupled_shapes,
    elastic_coupled,
    elastic_feedforward,
    feedforward_shapes,
)
from jounce.dynamics.forward import (
    fewest,
    forward_dynamics,
    forward_dynamics_and_pivots,
    forward_dynamics_partials,
    mass_pivots,
)
from jounce.dynamics.gravity import gravity_forces, gravity_wrenches
from jounce.dynamics.inverse import FORMULATIONS, inverse_dynamics
from jounce.dynamics.inverse_kinematics import (
    DIRECTION_OPTIONS,
    RATE_OPTIONS,
    inverse_kinematics_rates,
    rate_shapes,
)
from jounce.dynamics.jacobian import body_jacobians, jacobian, joint_screws
from jounce.dynamics.joint_wrenches import joint_wrenches
from jounce.dynamics.matrices import FACTORIZATIONS, coriolis_matrix, mass_matrix
from jounce.dynamics.momentum import (
    body_momenta,
    center_of_mass,
    centroidal_momentum,
    com_jacobian,
    kinetic_energy,
    momentum,
    potential_energy,
)
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.pose_step import pose_step, step_shapes
from jounce.dynamics.poses import frame_pose, poses
from jounce.dynamics.regressor import (
    gradient_shapes,
    kinetic_energy_regressor,
    potential_energy_regressor,
    regressor,
    regressor_columns,
    regressor_gradient,
    slotine_li_regressor,
    static_regressor,
)
from jounce.dynamics.tensors import (
    com_jacobian_partials,
    coriolis_parameter_partials,
    coriolis_partials,
    frame_pose_partials,
    frame_twist_partials,
    gravity_parameter_partials,
    gravity_partials,
    inverse_dynamics_second_partials,
    jacobian_partials,
    mass_matrix_parameter_partials,
    mass_matrix_partials,
)
from jounce.dynamics.twists import REPRESENTATIONS, frame_twist, relative_twists, twists
from jounce.dynamics.wrenches import wrench_forces
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


class Quantity(NamedTuple):
    """One compilable quantity; its name is that of its text.

    ``text`` maps robot, q, rates (and wrenches) and the options to rows of scalars, one row an
    order; it takes ``extra_rates`` more rates than the order.  ``tail`` is the shape of one
    result, by number, by attribute of the robot, or by a function of robot and options.
    ``options`` gives the allowed values of each option, the first one the default, or how it is
    read; the option ``frame`` takes any frame of the robot.
    ``results`` names the rows at an order where they are not the quantity and its time
    derivatives; ``unit`` is that of the first of them.

    With ``shapes``, which maps robot, order and options to the arguments and the length of a
    result, the text takes the robot, one entry an argument (wrenches apart), and the options.
    ``arrays`` computes the same from a tree and arrays, for robots too large to compile.
    ``methods`` gives the values of the text's argument ``method`` that are worth counting for a
    robot: the one with the fewest operations is compiled.
    ``closed`` names the function for robots with closures, where this one holds for trees only;
    ``needs_closures`` where there is nothing to compute without.
    """

    text: Callable[..., list[list[Any]]]
    extra_rates: int
    tail: tuple[int | str | Callable[..., int], ...]
    options: Mapping[str, tuple[str, ...] | Words] = {}
    takes_wrenches: bool = False
    rate_name: Callable[[int], str] = rate_name
    unit: str = "SI units"
    results: Callable[[int], list[str]] | None = None
    highest_order: int | None = None
    shapes: Callable[..., tuple[list[tuple[str, int, int]], int]] | None = None
    arrays: Callable[..., Any] | None = None
    methods: Callable[[Robot], tuple[str, ...]] | None = None
    closed: str = ""
    needs_closures: bool = False

    def rows(self, order: int) -> int:
        """Return how many results there are at an order."""
        return order + 1 if self.results is None else len(self.results(order))


_FRAME = {"frame": ()}
VELOCITIES = ("", "indices of velocities")  # an option that takes any of them, in words
_REPRESENTATION = {"representation": REPRESENTATIONS}
_FACTORIZATION = {"factorization": FACTORIZATIONS}
_FORCES = "N m (rotation), N (translation)"
_FEEDFORWARD = [
    "motor angle",
    "motor velocity",
    "motor acceleration",
    "motor torque",
    "spring torque",
    "rate of the spring torque",
    "motor power",
]

_ROWS = (
    Quantity(
        inverse_dynamics,
        2,
        ("nv",),
        {"formulation": tuple(FORMULATIONS)},
        True,
        unit=_FORCES,
        closed="constrained_inverse_dynamics",
    ),
    Quantity(
        joint_wrenches,
        2,
        ("n_bodies", 6),
        _REPRESENTATION,
        True,
        unit="N m, N; body after body",
        closed="constrained_inverse_dynamics",
    ),
    Quantity(
        forward_dynamics,
        2,
        ("nv",),
        takes_wrenches=True,
        rate_name=_force_name,
        unit="rad/s^2, m/s^2",
        methods=fewest,
        closed="constrained_forward_dynamics",
    ),
    Quantity(
        forward_dynamics_and_pivots,
        2,
        ("nv",),
        takes_wrenches=True,
        rate_name=_force_name,
        results=lambda order: [*_derivatives("acceleration", order), "pivots of M"],
        methods=fewest,
        closed="constrained_forward_dynamics",
    ),
    Quantity(mass_pivots, 0, ("nv",), highest_order=0, methods=fewest),
    Quantity(
        forward_dynamics_partials,
        2,
        ("nv", "nv"),
        takes_wrenches=True,
        rate_name=_force_name,
        results=lambda _: ["da/dq", "da/dv", "da/dQ"],
        highest_order=0,
        methods=lambda robot: fewest(robot, shallow=12.0),  # many more solutions than factors
        closed="constrained_forward_dynamics_partials",
    ),
    Quantity(
        inverse_dynamics_partials,
        2,
        ("nv", "nv"),
        takes_wrenches=True,
        results=lambda order: _mixed("Q", order + 1, order + 3),
        closed="constrained_inverse_dynamics_partials",
    ),
    Quantity(
        inverse_dynamics_second_partials,
        2,
        ("nv", "nv", "nv"),
        results=lambda _: ["Q by qq", "Q by vv", "Q by qv", "Q by aq"],
        highest_order=0,
        closed="constrained_inverse_dynamics_partials",
    ),
    Quantity(
        regressor,
        2,
        ("nv", regressor_columns),
        {
            "friction": Words("viscous coulomb offset, or some of them", friction_words),
            "armature": Words("yes or no", armature_words),
            "coulomb_speed": Words("speed of smoothing", speed_words),
        },
    ),
    Quantity(static_regressor, 0, ("nv", "n_parameters")),
    Quantity(kinetic_energy_regressor, 1, ("n_parameters",)),
    Quantity(potential_energy_regressor, 1, ("n_parameters",)),
    Quantity(
        regressor_gradient,
        0,
        (),
        results=lambda _: ["gradient"],
        highest_order=0,
        shapes=gradient_shapes,
    ),
    Quantity(
        slotine_li_regressor,
        3,
        ("nv", "n_parameters"),
        _FACTORIZATION,
        rate_name=lambda k: ("v", "v_r", "a_r")[k],
        highest_order=0,
    ),
    Quantity(
        mass_matrix_partials,
        0,
        ("nv", "nv", "nv"),
        highest_order=0,
        arrays=arrays.mass_matrix_partials,
    ),
    Quantity(
        coriolis_partials,
        1,
        ("nv", "nv", "nv"),
        _FACTORIZATION,
        results=lambda _: ["dC/dq", "dC/dv"],
        highest_order=0,
        arrays=arrays.coriolis_partials,
    ),
    Quantity(gravity_partials, 0, ("nv", "nv"), highest_order=0),
    Quantity(
        mass_matrix_parameter_partials,
        0,
        ("nv", "nv", "n_parameters"),
        highest_order=0,
        arrays=arrays.mass_matrix_parameter_partials,
    ),
    Quantity(
        coriolis_parameter_partials,
        1,
        ("nv", "nv", "n_parameters"),
        _FACTORIZATION,
        highest_order=0,
        arrays=arrays.coriolis_parameter_partials,
    ),
    Quantity(
        gravity_parameter_partials,
        0,
        ("nv", "n_parameters"),
        highest_order=0,
        arrays=arrays.gravity_parameter_partials,
    ),
    Quantity(jacobian_partials, 0, (6, "nv", "nv"), _FRAME | _REPRESENTATION),
    Quantity(frame_pose_partials, 0, (4, 4, "nv"), _FRAME),
    Quantity(
        frame_twist_partials,
        1,
        (6, "nv"),
        _FRAME | _REPRESENTATION,
        results=lambda order: _mixed("V", order + 1, order + 2),
    ),
    Quantity(com_jacobian_partials, 0, (3, "nv", "nv")),
    Quantity(centroidal_momentum_matrix, 0, (6, "nv")),
    Quantity(
        centroidal_momentum_partials,
        1,
        (6, "nv"),
        results=lambda order: _mixed("h", order + 1, order + 2),
    ),
    Quantity(wrench_forces, 0, ("nv",), takes_wrenches=True, unit=_FORCES),
    Quantity(mass_matrix, 0, ("nv", "nv")),
    Quantity(coriolis_matrix, 1, ("nv", "nv"), _FACTORIZATION),
    Quantity(gravity_forces, 0, ("nv",), unit=_FORCES),
    Quantity(gravity_wrenches, 0, ("n_bodies", 6), _REPRESENTATION, unit="N m, N; body after body"),
    Quantity(
        poses,
        0,
        ("n_bodies", 4, 4),
        unit="4x4 matrices row by row, body after body; translation in m",
    ),
    Quantity(twists, 1, ("n_bodies", 6), _REPRESENTATION, unit="rad/s, m/s; body after body"),
    Quantity(relative_twists, 1, ("n_bodies", 6), _FRAME, unit="rad/s, m/s; body after body"),
    Quantity(frame_pose, 0, (4, 4), _FRAME, unit="4x4 matrix row by row; translation in m"),
    Quantity(frame_twist, 1, (6,), _FRAME | _REPRESENTATION, unit="rad/s, m/s"),
    Quantity(jacobian, 0, (6, "nv"), _FRAME | _REPRESENTATION),
    Quantity(body_jacobians, 0, ("n_bodies", 6, "nv"), _REPRESENTATION),
    Quantity(joint_screws, 0, ("nv", 6), {"representation": ("spatial", "body", "hybrid")}),
    Quantity(
        inverse_kinematics_rates,
        0,
        (),
        _FRAME | _REPRESENTATION | RATE_OPTIONS,
        shapes=rate_shapes,
    ),
    Quantity(
        pose_step,
        0,
        (),
        _FRAME | {"representation": ("body", "hybrid")} | DIRECTION_OPTIONS,
        highest_order=0,
        shapes=step_shapes,
    ),
    Quantity(
        elastic_feedforward,
        0,
        (),
        results=lambda _: _FEEDFORWARD,
        highest_order=0,
        shapes=feedforward_shapes,
        closed="constrained_inverse_dynamics",
    ),
    Quantity(
        elastic_coupled,
        0,
        (),
        takes_wrenches=True,
        results=lambda order: [
            *_derivatives("acceleration of the links", order),
            *_derivatives("acceleration of the motors", order),
        ],
        shapes=coupled_shapes,
        closed="constrained_forward_dynamics",
    ),
    Quantity(
        closure_error, 0, ("n_closure_rows",), highest_order=0, unit="rad, m", needs_closures=True
    ),
    Quantity(closure_jacobian, 0, ("n_closure_rows", "nv"), needs_closures=True),
    Quantity(
        closed_rates,
        0,
        (),
        {"independent": VELOCITIES},
        shapes=closed_rate_shapes,
        needs_closures=True,
    ),
    Quantity(
        constrained_forward_dynamics,
        0,
        (),
        takes_wrenches=True,
        shapes=forward_shapes,
        needs_closures=True,
    ),
    Quantity(
        constrained_inverse_dynamics,
        0,
        (),
        {"actuated": VELOCITIES},
        takes_wrenches=True,
        shapes=inverse_shapes,
        needs_closures=True,
    ),
    Quantity(
        constrained_forward_dynamics_partials,
        0,
        (),
        takes_wrenches=True,
        results=_accelerations_by,
        shapes=forward_partial_shapes,
        needs_closures=True,
    ),
    Quantity(
        constrained_inverse_dynamics_partials,
        0,
        (),
        {"actuated": VELOCITIES},
        takes_wrenches=True,
        results=lambda order: _mixed("(Q, multipliers)", order + 1, order + 3),
        shapes=inverse_partial_shapes,
        needs_closures=True,
    ),
    Quantity(center_of_mass, 0, (3,), unit="m"),
    Quantity(com_jacobian, 0, (3, "nv")),
    Quantity(body_momenta, 1, ("n_bodies", 6), _REPRESENTATION, unit="N m s, N s; body after body"),
    Quantity(momentum, 1, (6,), unit="N m s, N s"),
    Quantity(centroidal_momentum, 1, (6,), unit="N m s, N s"),
    Quantity(kinetic_energy, 1, (), unit="J"),
    Quantity(potential_energy, 1, (), unit="J"),
)
QUANTITIES: dict[str, Quantity] = {row.text.__name__: row for row in _ROWS}
