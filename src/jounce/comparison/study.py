"""`jounce.compare`: which formulation is cheapest, and how errors grow with the order."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path

import numpy as np

from jounce.codegen.graph import Graph
from jounce.codegen.machine_code import compile_program
from jounce.codegen.program import Program
from jounce.comparison.contestants import CONTESTANTS, Contestant, is_covered, without_motors
from jounce.comparison.measurement import Entry, Motion, best_seconds, is_compiled
from jounce.comparison.records import Comparison, Measurement
from jounce.comparison.reference import Reference, reference
from jounce.errors import ArgumentError, UnsupportedError, check_name
from jounce.kernels.description import kernel_spec
from jounce.model.checks import checked_integer, checked_order
from jounce.model.configuration import integrate
from jounce.model.robot import Robot
from jounce.trajectory import papers_motion

SAMPLES = 4096
INSTANTS = 20
ROUNDS = 30
_SHORTEST = 2e-4  # seconds: shorter calls are timed in loops
_TEXT_ROUNDS = 10  # of the texts in Python, which are slow
Progress = Callable[[int, int], None]


def compare(
    robot: Robot,
    orders: Iterable[int] = range(7),
    *,
    formulations: Sequence[str] | None = None,
    samples: int = SAMPLES,
    instants: int = INSTANTS,
    rounds: int = ROUNDS,
    progress: Progress | None = None,
) -> Comparison:
    """Measure all formulations of inverse dynamics on one robot, ours and the papers'.

    For Q … Q⁽ᵏ⁾, k in ``orders``: operations after tracing; seconds to trace and compile;
    processor time, the best of ``rounds``, of a sample in a batch of ``samples`` on one thread, of
    one call from Python and of the text itself in Python; and the largest error at ``instants``
    times of the papers' motion against numbers of 50 digits (mpmath, the extra ``compare``).

    ``momentum``, ``body``, ``spatial`` and ``hybrid`` are ours as `jounce.inverse_dynamics` runs
    them, with ``_given`` on the bodies as they are, neither frames nor inertias rearranged;
    ``km21``, ``m20_body``, ``m20_spatial`` and ``mk21`` are literal transcriptions, through the
    same code generator, for serial chains; ``closed_form`` is NumPy.  ``progress(done, total)``
    is told about steps done.  Everything is compiled anew: seven orders of a seven-joint arm
    take minutes.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> found = jounce.compare(arm, [0], formulations=("momentum", "km21"), rounds=1, samples=8)
    >>> found["momentum", 0].operations < found["km21", 0].operations
    True
    """
    wanted = _checked_orders(orders)
    samples, instants, rounds = (
        checked_integer(name, value, 1)
        for name, value in (("samples", samples), ("instants", instants), ("rounds", rounds))
    )
    kernel_spec(robot, "inverse_dynamics", max(wanted))  # the checks of the robot
    if not robot.nv:
        raise UnsupportedError(f"robot {robot.name!r} has no joint that moves: nothing to compare.")
    robot, taking_part, notes = _field(robot, _checked_names(formulations))
    contests = [
        (contestant, order)
        for contestant in taking_part
        for order in wanted
        if contestant.highest_order is None or order <= contestant.highest_order
    ]
    total = len(contests) + 2 * rounds + min(rounds, _TEXT_ROUNDS)
    steps = count(1)  # every compilation and every round of timing

    def report() -> None:
        if progress is not None:
            progress(next(steps), total)

    referee = _referee(robot, max(wanted), instants, notes)
    if is_compiled():
        compile_program(_smallest(), cache=False)  # the compiler starts up
    else:
        notes.append("nothing is compiled: llvmlite is missing or JOUNCE_INTERPRET is set.")
    entries = _entries(robot, contests, report)
    rows = _measured(entries, _motion(robot, max(wanted), samples), rounds, referee, report)
    disagreement = referee[0].disagreement if referee else None
    return Comparison(robot.name, tuple(rows), tuple(notes), machine(), samples, disagreement)


def machine() -> str:
    """Name the processor and the programs that the numbers belong to."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    processor = names[0] if names else platform.processor() or platform.machine()
    python, system = platform.python_version(), platform.system()
    return f"{processor}, {system}, Python {python}, NumPy {np.__version__}"


def _checked_orders(orders: Iterable[int]) -> list[int]:
    wanted = sorted({checked_order(k) for k in orders})
    if not wanted:
        raise ArgumentError("orders must be one or more integers ≥ 0, got none.")
    return wanted


def _checked_names(formulations: Sequence[str] | None) -> list[Contestant]:
    for name in formulations or ():
        check_name("formulation", name, CONTESTANTS)
    return [c for c in CONTESTANTS.values() if formulations is None or c.name in formulations]


def _field(
    robot: Robot, contestants: list[Contestant]
) -> tuple[Robot, list[Contestant], list[str]]:
    """Return the robot that all compute, who takes part, and notes on what was left out."""
    notes: list[str] = []
    bare = without_motors(robot)
    literal = [c for c in contestants if c.is_literal]
    reasons = {c.name: is_covered(c, bare) for c in contestants}
    if bare is not robot and any(not reasons[c.name] for c in literal):
        robot = bare
        notes.append(
            "motor inertia and damping are left out for everyone: the papers do not have them."
        )
    left_out = [c.name for c in contestants if reasons[c.name]]
    if left_out:
        notes.append(f"without {', '.join(left_out)}: {reasons[left_out[0]]}")
    taking_part = [c for c in contestants if not reasons[c.name]]
    if not taking_part:
        raise UnsupportedError(f"nobody is left to compare: {reasons[left_out[0]]}")
    return robot, taking_part, notes


def _motion(robot: Robot, order: int, samples: int) -> list[np.ndarray]:
    """Return ``q, *rates`` along the papers' motion, which starts from rest."""
    motion = papers_motion(robot.nv)
    times = np.linspace(0.0, motion.duration, samples + 2)[1:-1]
    position, *rates = motion(times, order=order + 2)
    neutral = np.broadcast_to(robot.neutral, (samples, robot.nq))
    q = integrate(robot, neutral, position) if robot.quaternions else position
    return [np.ascontiguousarray(x) for x in (q, *rates)]


def _referee(
    robot: Robot, order: int, instants: int, notes: list[str]
) -> tuple[Reference, list[np.ndarray]] | None:
    motion = _motion(robot, order, instants)
    serial = not is_covered(CONTESTANTS["m20_body"], robot)
    try:
        return reference(robot, motion, serial=serial), motion
    except ImportError:
        notes.append("no errors: they need the mpmath package, pip install 'jounce[compare]'.")
        return None


def _entries(
    robot: Robot, contests: list[tuple[Contestant, int]], report: Callable[[], None]
) -> list[Entry]:
    entries = []
    for contestant, order in contests:
        entries.append(Entry(contestant, robot, order))
        report()
    return entries


def _measured(
    entries: list[Entry],
    motion: Motion,
    rounds: int,
    referee: tuple[Reference, list[np.ndarray]] | None,
    report: Callable[[], None],
) -> list[Measurement]:
    """Return all rows; everything is timed in turn, so that orders compare as well."""
    motions = [motion[: entry.order + 3] for entry in entries]
    batches = [e.throughput(m) for e, m in zip(entries, motions, strict=True)]
    calls = [e.latency(m) for e, m in zip(entries, motions, strict=True)]
    texts = [e.python(m) for e, m in zip(entries, motions, strict=True)]
    times = best_seconds([b and b[0] for b in batches], rounds, report)
    call_times = best_seconds(calls, rounds, report, at_least=_SHORTEST)
    text_times = best_seconds(texts, min(rounds, _TEXT_ROUNDS), report)
    rows = []
    for i, entry in enumerate(entries):
        batch, seconds, latency, python = batches[i], times[i], call_times[i], text_times[i]
        counts = entry.program.counts if entry.program else {}
        rows.append(
            Measurement(
                entry.contestant.name,
                entry.order,
                counts.get("mul"),
                counts.get("add"),
                entry.program.operations if entry.program else None,
                entry.trace_seconds,
                entry.compile_seconds,
                seconds / batch[1] * 1e9 if batch and seconds else None,
                latency * 1e6 if latency else None,
                python * 1e6 if python else None,
                _error(entry, referee),
            )
        )
    return rows


def _error(entry: Entry, referee: tuple[Reference, list[np.ndarray]] | None) -> float | None:
    if referee is None:
        return None
    exact, motion = referee
    got = entry.forces(motion[: entry.order + 3])
    return exact.error(entry.order, got[entry.order])


def _smallest() -> Program:
    graph = Graph()
    (x,) = graph.inputs(1)
    return graph.program([1], [[x * x]])
