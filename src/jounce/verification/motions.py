"""Random motions of a robot and every quantity along them, computed without compiling.

The algorithm texts run on NumPy arrays, one array a scalar: nothing is traced or compiled, and
one run serves all samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.api.call import Wrench
from jounce.api.closed_form import closed_form
from jounce.dynamics.closed_form import ClosedForm
from jounce.dynamics.twists import REPRESENTATIONS
from jounce.kernels.description import kernel_spec
from jounce.kernels.table import QUANTITIES
from jounce.kernels.uncompiled import run_uncompiled
from jounce.lazy import cached_property
from jounce.model.robot import Robot


class Motions:
    """Samples of q, of ``order + 2`` rates, and of wrenches on up to three bodies."""

    def __init__(self, robot: Robot, samples: int, order: int, seed: int) -> None:
        self.robot = robot
        self.order = order
        self.rng = np.random.default_rng(seed)
        self.q = self.configurations(samples)
        self.rates = self.rng.normal(size=(order + 2, samples, robot.nv))
        self.wrenches = self._wrenches(samples)
        self._known: dict[Any, np.ndarray] = {}
        self._forms: dict[str, ClosedForm] = {}

    def configurations(self, count: int) -> np.ndarray:
        """Return random configurations, ``(count, nq)``."""
        return self.robot.random_configuration(self.rng, count)

    def _wrenches(self, samples: int) -> dict[str, Wrench]:
        """Draw a wrench with derivatives on the first, middle and last body, one a kind."""
        bodies = self.robot.bodies
        chosen = dict.fromkeys(bodies[i].name for i in (-1, 0, len(bodies) // 2)) if bodies else {}
        shape = (self.order + 1, samples, 6)
        return {
            name: Wrench(self.rng.normal(size=shape), kind)
            for name, kind in zip(chosen, REPRESENTATIONS, strict=False)
        }

    def text(self, quantity: str, order: int | None = None, **options: str) -> np.ndarray:
        """Return a quantity and its derivatives to ``order``, ``(rows, samples, …)``."""
        order = self.order if order is None else order
        key = quantity, order, *sorted(options.items())
        if key not in self._known:
            rates = self.rates[: order + QUANTITIES[quantity].extra_rates]
            motion = (self.q, *rates)
            self._known[key] = evaluated(self.robot, quantity, order, motion, None, **options)
        return self._known[key]

    def loaded_forces(self, formulation: str) -> np.ndarray:
        """Return Q with the wrenches on the robot, by one of the recursions."""
        return evaluated(
            self.robot,
            "inverse_dynamics",
            self.order,
            (self.q, *self.rates),
            self.wrenches,
            formulation=formulation,
        )

    def closed_form(self, factorization: str = "passive") -> ClosedForm:
        """Return the closed form along the motions, with the wrenches on the robot."""
        if factorization not in self._forms:
            self._forms[factorization] = closed_form(
                self.robot,
                self.q,
                *self.rates,
                wrenches=self.wrenches,
                factorization=factorization,
            )
        return self._forms[factorization]

    @cached_property
    def friction(self) -> np.ndarray:
        """Dry friction of the joints and its time derivatives, as deep as the forces."""
        return self.closed_form().F[: self.order + 1]


def evaluated(
    robot: Robot,
    quantity: str,
    order: int,
    motion: tuple[np.ndarray, ...],
    wrenches: dict[str, Wrench] | None = None,
    **options: str,
) -> np.ndarray:
    """Run the text of a quantity on arrays ``(samples, width)``."""
    given = wrenches or {}
    keys = [(name, w.representation) for name, w in given.items()]
    spec = kernel_spec(robot, quantity, order, keys, options)
    return run_uncompiled(spec, [*motion, *(w.values for w in given.values())])
