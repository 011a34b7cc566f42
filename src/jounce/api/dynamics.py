"""Public functions: forces, wrenches, momentum and energy of a motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jounce.api.call import Wrenches, evaluate
from jounce.api.closed_form import closed_form
from jounce.dynamics.inverse import FORMULATIONS
from jounce.errors import check_name
from jounce.model.robot import Robot


def inverse_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    wrenches: Wrenches = None,
    formulation: str = "momentum",
) -> np.ndarray:
    """Return the generalised forces and their time derivatives, ``(K − 1, *batch, nv)``.

    ``Q = M a + C v + D v + g − Jᵀ W``.  K rates (velocity, acceleration, jerk, ...) give
    Q to order K − 2.  ``wrenches`` maps frames to `Wrench` or to arrays ``(m, *batch, 6)`` in
    body representation, exerted by the environment on the robot.  The formulations
    ``momentum``, ``body``, ``spatial``, ``hybrid`` and ``closed_form`` agree; the first is the
    fastest, the last (see `jounce.closed_form`) is not compiled.

    >>> import jounce
    >>> panda = jounce.load("panda")
    >>> q = v = a = j = s = [0.1] * 7
    >>> jounce.inverse_dynamics(panda, q, v, a, j, s).shape
    (3, 7)
    """
    if formulation == "closed_form":
        return closed_form(robot, q, v, a, *rates, wrenches=wrenches).Q
    check_name("formulation", formulation, (*FORMULATIONS, "closed_form"))
    return evaluate(robot, "inverse_dynamics", (q, v, a, *rates), wrenches, formulation=formulation)


def gravity_forces(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return the forces that hold the robot against gravity, ``(K + 1, *batch, nv)``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> jounce.gravity_forces(arm, [0.0, 0.0]).round(3).tolist()
    [[27.066, 5.492]]
    """
    return evaluate(robot, "gravity_forces", (q, *rates))


def gravity_wrenches(robot: Robot, q: Any, *rates: Any, representation: str = "body") -> np.ndarray:
    """Return the wrench of gravity on every body, ``(K + 1, *batch, n_bodies, 6)``.

    [M20, (23)-(25)], at any order: true derivatives of the components in the representation.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> jounce.gravity_wrenches(arm, [0, 0], representation="hybrid")[0, :, 4].round(3).tolist()
    [-14.71, -6.865]
    """
    return evaluate(robot, "gravity_wrenches", (q, *rates), representation=representation)


def joint_wrenches(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *rates: Any,
    wrenches: Wrenches = None,
    representation: str = "body",
) -> np.ndarray:
    """Return the wrench each parent exerts on its body, ``(K − 1, *batch, n_bodies, 6)``.

    True wrenches with true derivatives in the stated representation, gravity and external
    wrenches included.  ``Q_i = Ξ_iᵀ W_i`` of the joint, less what its motor inertia and damping
    take.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> jounce.joint_wrenches(arm, [0, 0], [0, 0], [0, 0])[0, 0, 4].round(3).item()  # weight
    21.575
    """
    return evaluate(
        robot, "joint_wrenches", (q, v, a, *rates), wrenches, representation=representation
    )


def body_momenta(
    robot: Robot, q: Any, v: Any, *rates: Any, representation: str = "body"
) -> np.ndarray:
    """Return the momentum of every body, ``(K, *batch, n_bodies, 6)`` [M20, (10)].

    About the origin of the body, in its axes (``body``) or the world's (``hybrid``), or about the
    world origin (``spatial``: these sum up to `momentum`).

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> own = jounce.body_momenta(arm, [0, 0], [1, 0], representation="spatial")
    >>> bool(abs(own.sum(axis=-2) - jounce.momentum(arm, [0, 0], [1, 0])).max() < 1e-15)
    True
    """
    return evaluate(robot, "body_momenta", (q, v, *rates), representation=representation)


def momentum(robot: Robot, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return angular and linear momentum about the world origin, ``(K, *batch, 6)``.

    >>> import jounce
    >>> jounce.momentum(jounce.load("planar2r"), [0, 0], [1, 0])[0].round(3).tolist()
    [0.0, 0.0, 3.768, 0.0, 2.76, 0.0]
    """
    return evaluate(robot, "momentum", (q, v, *rates))


def centroidal_momentum(robot: Robot, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return angular and linear momentum about the centre of mass, ``(K, *batch, 6)``.

    >>> import jounce
    >>> jounce.centroidal_momentum(jounce.load("planar2r"), [0, 0], [1, 0])[0, 2].round(3).item()
    0.305
    """
    return evaluate(robot, "centroidal_momentum", (q, v, *rates))


def centroidal_momentum_matrix(robot: Robot, q: Any, *rates: Any) -> np.ndarray:
    """Return A with ``h = A v`` about the centre of mass, ``(K + 1, *batch, 6, nv)``.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> A = jounce.centroidal_momentum_matrix(arm, [0.1, 0.2])[0]
    >>> h = jounce.centroidal_momentum(arm, [0.1, 0.2], [1, 2])[0]
    >>> bool(abs(A @ [1, 2] - h).max() < 1e-15)
    True
    """
    return evaluate(robot, "centroidal_momentum_matrix", (q, *rates))


def wrench_forces(robot: Robot, wrenches: Mapping[str, Any], q: Any, *rates: Any) -> np.ndarray:
    """Return ``Σ Jᵀ W``, the generalised forces of wrenches, ``(K + 1, *batch, nv)``.

    ``wrenches`` are those of `inverse_dynamics`; time derivatives are of the product, so those of
    the wrenches count too.  No Jacobian is formed.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> up = jounce.Wrench([[0, 0, 0, 0, 1, 0]], "hybrid")  # 1 N along y at the tip, 1.8 m away
    >>> jounce.wrench_forces(arm, {"tip": up}, [0.0, 0.0]).round(12).tolist()
    [[1.8, 0.8]]
    """
    return evaluate(robot, "wrench_forces", (q, *rates), wrenches)


def kinetic_energy(robot: Robot, q: Any, v: Any, *rates: Any) -> np.ndarray:
    """Return the kinetic energy ``½ vᵀ M v`` (motor inertias included), ``(K, *batch)``.

    >>> import jounce
    >>> jounce.kinetic_energy(jounce.load("planar2r"), [0, 0], [1, 0]).round(3).tolist()
    [1.884]
    """
    return evaluate(robot, "kinetic_energy", (q, v, *rates))


def potential_energy(robot: Robot, q: Any, v: Any = None, *rates: Any) -> np.ndarray:
    """Return the potential energy in gravity, ``(K, *batch)``: zero at the world origin.

    Without rates the energy alone, ``(1, *batch)``; with v, a, ... K − 1 time derivatives.

    >>> import jounce
    >>> jounce.potential_energy(jounce.load("planar2r"), [0, 0]).tolist()
    [0.0]
    """
    if v is None and not rates and isinstance(robot, Robot):
        v = np.zeros(robot.nv)  # what the energy itself does not depend on
    return evaluate(robot, "potential_energy", (q, v, *rates))
