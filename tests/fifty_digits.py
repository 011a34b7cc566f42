"""A second opinion to 50 digits: poses as products of exponentials, forces by Kane's equations.

Shares nothing with the package but the description of the robot.  A motion is a Taylor polynomial;
poses are computed at a few instants around zero with 140 digits, and the polynomial through them
is their series.  With ``S = ∫ x xᵀ dm`` of homogeneous points x and the gravity g,

    Q_i = Σ_b tr(∂_i T_b S_b (T̈_b − G)ᵀ) + armature, damping, wrenches
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import factorial
from typing import Any

import mpmath as mp
import numpy as np

import jounce

DIGITS = 140
STEP = mp.mpf(10) ** -15
NODES = 13
TINY = mp.mpf(10) ** -45  # for partial derivatives, as central differences


def every_joint(*, quaternions: bool = True, follower: bool = False) -> jounce.Robot:
    """Return a branched tree that has one joint of every kind, one that follows, and a frame."""
    rng, kinds = np.random.default_rng(5), jounce.joints
    a, b = (np.array([2.0, -1.0, 2.0]) / 3.0, np.array([0.6, 0.0, -0.8]))
    joints = [
        kinds.revolute(a, point=(0.1, 0.2, -0.1)),
        kinds.prismatic(b),
        kinds.helical(b, 0.2, point=(0.0, 0.1, 0.0)),
        kinds.universal(a, b),
        kinds.continuous((0, 1, 0)),
        kinds.cylindrical(a),
        kinds.planar((0, 0, 1)),
    ]
    if quaternions:
        joints = [kinds.free(), *joints, kinds.spherical(point=(0.1, 0.0, 0.2))]
    robot = jounce.RobotBuilder("every", gravity=(1.0, -2.0, -9.0))
    for i, joint in enumerate(joints):
        parent = None if i == 0 else f"body{(i - 1) // 2 if i % 3 else i - 1}"
        robot.add(
            f"body{i}", parent=parent, joint=joint, placement=jounce.examples.random_placement(rng),
            inertia=jounce.examples.random_inertia(rng), joint_name=f"joint{i}",
        )  # fmt: skip
    robot.frame("tool", f"body{len(joints) - 1}", jounce.examples.random_placement(rng))
    if follower:
        robot.add(
            "follower", parent="body4", joint=kinds.revolute(b, point=(0.1, 0.0, 0.2)),
            placement=jounce.examples.random_placement(rng),
            inertia=jounce.examples.random_inertia(rng), mimic=("joint2", -1.5, 0.3),
        )  # fmt: skip
    return robot.build()


class Referee:
    """One motion of one robot, ``q, *rates``; results are floats, derivative order first."""

    def __init__(self, robot: jounce.Robot, q: Any, *rates: Any) -> None:
        self.robot, self.order = robot, len(rates)
        with mp.workdps(DIGITS):
            v = [_exact(rate) / mp.factorial(k) for k, rate in enumerate(rates)]
            self.velocity = np.array(v).reshape(self.order, robot.nv)
            self.position = self._positions(_exact(q), self.velocity)
            self.poses = self._series(lambda x: self.poses_at(x))
            self.inertias = [_pseudo_inertia(body.inertia) for body in robot.bodies]

    def derivatives(self, series: np.ndarray) -> np.ndarray:
        """Return floats from a series."""
        return np.array([(c * factorial(k)).astype(float) for k, c in enumerate(series)])

    def _positions(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the series of q: ``p' = ½ p ∘ ω`` and ``x' = R v`` where there are quaternions."""
        x = np.full((self.order + 1, self.robot.nq), mp.mpf(0))
        x[0] = q
        for k in range(self.order):
            for joint in self.robot.joints:
                at, of = joint.q_slice, joint.v_slice
                if joint.kind == "spherical":
                    rate = _quaternion_rate(x[: k + 1, at], v[: k + 1, of])[k]
                elif joint.kind == "free":
                    p, speed = x[: k + 1, at][:, 3:], v[: k + 1, of]
                    turned = _product(_rotations(p), speed[:, 3:, None])[k][:, 0]
                    rate = np.concatenate([turned, _quaternion_rate(p, speed[:, :3])[k]])
                else:
                    rate = v[k, of]
                x[k + 1, at] = rate / (k + 1)
        return x

    def _series(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the series of a function of q along the motion."""
        nodes = [k * STEP for k in range(-(NODES // 2), NODES // 2 + 1)]
        values = [function(sum(c * t**k for k, c in enumerate(self.position))) for t in nodes]
        powers = mp.matrix([[mp.mpf(k) ** n for n in range(NODES)] for k in range(-6, 7)])
        inverse = powers**-1
        return np.array(
            [
                sum(inverse[n, i] * values[i] for i in range(NODES)) / STEP**n
                for n in range(self.order + 1)
            ]
        )

    def poses_at(self, x: np.ndarray) -> np.ndarray:
        """Return the poses of all bodies at q = x."""
        found: list[np.ndarray] = []
        for body, joint in zip(self.robot.bodies, self.robot.joints, strict=True):
            own = x[joint.q_slice]
            if joint.mimic is not None:
                source, factor, offset = joint.mimic
                own = x[self.robot.joints[source].q_slice] * mp.mpf(factor) + mp.mpf(offset)
            T = _exact(body.placement.matrix()) @ _joint_pose(joint.type, own)
            found.append(T if body.parent < 0 else found[body.parent] @ T)
        return np.array(found)

    def varied(self, x: np.ndarray, i: int) -> np.ndarray:
        """Return ∂T of all bodies by the tangent direction i."""
        ahead, behind = (self.poses_at(shifted(self.robot, x, i, s * TINY)) for s in (1, -1))
        return (ahead - behind) / (2 * TINY)

    def relative_twists(self, carrier: int) -> np.ndarray:
        """Return the twist of every body relative to one of them, in the body: ``T⁻¹ T'`` of it."""
        with mp.workdps(DIGITS):
            base = _inverse_series(self.poses[:, carrier])
            result = []
            for b in range(len(self.inertias)):
                T = _product(base, self.poses[:, b])
                moved = _product(_inverse_series(T)[:-1], _rate(T))
                result.append([_vector(A) for A in moved])
            return self.derivatives(np.stack([np.array(rows) for rows in result], axis=1))

    def energy_regressors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return Y of ``½ tr(T' S T'ᵀ)`` and of ``−tr(T S Gᵀ)``, parameter by parameter."""
        with mp.workdps(DIGITS):
            rate, G = _rate(self.poses), self._gravity()
            kinetic, potential = [], []
            for b in range(len(self.inertias)):
                for S in _unit_pseudo_inertias():
                    work = _product(rate[:, b] @ S, _transposed(rate[:, b]))
                    kinetic.append([np.trace(A) / 2 for A in work])
                    potential.append([-np.trace(T @ S @ G.T) for T in self.poses[:-1, b]])
            return tuple(self.derivatives(np.array(Y).T) for Y in (kinetic, potential))

    def momenta(self, representation: str = "body") -> np.ndarray:
        """Return the momentum of every body: ``T S T'ᵀ`` holds it about the world origin."""
        with mp.workdps(DIGITS):
            rate, result = _rate(self.poses), []
            for b, S in enumerate(self.inertias):
                T = self.poses[:-1, b]
                moments = _product(_product(T, S[None]), _transposed(rate[:, b]))
                spatial = np.array([_momentum(A) for A in moments])
                result.append(_represented(spatial, T, representation))
            return self.derivatives(np.stack(result, axis=1))

    def weights(self, representation: str = "body") -> np.ndarray:
        """Return the wrench of gravity on every body: ``T S Gᵀ`` holds it as momentum is held."""
        with mp.workdps(DIGITS):
            G, result = self._gravity(), []
            for b, S in enumerate(self.inertias):
                T = self.poses[:, b]
                spatial = np.array([_momentum(c @ S @ G.T) for c in T])
                result.append(_represented(spatial, T, representation))
            return self.derivatives(np.stack(result, axis=1))

    def _gravity(self) -> np.ndarray:
        G = _exact(np.zeros((4, 4)))
        G[:3, 3] = _exact(self.robot.gravity)
        return G

    def forces(self, wrenches: dict[str, np.ndarray] | None = None) -> np.ndarray:
        """Return Q and its derivatives to order K − 2; ``wrenches`` in body representation."""
        count = self.order - 1
        with mp.workdps(DIGITS):
            acceleration = _rate(_rate(self.poses))
            acceleration[0] -= self._gravity()
            Q = np.full((count, self.robot.nv), mp.mpf(0))
            for i, whole in enumerate(self._partials):
                partial = whole[:count]
                for b, S in enumerate(self.inertias):
                    work = _product(partial[:, b] @ S, _transposed(acceleration[:, b]))
                    Q[:, i] += [np.trace(A) for A in work]
                for frame, W in (wrenches or {}).items():
                    Q[:, i] -= self._power(partial, frame, W, count)
            own = [joint for joint in self.robot.joints if joint.mimic is None]  # others have none
            motors = np.array([x for joint in own for x in joint.armature])
            losses = np.array([x for joint in own for x in joint.damping])
            Q += _rate(self.velocity)[:count] * motors + self.velocity[:count] * losses
            return self.derivatives(Q)

    @cached_property
    def _partials(self) -> list[np.ndarray]:
        """The series of ∂T of all bodies, by every tangent direction."""
        with mp.workdps(DIGITS):
            return [self._series(lambda x, i=i: self.varied(x, i)) for i in range(self.robot.nv)]

    def static_regressor(self) -> np.ndarray:
        """Return Y of ``g = Y π``, ``−tr(∂_i T S Gᵀ)`` parameter by parameter."""
        with mp.workdps(DIGITS):
            G, units = self._gravity(), _unit_pseudo_inertias()
            rows = [
                [[-np.trace(T @ S @ G.T) for T in partial[:, b]] for b, S in self._each(units)]
                for partial in self._partials
            ]
            return self.derivatives(np.moveaxis(np.array(rows), -1, 0))

    def _each(self, units: list[np.ndarray]) -> list[tuple[int, np.ndarray]]:
        return [(b, S) for b in range(len(self.inertias)) for S in units]

    def _power(self, partial: np.ndarray, frame: str, W: np.ndarray, count: int) -> np.ndarray:
        at = self.robot.frame(frame)
        B = _exact(at.placement.matrix())
        T = np.array([c @ B for c in self.poses[:count, at.body]])
        own = _product(_inverse_series(T), partial[:, at.body] @ B)
        twist = np.array([_vector(A) for A in own])
        load = np.array([_exact(w) / mp.factorial(k) for k, w in enumerate(W[:count])])
        missing = np.full((count - len(load), 6), mp.mpf(0))
        load = np.concatenate([load, missing]) if count > len(load) else load
        return _product(twist[:, None], load[:, :, None])[:, 0, 0]


def shifted(robot: jounce.Robot, x: np.ndarray, i: int, size: Any) -> np.ndarray:
    """Return q = x moved a tiny bit along the tangent direction i, to first order."""
    moved = x.copy()
    for joint in robot.joints:
        k = i - joint.v_slice.start
        if not 0 <= k < joint.nv:
            continue
        e = np.array([mp.mpf(n == k) * size for n in range(joint.nv)])
        at = joint.q_slice
        if joint.kind == "spherical":
            moved[at] += _quaternion_rate(x[at][None], e[None])[0]
        elif joint.kind == "free":
            p = x[at][3:]
            shift = _rotations(p[None])[0] @ e[3:]
            turn = _quaternion_rate(p[None], e[None, :3])[0]
            moved[at] += np.concatenate([shift, turn])
        else:
            moved[at] += e
    return moved


def _exact(values: Any) -> np.ndarray:
    return np.vectorize(lambda x: mp.mpf(float(x)), otypes=[object])(np.asarray(values, float))


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the series of a product of matrices; a constant has one order."""
    count = max(len(a), len(b)) if 1 in (len(a), len(b)) else min(len(a), len(b))
    return np.array(
        [
            sum(a[j] @ b[k - j] for j in range(k + 1) if j < len(a) and k - j < len(b))
            for k in range(count)
        ]
    )


def _rate(series: np.ndarray) -> np.ndarray:
    return np.array([series[k] * k for k in range(1, len(series))])


def _transposed(series: np.ndarray) -> np.ndarray:
    return np.swapaxes(series, -1, -2)


def _inverse_series(T: np.ndarray) -> np.ndarray:
    """Return the series of T⁻¹ by ``T T⁻¹ = 1``."""
    first = np.array((mp.matrix(T[0].tolist()) ** -1).tolist(), dtype=object)
    result = [first]
    for k in range(1, len(T)):
        result.append(-first @ sum(T[j] @ result[k - j] for j in range(1, k + 1)))
    return np.array(result)


def _quaternion_rate(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the series of ``½ p ∘ (ω, 0)``."""
    x, y, z = (w[:, i, None, None] for i in range(3))
    px, py, pz, pw = (p[:, i, None, None] for i in range(4))

    def sum_(*pairs: tuple[Any, Any, int]) -> Any:
        return sum(_product(a, b)[:, 0, 0] * sign for a, b, sign in pairs) / mp.mpf(2)

    return np.stack(
        [
            sum_((pw, x, 1), (py, z, 1), (pz, y, -1)),
            sum_((pw, y, 1), (pz, x, 1), (px, z, -1)),
            sum_((pw, z, 1), (px, y, 1), (py, x, -1)),
            sum_((px, x, -1), (py, y, -1), (pz, z, -1)),
        ],
        axis=1,
    )


def _rotations(p: np.ndarray) -> np.ndarray:
    """Return the series of the rotation of a unit quaternion, ``(w² − u²) 1 + 2 u uᵀ + 2 w û``."""
    result = []
    for k in range(len(p)):
        total = _exact(np.zeros((3, 3)))
        for j in range(k + 1):
            a, b = p[j], p[k - j]
            u, v = a[:3], b[:3]
            hat = _hat(v)
            total = total + (a[3] * b[3] - u @ v) * np.eye(3, dtype=int) + 2 * np.outer(u, v)
            total = total + 2 * a[3] * hat
        result.append(total)
    return np.array(result)


def _hat(v: Any) -> np.ndarray:
    x, y, z = v
    zero = mp.mpf(0)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]], dtype=object)


def _joint_pose(type_: Any, x: np.ndarray) -> np.ndarray:
    point = _exact(tuple(type_.point))
    axes = [_exact(tuple(axis)) for axis in type_.axes]
    axes = [axis / mp.sqrt(axis @ axis) for axis in axes]
    if type_.kind in ("revolute", "continuous"):
        return _screw(axes[0], point, x[0], 0)
    if type_.kind == "helical":
        return _screw(axes[0], point, x[0], x[0] * mp.mpf(type_.pitch))
    if type_.kind == "prismatic":
        return _screw(axes[0], point, mp.mpf(0), x[0])
    if type_.kind == "cylindrical":
        return _screw(axes[0], point, x[0], x[1])
    if type_.kind == "universal":
        return _screw(axes[0], point, x[0], 0) @ _screw(axes[1], point, x[1], 0)
    if type_.kind == "planar":
        T = _screw(axes[0], point, x[2], 0)
        T[:2, 3] += x[:2]  # normal z only
        return T
    T = _exact(np.eye(4))
    T[:3, :3] = _rotations(x[None, -4:])[0]
    T[:3, 3] = x[:3] if type_.kind == "free" else point - T[:3, :3] @ point
    return T


def _screw(axis: np.ndarray, point: np.ndarray, angle: Any, slide: Any) -> np.ndarray:
    """Turn about a line and slide along it: Rodrigues' formula."""
    hat = _hat(axis)
    T = _exact(np.eye(4))
    T[:3, :3] += mp.sin(angle) * hat + (1 - mp.cos(angle)) * (hat @ hat)
    T[:3, 3] = point - T[:3, :3] @ point + slide * axis
    return T


def _pseudo_inertia(inertia: jounce.Inertia) -> np.ndarray:
    m, c, I = mp.mpf(inertia.mass), _exact(inertia.com), _exact(inertia.rotational)  # about com
    S = _exact(np.zeros((4, 4)))
    S[:3, :3] = np.trace(I) / 2 * np.eye(3, dtype=int) - I + m * np.outer(c, c)
    S[:3, 3] = S[3, :3] = m * c
    S[3, 3] = m
    return S


def _unit_pseudo_inertias() -> list[np.ndarray]:
    """Return S of the parameters m, mc, Ixx Iyy Izz Ixy Ixz Iyz about the origin, one by one."""
    result = []
    for k in range(10):
        S = _exact(np.zeros((4, 4)))
        if k == 0:
            S[3, 3] = mp.mpf(1)
        elif k < 4:
            S[k - 1, 3] = S[3, k - 1] = mp.mpf(1)
        elif k < 7:  # ½ tr(I) 1 − I
            S[:3, :3] = np.eye(3, dtype=int) * mp.mpf(1) / 2
            S[k - 4, k - 4] -= 1
        else:
            i, j = ((0, 1), (0, 2), (1, 2))[k - 7]
            S[i, j] = S[j, i] = mp.mpf(-1)
        result.append(S)
    return result


def _momentum(A: np.ndarray) -> np.ndarray:
    """Return (moment, force) from ``∫ x fᵀ dm``: ``x × f`` and, in the last row, f."""
    M = A[:3, :3]
    return np.array([M[1, 2] - M[2, 1], M[2, 0] - M[0, 2], M[0, 1] - M[1, 0], *A[3, :3]])


def _vector(A: np.ndarray) -> np.ndarray:
    return np.array([A[2, 1], A[0, 2], A[1, 0], *A[:3, 3]])


def _represented(spatial: np.ndarray, T: np.ndarray, representation: str) -> np.ndarray:
    """Return the series of momenta or wrenches about the world origin in a representation."""
    if representation == "spatial":
        return spatial
    moment, force = spatial[:, :3, None], spatial[:, 3:, None]
    hats = np.array([_hat(c) for c in T[:, :3, 3]])
    moment = moment - _product(hats, force)
    if representation == "body":
        R = _transposed(T[:, :3, :3])
        moment, force = _product(R, moment), _product(R, force)
    return np.concatenate([moment, force], axis=1)[..., 0]
