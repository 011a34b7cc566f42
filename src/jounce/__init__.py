"""Robot dynamics and all the derivatives of it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce import elastic as elastic
    from jounce import identification as identification
    from jounce import ik as ik
    from jounce import literature as literature
    from jounce import report as report
    from jounce import simulation as simulation
    from jounce import trajectory as trajectory
    from jounce.adapters.symbolic import Symbolic as Symbolic
    from jounce.adapters.symbolic import symbolic as symbolic
    from jounce.adapters.symbolic_robot import symbolic_parameters as symbolic_parameters
    from jounce.comparison.study import compare as compare
    from jounce.derivatives.closed_form import ClosedForm as ClosedForm
    from jounce.errors import InvalidInertiaError as InvalidInertiaError
    from jounce.errors import JounceError as JounceError
    from jounce.errors import MemoryLimitError as MemoryLimitError
    from jounce.errors import ModelError as ModelError
    from jounce.errors import NotFiniteError as NotFiniteError
    from jounce.errors import RobotFormatError as RobotFormatError
    from jounce.errors import ShapeError as ShapeError
    from jounce.errors import SingularError as SingularError
    from jounce.errors import UnknownNameError as UnknownNameError
    from jounce.errors import UnsupportedError as UnsupportedError
    from jounce.formats.dh import DH as DH
    from jounce.formats.dh import from_dh as from_dh
    from jounce.formats.load import load as load
    from jounce.formats.screws import from_screws as from_screws
    from jounce.ik.pose_solver import IKResult as IKResult
    from jounce.ik.pose_solver import inverse_kinematics as inverse_kinematics
    from jounce.ik.rates import IKRates as IKRates
    from jounce.ik.rates import inverse_kinematics_rates as inverse_kinematics_rates
    from jounce.ik.singular import SingularityError as SingularityError
    from jounce.kernels.closed_form import closed_form as closed_form
    from jounce.kernels.dynamics import centroidal_momentum as centroidal_momentum
    from jounce.kernels.dynamics import gravity_forces as gravity_forces
    from jounce.kernels.dynamics import inverse_dynamics as inverse_dynamics
    from jounce.kernels.dynamics import joint_wrenches as joint_wrenches
    from jounce.kernels.dynamics import kinetic_energy as kinetic_energy
    from jounce.kernels.dynamics import momentum as momentum
    from jounce.kernels.dynamics import potential_energy as potential_energy
    from jounce.kernels.functions import Wrench as Wrench
    from jounce.kernels.kernel import kernel as kernel
    from jounce.kernels.kinematics import body_jacobians as body_jacobians
    from jounce.kernels.kinematics import center_of_mass as center_of_mass
    from jounce.kernels.kinematics import com_jacobian as com_jacobian
    from jounce.kernels.kinematics import frame_pose as frame_pose
    from jounce.kernels.kinematics import frame_twist as frame_twist
    from jounce.kernels.kinematics import jacobian as jacobian
    from jounce.kernels.kinematics import joint_screws as joint_screws
    from jounce.kernels.kinematics import poses as poses
    from jounce.kernels.kinematics import twists as twists
    from jounce.kernels.matrices import coriolis_matrix as coriolis_matrix
    from jounce.kernels.matrices import forward_dynamics as forward_dynamics
    from jounce.kernels.matrices import mass_matrix as mass_matrix
    from jounce.kernels.partials import forward_dynamics_partials as forward_dynamics_partials
    from jounce.kernels.partials import inverse_dynamics_partials as inverse_dynamics_partials
    from jounce.kernels.partials import regressor as regressor
    from jounce.kernels.partials import slotine_li_regressor as slotine_li_regressor
    from jounce.kernels.tensors import SecondPartials as SecondPartials
    from jounce.kernels.tensors import coriolis_parameter_partials as coriolis_parameter_partials
    from jounce.kernels.tensors import coriolis_partials as coriolis_partials
    from jounce.kernels.tensors import gravity_parameter_partials as gravity_parameter_partials
    from jounce.kernels.tensors import gravity_partials as gravity_partials
    from jounce.kernels.tensors import (
        inverse_dynamics_second_partials as inverse_dynamics_second_partials,
    )
    from jounce.kernels.tensors import jacobian_partials as jacobian_partials
    from jounce.kernels.tensors import (
        mass_matrix_parameter_partials as mass_matrix_parameter_partials,
    )
    from jounce.kernels.tensors import mass_matrix_partials as mass_matrix_partials
    from jounce.model import examples as examples
    from jounce.model import joints as joints
    from jounce.model.builder import RobotBuilder as RobotBuilder
    from jounce.model.bundled import robots as robots
    from jounce.model.configuration import configuration_rate as configuration_rate
    from jounce.model.configuration import difference as difference
    from jounce.model.configuration import integrate as integrate
    from jounce.model.inertia import Inertia as Inertia
    from jounce.model.records import Limits as Limits
    from jounce.model.robot import Robot as Robot
    from jounce.model.robot import parameters as parameters
    from jounce.verification.records import Verification as Verification
    from jounce.verification.verify import verify as verify

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first used.
_HOMES = {
    "jounce": "elastic identification ik literature report simulation trajectory",
    "jounce.adapters.symbolic": "Symbolic symbolic",
    "jounce.adapters.symbolic_robot": "symbolic_parameters",
    "jounce.comparison.study": "compare",
    "jounce.derivatives.closed_form": "ClosedForm",
    "jounce.errors": (
        "InvalidInertiaError JounceError MemoryLimitError ModelError NotFiniteError "
        "RobotFormatError ShapeError SingularError UnknownNameError UnsupportedError"
    ),
    "jounce.formats.dh": "DH from_dh",
    "jounce.formats.load": "load",
    "jounce.formats.screws": "from_screws",
    "jounce.ik.pose_solver": "IKResult inverse_kinematics",
    "jounce.ik.rates": "IKRates inverse_kinematics_rates",
    "jounce.ik.singular": "SingularityError",
    "jounce.kernels.closed_form": "closed_form",
    "jounce.kernels.dynamics": (
        "centroidal_momentum gravity_forces inverse_dynamics joint_wrenches kinetic_energy "
        "momentum potential_energy"
    ),
    "jounce.kernels.functions": "Wrench",
    "jounce.kernels.kernel": "kernel",
    "jounce.kernels.kinematics": (
        "body_jacobians center_of_mass com_jacobian frame_pose frame_twist jacobian joint_screws "
        "poses twists"
    ),
    "jounce.kernels.matrices": "coriolis_matrix forward_dynamics mass_matrix",
    "jounce.kernels.partials": (
        "forward_dynamics_partials inverse_dynamics_partials regressor slotine_li_regressor"
    ),
    "jounce.kernels.tensors": (
        "SecondPartials coriolis_parameter_partials coriolis_partials gravity_parameter_partials "
        "gravity_partials inverse_dynamics_second_partials jacobian_partials "
        "mass_matrix_parameter_partials mass_matrix_partials"
    ),
    "jounce.model": "examples joints",
    "jounce.model.builder": "RobotBuilder",
    "jounce.model.bundled": "robots",
    "jounce.model.configuration": "configuration_rate difference integrate",
    "jounce.model.inertia": "Inertia",
    "jounce.model.records": "Limits",
    "jounce.model.robot": "Robot parameters",
    "jounce.verification.records": "Verification",
    "jounce.verification.verify": "verify",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'jounce' has no attribute {name!r}")
    home = _HOME[name]
    if home in ("jounce", "jounce.model"):
        value = import_module(f"{home}.{name}")
    else:
        value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
