"""Every public name and where it lives; `jounce.lazy` reads this list."""

from jounce import adapters as adapters
from jounce import elastic as elastic
from jounce import fleet as fleet
from jounce import identification as identification
from jounce import ik as ik
from jounce import literature as literature
from jounce import planning as planning
from jounce import report as report
from jounce import simulation as simulation
from jounce import tables as tables
from jounce import trajectory as trajectory
from jounce import viewer as viewer
from jounce.api.call import Wrench as Wrench
from jounce.api.closed_form import closed_form as closed_form
from jounce.api.closures import close as close
from jounce.api.closures import closed_rates as closed_rates
from jounce.api.closures import closure_error as closure_error
from jounce.api.closures import closure_jacobian as closure_jacobian
from jounce.api.closures import (
    constrained_forward_dynamics as constrained_forward_dynamics,
)
from jounce.api.closures import (
    constrained_forward_dynamics_partials as constrained_forward_dynamics_partials,
)
from jounce.api.closures import (
    constrained_inverse_dynamics as constrained_inverse_dynamics,
)
from jounce.api.closures import (
    constrained_inverse_dynamics_partials as constrained_inverse_dynamics_partials,
)
from jounce.api.closures import mobility as mobility
from jounce.api.dynamics import body_momenta as body_momenta
from jounce.api.dynamics import centroidal_momentum as centroidal_momentum
from jounce.api.dynamics import centroidal_momentum_matrix as centroidal_momentum_matrix
from jounce.api.dynamics import gravity_forces as gravity_forces
from jounce.api.dynamics import gravity_wrenches as gravity_wrenches
from jounce.api.dynamics import inverse_dynamics as inverse_dynamics
from jounce.api.dynamics import joint_wrenches as joint_wrenches
from jounce.api.dynamics import kinetic_energy as kinetic_energy
from jounce.api.dynamics import momentum as momentum
from jounce.api.dynamics import potential_energy as potential_energy
from jounce.api.dynamics import wrench_forces as wrench_forces
from jounce.api.kinematics import body_jacobians as body_jacobians
from jounce.api.kinematics import center_of_mass as center_of_mass
from jounce.api.kinematics import com_jacobian as com_jacobian
from jounce.api.kinematics import frame_pose as frame_pose
from jounce.api.kinematics import frame_twist as frame_twist
from jounce.api.kinematics import jacobian as jacobian
from jounce.api.kinematics import joint_screws as joint_screws
from jounce.api.kinematics import poses as poses
from jounce.api.kinematics import relative_twists as relative_twists
from jounce.api.kinematics import twists as twists
from jounce.api.matrices import coriolis_matrix as coriolis_matrix
from jounce.api.matrices import forward_dynamics as forward_dynamics
from jounce.api.matrices import mass_matrix as mass_matrix
from jounce.api.partials import centroidal_momentum_partials as centroidal_momentum_partials
from jounce.api.partials import forward_dynamics_partials as forward_dynamics_partials
from jounce.api.partials import frame_pose_partials as frame_pose_partials
from jounce.api.partials import frame_twist_partials as frame_twist_partials
from jounce.api.partials import inverse_dynamics_gradient as inverse_dynamics_gradient
from jounce.api.partials import (
    inverse_dynamics_hessian_product as inverse_dynamics_hessian_product,
)
from jounce.api.partials import inverse_dynamics_partials as inverse_dynamics_partials
from jounce.api.partials import kinetic_energy_regressor as kinetic_energy_regressor
from jounce.api.partials import potential_energy_regressor as potential_energy_regressor
from jounce.api.partials import regressor as regressor
from jounce.api.partials import slotine_li_regressor as slotine_li_regressor
from jounce.api.partials import static_regressor as static_regressor
from jounce.api.tensors import SecondPartials as SecondPartials
from jounce.api.tensors import com_jacobian_partials as com_jacobian_partials
from jounce.api.tensors import coriolis_parameter_partials as coriolis_parameter_partials
from jounce.api.tensors import coriolis_partials as coriolis_partials
from jounce.api.tensors import gravity_parameter_partials as gravity_parameter_partials
from jounce.api.tensors import gravity_partials as gravity_partials
from jounce.api.tensors import (
    inverse_dynamics_second_partials as inverse_dynamics_second_partials,
)
from jounce.api.tensors import jacobian_partials as jacobian_partials
from jounce.api.tensors import (
    mass_matrix_parameter_partials as mass_matrix_parameter_partials,
)
from jounce.api.tensors import mass_matrix_partials as mass_matrix_partials
from jounce.comparison.study import compare as compare
from jounce.dynamics.closed_form import ClosedForm as ClosedForm
from jounce.errors import ArgumentError as ArgumentError
from jounce.errors import ClosureError as ClosureError
from jounce.errors import ClusterError as ClusterError
from jounce.errors import ConvergenceError as ConvergenceError
from jounce.errors import InfeasibleError as InfeasibleError
from jounce.errors import InvalidInertiaError as InvalidInertiaError
from jounce.errors import JounceError as JounceError
from jounce.errors import MemoryLimitError as MemoryLimitError
from jounce.errors import ModelError as ModelError
from jounce.errors import NotFiniteError as NotFiniteError
from jounce.errors import PathError as PathError
from jounce.errors import RobotFormatError as RobotFormatError
from jounce.errors import ShapeError as ShapeError
from jounce.errors import SimulationError as SimulationError
from jounce.errors import SingularError as SingularError
from jounce.errors import SingularityError as SingularityError
from jounce.errors import SolverError as SolverError
from jounce.errors import TableError as TableError
from jounce.errors import UnknownNameError as UnknownNameError
from jounce.errors import UnsupportedError as UnsupportedError
from jounce.errors import WrongTypeError as WrongTypeError
from jounce.formats.bundled import robots as robots
from jounce.formats.dh import DH as DH
from jounce.formats.dh import from_dh as from_dh
from jounce.formats.load import load as load
from jounce.formats.screws import from_screws as from_screws
from jounce.ik.pose_solver import IKResult as IKResult
from jounce.ik.pose_solver import inverse_kinematics as inverse_kinematics
from jounce.ik.rates import IKRates as IKRates
from jounce.ik.rates import inverse_kinematics_rates as inverse_kinematics_rates
from jounce.kernels.kernel import kernel as kernel
from jounce.model import examples as examples
from jounce.model import joints as joints
from jounce.model.builder import RobotBuilder as RobotBuilder
from jounce.model.closures import Closure as Closure
from jounce.model.configuration import configuration_rate as configuration_rate
from jounce.model.configuration import difference as difference
from jounce.model.configuration import difference_partials as difference_partials
from jounce.model.configuration import integrate as integrate
from jounce.model.configuration import integrate_partials as integrate_partials
from jounce.model.inertia import Inertia as Inertia
from jounce.model.parameters import parameters as parameters
from jounce.model.placement import transform as transform
from jounce.model.records import Limits as Limits
from jounce.model.robot import Robot as Robot
from jounce.symbols.equations import Symbolic as Symbolic
from jounce.symbols.equations import symbolic as symbolic
from jounce.symbols.parameters import symbolic_parameters as symbolic_parameters
from jounce.symbols.snapping import SnapWarning as SnapWarning
from jounce.verification.records import Verification as Verification
from jounce.verification.verify import verify as verify

__version__: str
