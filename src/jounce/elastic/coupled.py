"""The series of links and motors together, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import as_wrenches, rows_to_order
from jounce.elastic.wrenches import Wrenches
from jounce.kernels.kernel import kernel_of
from jounce.kernels.quantities import kernel_spec
from jounce.model.robot import Robot


def coupled(
    links: Robot, groups: tuple[Any, ...], torques: np.ndarray, wrenches: Wrenches
) -> np.ndarray:
    """Return a, a', ... and θ'', θ''', ... for the torques and their derivatives.

    ``groups`` are the arguments of `jounce.derivatives.elastic.coupled` before the torques;
    ``wrenches`` act on the links.
    """
    order, given = len(torques) - 1, as_wrenches(wrenches)
    keys = [(frame, wrench.representation) for frame, wrench in given.items()]
    loads = [rows_to_order(frame, wrench.values, order) for frame, wrench in given.items()]
    return kernel_of(kernel_spec(links, "elastic_coupled", order, keys))(*groups, torques, *loads)
