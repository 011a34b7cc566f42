"""Inverse kinematics from numbers of any kind: rows of joint rates, and one step towards a pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.derivatives.kinematics import frame_place
from jounce.dynamics.inverse_kinematics import Task, dot, factorize, rates_from_twists, value
from jounce.dynamics.jacobian import jacobian
from jounce.dynamics.motion import link_motions
from jounce.dynamics.poses import link_poses
from jounce.model.robot import Robot
from jounce.model.tree import Tree, lowered
from jounce.scalar import sqrt

Vector = list[Any]
Groups = Sequence[Any]  # the arguments of a kernel: a vector, or vectors, one an order


def task_of(
    robot: Robot,
    frame: str,
    representation: str,
    directions: Sequence[int],
    prescribed: Sequence[int] = (),
) -> Task:
    """Return the task of a frame; its free velocities are those that move the frame."""
    link, placement = frame_place(robot, frame)
    tree, moving, i = lowered(robot), set(), link
    while i >= 0:
        start = tree.links[i].coordinates.v
        moving |= set(range(start, start + tree.links[i].step.nv))
        i = tree.links[i].parent
    free = tuple(sorted(moving - set(prescribed)))
    return Task(link, placement, representation, tuple(directions), free, tuple(prescribed))


def joint_rates(robot: Robot, groups: Groups, task: Task, kind: str) -> list[Vector]:
    """Return rows ``v^(k), residual^(k), condition``, one an order.

    ``groups`` are q, the twists, and what ``kind`` names: ``z`` null-space motion, ``w`` scale
    (inverse root of the weights), ``d`` damping.
    """
    q, twists, *more = groups
    given = dict(zip(kind, more, strict=True))
    scale = [given["w"][j] for j in task.free] if "w" in given else None
    damping = given["d"][0] if "d" in given else None
    found = rates_from_twists(lowered(robot), task, q, twists, given.get("z"), scale, damping)
    pairs = zip(found.rates, found.residuals, strict=True)
    return [[*v, *e, found.condition] for v, e in pairs]


def pose_rows(robot: Robot, groups: Groups, task: Task) -> list[Vector]:
    """Return one row ``step, gradient, cost`` from q, the target (16 entries), scale, damping."""
    q, target, scale, damping = groups
    rows = [Vec3(*target[4 * i : 4 * i + 3]) for i in range(3)]
    goal = Transform(Rotation((rows[0], rows[1], rows[2])), Vec3(*target[3:12:4]))
    found = pose_step(lowered(robot), task, q, goal, scale, damping)
    return [[*found.step, *found.gradient, found.cost]]


class Step(NamedTuple):
    """A step towards a pose, the gradient of half the squared error, and the squared error."""

    step: Vector
    gradient: Vector
    cost: Any


def pose_step(
    tree: Tree, task: Task, q: Vector, target: Transform, scale: Vector, damping: Sequence[Any]
) -> Step:
    """Return the Levenberg–Marquardt step ``D (D Jᵀ J D + μ)⁻¹ D Jᵀ e`` towards a pose.

    ``e`` is the error of `_pose_error`, D = diag(scale) (zero: the joint stays), and
    ``μ = damping[0] |e|² + damping[1]``.
    """
    motions = link_motions(tree, q, [])
    pose = link_poses(tree, motions)[task.link] @ task.placement
    columns = jacobian(tree, motions, task.link, task.placement, task.representation)
    e, rows, cost = _pose_error(task, _plain(pose), target, [_plain_motion(c) for c in columns])
    gradient = [dot([row[j] for row in rows], e) for j in range(tree.nv)]
    mu = damping[0] * cost + damping[1]
    A = [[x * scale[j] for j, x in enumerate(row)] for row in rows]  # J D
    # (A Aᵀ + μ) y = e as the R of [Aᵀ; √μ 1]: no product of A with itself is formed
    root = sqrt(mu)
    n = len(A)
    stacked = [[*row, *(root if i == r else 0.0 for i in range(n))] for r, row in enumerate(A)]
    factors = factorize(stacked, again=False)
    y = factors.solve_transposed(e)
    w = factors.combine(y)
    return Step([w[j] * scale[j] for j in range(tree.nv)], gradient, cost)


def _pose_error(
    task: Task, pose: Transform, target: Transform, columns: list[Motion]
) -> tuple[Vector, list[Vector], Any]:
    """Return the error of a pose, its Jacobian by −δ, and the squared error.

    With the rotation by θ about n left to do, the angular part is ``2 sin(θ/2) n``, twice the
    vector u of the quaternion (u, w): like the rotation vector near the goal, and growing to
    θ = π.  Its Jacobian is ``(w − û) J_ω`` in the body and ``(w + û) J_ω`` in the world; all
    three rows together take J_ω itself, which points straight at the goal from afar.  The
    linear part is the position left to go, in the body or the world.
    """
    in_body = task.representation == "body"
    R, Rt = pose.rotation, target.rotation
    E = R.inverse @ Rt if in_body else Rt @ R.inverse
    (_, a, b), (c, _, d), (f, g, _) = E.rows
    trace = E.rows[0].x + E.rows[1].y + E.rows[2].z
    w = sqrt(1.0 + 1e-12 + trace) * 0.5  # of a half turn: no division by zero
    u = Vec3(g - d, b - f, c - a) * (0.25 / w)
    away = target.p + pose.p * -1.0
    p = R.unrotate(away) if in_body else away
    e = (*(u * 2.0), *p)
    is_whole = {0, 1, 2} <= set(task.rows)
    sign = -1.0 if in_body else 1.0
    changes: list[Vector] = []
    for V in columns:
        turn = V.angular if is_whole else V.angular * w + u.cross(V.angular) * sign
        shift = V.linear + V.angular.cross(p) if in_body else V.linear
        changes.append([*turn, *shift])
    rows = [[change[r] for change in changes] for r in task.rows]
    chosen = [e[r] for r in task.rows]
    cost = dot(chosen, chosen)
    if is_whole:  # u vanishes at a half turn as well
        cost = cost + (3.0 - trace) * (3.0 - trace) * 0.0625
    return chosen, rows, cost


def _plain(T: Transform) -> Transform:
    x, y, z = (Vec3(*map(value, row)) for row in T.rotation.rows)
    return Transform(Rotation((x, y, z)), Vec3(*map(value, T.p)))


def _plain_motion(V: Motion) -> Motion:
    return Motion(Vec3(*map(value, V.angular)), Vec3(*map(value, V.linear)))
