"""The arm that elastic robots are tested with, how it swings and how its stiffness varies."""

from __future__ import annotations

import jounce

ARM = jounce.load("planar2r")
SWING = jounce.trajectory.Fourier(
    [[0.6, -0.4], [0.2, 0.1]], [[0.2, 0.1], [0.0, -0.2]], 2.0, [0.3, 0.5]
)
STIFFNESS = jounce.trajectory.Fourier([[30.0, 40.0]], [[20.0, -10.0]], 3.0, [500.0, 300.0])
