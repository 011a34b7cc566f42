"""Which system a robot or its drives are."""

from __future__ import annotations

from typing import Any

from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable import Antagonistic, VariableStiffness
from jounce.model.robot import Robot
from jounce.simulation.systems import ElasticSystem, RigidSystem, System
from jounce.simulation.variable import AntagonisticSystem, VariableSystem


def system_of(thing: Any) -> System:
    """Return the system of a robot or of elastic drives."""
    if isinstance(thing, Robot):
        return RigidSystem(thing)
    if isinstance(thing, SeriesElastic):
        return ElasticSystem(thing)
    if isinstance(thing, VariableStiffness):
        return VariableSystem(thing)
    if isinstance(thing, Antagonistic):
        return AntagonisticSystem(thing)
    raise TypeError(
        f"cannot simulate a {type(thing).__name__}; give a Robot, a SeriesElastic, a "
        "VariableStiffness or an Antagonistic."
    )
