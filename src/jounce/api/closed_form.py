"""Public function: the closed form of the equations of motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import Wrenches, loaded_kernel
from jounce.dynamics.closed_form import ClosedForm
from jounce.dynamics.matrices import FACTORIZATIONS
from jounce.dynamics.wrenches import frame_wrenches
from jounce.errors import check_name
from jounce.kernels.arrays import check_values, checked_arrays
from jounce.kernels.description import kernel_spec
from jounce.model.lowering.tree import lowered
from jounce.model.robot import Robot


def closed_form(
    robot: Robot, q: Any, *rates: Any, wrenches: Wrenches = None, factorization: str = "passive"
) -> ClosedForm:
    """Return the matrices of the closed form and their time derivatives of any order.

    For insight, checks and Lyapunov arguments, not for speed: all is dense.  ``wrenches`` and
    ``factorization`` are those of `jounce.inverse_dynamics` and `jounce.coriolis_matrix`.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> form = jounce.closed_form(arm, [0.1, 0.2], [1, 2], [3, 4], [5, 6])
    >>> form.J.shape, form.M.shape, form.C.shape, form.Q.shape
    ((4, 12, 2), (4, 2, 2), (3, 2, 2), (2, 2))
    >>> Q1 = form.g[1] + sum(form.coefficient(k + 1, 1) @ r for k, r in enumerate(form.rates))
    >>> bool(abs(Q1 - form.Q[1]).max() < 1e-13)
    True
    """
    check_name("factorization", factorization, FACTORIZATIONS)
    order = len(rates)
    kernel_spec(robot, "inverse_dynamics")  # the checks of the robot
    kernel, loads = loaded_kernel(robot, "wrench_forces", order, wrenches)  # has the same arguments
    arrays, batch = checked_arrays(kernel.signature, (q, *rates, *loads))
    check_values(robot, kernel.signature, arrays)
    own = [x.copy() for x in arrays]  # what is asked for later belongs to the motion given now
    motion = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in own[: order + 1]]
    rows = {
        key: [[x[k, ..., i] for i in range(6)] for k in range(order + 1)]
        for key, x in zip(kernel.spec.wrenches, own[order + 1 :], strict=True)
    }
    frames = frame_wrenches(robot, lowered(robot), rows)
    return ClosedForm(robot, motion[0], motion[1:], frames, factorization)
