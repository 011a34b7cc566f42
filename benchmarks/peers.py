"""Pinocchio at the speed of C++: the one place where benchmarks time it.

`rneaInParallel` and `abaInParallel` with one thread run over a batch without Python in between;
single calls from Python are for latencies.  `single_calls` are for what has no such function
(crba, the Coriolis matrix): the same sample again and again, so that all its data are in the
cache; the duration of the same call on a robot without joints is taken off, and that of the copy
of the matrix that the binding returns: what remains is C++.
"""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Action

URDFS = {
    "panda.urdf": "panda_description/urdf/panda.urdf",
    "talos_reduced.urdf": "talos_data/robots/talos_reduced.urdf",
    "solo12.urdf": "solo_description/robots/solo12.urdf",
    "talos_full_v2.urdf": "talos_data/robots/talos_full_v2.urdf",
}


def urdf(name: str) -> Path:
    """Return the path of a robot of example-robot-data."""
    share = distribution("example-robot-data").locate_file("cmeel.prefix/share")
    return Path(str(share)) / "example-robot-data" / "robots" / URDFS[name]


class Pinocchio:
    """A URDF file in Pinocchio, mimic joints free, and what there is to time."""

    def __init__(self, name: str, *, floating_base: bool = False) -> None:
        import pinocchio as pin  # pyright: ignore[reportMissingImports]

        self.pin: Any = pin
        root = (pin.JointModelFreeFlyer(),) if floating_base else ()
        self.model = pin.buildModelFromUrdf(str(urdf(name)), *root)
        self.data = self.model.createData()

    def rnea_batch(self, samples: int, rng: np.random.Generator) -> Action:
        """Return an action that computes Q of a batch, column by column, on one thread."""
        model, pin = self.model, self.pin
        q = np.asfortranarray([self._configuration(rng) for _ in range(samples)]).T
        v, a = (np.asfortranarray(rng.normal(size=(model.nv, samples))) for _ in range(2))
        q = np.asfortranarray(q)
        tau = np.zeros((model.nv, samples), order="F")
        pool = pin.ModelPool(model, 1)
        return lambda: pin.rneaInParallel(1, pool, q, v, a, tau)

    def rnea_call(self, rng: np.random.Generator) -> Action:
        """Return an action that computes Q of one sample from Python."""
        model, data, rnea = self.model, self.data, self.pin.rnea
        q, v, a = self._configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        return lambda: rnea(model, data, q, v, a)

    def aba_batch(self, samples: int, rng: np.random.Generator) -> Action:
        """Return an action that computes the accelerations of a batch on one thread."""
        model, pin = self.model, self.pin
        q = np.asfortranarray(np.array([self._configuration(rng) for _ in range(samples)]).T)
        v, tau = (np.asfortranarray(rng.normal(size=(model.nv, samples))) for _ in range(2))
        a = np.zeros((model.nv, samples), order="F")
        pool = pin.ModelPool(model, 1)
        return lambda: pin.abaInParallel(1, pool, q, v, tau, a)

    def single_calls(self, rng: np.random.Generator) -> dict[str, Action]:
        """Return actions for one sample of M, C and a, and for the same on no joints at all."""
        pin, empty = self.pin, self.pin.Model()
        crba, coriolis, aba = pin.crba, pin.computeCoriolisMatrix, pin.aba
        model, data, q = self.model, self.data, self._configuration(rng)
        matrix, no_matrix = crba(model, data, q), np.zeros((0, 0))
        v, tau = rng.normal(size=(2, self.model.nv))
        none, no_data = np.zeros(0), empty.createData()
        return {
            "M": lambda: crba(model, data, q),
            "C": lambda: coriolis(model, data, q, v),
            "a": lambda: aba(model, data, q, v, tau),
            "M of nothing": lambda: crba(empty, no_data, none),
            "C of nothing": lambda: coriolis(empty, no_data, none, none),
            "a of nothing": lambda: aba(empty, no_data, none, none, none),
            "copy": matrix.copy,
            "copy of nothing": no_matrix.copy,
        }

    def partials_calls(self, rng: np.random.Generator) -> dict[str, Action]:
        """Return actions for one sample of ∂Q/∂(q, v, a) and of the regressor Y.

        Besides the same on no joints at all, and the copy of Y that the call from Python makes.
        """
        pin, empty = self.pin, self.pin.Model()
        partials, regressor = pin.computeRNEADerivatives, pin.computeJointTorqueRegressor
        model, data, q = self.model, self.data, self._configuration(rng)
        v, a = rng.normal(size=(2, self.model.nv))
        none, no_data = np.zeros(0), empty.createData()
        Y = regressor(model, data, q, v, a)
        return {
            "dQ": lambda: partials(model, data, q, v, a),
            "Y": lambda: regressor(model, data, q, v, a),
            "dQ of nothing": lambda: partials(empty, no_data, none, none, none),
            "Y of nothing": lambda: regressor(empty, no_data, none, none, none),
            "copy of Y": lambda: Y.copy("K"),
        }

    def _configuration(self, rng: np.random.Generator) -> np.ndarray:
        increment = rng.uniform(-1.0, 1.0, size=self.model.nv)
        return self.pin.integrate(self.model, self.pin.neutral(self.model), increment)
