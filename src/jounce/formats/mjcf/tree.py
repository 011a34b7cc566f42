"""Bodies, joints and sites of a compiled MuJoCo model, handed to a RobotBuilder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import from_quaternion
from jounce.algebra.vector import ZERO, Vec3
from jounce.formats.mjcf.compiled import WORLD, Source, unique
from jounce.formats.mjcf.refusals import DAMPERS_OFF, Coupling, reflected
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.records import Limits

SIZES = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}


class Motors(NamedTuple):
    """Armature and damping of every MuJoCo degree of freedom, actuators included."""

    armature: np.ndarray
    damping: np.ndarray


def add_bodies(
    source: Source, builder: RobotBuilder, mimics: Mapping[int, Coupling], *, damping: bool
) -> set[str]:
    """Add every body in MuJoCo's order, so that coordinates come in the order of qpos.

    Returns the names that are taken.
    """
    builder.frame(WORLD, None)
    motors = _motors(source, damping)
    taken = set(source.bodies)
    for body in range(1, source.model.nbody):
        _add_body(source, builder, body, motors, mimics, taken)
    return taken


def add_sites(source: Source, builder: RobotBuilder, taken: set[str]) -> None:
    """Add named sites as frames, as ``body/site`` where the name is taken."""
    model = source.model
    for i in range(model.nsite):
        name, body = model.site(i).name, source.bodies[int(model.site_bodyid[i])]
        if name:  # a site without a name cannot be asked for
            label = name if name not in taken else unique(f"{body}/{name}", taken)
            taken.add(label)
            builder.frame(label, body, _pose(model.site_pos[i], model.site_quat[i]).matrix())


def _add_body(
    source: Source,
    builder: RobotBuilder,
    body: int,
    motors: Motors,
    mimics: Mapping[int, Coupling],
    taken: set[str],
) -> None:
    """Add one body; several joints become a chain with massless bodies ``body/joint`` between.

    MuJoCo applies the joints of a body one after the other, each in the body's own frame.
    """
    model, name = source.model, source.bodies[body]
    parent = source.bodies[int(model.body_parentid[body])]
    placement = _pose(model.body_pos[body], model.body_quat[body])
    inertia = None if model.body_mocapid[body] >= 0 else _inertia(model, body)
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if count == 0:
        builder.add(name, parent, kinds.fixed(), placement.matrix(), inertia)
    for joint in range(first, first + count):
        last = joint == first + count - 1
        between = f"{name}/{source.joints[joint].removeprefix(f'{name}/')}"
        child = name if last else unique(between, taken)
        taken.add(child)
        builder.add(
            child,
            parent,
            _joint_type(source, joint),
            _at_zero(source, joint, placement).matrix(),
            inertia if last else None,
            source.joints[joint],
            _per_velocity(source, joint, motors.armature),
            _per_velocity(source, joint, motors.damping),
            _limits(source, joint),
            mimic=_mimic(source, mimics.get(joint)),
        )
        parent, placement = child, IDENTITY


def _at_zero(source: Source, joint: int, placement: Transform) -> Transform:
    """Return the placement at q = 0; the file shows the body at q = ref.

    ``C exp(X (q − ref)) = C exp(−X ref) exp(X q)``.  A free body is placed by q alone.
    """
    kind = source.kind(joint)
    if kind == "free":
        return IDENTITY
    ref = float(source.model.qpos0[source.model.jnt_qposadr[joint]])
    if kind == "ball" or ref == 0.0:
        return placement
    return placement @ _joint_type(source, joint).pose([-ref])


def _joint_type(source: Source, joint: int) -> JointType:
    model, kind = source.model, source.kind(joint)
    axis, point = model.jnt_axis[joint], model.jnt_pos[joint]
    if kind == "free":
        return kinds.free()
    if kind == "ball":
        return kinds.spherical(point=point)
    if kind == "slide":
        return kinds.prismatic(axis)
    return (kinds.revolute if model.jnt_limited[joint] else kinds.continuous)(axis, point=point)


def _limits(source: Source, joint: int) -> Limits:
    """Limits of a hinge or slide; the cone of a ball joint has no place in them."""
    model = source.model
    if source.kind(joint) not in ("hinge", "slide"):
        return Limits()
    lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (None, None)
    effort = np.abs(model.jnt_actfrcrange[joint]).max() if model.jnt_actfrclimited[joint] else None
    return Limits(lower=[lower], upper=[upper], effort=[effort])


def _motors(source: Source, damping: bool) -> Motors:
    model = source.model
    armature, viscous = model.dof_armature.copy(), model.dof_damping.copy()
    if not damping or source.disabled(*DAMPERS_OFF):
        viscous[:] = 0.0
    else:
        np.add.at(viscous, model.jnt_dofadr, reflected(source, "actuator_damping"))
    np.add.at(armature, model.jnt_dofadr, reflected(source, "actuator_armature"))
    return Motors(armature, viscous)


def _per_velocity(source: Source, joint: int, values: np.ndarray) -> list[float]:
    """Take a joint's entries; MJCF has one value a joint, so their order does not matter."""
    start = int(source.model.jnt_dofadr[joint])
    return values[start : start + SIZES[source.kind(joint)]].tolist()


def _mimic(source: Source, coupling: Coupling | None) -> tuple[str, float, float] | None:
    if coupling is None:
        return None
    leader, multiplier, offset = coupling
    return source.joints[leader], multiplier, offset


def _inertia(model: Any, body: int) -> Inertia:
    """Principal moments in the inertial frame, moved to the body frame."""
    x, y, z = (float(moment) for moment in model.body_inertia[body])
    moments = Symmetric3(x, y, z, 0.0, 0.0, 0.0)
    principal = SpatialInertia(float(model.body_mass[body]), ZERO, moments)
    frame = _pose(model.body_ipos[body], model.body_iquat[body])
    return Inertia.from_spatial(principal.moved(frame))


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Transform:
    w, x, y, z = (float(a) for a in quaternion)
    return Transform(from_quaternion(x, y, z, w), Vec3(*(float(a) for a in position)))
