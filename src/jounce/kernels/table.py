"""Every quantity that can be compiled; adding one is one row here."""

from __future__ import annotations

from typing import Any

from jounce.derivatives import (
    elastic,
    forward,
    inverse_kinematics,
    kinematics,
    matrices,
    momenta,
    parameters,
    partials,
    second_partials,
    tensors,
)
from jounce.derivatives import forces as force_texts
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.twists import REPRESENTATIONS
from jounce.kernels.quantity import Quantity, force_name
from jounce.model.robot import Robot

FORMULATIONS = tuple(force_texts.FORMULATIONS)


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
    return [row[j * size : (j + 1) * size] for row in table for j in range(len(rates) + 1)]


def _tensor(extra_rates: int, tail: tuple[int | str, ...], text: Any, **more: Any) -> Quantity:
    return Quantity(extra_rates, tail, text, highest_order=0, **more)


_representation = {"representation": REPRESENTATIONS}
_factorization = {"factorization": FACTORIZATIONS}
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
    "mass_pivots": Quantity(0, ("nv",), forward.pivots, highest_order=0),
    "forward_dynamics_partials": Quantity(
        2,
        ("nv", "nv"),
        _forward_partials,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
        rows=lambda _: 3,
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
    "mass_matrix_partials": _tensor(0, ("nv", "nv", "nv"), tensors.mass_partials),
    "coriolis_partials": _tensor(
        1,
        ("nv", "nv", "nv"),
        tensors.coriolis_partials,
        options=_factorization,
        rows=lambda _: 2,
    ),
    "gravity_partials": _tensor(0, ("nv", "nv"), tensors.gravity_partials),
    "mass_matrix_parameter_partials": _tensor(
        0, ("nv", "nv", "n_parameters"), tensors.mass_parameter_partials
    ),
    "coriolis_parameter_partials": _tensor(
        1,
        ("nv", "nv", "n_parameters"),
        tensors.coriolis_parameter_partials,
        options=_factorization,
    ),
    "gravity_parameter_partials": _tensor(
        0, ("nv", "n_parameters"), tensors.gravity_parameter_partials
    ),
    "inverse_dynamics_second_partials": _tensor(
        2, ("nv", "nv", "nv"), second_partials.second_partials, rows=lambda _: 4
    ),
    "jacobian_partials": Quantity(
        0, (6, "nv", "nv"), tensors.jacobian_partials, _frame | _representation
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
        highest_order=0,
        shapes=inverse_kinematics.step_shapes,
    ),
    "joint_screws": Quantity(
        0,
        ("nv", 6),
        kinematics.screws_of_joints,
        {"representation": ("spatial", "body", "hybrid")},
    ),
    "elastic_feedforward": Quantity(
        0,
        (),
        elastic.feedforward,
        rows=lambda _: 7,
        highest_order=0,
        shapes=elastic.feedforward_shapes,
    ),
    "elastic_coupled": Quantity(
        0,
        (),
        elastic.coupled,
        takes_wrenches=True,
        rows=lambda order: 2 * (order + 1),
        shapes=elastic.coupled_shapes,
    ),
    "center_of_mass": Quantity(0, (3,), momenta.center_of_mass),
    "com_jacobian": Quantity(0, (3, "nv"), momenta.com_jacobian),
    "momentum": Quantity(1, (6,), momenta.total_momentum),
    "centroidal_momentum": Quantity(1, (6,), momenta.centroidal_momentum),
    "kinetic_energy": Quantity(1, (), momenta.energy_of_motion),
    "potential_energy": Quantity(1, (), momenta.energy_of_position),
}
