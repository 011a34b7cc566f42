"""Pinocchio as a peer: the one place of its conventions in the tests.

==============  ==========================================  =================================
                Jounce                                      Pinocchio
==============  ==========================================  =================================
order of q, v   depth first, document order                 its own; mapped here by joint name
6-vectors       angular first                               linear first
free            position, quaternion x y z w; (ω, v) child  the same q; (v, ω) child
spherical       quaternion x y z w; ω child                 the same
continuous      angle                                       cos, sin ("unbounded")
planar          x, y, angle; dq/dt                          x, y, cos, sin; (vx, vy, ω) child
mimic           no coordinate of its own                    the same with ``mimic=True``
gravity         −9.80665 along z                            −9.81; set to that of the robot
body            ``representation="body"``                   LOCAL
spatial         ``representation="spatial"``                WORLD
hybrid          ``representation="hybrid"``                 LOCAL_WORLD_ALIGNED
J'              derivative of the components                the same, in all three frames
V'              derivative of the components                body, spatial: getFrameAcceleration;
                                                            hybrid: getFrameClassicalAcceleration
base matter     counts for mass and centre of mass          forgotten
kinetic energy  ½ vᵀ M v, motors included                   motors of some joints only; set to 0
==============  ==========================================  =================================

A model built by hand must add its joints depth first, or its matrices are silently wrong;
`jounce.adapters.pinocchio` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]

from jounce.adapters.pinocchio import pinocchio_model
from jounce.formats.load import load
from jounce.model.examples import random_tree
from jounce.model.inertia import NO_MATTER
from jounce.model.records import Joint
from jounce.model.robot import Robot
from tests.example_robots import urdf

REFERENCE_FRAMES = {
    "body": pin.ReferenceFrame.LOCAL,
    "spatial": pin.ReferenceFrame.WORLD,
    "hybrid": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}
_ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


def urdf_model(source: str | Path, *, floating_base: bool = False, mimic: bool = False) -> Any:
    """Return Pinocchio's model of a URDF file or text; ValueError where it refuses."""
    root = (pin.JointModelFreeFlyer(),) if floating_base else ()
    if isinstance(source, Path):
        return pin.buildModelFromUrdf(str(source), *root, mimic=mimic)
    return pin.buildModelFromXML(source, *root, mimic=mimic)


FILES = {
    "panda": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}


def named_peer(
    name: str,
    rng: np.random.Generator,
    kinds: Sequence[str],
    motorless: Callable[[Joint], bool] = lambda joint: joint.kind == "planar",
) -> PinocchioPeer:
    """Return the peer of a file or of a random tree, "panda", "talos floating", "tree", …

    Trees have motors but where ``motorless`` says so: Pinocchio's act on other rates in planar
    joints.  Matter of the base, which Pinocchio forgets, is left out.
    """
    kind, *floating = name.split()
    base = bool(floating)
    if kind in FILES:
        path = urdf(FILES[kind])
        robot = load(path, floating_base=base, mimic=False)
        model = urdf_model(path, floating_base=base)
        return PinocchioPeer(replace(robot, base_inertia=NO_MATTER), model)
    robot = random_tree(rng, 12, kinds, floating_base=base, oblique_gravity=True, armature=True)
    joints = (replace(j, armature=(0.0,) * j.nv) if motorless(j) else j for j in robot.joints)
    robot = replace(robot, base_inertia=NO_MATTER, joints=tuple(joints))
    return PinocchioPeer(robot, pinocchio_model(robot))


class PinocchioPeer:
    """The same robot in Pinocchio, spoken to in the conventions of Jounce, one state at a time."""

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        self.model.gravity.linear = np.array(robot.gravity, float)
        self.data = model.createData()
        moving = [joint for joint in robot.joints if joint.mimic is None]
        theirs = {name: model.joints[k] for k, name in enumerate(model.names)}
        self.pairs = [(joint, theirs[joint.name]) for joint in moving]
        assert (robot.nv, len(robot.joints)) == (model.nv, model.njoints - 1)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> np.ndarray:
        """Return Q by ``pin.rnea``, in the order and representation of Jounce."""
        motion = self.motion(q, v, a)
        return self.forces(q, pin.rnea(self.model, self.data, *motion))

    def motion(self, q: Any, v: Any, a: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a motion in the order and representation of Pinocchio."""
        q_pin = np.zeros(self.model.nq)
        for joint, theirs in self.pairs:
            place = slice(theirs.idx_q, theirs.idx_q + theirs.nq)
            q_pin[place] = _coordinates(joint, theirs.nq, q[joint.q_slice])
        B, B1 = self.rates(q, v)
        return q_pin, B @ v, B @ a + B1 @ v

    def forces(self, q: Any, tau: Any) -> np.ndarray:
        """Return generalised forces of Pinocchio in the order and representation of Jounce."""
        return self.rates(q, np.zeros(self.robot.nv))[0].T @ tau

    def inertia(self, joint: str) -> np.ndarray:
        """Return the 6x6 inertia of the body a joint carries, angular first, about its origin."""
        matrix = self.model.inertias[self.model.getJointId(joint)].matrix()
        return np.roll(matrix, (3, 3), axis=(0, 1))

    def frame(self, link: str) -> tuple[str, np.ndarray]:
        """Return the joint that carries a link and the 4x4 pose of the link in its body."""
        frame = self.model.frames[self.frame_id(link)]
        return self.model.names[frame.parentJoint], frame.placement.homogeneous

    def frame_id(self, link: str) -> int:
        """Return the number of a frame of Jounce; all of them are links to Pinocchio."""
        return self.model.getFrameId(link, pin.FrameType.BODY)

    def rates(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return B and its time derivative, where ``B v`` is the velocity of Pinocchio."""
        B, B1 = np.zeros((2, self.robot.nv, self.robot.nv))
        for joint, theirs in self.pairs:
            rows = slice(theirs.idx_v, theirs.idx_v + theirs.nv)
            block, rate = np.eye(theirs.nv), np.zeros((theirs.nv, theirs.nv))
            if joint.kind == "free":
                block = np.roll(block, 3, axis=0)
            elif joint.kind == "planar":
                angle, spin = q[joint.q_slice][2], v[joint.v_slice][2]
                block[:2, :2] = _turn(angle).T
                rate[:2, :2] = spin * _turn(angle + np.pi / 2).T
            B[rows, joint.v_slice], B1[rows, joint.v_slice] = block, rate
        return B, B1


class PinocchioState:
    """What Pinocchio says of one motion of one robot, in the conventions of Jounce."""

    def __init__(self, peer: PinocchioPeer, q: Any, v: Any, a: Any) -> None:
        self.peer, self.model, self.data = peer, peer.model, peer.model.createData()
        self.motion = peer.motion(q, v, a)
        self.B, self.B1 = peer.rates(q, v)
        pin.computeJointJacobiansTimeVariation(self.model, self.data, *self.motion[:2])
        pin.forwardKinematics(self.model, self.data, *self.motion)
        pin.updateFramePlacements(self.model, self.data)

    def pose(self, frame: str) -> np.ndarray:
        """Return T_world_frame."""
        return self.data.oMf[self.peer.frame_id(frame)].homogeneous

    def twist(self, frame: str, representation: str) -> np.ndarray:
        """Return the velocity of a frame."""
        return self._of_frame(pin.getFrameVelocity, frame, representation).vector[_ANGULAR_FIRST]

    def acceleration(self, frame: str, representation: str, kind: str) -> np.ndarray:
        """Return ``getFrameAcceleration`` (spatial) or ``getFrameClassicalAcceleration``."""
        functions = {
            "spatial": pin.getFrameAcceleration,
            "classical": pin.getFrameClassicalAcceleration,
        }
        return self._of_frame(functions[kind], frame, representation).vector[_ANGULAR_FIRST]

    def jacobian(self, frame: str, representation: str) -> np.ndarray:
        """Return J and its time derivative by ``getFrameJacobianTimeVariation``."""
        J = self._of_frame(pin.getFrameJacobian, frame, representation)
        J1 = self._of_frame(pin.getFrameJacobianTimeVariation, frame, representation)
        return np.array([J @ self.B, J1 @ self.B + J @ self.B1])[:, _ANGULAR_FIRST]

    def inverse_dynamics(self, wrenches: dict[str, tuple[Any, str]]) -> np.ndarray:
        """Return Q by ``pin.rnea`` under wrenches given by frame, values and representation."""
        external = [pin.Force.Zero() for _ in self.model.joints]
        for frame, (values, representation) in wrenches.items():
            number = self.peer.frame_id(frame)
            joint = self.model.frames[number].parentJoint
            T = _lever(representation, self.data.oMf[number])
            external[joint] += self.data.oMi[joint].actInv(T.act(_force(values)))
        tau = pin.rnea(self.model, self.data, *self.motion, external)
        return self.B.T @ tau

    def joint_wrench(self, body: str, representation: str) -> np.ndarray:
        """Return the wrench of the parent on a body; call `inverse_dynamics` first."""
        number = self.peer.frame_id(body)
        joint = self.model.frames[number].parentJoint
        T = _lever(representation, self.data.oMf[number])
        in_world = self.data.oMi[joint].act(self.data.f[joint])
        return T.actInv(in_world).vector[_ANGULAR_FIRST]

    def gravity_forces(self) -> np.ndarray:
        """Return the gravity forces and their time derivative.

        The latter is wrong for universal joints: Pinocchio's partials of composite joints leave
        out that one axis turns the other.
        """
        q, v, _ = self.motion
        g = pin.computeGeneralizedGravity(self.model, self.data, q)
        partials = pin.computeGeneralizedGravityDerivatives(self.model, self.data, q)
        return np.array([self.B.T @ g, self.B.T @ (partials @ v) + self.B1.T @ g])

    def center_of_mass(self) -> np.ndarray:
        """Return position, velocity and acceleration of the centre of mass."""
        pin.centerOfMass(self.model, self.data, *self.motion)
        return np.array([self.data.com[0], self.data.vcom[0], self.data.acom[0]])

    def com_jacobian(self) -> np.ndarray:
        """Return the Jacobian of the centre of mass."""
        return pin.jacobianCenterOfMass(self.model, self.data, self.motion[0]) @ self.B

    def centroidal_momentum(self) -> np.ndarray:
        """Return the momentum about the centre of mass and its time derivative."""
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, *self.motion)
        return np.array([self.data.hg.vector, self.data.dhg.vector])[:, _ANGULAR_FIRST]

    def energies(self) -> tuple[float, float]:
        """Return kinetic energy (no motors) and potential energy."""
        q, v, _ = self.motion
        motors = self.model.armature.copy()
        self.model.armature[:] = 0.0
        kinetic = pin.computeKineticEnergy(self.model, self.data, q, v)
        self.model.armature[:] = motors
        return kinetic, pin.computePotentialEnergy(self.model, self.data, q)

    def _of_frame(self, function: Any, frame: str, representation: str) -> Any:
        number = self.peer.frame_id(frame)
        return function(self.model, self.data, number, REFERENCE_FRAMES[representation])


def _lever(representation: str, T_world_frame: Any) -> Any:
    """Return the frame that a representation takes components in, as a pose in the world."""
    if representation == "body":
        return T_world_frame
    aside = T_world_frame.translation if representation == "hybrid" else np.zeros(3)
    return pin.SE3(np.eye(3), aside)


def _force(wrench: Any) -> Any:
    return pin.Force(np.array(wrench[3:], float), np.array(wrench[:3], float))


def _coordinates(joint: Joint, nq: int, q: Any) -> Any:
    if joint.kind == "planar":
        x, y, angle = q
        return np.array([x, y, np.cos(angle), np.sin(angle)])
    if joint.nq == 1 and nq == 2:
        return np.array([np.cos(q[0]), np.sin(q[0])])
    return q


def _turn(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])
