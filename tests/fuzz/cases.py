"""What is tried with a mutant, by its kind and seed, and the rule it must keep."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import jounce
from jounce.limits.limits import MotionLimits
from jounce.model.builder import RobotBuilder
from tests.fuzz import bags, closed_robots, fleets, mutants, peers, programs, rule
from tests.fuzz.rule import Hang, command, empty, inside, patience

Peer = Callable[[Path, jounce.Robot, random.Random], str | None]

TIMES = ("nan", "inf", "1e308", "1e400", "-1", "0", "1e-320", "0.01", "0.1", "x")
SIMULATE = ("simulate", "planar2r", "--time", "0.001", "--order", "8", "--tol", "1e-6")


@dataclass(frozen=True)
class Finding:
    """A mutant that broke the rule."""

    kind: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.seed}: {self.what}"


def tried(kind: str, seed: int, place: Path) -> Finding | None:
    """Run one case in an empty directory; return what was wrong.

    What takes too long by the clock is run once more: a machine may have stood still.
    """
    try:
        what = _run(kind, seed, place)
    except Hang as hang:
        if hang.args == (rule.CLOCK,):
            with suppress(Hang):
                return _found(kind, seed, place, _run(kind, seed, place))
        what = f"took more than {rule.PATIENCE:g} s\n{traceback.format_exc()}"
    return _found(kind, seed, place, what)


def _run(kind: str, seed: int, place: Path) -> str | None:
    empty(place)
    rng = random.Random(f"{kind} {seed}")
    try:
        with patience(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return KINDS[kind](rng, place)
    except Exception:
        return traceback.format_exc()


def _found(kind: str, seed: int, place: Path, what: str | None) -> Finding | None:
    left = [path.name for path in place.iterdir() if path.name.endswith(".tmp")]
    if what is None and left:
        what = f"left {left}"
    return None if what is None else Finding(kind, seed, what)


def _robot(path: Path, rng: random.Random, peer: Peer | None) -> str | None:
    """Load a robot and compute with it; where a peer takes the file too, they must agree."""
    try:
        robot = jounce.load(path, mimic=False)
    except jounce.JounceError as error:
        return None if str(error) else "an error without a message"
    if robot.nv > 50:
        return None
    q, v = np.array(robot.neutral), np.full(robot.nv, 0.3)
    with suppress(jounce.JounceError):
        force = jounce.inverse_dynamics(robot, q, v, v)
        if not np.isfinite(force).all():
            return f"forces are {force}"
        return None if peer is None else peer(path, robot, rng)
    return None


def _urdf(rng: random.Random, place: Path) -> str | None:
    path = place / "arm.urdf"
    path.write_bytes(mutants.xml(rng.choice((mutants.URDF, mutants.URDF_ODD)), rng))
    return _robot(path, rng, peers.pinocchio) or command("show", str(path))


def _mjcf(rng: random.Random, place: Path) -> str | None:
    path = place / "arm.xml"
    path.write_bytes(mutants.xml(rng.choice((mutants.MJCF, mutants.MJCF_ODD)), rng))
    return _robot(path, rng, peers.mujoco) or command("show", str(path))


def _json(rng: random.Random, place: Path) -> str | None:
    source = place / "whole.json"
    jounce.load(rng.choice(("planar2r", "puma560"))).save(source)
    path = place / "arm.json"
    path.write_bytes(mutants.json_text(source.read_text(encoding="utf-8"), rng))
    return _robot(path, rng, None) or command("show", str(path), "--json")


def _log(rng: random.Random, place: Path) -> str | None:
    ending = rng.choice((".csv", ".csv", ".npz", ".parquet"))
    text = mutants.log_csv(rng)
    makers = {".csv": mutants.csv_text, ".npz": mutants.npz, ".parquet": mutants.parquet}
    path = place / f"log{ending}"
    path.write_bytes(makers[ending](text, rng))
    options = ["--noise", rng.choice(("0", "1e-4"))] if rng.random() < 0.7 else []
    out = place / f"out{rng.choice(('.csv', '.npz', '.parquet'))}"
    order = rng.choice(("0", "0", "1"))
    return command("id", "planar2r", str(path), "--order", order, "-o", str(out), *options)


def _limits(rng: random.Random, place: Path) -> str | None:
    if rng.random() < 0.5:
        path, data = place / "limits.csv", mutants.csv_text(mutants.LIMITS_CSV, rng)
    else:
        path, data = place / "limits.json", mutants.json_text(mutants.LIMITS_JSON, rng)
    path.write_bytes(data)
    with suppress(jounce.JounceError):
        MotionLimits.read(path, jounce.load("planar2r"))
    return None


def _poses(rng: random.Random, place: Path) -> str | None:
    path = place / "poses.csv"
    path.write_bytes(mutants.csv_text(mutants.POSES_CSV, rng))
    with suppress(jounce.JounceError):
        jounce.ik.read_poses(path)
    return None


def _state(rng: random.Random, place: Path) -> str | None:
    path = place / "state.json"
    path.write_bytes(mutants.json_text(mutants.STATE_JSON, rng))
    return command(*SIMULATE, "--state", str(path))


def _options(rng: random.Random, place: Path) -> str | None:
    out = str(place / "o.csv")
    number = lambda: rng.choice((*mutants.NUMBERS, "0.01", "1", "2"))  # noqa: E731
    name = lambda: rng.choice((*mutants.NAMES, "link2", "planar2r", "tip"))  # noqa: E731
    row = rng.choice([
        ("simulate", "planar2r", "--time", "0.01", "--step", number(), "-o", out),
        ("simulate", "planar2r", "--time", rng.choice(TIMES), "--step", number(), "--tol", "1e-3"),
        (*SIMULATE, "--q", f"{number()} {number()}"),
        (*SIMULATE, "--v", f"{number()},{number()}"),
        (*SIMULATE, "--elastic",
         f"{number()},{number()}"),
        (*SIMULATE, "--tol", number()),
        ("ik", "planar2r", "--frame", name(), "--pose", " ".join(number() for _ in range(6))),
        ("ik", "planar2r", "--frame", "tip", "--pose", "1 1 0 0 0 0", "--q0",
         f"{number()} {number()}"),
        ("export", "planar2r", name(), str(place / "c"), "--order", number()),
        ("export", "planar2r", "jacobian", "--frame", name(), name()),
        ("export", "planar2r", "id", str(place / "cpp"), "--lang", "cpp", "--batch", number()),
        ("export", "planar2r", "id", str(place / "m"), "--lang", "matlab", "--name", name()),
        ("export", "planar2r", rng.choice(("id", "mass_matrix", name())), str(place / "c"),
         "--lang", "casadi", rng.choice(("--name", "--order", "--batch")),
         rng.choice((name(), number()))),
        ("export", "planar2r", "inverse_dynamics", str(place / "c"), rng.choice(("--lang",
         "--name", "--batch", "--template", "--wrench")), rng.choice((name(), number(), "cpp"))),
        ("view", "planar2r", name()), ("view", name(), name()),
        ("view", "planar2r", "--port", rng.choice(("0", "x", "-1", "65536", "1e3"))),
        ("plan", "planar2r", name()), ("check", "planar2r", name(), "--limits", name()),
        ("identify", name(), name()), ("excite", name(), "--time", number()),
        ("show", name()), ("show", "planar2r", name()), (name(), "planar2r"),
        ("verify", name(), "--samples", number(), "--order", number()),
        ("compare", "planar2r", "--orders", number(), "--formulation", name()),
        ("cache", name()), ("robots", name()),
    ])  # fmt: skip
    if row[0] in ("check", "identify") and ".." in row:
        return None  # all logs of somebody else's folder
    return None if any("\x00" in word for word in row) else inside(place, row)


def _motion_commands(rng: random.Random, place: Path) -> str | None:
    """Plan, check, identify, excite and report: a mutant of one of their files or options."""
    sound = {
        "points.csv": mutants.POINTS_CSV, "limits.csv": mutants.LIMITS_CSV,
        "limits.json": mutants.LIMITS_JSON, "log.csv": mutants.log_csv(rng),
        "torques.csv": mutants.log_csv(rng, ("joint1", "joint2", "Q:joint1", "Q:joint2")),
        "bare.csv": mutants.log_csv(rng, ("joint1", "joint2", "Q:joint1", "Q:joint2")),
    }  # fmt: skip
    limits = rng.choice(("limits.csv", "limits.json"))
    words, used = rng.choice([
        (["plan", "planar2r", "points.csv", "--limits", limits, "--knots", "20"],
         ["points.csv", limits]),
        (["check", "planar2r", "log.csv", "--limits", limits], ["log.csv", limits]),
        (["identify", "planar2r", "torques.csv", "-o", "found.urdf"], ["torques.csv"]),
        (["identify", "planar2r", "torques.csv", "--prior", "euclidean", "--friction", "viscous",
          "--trim", "0.01", "--validate", "log.csv", "-o", "found.json"], ["torques.csv"]),
        (["identify", "planar2r", "torques.csv", "--payload-frame", "tip", "--friction", "none",
          "--trim", "0.02", "-o", "loaded.json"], ["torques.csv"]),
        (["identify", "planar2r", "torques.csv", "--payload-frame", "link2", "--without",
          "bare.csv", "--noise", "1e-4", "-o", "loaded.json"], ["torques.csv", "bare.csv"]),
        (["excite", "planar2r", "--time", "2", "--step", "0.02", "--starts", "1", "--harmonics",
          "2", "--limits", limits, "-o", "motion.csv"], [limits]),
        (["report", "planar2r", "log.csv", "--limits", limits, "-o", "page.html"],
         ["log.csv", limits]),
    ])  # fmt: skip
    options = [i for i, word in enumerate(words) if word.startswith("--") and i + 1 < len(words)]
    if options and rng.random() < 0.3:
        others = [word for word in (*mutants.NUMBERS, *mutants.NAMES) if word != "1_000"]
        words[rng.choice(options) + 1] = rng.choice(others)  # a thousand starts take long
        used = []
    broken = rng.choice(used) if used else None
    for name, text in sound.items():
        edit = mutants.json_text if name.endswith(".json") else mutants.csv_text
        (place / name).write_bytes(edit(text, rng) if name == broken else text.encode())
    return None if any("\x00" in word for word in words) else inside(place, words)


def _view(rng: random.Random, place: Path) -> str | None:
    """Show a robot, or a log with wrenches, until somebody interrupts it at once."""
    try:
        import viser  # noqa: F401
    except ImportError:
        return None
    wrenches = mutants.log_csv(
        rng, [f"tip[{part}]" for part in ("mx", "my", "mz", "fx", "fy", "fz")]
    )
    sound = {
        "log.csv": mutants.log_csv(rng), "limits.csv": mutants.LIMITS_CSV,
        "wrenches.csv": wrenches, "arm.urdf": mutants.URDF,
    }  # fmt: skip
    broken = rng.choice((None, *sound))
    edits = {"arm.urdf": mutants.xml}
    for name, text in sound.items():
        data = edits.get(name, mutants.csv_text)(text, rng) if name == broken else text.encode()
        (place / name).write_bytes(data)
    words = [
        "view",
        rng.choice(("planar2r", "planar2r", "arm.urdf")),
        "--no-open",
        "--port",
        "8500",
    ]
    if broken != "arm.urdf":
        words += rng.choice(([], ["log.csv"], ["log.csv", "--wrenches", "wrenches.csv"],
                             ["log.csv", "--limits", "limits.csv"]))  # fmt: skip
    if broken is None:
        odd = (*mutants.NUMBERS, *mutants.NAMES)
        words += rng.choice([
            ["--host", rng.choice(("", "0.0.0.0", "::1", "none.invalid", "1.2.3.4", "x y"))],
            ["--port", rng.choice(odd)], ["--units", rng.choice((*odd, "deg", "deg,ms", "m,m"))],
            ["--wrenches", rng.choice(odd)], ["--map", rng.choice(("t=joint1", "=", "a=b=c", "x"))],
            ["--time", rng.choice(odd)], ["--topic", rng.choice(odd)], ["--noise", rng.choice(odd)],
            ["--degree", rng.choice((*odd, "8", "99"))], ["--floating-base"], ["--fit"],
        ])  # fmt: skip
    if any("\x00" in word for word in words):
        return None

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    program: Any = import_module("jounce.cli.view")
    waiting = program.time
    program.time = SimpleNamespace(sleep=interrupt)
    try:
        return inside(place, words)
    finally:
        program.time = waiting


def _builder(rng: random.Random, _place: Path) -> str | None:
    """Build a robot of odd arguments."""
    odd: tuple[Any, ...] = (
        None, -1, 0, 1e308, float("nan"), "x", [], [1, 2], (0, 0, 1), np.eye(4), np.zeros((4, 4)),
        np.eye(4) * 1e300, True, 10**400, 1j, object(),
    )  # fmt: skip
    with suppress(jounce.JounceError, TypeError):
        builder = RobotBuilder("r", gravity=rng.choice(((0, 0, -9.8), (0, 0, -9.8), *odd)))
        for k in range(3):
            options = {
                "parent": rng.choice((None, "b0", *odd[5:8])), "placement": np.eye(4),
                "armature": 0.0, "damping": 0.0,
                "inertia": jounce.Inertia(1, (0, 0, 0), np.eye(3)),
            }  # fmt: skip
            key = rng.choice(list(options))
            if rng.random() < 0.5:
                options[key] = rng.choice(odd)
            axis = rng.choice(((0, 0, 1), (1, 2, 3), *odd)) if rng.random() < 0.3 else (0, 0, 1)
            builder.add(f"b{k}", joint=jounce.joints.revolute(axis), **options)
        robot = builder.build(strict=rng.random() < 0.5)
        jounce.gravity_forces(robot, robot.neutral)
    return None


def _tables(rng: random.Random, _place: Path) -> str | None:
    """Make a robot of rows of Denavit and Hartenberg, or of screws, with odd entries."""
    odd: tuple[Any, ...] = (
        None, -1, 0, 1e308, float("nan"), "x", [], [1, 2], np.eye(4), True, 10**400, 1j, object(),
        "revolute", "fixed", {}, {"a": 1}, b"x", 1e-320, np.zeros((6, 6)), [None] * 6, -0.0,
    )  # fmt: skip
    body = jounce.Inertia(1, (0.1, 0, 0), np.eye(3))
    if rng.random() < 0.5:
        make: Callable[..., jounce.Robot] = jounce.from_dh
        lists: list[Any] = [[[0.4, 0.1, 0.0, 0.2], [0.3, 0.0, 0.1, 0.0, "prismatic"]], [body, body]]
        options: dict[str, Any] = {
            "convention": "modified",
            "names": ["a", "b"],
            "gravity": [0] * 3,
        }
    else:
        make = jounce.from_screws
        screws = [[0, 0, 1, 0, -0.3, 0], [0, 0, 0, 1, 0, 0]]
        lists = [screws, [np.eye(4).tolist(), np.eye(4).tolist()], [body, body]]
        options = {"parents": [-1, 0], "representation": "spatial", "names": ["a", "b"]}
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.3:
            options[rng.choice(list(options))] = rng.choice(odd)
            continue
        place = lists
        while rng.random() < 0.8 and isinstance(inner := rng.choice(place), list) and inner:
            place = inner
        k = rng.randrange(len(place))
        place[k] = rng.choice((*odd, place[k] * 2 if isinstance(place[k], list) else 7.0))
    with suppress(jounce.JounceError):
        robot = make(*lists, **options)
        force = jounce.gravity_forces(robot, robot.neutral)
        return None if np.isfinite(force).all() else f"forces are {force}"
    return None


KINDS: dict[str, Callable[[random.Random, Path], str | None]] = {
    "urdf": _urdf,
    "mjcf": _mjcf,
    "json": _json,
    "log": _log,
    "limits": _limits,
    "poses": _poses,
    "state": _state,
    "options": _options,
    "motions": _motion_commands,
    "builder": _builder,
    "tables": _tables,
    "view": _view,
    "closures": closed_robots.functions,
    "closed": closed_robots.commands,
    "fleet": fleets.commands,
    "adapters": programs.calls,
    "bags": bags.commands,
}
