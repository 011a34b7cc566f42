"""MuJoCo as a peer: the one place of its conventions in the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import mujoco  # pyright: ignore[reportMissingImports]
import numpy as np

FREE, BALL = 0, 1  # mjtJoint


class Case(NamedTuple):
    """MuJoCo's model, and a random motion in its own coordinates."""

    model: Any
    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray


def unconstrained(model: Any, *, damping: bool) -> Any:
    """Return the model without constraints, and without damping unless asked for."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    if not damping:
        model.dof_damping[:] = 0.0
        if hasattr(model, "actuator_damping"):
            model.actuator_damping[:] = 0.0
    return model


def random_case(model: Any, rng: np.random.Generator) -> Case:
    """Return a random motion."""
    qpos = rng.normal(size=model.nq)
    for kind, start in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind in (FREE, BALL):
            quaternion = qpos[start + 3 * (kind == FREE) :][:4]
            quaternion /= np.linalg.norm(quaternion)
    return Case(model, qpos, rng.normal(size=model.nv), rng.normal(size=model.nv))


def mujoco_forces(case: Case) -> np.ndarray:
    """Return what MuJoCo's inverse dynamics gives, in its own coordinates."""
    data = mujoco.MjData(case.model)
    data.qpos, data.qvel, data.qacc = case.qpos, case.qvel, case.qacc
    mujoco.mj_inverse(case.model, data)
    return data.qfrc_inverse.copy()


def motion(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, v, a as Jounce has them.

    Quaternions are x y z w here; the velocity of a free body is (ω, Rᵀ ṗ), so its rate is
    (ω̇, Rᵀ p̈ − ω × Rᵀ ṗ).
    """
    q, v, a = case.qpos.copy(), case.qvel.copy(), case.qacc.copy()
    for start, dof, R in rotating(case):
        q[start : start + 4] = np.roll(case.qpos[start : start + 4], -1)
        if R is None:
            continue
        velocity, omega = R.T @ case.qvel[dof : dof + 3], case.qvel[dof + 3 : dof + 6]
        linear = R.T @ case.qacc[dof : dof + 3] - np.cross(omega, velocity)
        v[dof : dof + 6] = *omega, *velocity
        a[dof : dof + 6] = *case.qacc[dof + 3 : dof + 6], *linear
    return q, v, a


def forces(case: Case) -> np.ndarray:
    """Return MuJoCo's forces as Jounce has them: moment and force on a free body in its frame."""
    Q = mujoco_forces(case)
    for _, dof, R in rotating(case):
        if R is not None:
            Q[dof : dof + 6] = *Q[dof + 3 : dof + 6], *(R.T @ Q[dof : dof + 3])
    return Q


def rotating(case: Case) -> Iterator[tuple[int, int, np.ndarray | None]]:
    """Yield where every quaternion starts, its first velocity, and R for free bodies."""
    model = case.model
    for kind, start, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == BALL:
            yield start, dof, None
        if kind == FREE:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, case.qpos[start + 3 : start + 7])
            yield start + 3, dof, R.reshape(3, 3)
