"""The 24 numbers of ``ad(V)ᵀ M`` against the 6x6 matrices they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.algebra.coriolis import NO_FORM, CoriolisForm
from jounce.algebra.inertia import SpatialInertia, Symmetric3
from jounce.algebra.se3 import Force, Motion, Transform
from jounce.algebra.so3 import Rotation, about_z, from_rpy
from jounce.algebra.vector import ZERO, Vec3
from tests.tolerances import ROUNDOFF, assert_close


def vector(rng: np.random.Generator) -> Vec3:
    return Vec3(*rng.normal(size=3).tolist())


def motion(rng: np.random.Generator) -> Motion:
    return Motion(vector(rng), vector(rng))


def inertia(rng: np.random.Generator) -> SpatialInertia:
    return SpatialInertia(2.5, vector(rng), Symmetric3(*rng.normal(size=6).tolist()))


def hat(a: Vec3) -> np.ndarray:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def ad(V: Motion) -> np.ndarray:
    w, v = (hat(part) for part in V)
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def matrix(M: SpatialInertia) -> np.ndarray:
    h = hat(M.first_moment)
    return np.block([[np.array(M.rotational.rows), h], [h.T, M.mass * np.eye(3)]])


def adjoint(T: Transform) -> np.ndarray:
    """Return Ad(T⁻¹), which takes twists of the parent to the child."""
    R, p = np.array(T.rotation.rows), hat(T.p)
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ p, R.T]])


def flat(f: Force) -> np.ndarray:
    return np.array([*f.moment, *f.force])


def as_matrix(form: CoriolisForm) -> np.ndarray:
    """Return the 6x6 matrix column by column."""
    units = [Vec3(*row) for row in np.eye(3).tolist()]
    columns = [Motion(e, ZERO) for e in units] + [Motion(ZERO, e) for e in units]
    return np.array([flat(form.apply(u)) for u in columns]).T


def test_form_of_one_body(rng: np.random.Generator) -> None:
    M, V = inertia(rng), motion(rng)
    assert_close(as_matrix(CoriolisForm.of(M, V)), ad(V).T @ matrix(M), ROUNDOFF)


def test_the_four_blocks_are_what_the_head_of_the_module_says(rng: np.random.Generator) -> None:
    M, V = inertia(rng), motion(rng)
    form = CoriolisForm.of(M, V)
    w, v, h = hat(V.angular), hat(V.linear), hat(M.first_moment)
    K, E = np.array(form.K), np.array(form.E)
    assert_close(K, v @ h - w @ np.array(M.rotational.rows), ROUNDOFF)
    assert_close(E, w @ h, ROUNDOFF)
    assert_close(np.array(form.p), M.mass * np.array(V.linear), ROUNDOFF)
    assert_close(np.array(form.n), M.mass * np.array(V.angular), ROUNDOFF)
    wanted = np.block([[K, -(E + hat(form.p))], [E, -hat(form.n)]])
    assert_close(as_matrix(form), wanted, ROUNDOFF)


def test_sum_and_transpose(rng: np.random.Generator) -> None:
    forms = [CoriolisForm.of(inertia(rng), motion(rng)) for _ in range(2)]
    total = forms[0] + forms[1]
    assert_close(as_matrix(total), as_matrix(forms[0]) + as_matrix(forms[1]), ROUNDOFF)
    u = motion(rng)
    wanted = as_matrix(total).T @ np.array([*u.angular, *u.linear])
    assert_close(flat(total.apply_transposed(u)), wanted, ROUNDOFF)


@pytest.mark.parametrize("shape", ["general", "turn", "shift", "about z", "along z"])
def test_seen_from_the_parent(shape: str, rng: np.random.Generator) -> None:
    """``P' = Ad(T⁻¹)ᵀ P Ad(T⁻¹)``, of a sum of bodies, for every sparsity of T."""
    p = vector(rng)
    R, still = from_rpy(*rng.normal(size=3).tolist()), from_rpy(0.0, 0.0, 0.0)
    turn: Rotation = about_z(0.6, 0.8)
    T = {
        "general": Transform(R, p),
        "turn": Transform(R, ZERO),
        "shift": Transform(still, p),
        "about z": Transform(turn, ZERO),
        "along z": Transform(turn, Vec3(0.0, 0.0, 0.7)),
    }[shape]
    form = CoriolisForm.of(inertia(rng), motion(rng)) + CoriolisForm.of(inertia(rng), motion(rng))
    wanted = adjoint(T).T @ as_matrix(form) @ adjoint(T)
    assert_close(as_matrix(form.moved(T)), wanted, ROUNDOFF)


def test_moving_the_body_moves_its_form(rng: np.random.Generator) -> None:
    """``moved`` agrees with the form of the moved inertia under the moved twist."""
    M, V = inertia(rng), motion(rng)
    T = Transform(from_rpy(0.3, -0.4, 0.5), vector(rng))
    direct = CoriolisForm.of(M.moved(T), T.act(V))
    assert_close(as_matrix(CoriolisForm.of(M, V).moved(T)), as_matrix(direct), ROUNDOFF)


def test_no_form_is_zero(rng: np.random.Generator) -> None:
    assert flat(NO_FORM.apply(motion(rng))).tolist() == [0.0] * 6
    form = CoriolisForm.of(inertia(rng), motion(rng))
    assert as_matrix(form + NO_FORM).tolist() == as_matrix(form).tolist()
