"""What many logs together tell about the parameters of a robot.

The triangles of the logs are merged in a tree whose shape follows from the order of the logs
alone, so that the result is the same, bit for bit, whatever the workers.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from jounce.errors import ArgumentError
from jounce.fleet.cluster import Progress, connected, outcomes, packed, unpacked
from jounce.fleet.manifest import one_line
from jounce.fleet.sources import Files, Source, sources
from jounce.identification.information import Information
from jounce.identification.logs import information_of
from jounce.identification.terms import COULOMB_SPEED, FRICTION
from jounce.model.robot import Robot

FAN = 8  # triangles that one task makes one of
WAVE = FAN**2  # logs whose triangles are kept until all of them are there


def information(
    robot: Robot,
    files: Files,
    *,
    friction: Sequence[str] | bool = FRICTION,
    armature: bool = False,
    coulomb_speed: float = COULOMB_SPEED,
    client: Any = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Information:
    """Return what logs with positions and forces tell together, for `identify`.

    ``friction``, ``armature`` and ``coulomb_speed`` are those of `Information`, ``reading`` those
    of `identify`; ``files``, ``client``, ``workers`` and ``progress`` are as in
    `jounce.fleet.inverse_dynamics`.  A log that cannot be read is left out: a line of ``notes``
    says so, and ``failed`` has the lines of all of them.

    >>> import tempfile, jounce, numpy as np
    >>> from jounce.tables import MotionTable, write_table
    >>> arm, rng = jounce.load("planar2r"), np.random.default_rng(0)
    >>> motion, t = rng.normal(size=(3, 200, 2)), np.arange(200) / 100
    >>> table = MotionTable(t, ("joint1", "joint2"), motion, jounce.inverse_dynamics(arm, *motion))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/log.npz", table)
    ...     told = information(arm, folder, workers=1)
    >>> told.samples
    200
    """
    options = {"friction": friction, "armature": armature, "coulomb_speed": coulomb_speed}
    logs = sources(files)
    with connected(client, workers) as cluster:
        told, failed = _told(cluster, logs, packed((robot, options, reading)), progress)
        merged = None if not told else _tree(cluster, told).result()
    if merged is None:
        raise ArgumentError(f"no log can be read; the first: {failed[0]}")
    merged.failed = tuple(failed)
    merged.notes += [f"left out: {line}" for line in failed]
    return merged


def _told(
    cluster: Any, logs: list[Source], common: bytes, progress: Progress | None
) -> tuple[list[Any], list[str]]:
    """Return a future for every wave with a log that could be read, and lines about the others."""
    waves = [logs[i : i + WAVE] for i in range(0, len(logs), WAVE)]
    wave_of = {log: i for i, wave in enumerate(waves) for log in wave}
    missing = [len(wave) for wave in waves]
    kept: dict[Source, Any] = {}
    merged: dict[int, Any] = {}
    failed: dict[Source, str] = {}

    def begin(log: Source) -> Any:
        kept[log] = cluster.submit(_leaf, common, log.path, pure=False)
        # the triangle stays where it is; only this comes here
        return cluster.submit(_error, kept[log], pure=False, priority=1)

    for log, error in outcomes(cluster, logs, begin, progress=progress):
        i = wave_of[log]
        missing[i] -= 1
        if error is not None:
            failed[log] = error
            del kept[log]
        if not missing[i]:
            told = [kept.pop(x) for x in waves[i] if x in kept]
            merged |= {i: _tree(cluster, told)} if told else {}
    return [merged[i] for i in sorted(merged)], [failed[x] for x in logs if x in failed]


def _leaf(common: bytes, path: str) -> Information | str:
    """Return what a log tells, or what is wrong with it; a worker runs this."""
    robot, options, reading = unpacked(common)
    try:
        return information_of(robot, path, options, reading)
    except Exception as failure:  # one bad log does not stop the others
        line = one_line(failure)
        return line if line.startswith(f"{path}:") else f"{path}: {line}"


def _error(told: Information | str) -> str | None:
    return told if isinstance(told, str) else None


def _tree(cluster: Any, told: list[Any]) -> Any:
    """Return the future of the sum of futures."""
    while len(told) > 1:
        groups = [told[i : i + FAN] for i in range(0, len(told), FAN)]
        told = [cluster.submit(reduce, operator.add, x, pure=False, priority=2) for x in groups]
    return told[0]
