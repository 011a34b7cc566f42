"""A robot as a model of Pinocchio: the one place of the library that builds one.

Pinocchio is not a dependency; whoever asks for a model has installed it (``pip install pin``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.errors import UnsupportedError
from jounce.model.joints.axial import Axial
from jounce.model.records import Joint
from jounce.model.robot import Robot


def pinocchio_model(robot: Robot) -> Any:
    """Return Pinocchio's model of a robot, built joint by joint, with its gravity and frames.

    Joints come depth first, as Pinocchio wants them.  Coordinates are the same where all joints
    are revolute, prismatic, helical, spherical or free, but velocities of a free joint are linear
    first there, and a planar joint has (x, y, cos, sin) and velocities in the child frame.
    Matter that is welded to the ground is left out, and so is friction.  Mimic joints are
    refused: load the robot with ``mimic=False``.
    """
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    mimics = [joint.name for joint in robot.joints if joint.mimic is not None]
    if mimics:
        raise UnsupportedError(
            f"{robot.name}: joint {mimics[0]} follows another one; load with mimic=False."
        )
    model = pin.Model()
    model.name = robot.name
    model.gravity.linear = np.array(robot.gravity, float)
    numbers = {-1: 0}
    mounts = {-1: pin.SE3.Identity()}  # T_joint_body: a joint may lie off the body's origin
    for i in _depth_first(robot):
        body, joint = robot.bodies[i], robot.joints[i]
        mounts[i] = _mount(pin, joint)
        placement = mounts[body.parent] * _se3(pin, body.placement) * mounts[i].inverse()
        at = model.addJoint(numbers[body.parent], _joint_model(pin, joint), placement, joint.name)
        numbers[i] = at
        com, rotational = np.array(body.inertia.com), np.array(body.inertia.rotational)
        model.appendBodyToJoint(at, pin.Inertia(body.inertia.mass, com, rotational), mounts[i])
        own = model.joints[at]
        model.armature[own.idx_v : own.idx_v + own.nv] = _armature(joint)
    for frame in robot.frames:
        placement = mounts[frame.body] * _se3(pin, frame.placement)
        at = numbers[frame.body]
        model.addFrame(pin.Frame(frame.name, at, 0, placement, pin.FrameType.BODY))
    return model


def _depth_first(robot: Robot, parent: int = -1) -> list[int]:
    own = [i for i, p in enumerate(robot.parents) if p == parent]
    return [k for i in own for k in (i, *_depth_first(robot, i))]


def _mount(pin: Any, joint: Joint) -> Any:
    """Return T_joint_body: Pinocchio's joints turn about their origin, planar ones about z."""
    if joint.kind == "planar":
        axes = [step.axis for step in joint.type.steps if isinstance(step, Axial)]
        return pin.SE3(np.array(axes, float), np.zeros(3))
    return pin.SE3(np.eye(3), -np.array(joint.type.point, float))


def _joint_model(pin: Any, joint: Joint) -> Any:
    """Return the joint; a continuous one is revolute, as the unbounded one takes no axis here."""
    axes = [np.array(axis, float) for axis in joint.type.axes]
    revolute, prismatic = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    if joint.kind == "helical":
        return pin.JointModelHelicalUnaligned(axes[0], joint.type.pitch)
    if joint.kind in ("cylindrical", "universal"):
        second = prismatic if joint.kind == "cylindrical" else revolute
        composite = pin.JointModelComposite(revolute(axes[0]), pin.SE3.Identity())
        composite.addJoint(second(axes[-1]), pin.SE3.Identity())
        return composite
    if joint.kind in ("revolute", "continuous", "prismatic"):
        return (prismatic if joint.kind == "prismatic" else revolute)(axes[0])
    others = {
        "free": pin.JointModelFreeFlyer,
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
    }
    return others[joint.kind]()


def _armature(joint: Joint) -> Any:
    """Return the motor inertias in the order of Pinocchio's velocities."""
    if joint.kind == "planar" and any(joint.armature):
        raise UnsupportedError(
            f"joint {joint.name}: motor inertia of a planar joint acts on other rates in Pinocchio."
        )
    return np.roll(joint.armature, 3) if joint.kind == "free" else joint.armature


def _se3(pin: Any, T: Any) -> Any:
    matrix = np.array(T.matrix(), float)
    return pin.SE3(matrix[:3, :3], matrix[:3, 3])


def pinocchio_order(robot: Robot, model: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where Pinocchio's q and v stand in those of Jounce; None if a joint has other ones.

    ``q[order_q]`` and ``v[order_v]`` are what `pinocchio_model` takes.
    """
    if any(joint.kind == "planar" for joint in robot.joints):
        return None
    order_q, order_v = np.zeros(robot.nq, int), np.zeros(robot.nv, int)
    for joint in robot.joints:
        own = model.joints[model.getJointId(joint.name)]
        if own.nq != joint.nq:  # (cos, sin) of a continuous joint that Pinocchio has read
            return None
        order_q[own.idx_q : own.idx_q + own.nq] = np.arange(robot.nq)[joint.q_slice]
        rates = np.arange(robot.nv)[joint.v_slice]
        order_v[own.idx_v : own.idx_v + own.nv] = np.roll(rates, 3 if joint.kind == "free" else 0)
    return order_q, order_v
