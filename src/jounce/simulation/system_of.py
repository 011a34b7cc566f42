"""Which system a robot or its drives are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.elastic.series import SeriesElastic
from jounce.elastic.variable import Antagonistic, VariableStiffness
from jounce.errors import UnsupportedError
from jounce.model.robot import Robot
from jounce.simulation.systems import ElasticSystem, RigidSystem, System
from jounce.simulation.variable import AntagonisticSystem, VariableSystem


def system_of(thing: Any, wrenches: Mapping[str, Any] | None = None) -> System:
    """Return the system of a robot, under wrenches that stay, or of elastic drives."""
    if isinstance(thing, Robot):
        return RigidSystem(thing, wrenches)
    if wrenches:
        raise UnsupportedError(
            "wrenches act on a Robot in a simulation, not yet on elastic drives; a load that "
            "stays is robot.with_payload(frame, inertia)."
        )
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
