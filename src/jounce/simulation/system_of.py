"""Which system a robot or its drives are."""

from __future__ import annotations

from typing import Any

from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable import Antagonistic, VariableStiffness
from jounce.elastic.wrenches import Wrenches, constant_wrenches
from jounce.model.robot import Robot
from jounce.simulation.systems import ElasticSystem, RigidSystem, System
from jounce.simulation.variable import AntagonisticSystem, VariableSystem

THINGS = "give a Robot, a SeriesElastic, a VariableStiffness or an Antagonistic"


def system_of(thing: Any, wrenches: Wrenches = None) -> System:
    """Return the system of a robot, or of elastic drives, under wrenches that stay."""
    if isinstance(thing, Robot):
        return RigidSystem(thing, constant_wrenches(thing, wrenches))
    if isinstance(thing, SeriesElastic):
        return ElasticSystem(thing, constant_wrenches(thing.robot, wrenches))
    if isinstance(thing, VariableStiffness):
        return VariableSystem(thing, constant_wrenches(thing.robot, wrenches))
    if isinstance(thing, Antagonistic):
        return AntagonisticSystem(thing, constant_wrenches(thing.robot, wrenches))
    raise TypeError(f"cannot simulate a {type(thing).__name__}; {THINGS}.")
