"""Which logs come nearest to the limits of a robot, or exceed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jounce.errors import ArgumentError
from jounce.fleet.cluster import Progress, connected, outcomes, packed, unpacked
from jounce.fleet.manifest import one_line
from jounce.fleet.sources import Files, Source, sources
from jounce.limits.check import LimitRow, check_log
from jounce.limits.forces import MotionForces
from jounce.limits.limits import MotionLimits, checked_limits
from jounce.model.robot import Robot
from jounce.tables.log import open_log


class FleetRow(NamedTuple):
    """Where a joint comes nearest to one of its limits in a log."""

    file: str
    row: LimitRow


class FleetLimits(NamedTuple):
    """A row for every log and joint, the worst first; lines about logs that cannot be read."""

    rows: tuple[FleetRow, ...]
    failed: tuple[str, ...]

    @property
    def violations(self) -> tuple[FleetRow, ...]:
        """The rows beyond a limit."""
        return tuple(found for found in self.rows if found.row.violated)


def check(
    robot: Robot,
    files: Files,
    limits: MotionLimits | None = None,
    *,
    actuated: str | Sequence[str] | None = None,
    client: Any = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> FleetLimits:
    """Check logs against limits, by default the robot's own.

    Only samples are looked at, as `jounce.limits.check.check_log` does, which also tells what
    ``actuated`` is; ``reading`` are options of
    `jounce.tables.open_log`, the others are as in `jounce.fleet.inverse_dynamics`.

    >>> import tempfile, jounce, numpy as np
    >>> from jounce.limits.limits import MotionLimits
    >>> from jounce.tables import MotionTable, write_table
    >>> arm, t = jounce.load("planar2r"), np.linspace(0.0, 2.0, 201)
    >>> table = MotionTable(t, ("joint1", "joint2"), np.sin(t)[None, :, None] * [1.0, 0.5])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/log.csv", table)
    ...     found = check(arm, folder, MotionLimits.of(arm, upper=0.8), workers=1)
    >>> [(row.joint, round(row.value, 3), row.violated) for _, row in found.rows]
    [('joint1', 1.0, True), ('joint2', 0.5, False)]
    """
    limits = checked_limits(robot, limits)
    MotionForces.of(robot, actuated, limits)  # what is wrong with it is wrong for every log
    if not limits.limited():
        raise ArgumentError(f"no limits are known of {robot.name!r}; give some.")
    common = packed((robot, limits, actuated, reading))
    logs = sources(files)
    rows: list[FleetRow] = []
    failed: dict[str, str] = {}
    with connected(client, workers) as cluster:

        def begin(log: Source) -> Any:
            return cluster.submit(_worst, common, log.path, pure=False)

        for log, outcome in outcomes(cluster, logs, begin, progress=progress):
            if isinstance(outcome, str):
                failed[log.path] = outcome
            else:
                rows += [FleetRow(log.path, row) for row in outcome]
    rows.sort(key=lambda found: (-found.row.use, found.file, found.row.joint))
    return FleetLimits(tuple(rows), tuple(failed[path] for path in sorted(failed)))


def _worst(common: bytes, path: str) -> list[LimitRow] | str:
    """Return the worst row of every joint, or what is wrong with a log; a worker runs this."""
    robot, limits, actuated, reading = unpacked(common)
    try:
        log = open_log(robot, path, order=limits.order, forces=False, **reading)
        worst: dict[str, LimitRow] = {}
        for row in check_log(robot, log, limits, actuated=actuated).rows:
            if row.joint not in worst or row.use > worst[row.joint].use:
                worst[row.joint] = row
        return list(worst.values())
    except Exception as failure:  # one bad log does not stop the others
        return one_line(failure)
