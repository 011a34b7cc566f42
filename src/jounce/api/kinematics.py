"""Public functions: poses, twists and Jacobians of a motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import evaluate
from jounce.model.robot import Robot


def poses(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return ``T_world_body`` and its time derivatives, ``(K + 1, *batch, n_bodies, 4, 4)``.

    >>> import jounce
    >>> jounce.poses(jounce.load("planar2r"), [0.0, 0.0])[0, :, 0, 3].tolist()
    [0.0, 1.0]
    """
    return evaluate(robot, "poses", (q, *rates))


def frame_pose(robot: Robot, frame: str, q: Any, *rates: Any) -> np.ndarray:
    """Return ``T_world_frame`` and its time derivatives, ``(K + 1, *batch, 4, 4)``.

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> jounce.frame_pose(panda, "flange", panda.neutral)[0, :3, 3].round(3).tolist()
    [0.088, 0.0, 0.926]
    """
    return evaluate(robot, "frame_pose", (q, *rates), frame=frame)


def twists(robot: Robot, q: Any, *rates: Any, representation: str = "body") -> np.ndarray:
    """Return the twists of all bodies and their time derivatives, ``(K, *batch, n_bodies, 6)``.

    Derivatives are those of the components in the stated representation.

    >>> import jounce
    >>> jounce.twists(jounce.load("planar2r"), [0, 0], [1, 0])[0, 1].tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    """
    return evaluate(robot, "twists", (q, *rates), representation=representation)


def relative_twists(robot: Robot, frame: str, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return the twists of all bodies relative to a frame, ``(K, *batch, n_bodies, 6)``.

    In the frame of each body.  Of bodies that the frame's body j carries these are the
    ``b_{i,j} = Σ_{j<r≤i} B_{i,r} q̇_r`` of [KM21, (14)]; the frame's body itself has none.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> jounce.relative_twists(arm, "link1", [0, 0], [1, 2])[0].tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]]
    """
    return evaluate(robot, "relative_twists", (q, v, *rates), frame=frame)


def frame_twist(
    robot: Robot, frame: str, q: Any, *rates: Any, representation: str = "body"
) -> np.ndarray:
    """Return the twist of a frame and its time derivatives, ``(K, *batch, 6)``.

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> q, v, a = panda.neutral, [0.1] * 7, [0.0] * 7
    >>> jounce.frame_twist(panda, "flange", q, v, a, representation="hybrid").shape
    (2, 6)
    """
    return evaluate(robot, "frame_twist", (q, *rates), frame=frame, representation=representation)


def jacobian(
    robot: Robot, frame: str, q: Any, *rates: Any, representation: str = "body"
) -> np.ndarray:
    """Return the Jacobian of a frame and its time derivatives, ``(K + 1, *batch, 6, nv)``.

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> jounce.jacobian(panda, "flange", panda.neutral, [0.1] * 7).shape
    (2, 6, 7)
    """
    return evaluate(robot, "jacobian", (q, *rates), frame=frame, representation=representation)


def body_jacobians(robot: Robot, q: Any, *rates: Any, representation: str = "body") -> np.ndarray:
    """Return the Jacobians of all bodies, ``(K + 1, *batch, n_bodies, 6, nv)``.

    Column j of body i is the screw B_{i,j} of [KM21, (9)].

    >>> import jounce
    >>> jounce.body_jacobians(jounce.load("planar2r"), [0, 0])[0, 1, :, 0].tolist()
    [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    """
    return evaluate(robot, "body_jacobians", (q, *rates), representation=representation)


def joint_screws(robot: Robot, q: Any, *rates: Any, representation: str = "spatial") -> np.ndarray:
    """Return the instantaneous joint screws S_i, ``(K + 1, *batch, nv, 6)`` [M20, (7), (9)].

    In every representation they are the joint's own columns in the Jacobian of its body.

    >>> import jounce
    >>> jounce.joint_screws(jounce.load("planar2r"), [0, 0])[0, 1].tolist()
    [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]
    """
    return evaluate(robot, "joint_screws", (q, *rates), representation=representation)


def center_of_mass(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return the centre of mass of all matter in the world, ``(K + 1, *batch, 3)``.

    Matter welded to the ground counts, as it does in ``robot.mass``.

    >>> import jounce
    >>> jounce.center_of_mass(jounce.load("planar2r"), [0.0, 0.0])[0].round(3).tolist()
    [1.255, 0.0, 0.0]
    """
    return evaluate(robot, "center_of_mass", (q, *rates))


def com_jacobian(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return the Jacobian of the centre of mass, ``(K + 1, *batch, 3, nv)`` [GOA13, (7)].

    >>> import jounce
    >>> jounce.com_jacobian(jounce.load("planar2r"), [0.0, 0.0])[0, 1].round(3).tolist()
    [1.255, 0.255]
    """
    return evaluate(robot, "com_jacobian", (q, *rates))
