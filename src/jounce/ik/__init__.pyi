"""The public names of inverse kinematics, and where they live."""

from jounce.errors import PathError as PathError
from jounce.errors import SingularityError as SingularityError
from jounce.ik.joint_path import JointPath as JointPath
from jounce.ik.joint_path import follow as follow
from jounce.ik.pose_paths import PosePath as PosePath
from jounce.ik.pose_paths import PoseSpline as PoseSpline
from jounce.ik.pose_paths import ScrewMotions as ScrewMotions
from jounce.ik.pose_paths import read_poses as read_poses
from jounce.ik.pose_solver import IKResult as IKResult
from jounce.ik.pose_solver import inverse_kinematics as inverse_kinematics
from jounce.ik.rates import IKRates as IKRates
from jounce.ik.rates import inverse_kinematics_rates as inverse_kinematics_rates
