"""The ROBOT argument and its options, the same for every command that takes a robot."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

_OPTIONS = (
    click.argument("source", metavar="ROBOT"),
    click.option("--floating-base", is_flag=True, help="Let the base move freely."),
    click.option("--no-mimic", is_flag=True, help="Free the joints that follow another."),
    click.option("--no-strict", is_flag=True, help="Accept inertias that no body can have."),
)


def robot_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Call ``command`` with ``robot``, loaded as the command line says."""

    @functools.wraps(command)
    def with_robot(
        *, source: str, floating_base: bool, no_mimic: bool, no_strict: bool, **options: Any
    ) -> Any:
        import jounce

        robot = jounce.load(
            source, floating_base=floating_base, mimic=not no_mimic, strict=not no_strict
        )
        return command(robot=robot, **options)

    for option in reversed(_OPTIONS):
        with_robot = option(with_robot)
    return with_robot
