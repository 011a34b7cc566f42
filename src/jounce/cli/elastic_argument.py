"""The option ``--elastic K,J``, the same for every command that takes springs and motors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from jounce.cli.number_list import numbers

if TYPE_CHECKING:
    from jounce.elastic import SeriesElastic
    from jounce.model.robot import Robot


def elastic_robot(robot: Robot, texts: tuple[str, ...]) -> SeriesElastic:
    """Return the robot with the springs and motors of ``--elastic K,J``."""
    from jounce.elastic import SeriesElastic

    pairs = [numbers("--elastic", text, 2, infinite=True) for text in texts]
    if len(pairs) not in (1, robot.nv):
        raise click.UsageError(f"--elastic is given once, or {robot.nv} times, got {len(pairs)}")
    stiffness, inertia = zip(*(pairs * robot.nv)[: robot.nv], strict=True)
    return SeriesElastic(robot, stiffness, inertia)
