"""What many logs together tell about the parameters of a robot.

The triangles of the logs are merged in a tree whose shape follows from the order of the logs
alone, so that the result is the same, bit for bit, whatever the workers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from jounce.errors import ArgumentError
from jounce.fleet.cluster import connected, outcomes, packed, unpacked
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
    progress: Callable[[int, int], None] | None = None,
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
    waves = [logs[i : i + WAVE] for i in range(0, len(logs), WAVE)]
    with connected(client, workers) as cluster:
        told, failed = _told(cluster, waves, (robot, options, reading), progress)
        merged = None if not told else _tree(cluster, told).result()
    if merged is None:
        raise ArgumentError(f"no log can be read; the first: {failed[0]}")
    merged.failed = tuple(failed)
    merged.notes += [f"left out: {line}" for line in failed]
    return merged


def _told(
    cluster: Any,
    waves: list[list[Source]],
    made_with: tuple[Robot, dict[str, Any], dict[str, Any]],
    progress: Callable[[int, int], None] | None,
) -> tuple[list[Any], list[str]]:
    """Return a future for every wave with a log that could be read, and lines about the others."""
    common = packed(made_with)
    place: dict[str, tuple[int, int]] = {}
    kept: list[dict[int, Any]] = [{} for _ in waves]
    missing = [len(wave) for wave in waves]
    merged: dict[int, Any] = {}
    failed: dict[tuple[int, int], str] = {}

    def begun() -> Iterator[Any]:
        for i, wave in enumerate(waves):
            for k, source in enumerate(wave):
                kept[i][k] = cluster.submit(_leaf, common, source.path, pure=False)
                # the triangle stays where it is; only this comes here
                future = cluster.submit(_error, kept[i][k], pure=False, priority=1)
                place[future.key] = i, k
                yield future

    for done, (future, error) in enumerate(outcomes(cluster, begun()), 1):
        i, k = place.pop(future.key)
        missing[i] -= 1
        if error is not None:
            killed = isinstance(error, BaseException)
            path = waves[i][k].path
            failed[i, k] = (
                f"{path}: no worker could do it ({one_line(error)})." if killed else error
            )
            del kept[i][k]
        if not missing[i] and kept[i]:
            merged[i] = _tree(cluster, [kept[i][k] for k in sorted(kept[i])])
            kept[i].clear()
        if progress is not None:
            progress(done, sum(map(len, waves)))
    return [merged[i] for i in sorted(merged)], [failed[at] for at in sorted(failed)]


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
        told = [cluster.submit(_sum, group, pure=False, priority=2) for group in groups]
    return told[0]


def _sum(told: list[Information]) -> Information:
    return reduce(operator.add, told)
