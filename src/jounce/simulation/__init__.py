"""Simulation by Taylor series of the motion."""

from jounce.errors import SimulationError as SimulationError
from jounce.simulation.planned_forces import PlannedForces as PlannedForces
from jounce.simulation.result import Simulation as Simulation
from jounce.simulation.taylor import taylor as taylor
