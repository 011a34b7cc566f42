"""Robots with closures, almost right: files, motors and motions that do not fit them."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import jounce
from tests.fuzz import mutants
from tests.fuzz.rule import inside

AGREE = 1e-6  # of the largest force on the way: numbers of mutants are far apart
LINK = '<inertial pos="{} 0 0" mass="{}" diaginertia="0.001 0.01 0.01"/>'
MJCF = f"""<mujoco model="fourbar"><option gravity="0 -9.81 0"/><worldbody>
  <body name="crank" euler="0 0 60"><joint name="crank_joint" axis="0 0 1"/>{LINK.format(0.1, 0.4)}
    <body name="coupler" pos="0.2 0 0" euler="0 0 -60"><joint name="coupler_joint" axis="0 0 1"/>
      {LINK.format(0.25, 0.8)}<site name="end" pos="0.5 0 0"/></body></body>
  <body name="rocker" pos="0.5 0 0" euler="0 0 60"><joint name="rocker_joint" axis="0 0 1"/>
    {LINK.format(0.1, 0.6)}<site name="top" pos="0.2 0 0"/></body>
  <body name="block" pos="0.7 0.1 0" euler="0 0 25"><freejoint name="loose"/>
    <inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.02 0.03"/></body>
  </worldbody><equality>
  <connect name="pin" body1="coupler" body2="rocker" anchor="0.5 0 0"/>
  <weld name="glue" body1="rocker" body2="block"/>
  </equality></mujoco>
"""
SITES = MJCF.replace(
    'body1="coupler" body2="rocker" anchor="0.5 0 0"', 'site1="end" site2="top"'
).replace("<freejoint", '<joint axis="0 0 1"')
JOINTS = ("crank_joint", "coupler_joint", "rocker_joint")
LIMITS = "joint,velocity,effort,lower,upper\n" + "".join(f"{j},2,80,-9,9\n" for j in JOINTS)


@cache
def texts() -> tuple[str, ...]:
    """Return robots with closures as JSON: planar, in space, on the ground, with a ball."""
    fourbar = jounce.examples.fourbar()
    loose = fourbar.without_closures()
    robots = (
        fourbar,
        jounce.examples.fourbar(directions="vx vy"),
        loose.with_closures(jounce.Closure("coupler_tip", directions="vx")),
        loose.with_closures(jounce.Closure("coupler_tip", "rocker_tip", directions="linear wx")),
        _ball(),
    )
    return tuple(json.dumps(robot.to_dict()) for robot in robots)


def _ball() -> jounce.Robot:
    """Return a rod on a ball whose tip is held to a slide."""
    builder = jounce.RobotBuilder("ball")
    rod = jounce.Inertia(1.0, (0.2, 0, 0), np.diag([0.01, 0.02, 0.03]))
    builder.add("rod", joint=jounce.joints.spherical(), inertia=rod)
    builder.add("slide", joint=jounce.joints.prismatic((0, 0, 1)), inertia=rod)
    builder.frame("tip", "rod", _shift(0.4))
    builder.frame("end", "slide", _shift(0.4))
    builder.closure("tip", "end", directions="linear")
    return builder.build()


def _shift(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


@cache
def table() -> str:
    """Return a log of the four-bar, closed at every sample."""
    robot, q = jounce.examples.fourbar(), np.array([0.5, 0.42, 1.41])
    rows = [",".join(("t", *JOINTS))]
    for k in range(30):
        start = np.array([0.5 + 0.01 * k, *q[1:]])
        q = jounce.close(robot, start, hold="crank_joint")
        rows.append(",".join(repr(float(x)) for x in (0.01 * k, *q)))
    return "\n".join([*rows, ""])


def written(rng: random.Random, place: Path, *, sound: float) -> Path:
    """Write a robot with closures, mutated but for a part that is ``sound``."""
    is_sound = rng.random() < sound
    if rng.random() < 0.4:
        path, text = place / "robot.xml", rng.choice((MJCF, SITES))
        path.write_bytes(text.encode() if is_sound else mutants.xml(text, rng))
        return path
    path, text = place / "robot.json", rng.choice(texts())
    if is_sound:
        path.write_text(text, encoding="utf-8")
    elif rng.random() < 0.5:  # of the closures and their frames, which are a small part
        data = json.loads(text)
        part = rng.choice(("closures", "closures", "frames"))
        data[part] = json.loads(_edited(data[part], rng))
        path.write_bytes(json.dumps(data).encode())
    else:
        path.write_bytes(mutants.json_text(text, rng))
    return path


def _edited(part: Any, rng: random.Random) -> str:
    """Return a part of a robot with other values, of which some are names that it knows."""
    if isinstance(part, list) and part and rng.random() < 0.6:
        entry = rng.choice(part)
        key = rng.choice(list(entry))
        entry[key] = rng.choice(
            (None, "", "all", "linear", "wx", "vx vx", "vz wy", "crank", "coupler", "rocker_tip",
             "coupler_tip", "base", 5, [], ["vx", "vy"], [0.0, 1e7, 0.0], [0.0, 1e-9, 0.0])
        )  # fmt: skip
        return json.dumps(part)
    while True:
        with suppress(ValueError, UnicodeError):
            text = mutants.json_text(json.dumps(part), rng).decode()
            json.loads(text)
            return text


def functions(rng: random.Random, place: Path) -> str | None:
    """Close a robot and compute with it: numbers that fit each other, or one error."""
    path = written(rng, place, sound=0.1)
    with suppress(jounce.JounceError):
        robot = jounce.load(path)
        if robot.nv > 20:
            return None
        if not robot.closures:
            return None
        start = jounce.integrate(
            robot, robot.neutral, [rng.uniform(-0.5, 0.5) for _ in range(robot.nv)]
        )
        q = jounce.close(robot, rng.choice((start, robot.neutral)))
        off = np.abs(jounce.closure_error(robot, q)).max(initial=0.0)
        if not off < 1e-5:
            return f"closed but for {off}"
        return _forces(robot, q, rng)
    return None


def _forces(robot: jounce.Robot, q: np.ndarray, rng: random.Random) -> str | None:
    """Let the tree carry what the closures exert: its forces must be those that were given."""
    freedoms, _ = jounce.mobility(robot)
    v = jounce.closed_rates(robot, q, [rng.uniform(-1, 1) for _ in range(freedoms)])[0]
    Q = np.array([rng.uniform(-1, 1) for _ in range(robot.nv)])
    a, force = jounce.constrained_forward_dynamics(robot, q, v, Q)
    tree = robot.without_closures()
    held = jounce.api.closures.closure_wrenches(robot, q, force[0])
    felt = {name: jounce.Wrench(w.values, w.representation) for name, w in held.items()}
    found = jounce.inverse_dynamics(tree, q, v, a[0], wrenches=felt)[0]
    free = jounce.inverse_dynamics(tree, q, v, a[0])[0]
    scale = max(1.0, np.abs(free).max(), np.abs(found - free).max())
    if not np.abs(found - Q).max() <= AGREE * scale:
        return f"forces {found} instead of {Q}, on the scale {scale}"
    names = [joint.name for joint in robot.joints]
    actuated = [name for name in names if rng.random() < 0.7] or None
    driven, force = jounce.constrained_inverse_dynamics(robot, q, v, a[0], actuated=actuated)
    given = np.zeros(robot.nv)
    given[jounce.api.closures._actuated(robot, actuated)] = driven[0]
    again, _ = jounce.constrained_forward_dynamics(robot, q, v, given)
    scale = max(1.0, np.abs(a).max(), np.abs(free).max())
    wrong = np.abs(again - a).max()
    return None if wrong <= AGREE * scale else f"accelerations {again} instead of {a}"


def commands(rng: random.Random, place: Path) -> str | None:
    """Show, verify, check, report, plan and simulate: a mutant of a file or an option."""
    which = rng.choice(("robot", "robot", "log", "limits", "option"))
    path = written(rng, place, sound=float(which != "robot"))
    if which != "robot" and rng.random() < 0.7:
        path = place / "fourbar.json"
        path.write_text(texts()[0], encoding="utf-8")
    for name, text in (("log.csv", table()), ("limits.csv", LIMITS)):
        is_mutant = name.startswith(which)
        (place / name).write_bytes(mutants.csv_text(text, rng) if is_mutant else text.encode())
    lines = table().splitlines()
    (place / "points.csv").write_text("\n".join([lines[0], *lines[1::14], ""]))
    joints = rng.choice(("crank_joint", "crank_joint", "rocker_joint", "coupler_joint,rocker_joint",
                         ",".join(JOINTS)))  # fmt: skip
    odd = ("", ",", "crank_joint,crank_joint", "crank_joint,", "loose", "tip", *mutants.NAMES)
    if which == "option":
        joints = rng.choice(odd)
    robot, motors = path.name, ["--actuated", joints]
    words = rng.choice([
        ["show", robot], ["show", robot, "--json", "--frames"],
        ["verify", robot, "--samples", "1", "--order", "1"],
        ["check", robot, "log.csv", "--limits", "limits.csv", *motors],
        ["check", robot, "log.csv", *motors],
        ["report", robot, "log.csv", *motors, "-o", "page.html"],
        ["report", robot, *motors, "--duration", "0.2", "-o", "page.html"],
        ["plan", robot, "points.csv", "--limits", "limits.csv", "--knots", "12", *motors],
        ["plan", robot, "points.csv", "--limits", "limits.csv", "--knots", "12", *motors,
         "--independent", rng.choice((joints, *odd[:5])), "-o", "motion.csv", "--rate", "100"],
        ["id", robot, "log.csv", "--order", "0"],
        ["identify", robot, "log.csv"],
        ["simulate", robot, "--time", "0.001", "--order", "4", "--tol", "1e-4"],
        ["simulate", robot, "--time", "0.001", "--tol", "1e-4", "--q", rng.choice(("0 0 0",
         "0.5 0.421 1.414", "nan 0 0", "1e300 0 0", "1"))],
        ["export", robot, rng.choice(("constrained_inverse_dynamics", "closure_error", "id")),
         "code", "--actuated", rng.choice(("0", "0 0", "7", joints))],
        ["view", robot, "--no-open", "--port", "x"],
        ["ik", robot, "--frame", "coupler_tip", "--pose", "0.3 0.1 0 0 0 0"],
        ["excite", robot, "--time", "1", "--starts", "1", "--harmonics", "1"],
    ])  # fmt: skip
    return None if any("\x00" in word for word in words) else inside(place, words)
