"""Every quantity that can be compiled; adding one is one row here."""

from __future__ import annotations

from typing import Any

from jounce.dynamics import (
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
    second_partials,
    tensors,
    twists,
)
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.twists import REPRESENTATIONS
from jounce.kernels.quantity import Quantity, force_name

FORMULATIONS = tuple(inverse.FORMULATIONS)


def _tensor(extra_rates: int, tail: tuple[int | str, ...], text: Any, **more: Any) -> Quantity:
    return Quantity(extra_rates, tail, text, highest_order=0, **more)


_representation = {"representation": REPRESENTATIONS}
_factorization = {"factorization": FACTORIZATIONS}
_frame = {"frame": ()}

QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(
        2, ("nv",), inverse.inverse_dynamics, {"formulation": FORMULATIONS}, True
    ),
    "joint_wrenches": Quantity(
        2, ("n_bodies", 6), joint_wrenches.joint_wrenches, _representation, True
    ),
    "forward_dynamics": Quantity(
        2,
        ("nv",),
        forward.forward_dynamics,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
    ),
    "forward_dynamics_and_pivots": Quantity(
        2,
        ("nv",),
        forward.forward_dynamics_and_pivots,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
        rows=lambda order: order + 2,
    ),
    "mass_pivots": Quantity(0, ("nv",), forward.mass_pivots, highest_order=0),
    "forward_dynamics_partials": Quantity(
        2,
        ("nv", "nv"),
        forward.forward_dynamics_partials,
        takes_wrenches=True,
        rate_name=lambda k: force_name(k - 1),
        rows=lambda _: 3,
        highest_order=0,
    ),
    "inverse_dynamics_partials": Quantity(
        2,
        ("nv", "nv"),
        partials.inverse_dynamics_partials,
        takes_wrenches=True,
        rows=lambda order: (order + 1) * (order + 3),
    ),
    "regressor": Quantity(2, ("nv", "n_parameters"), regressor.regressor),
    "slotine_li_regressor": Quantity(
        3,
        ("nv", "n_parameters"),
        regressor.slotine_li_regressor,
        {"factorization": FACTORIZATIONS},
        rate_name=lambda k: ("v", "v_r", "a_r")[k],
        highest_order=0,
    ),
    "mass_matrix_partials": _tensor(0, ("nv", "nv", "nv"), tensors.mass_matrix_partials),
    "coriolis_partials": _tensor(
        1,
        ("nv", "nv", "nv"),
        tensors.coriolis_partials,
        options=_factorization,
        rows=lambda _: 2,
    ),
    "gravity_partials": _tensor(0, ("nv", "nv"), tensors.gravity_partials),
    "mass_matrix_parameter_partials": _tensor(
        0, ("nv", "nv", "n_parameters"), tensors.mass_matrix_parameter_partials
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
        2, ("nv", "nv", "nv"), second_partials.inverse_dynamics_second_partials, rows=lambda _: 4
    ),
    "jacobian_partials": Quantity(
        0, (6, "nv", "nv"), tensors.jacobian_partials, _frame | _representation
    ),
    "mass_matrix": Quantity(0, ("nv", "nv"), matrices.mass_matrix),
    "coriolis_matrix": Quantity(
        1, ("nv", "nv"), matrices.coriolis_matrix, {"factorization": FACTORIZATIONS}
    ),
    "gravity_forces": Quantity(0, ("nv",), gravity.gravity_forces),
    "poses": Quantity(0, ("n_bodies", 4, 4), poses.poses),
    "twists": Quantity(1, ("n_bodies", 6), twists.twists, _representation),
    "frame_pose": Quantity(0, (4, 4), poses.frame_pose, _frame),
    "frame_twist": Quantity(1, (6,), twists.frame_twist, _frame | _representation),
    "jacobian": Quantity(0, (6, "nv"), jacobian.jacobian, _frame | _representation),
    "body_jacobians": Quantity(0, ("n_bodies", 6, "nv"), jacobian.body_jacobians, _representation),
    "inverse_kinematics_rates": Quantity(
        0,
        (),
        inverse_kinematics.inverse_kinematics_rates,
        _frame | _representation | inverse_kinematics.RATE_OPTIONS,
        shapes=inverse_kinematics.rate_shapes,
    ),
    "pose_step": Quantity(
        0,
        (),
        pose_step.pose_step,
        _frame | {"representation": ("body", "hybrid")} | inverse_kinematics.DIRECTION_OPTIONS,
        highest_order=0,
        shapes=pose_step.step_shapes,
    ),
    "joint_screws": Quantity(
        0,
        ("nv", 6),
        jacobian.joint_screws,
        {"representation": ("spatial", "body", "hybrid")},
    ),
    "elastic_feedforward": Quantity(
        0,
        (),
        elastic.elastic_feedforward,
        rows=lambda _: 7,
        highest_order=0,
        shapes=elastic.feedforward_shapes,
    ),
    "elastic_coupled": Quantity(
        0,
        (),
        elastic.elastic_coupled,
        takes_wrenches=True,
        rows=lambda order: 2 * (order + 1),
        shapes=elastic.coupled_shapes,
    ),
    "center_of_mass": Quantity(0, (3,), momentum.center_of_mass),
    "com_jacobian": Quantity(0, (3, "nv"), momentum.com_jacobian),
    "momentum": Quantity(1, (6,), momentum.momentum),
    "centroidal_momentum": Quantity(1, (6,), momentum.centroidal_momentum),
    "kinetic_energy": Quantity(1, (), momentum.kinetic_energy),
    "potential_energy": Quantity(1, (), momentum.potential_energy),
}
