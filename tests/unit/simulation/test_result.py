"""What a simulation gives back, and what it leaves behind where it fails."""

from __future__ import annotations

import pickle

import jounce
from jounce.simulation import SimulationError, taylor
from tests.tolerances import EXACT, assert_close


def test_an_error_of_another_process_arrives():
    """A pool whose worker raises what cannot be unpickled waits for ever."""
    partial = taylor(jounce.load("planar2r"), ([0.1, 0.2], [0.0, 0.0]), t=(0.0, 0.01))
    error = pickle.loads(pickle.dumps(SimulationError("it fell", partial)))
    assert (type(error), str(error)) == (SimulationError, "it fell")
    assert_close(error.partial.final, partial.final, EXACT)
