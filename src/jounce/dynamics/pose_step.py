"""One step of inverse kinematics towards a pose."""

from __future__ import annotations

from typing import Any

from jounce.algebra.jet import value
from jounce.algebra.scalar import sqrt
from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.dynamics.factorization import Vector, dot, orthogonalize, spread
from jounce.dynamics.inverse_kinematics import Task, task_of
from jounce.dynamics.jacobian import frame_columns
from jounce.dynamics.motion import at_start, moving
from jounce.dynamics.rows import Groups, Rows
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def pose_step(robot: Robot, groups: Groups, **options: str) -> Rows:
    """Return one row ``step, gradient, cost`` from q, the target (16 entries), scale, damping.

    It is the Levenberg–Marquardt step ``D (D Jᵀ J D + μ)⁻¹ D Jᵀ e`` towards a pose, the gradient
    of half the squared error, and the squared error.  ``e`` is the error of `_pose_error`,
    D = diag(scale) (zero: the joint stays), and ``μ = damping[0] |e|² + damping[1]``.
    """
    q, target, scale, damping = groups
    x, y, z = (Vec3(*target[4 * i : 4 * i + 3]) for i in range(3))
    goal = Transform(Rotation((x, y, z)), Vec3(*target[3:12:4]))
    task, m = task_of(robot, **options), moving(lowered(robot), q)
    pose = m.placed(task.link, task.placement)
    found = frame_columns(m, task.link, task.placement, task.representation)
    columns = [_plain_motion(found[j]) for j in task.free]
    e, rows, cost = _pose_error(task, at_start(pose), goal, columns)
    gradient = [dot(column, e) for column in zip(*rows, strict=True)]
    mu = damping[0] * cost + damping[1]
    A = [[x * scale[j] for j, x in zip(task.free, row, strict=True)] for row in rows]  # J D
    # (A Aᵀ + μ) y = e as the R of [Aᵀ; √μ 1]: no product of A with itself is formed
    root = sqrt(mu)
    n = len(A)
    stacked = [[*row, *(root if i == r else 0.0 for i in range(n))] for r, row in enumerate(A)]
    factors = orthogonalize(stacked, again=False)
    w = factors.combine(factors.solve_transposed(e))[: len(task.free)]
    steps = [x * scale[j] for j, x in zip(task.free, w, strict=True)]
    step, slope = (spread(task.free, x, robot.nv) for x in (steps, gradient))
    return [[*step, *slope, cost]]


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


def _plain_motion(V: Motion) -> Motion:
    return Motion(Vec3(*map(value, V.angular)), Vec3(*map(value, V.linear)))
