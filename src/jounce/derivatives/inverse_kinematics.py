"""Inverse kinematics from numbers of any kind: rows of joint rates, and one step towards a pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.algebra.scalar import sqrt
from jounce.algebra.se3 import Motion, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.derivatives.kinematics import frame_place
from jounce.dynamics.inverse_kinematics import Task, dot, factorize, rates_from_twists, value
from jounce.dynamics.jacobian import frame_columns
from jounce.dynamics.motion import link_motions
from jounce.dynamics.poses import link_poses
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.robot import Robot

Vector = list[Any]
Groups = Sequence[Any]  # the arguments of a kernel: a vector, or vectors, one an order


DIRECTIONS = ("wx", "wy", "wz", "vx", "vy", "vz")
_SUBSETS = [" ".join(d for k, d in enumerate(DIRECTIONS) if mask >> k & 1) for mask in range(1, 64)]
INPUTS = ("", "z", "w", "zw", "d", "zd", "wd", "zwd")  # null-space motion, scale, damping
RATE_OPTIONS = {"directions": tuple(_SUBSETS[::-1]), "inputs": INPUTS, "prescribed": ("",)}
STEP_OPTIONS = {"directions": tuple(_SUBSETS[::-1])}


def task_of(
    robot: Robot, frame: str, representation: str, directions: str, prescribed: str = ""
) -> Task:
    """Return the task of a frame; its free velocities are those that move the frame.

    ``directions`` and ``prescribed`` are words: names of directions, indices of velocities.
    """
    link, placement = frame_place(robot, frame)
    tree, moving, i = lowered(robot), set(), link
    while i >= 0:
        start = tree.links[i].coordinates.v
        moving |= set(range(start, start + tree.links[i].step.nv))
        i = tree.links[i].parent
    rows = tuple(DIRECTIONS.index(d) for d in directions.split())
    free = tuple(sorted(moving - set(map(int, prescribed.split()))))
    return Task(link, placement, representation, rows, free)


def rate_shapes(
    robot: Robot, order: int, directions: str, inputs: str, **_: str
) -> tuple[list[tuple[str, int, int]], int]:
    """Return the arguments of `joint_rates` and the length of one of its rows."""
    rows, orders = len(directions.split()), order + 1
    known = {
        "z": ("null_space", robot.nv, orders),
        "w": ("scale", robot.nv, 0),
        "d": ("damping", 1, 0),
    }
    arguments = [("q", robot.nq, 0), ("twists", rows, orders), *(known[i] for i in inputs)]
    return arguments, robot.nv + rows + 1


def joint_rates(robot: Robot, groups: Groups, inputs: str, **options: str) -> list[Vector]:
    """Return rows ``v^(k), residual^(k), condition``, one an order.

    ``groups`` are q, the twists, and what ``inputs`` names: ``z`` null-space motion, ``w`` scale
    (inverse root of the weights), ``d`` damping.
    """
    task = task_of(robot, **options)
    q, twists, *more = groups
    given = dict(zip(inputs, more, strict=True))
    damping = given["d"][0] if "d" in given else None
    whole = [_six(V, task.rows) for V in twists]
    more = given.get("z"), given.get("w"), damping
    found = rates_from_twists(lowered(robot), task, q, whole, *more)
    pairs = zip(found.rates, found.residuals, strict=True)
    return [[*v, *e, found.condition] for v, e in pairs]


def _six(V: Vector, rows: tuple[int, ...]) -> Vector:
    at = dict(zip(rows, V, strict=True))
    return [at.get(r, 0.0) for r in range(6)]


def step_shapes(robot: Robot, order: int, **_: str) -> tuple[list[tuple[str, int, int]], int]:
    """Return the arguments of `pose_rows` and the length of its row."""
    del order
    arguments = [("q", robot.nq, 0), ("target", 16, 0), ("scale", robot.nv, 0), ("damping", 2, 0)]
    return arguments, 2 * robot.nv + 1


def pose_rows(robot: Robot, groups: Groups, **options: str) -> list[Vector]:
    """Return one row ``step, gradient, cost`` from q, the target (16 entries), scale, damping."""
    q, target, scale, damping = groups
    x, y, z = (Vec3(*target[4 * i : 4 * i + 3]) for i in range(3))
    goal = Transform(Rotation((x, y, z)), Vec3(*target[3:12:4]))
    task = task_of(robot, **options)
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
    found = frame_columns(tree, motions, task.link, task.placement, task.representation)
    columns = [_plain_motion(found[j]) for j in task.free]
    e, rows, cost = _pose_error(task, _plain(pose), target, columns)
    gradient = [dot(column, e) for column in zip(*rows, strict=True)]
    mu = damping[0] * cost + damping[1]
    A = [[x * scale[j] for j, x in zip(task.free, row, strict=True)] for row in rows]  # J D
    # (A Aᵀ + μ) y = e as the R of [Aᵀ; √μ 1]: no product of A with itself is formed
    root = sqrt(mu)
    n = len(A)
    stacked = [[*row, *(root if i == r else 0.0 for i in range(n))] for r, row in enumerate(A)]
    factors = factorize(stacked, again=False)
    y = factors.solve_transposed(e)
    w = factors.combine(y)[: len(task.free)]
    steps = [x * scale[j] for j, x in zip(task.free, w, strict=True)]
    return Step(_spread(task, steps, tree.nv), _spread(task, gradient, tree.nv), cost)


def _spread(task: Task, values: Vector, nv: int) -> Vector:
    """Return one entry a velocity, zero for those that do not move the frame."""
    at = dict(zip(task.free, values, strict=True))
    return [at.get(j, 0.0) for j in range(nv)]


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
