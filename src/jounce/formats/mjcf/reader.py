"""MJCF files, through MuJoCo's own parser and compiler (extra ``jounce[mjcf]``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.vector import ZERO
from jounce.errors import located
from jounce.formats.mjcf.compiled import WORLD, Compiled, compile_file, pose, unique
from jounce.formats.mjcf.refusals import (
    DAMPERS_OFF,
    couplings,
    loops,
    reflected,
    refuse_unsupported,
)
from jounce.model import joints as kinds
from jounce.model.builder import RobotBuilder
from jounce.model.inertia import Inertia
from jounce.model.joints import JointType
from jounce.model.mimics import Follows
from jounce.model.records import COULOMB_SPEED, Limits
from jounce.model.robot import Robot
from jounce.model.visuals import MeshFile, Visual

GROUPS_SHOWN = 3


def load_mjcf(
    path: str | Path,
    *,
    mimic: bool = True,
    damping: bool = False,
    friction: bool = False,
    coulomb_speed: float = COULOMB_SPEED,
    strict: bool = True,
) -> Robot:
    """Read an MJCF file.

    Coordinates have MuJoCo's order and meaning (``ref`` included), with two differences:
    quaternions are x y z w, and the velocity of a free body is its twist (ω, v) in the body
    frame, where MuJoCo has v in the world, then ω.

    - hinge is revolute (continuous without a range), slide prismatic, ball spherical, free
      free.  Every MuJoCo joint is one joint here and keeps its name; a body with several
      joints becomes a chain whose massless bodies in between are called ``body/joint``.
    - A body without joints is welded to its parent and stays as a frame; sites are frames,
      ``body/site`` where the name is taken.  Mocap bodies are welded to the ground where the
      file has them, matter included.
    - Armature of joints is kept, that of actuators (times gear²) added.  ``damping=True``
      keeps viscous damping, of joints and actuators alike; ``friction=True`` the frictionloss of
      joints, smoothed over ``coulomb_speed``; what is not applied is noted in
      ``robot.warnings``.
    - A linear joint equality makes its first joint follow the second (exactly, where MuJoCo
      has a spring); ``mimic=False`` frees it.  ``connect`` and ``weld`` become closures
      (`jounce.Closure`).  Inactive equalities are left out.
    - Gravity is the file's.  Contacts, limits as forces, the forces of actuators, sensors and
      keyframes are no part of a robot here.

    Whatever else changes the dynamics is refused by name with UnsupportedError: springs,
    other equalities, tendons with stiffness or armature, gravcomp, fluids, flexes, plugins.
    A file that MuJoCo cannot compile raises RobotFormatError with MuJoCo's message.
    """
    compiled = compile_file(path)
    refuse_unsupported(compiled, damping=damping)
    followers = couplings(compiled, mimic=mimic)
    gravity = np.zeros(3) if compiled.disabled("GRAVITY") else compiled.model.opt.gravity
    builder = RobotBuilder(compiled.name, gravity, base_name=WORLD)
    builder.warnings += [*compiled.warnings, *_notes(compiled, friction)]
    with located(str(compiled.path)):
        motors = _motors(compiled, damping, friction)
        builder.frame(WORLD, None)
        taken = set(compiled.bodies)
        for body in range(1, compiled.model.nbody):  # so coordinates come in the order of qpos
            _add_body(compiled, builder, body, motors, coulomb_speed, followers, taken)
        _add_sites(compiled, builder, taken)
        _add_closures(compiled, builder, taken)
        builder.visuals = _visuals(compiled)
        return builder.build(strict)


def _notes(compiled: Compiled, friction: bool) -> list[str]:
    """Say what was read and left out because it is no part of the equations of motion."""
    model, notes = compiled.model, []
    for j, name in enumerate(compiled.joints):
        if _frictionloss(compiled)[model.jnt_dofadr[j]] and not friction:
            notes.append(f"frictionloss of joint {name!r} is not applied.")
        if compiled.kind(j) == "ball" and model.jnt_limited[j]:
            notes.append(f"the cone that limits ball joint {name!r} is not kept.")
    if np.any(model.tendon_frictionloss):
        notes.append("frictionloss of tendons is not applied.")
    return notes


def _add_sites(compiled: Compiled, builder: RobotBuilder, taken: set[str]) -> None:
    """Add named sites as frames, as ``body/site`` where the name is taken."""
    model = compiled.model
    for i, name in enumerate(compiled.names("site")):
        body = compiled.bodies[int(model.site_bodyid[i])]
        if name:  # a site without a name cannot be asked for
            label = unique(name if name not in taken else f"{body}/{name}", taken)
            builder.frame(label, body, pose(model.site_pos[i], model.site_quat[i]))


def _add_closures(compiled: Compiled, builder: RobotBuilder, taken: set[str]) -> None:
    """Make every connect and weld a closure between two frames named after it."""
    for name, directions, ends in loops(compiled):
        labels = [unique(f"{name}/{side}", taken) for side in "ab"]
        for label, (body, placement) in zip(labels, ends, strict=True):
            builder.frame(label, compiled.bodies[body], placement)
        builder.closure(*labels, directions=directions)


def _add_body(
    compiled: Compiled,
    builder: RobotBuilder,
    body: int,
    motors: np.ndarray,
    speed: float,
    mimics: Mapping[int, Follows],
    taken: set[str],
) -> None:
    """Add one body; several joints become a chain with massless bodies ``body/joint`` between.

    MuJoCo applies the joints of a body one after the other, each in the body's own frame.
    """
    model, name = compiled.model, compiled.bodies[body]
    parent = compiled.bodies[int(model.body_parentid[body])]
    placement = pose(model.body_pos[body], model.body_quat[body])
    inertia = _inertia(model, body)
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if count == 0:
        builder.add(name, parent, kinds.fixed(), placement, inertia)
    for joint in range(first, first + count):
        last = joint == first + count - 1
        between = f"{name}/{compiled.joints[joint].removeprefix(f'{name}/')}"
        child, type_ = name if last else unique(between, taken), _joint_type(compiled, joint)
        dof = int(model.jnt_dofadr[joint])  # values are those of a joint: their order is no matter
        armature, damping, coulomb = motors[:, dof : dof + type_.nv].tolist()
        builder.add(
            child,
            parent,
            type_,
            _at_zero(compiled, joint, placement),
            inertia if last else None,
            compiled.joints[joint],
            armature,
            damping,
            _limits(compiled, joint),
            mimic=mimics.get(joint),
            friction={"coulomb": coulomb, "speed": speed},
        )
        parent, placement = child, IDENTITY


def _at_zero(compiled: Compiled, joint: int, placement: Transform) -> Transform:
    """Return the placement at q = 0; the file shows the body at q = ref.

    ``C exp(X (q − ref)) = C exp(−X ref) exp(X q)``.  A free body is placed by q alone.
    """
    kind = compiled.kind(joint)
    if kind == "free":
        return IDENTITY
    ref = float(compiled.model.qpos0[compiled.model.jnt_qposadr[joint]])
    if kind == "ball" or ref == 0.0:
        return placement
    return placement @ _joint_type(compiled, joint).pose([-ref])


def _joint_type(compiled: Compiled, joint: int) -> JointType:
    model, kind = compiled.model, compiled.kind(joint)
    axis, point = model.jnt_axis[joint], model.jnt_pos[joint]
    if kind == "free":
        return kinds.free()
    if kind == "ball":
        return kinds.spherical(point=point)
    if kind == "slide":
        return kinds.prismatic(axis)
    return (kinds.revolute if model.jnt_limited[joint] else kinds.continuous)(axis, point=point)


def _limits(compiled: Compiled, joint: int) -> Limits:
    """Limits of a hinge or slide; the cone of a ball joint has no place in them."""
    model = compiled.model
    if compiled.kind(joint) not in ("hinge", "slide"):
        return Limits()
    lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (None, None)
    effort = np.abs(model.jnt_actfrcrange[joint]).max() if model.jnt_actfrclimited[joint] else None
    return Limits(lower=[lower], upper=[upper], effort=[effort])


def _frictionloss(compiled: Compiled) -> np.ndarray:
    loss = compiled.model.dof_frictionloss
    return np.zeros_like(loss) if compiled.disabled("FRICTIONLOSS") else loss


def _motors(compiled: Compiled, damping: bool, friction: bool) -> np.ndarray:
    """Return armature, damping, friction of MuJoCo's degrees of freedom, actuators included."""
    model = compiled.model
    armature, viscous = model.dof_armature.copy(), model.dof_damping.copy()
    if not damping or compiled.disabled(*DAMPERS_OFF):
        viscous[:] = 0.0
    else:
        np.add.at(viscous, model.jnt_dofadr, reflected(compiled, "actuator_damping"))
    np.add.at(armature, model.jnt_dofadr, reflected(compiled, "actuator_armature"))
    loss = _frictionloss(compiled)
    return np.array([armature, viscous, loss if friction else np.zeros_like(loss)])


def _inertia(model: Any, body: int) -> Inertia:
    """Principal moments in the inertial frame, moved to the body frame."""
    x, y, z = (float(moment) for moment in model.body_inertia[body])
    moments = Symmetric3(x, y, z, 0.0, 0.0, 0.0)
    principal = SpatialInertia(float(model.body_mass[body]), ZERO, moments)
    frame = pose(model.body_ipos[body], model.body_iquat[body])
    return Inertia.from_spatial(principal.moved(frame))


def _visuals(compiled: Compiled) -> list[Visual]:
    """Return the geoms that MuJoCo's own viewer shows at first: groups 0 to 2."""
    model, found = compiled.model, []
    for i in np.flatnonzero(model.geom_group < GROUPS_SHOWN):
        shape = compiled.mujoco.mjtGeom(model.geom_type[i]).name[7:].lower()
        size, mesh = tuple(float(x) for x in model.geom_size[i]), None
        if shape == "mesh":
            mesh = MeshFile(compiled.path.name, str(compiled.path), part=int(model.geom_dataid[i]))
            size = (1.0, 1.0, 1.0)  # the compiler has scaled it
        elif shape == "box":
            size = tuple(2.0 * x for x in size)
        elif shape in ("cylinder", "capsule"):
            size = (size[0], 2.0 * size[1])
        elif shape == "sphere":
            size = size[:1]
        elif shape != "ellipsoid":
            continue  # planes and height fields are no part of a robot
        frame = compiled.bodies[int(model.geom_bodyid[i])]
        placement = pose(model.geom_pos[i], model.geom_quat[i])
        material = model.geom_matid[i]
        rgba = model.geom_rgba[i] if material < 0 else model.mat_rgba[material]
        found.append(Visual(frame, placement, shape, size, mesh, tuple(rgba.tolist())))
    return found
