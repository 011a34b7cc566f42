"""MJCF files, through MuJoCo's own parser and compiler (extra ``jounce[mjcf]``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import InvalidInertiaError, ModelError, RobotFormatError
from jounce.formats.mjcf.compiled import WORLD, Source, compile_file
from jounce.formats.mjcf.refusals import couplings, refuse_unsupported
from jounce.formats.mjcf.tree import add_bodies, add_sites
from jounce.model.builder import RobotBuilder
from jounce.model.robot import Robot

FLOATING_JOINT = "root_joint"


def load_mjcf(
    path: str | Path,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    damping: bool = False,
    gravity: Any = None,
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
      ``body/site`` where the name is taken.  Mocap bodies are frames of the ground.
    - Armature of joints is kept, that of actuators (times gear²) added.  ``damping=True``
      keeps viscous damping, of joints and actuators alike; frictionloss is never applied and
      noted in ``robot.warnings``.
    - A linear joint equality makes its first joint follow the second (exactly, where MuJoCo
      has a spring); ``mimic=False`` frees it.  Inactive equalities are left out.
    - Gravity is the file's unless ``gravity`` is given.  Contacts, limits as forces, the
      forces of actuators, sensors and keyframes are no part of a robot here.

    Whatever else changes the dynamics is refused by name with UnsupportedError: springs,
    other equalities, tendons with stiffness or armature, gravcomp, fluids, flexes, plugins.
    A file that MuJoCo cannot compile raises RobotFormatError with MuJoCo's message.
    """
    source = compile_file(path)
    refuse_unsupported(source, damping=damping)
    followers = couplings(source, mimic=mimic)
    downward = _gravity(source) if gravity is None else gravity
    builder = RobotBuilder(source.name, downward, base_name=WORLD)
    builder.warnings += _notes(source)
    try:
        taken = add_bodies(source, builder, followers, damping=damping)
        add_sites(source, builder, taken)
        robot = builder.build(strict)
    except ModelError as error:
        raise RobotFormatError(f"{source.path}: {error}") from None
    except InvalidInertiaError as error:
        raise InvalidInertiaError(f"{source.path}: {error}") from None
    if not floating_base:
        return robot
    taken = FLOATING_JOINT in source.joints
    return robot.with_floating_base("floating_base_joint" if taken else FLOATING_JOINT)


def _gravity(source: Source) -> tuple[float, ...]:
    if source.disabled("GRAVITY"):
        return (0.0, 0.0, 0.0)
    return tuple(source.model.opt.gravity.tolist())


def _notes(source: Source) -> list[str]:
    """Say what was read and left out because it is no part of the equations of motion."""
    model, notes = source.model, []
    for j, name in enumerate(source.joints):
        if model.dof_frictionloss[model.jnt_dofadr[j]] and not source.disabled("FRICTIONLOSS"):
            notes.append(f"frictionloss of joint {name!r} is not applied.")
        if source.kind(j) == "ball" and model.jnt_limited[j]:
            notes.append(f"the cone that limits ball joint {name!r} is not kept.")
    if np.any(model.tendon_frictionloss):
        notes.append("frictionloss of tendons is not applied.")
    return notes
