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
==============  ==========================================  =================================

A model built by hand must add its joints depth first, or its matrices are silently wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]

from jounce.model.records import Joint
from jounce.model.robot import Robot


def urdf_model(source: str | Path, *, floating_base: bool = False, mimic: bool = False) -> Any:
    """Return Pinocchio's model of a URDF file or text; ValueError where it refuses."""
    root = (pin.JointModelFreeFlyer(),) if floating_base else ()
    if isinstance(source, Path):
        return pin.buildModelFromUrdf(str(source), *root, mimic=mimic)
    return pin.buildModelFromXML(source, *root, mimic=mimic)


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
        nq, nv = self.model.nq, self.model.nv
        result = np.zeros(nq), np.zeros(nv), np.zeros(nv)
        for joint, theirs in self.pairs:
            q_at = slice(theirs.idx_q, theirs.idx_q + theirs.nq)
            v_at = slice(theirs.idx_v, theirs.idx_v + theirs.nv)
            own = q[joint.q_slice], v[joint.v_slice], a[joint.v_slice]
            parts = _joint_motion(joint, theirs.nq, *own)
            for whole, place, part in zip(result, (q_at, v_at, v_at), parts, strict=True):
                whole[place] = part
        return result

    def forces(self, q: Any, tau: Any) -> np.ndarray:
        """Return generalised forces of Pinocchio in the order and representation of Jounce."""
        result = np.zeros(self.robot.nv)
        for joint, theirs in self.pairs:
            part = tau[theirs.idx_v : theirs.idx_v + theirs.nv]
            if joint.kind == "free":
                part = _swapped(part)
            elif joint.kind == "planar":
                part = np.array([*(_turn(q[joint.q_slice][2]) @ part[:2]), part[2]])
            result[joint.v_slice] = part
        return result

    def inertia(self, joint: str) -> np.ndarray:
        """Return the 6x6 inertia of the body a joint carries, angular first, about its origin."""
        matrix = self.model.inertias[self.model.getJointId(joint)].matrix()
        return np.roll(matrix, (3, 3), axis=(0, 1))

    def frame(self, link: str) -> tuple[str, np.ndarray]:
        """Return the joint that carries a link and the 4x4 pose of the link in its body."""
        frame = self.model.frames[self.model.getFrameId(link, pin.FrameType.BODY)]
        return self.model.names[frame.parentJoint], frame.placement.homogeneous


def _joint_motion(joint: Joint, nq: int, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
    if joint.kind == "free":
        return q, _swapped(v), _swapped(a)
    if joint.kind == "planar":
        x, y, angle = q
        R, spin = _turn(angle), v[2]
        velocity = R.T @ v[:2]
        acceleration = R.T @ a[:2] - spin * np.array([-velocity[1], velocity[0]])
        q_pin = np.array([x, y, np.cos(angle), np.sin(angle)])
        return q_pin, np.array([*velocity, spin]), np.array([*acceleration, a[2]])
    if joint.nq == 1 and nq == 2:
        return np.array([np.cos(q[0]), np.sin(q[0])]), v, a
    return q, v, a


def _swapped(pair: Any) -> np.ndarray:
    """Exchange the angular and the linear half of a 6-vector."""
    return np.roll(pair, 3)


def _turn(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])
