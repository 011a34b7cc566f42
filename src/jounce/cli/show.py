"""``jounce show``: what a robot is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from jounce.cli.arguments import robot_argument
from jounce.cli.console import grid, output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jounce.model.records import Body, Frame, Joint
    from jounce.model.robot import Robot


@click.command(epilog="Example: jounce show panda --json")
@robot_argument
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--frames", "with_frames", is_flag=True, help="List the frames, too.")
def show(robot: Robot, *, as_json: bool, with_frames: bool) -> None:
    """Show what a robot is made of.

    ROBOT is the name of a bundled robot or a file: .urdf, .xacro, .xml (MJCF) or .json.
    """
    summary = describe(robot)
    if as_json:
        click.echo(json.dumps(summary, indent=2, allow_nan=False))
    else:
        _print(output(), summary, with_frames=with_frames)


def describe(robot: Robot) -> dict[str, Any]:
    """Return what ``show`` prints as plain data; a limit that is not known is None."""
    pairs = zip(robot.bodies, robot.joints, strict=True)
    return {
        "name": robot.name,
        "description": robot.description,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": robot.mass,
        "gravity": list(robot.gravity),
        "bodies": [_describe_body(robot, body, joint) for body, joint in pairs],
        "frames": [_describe_frame(robot, frame) for frame in robot.frames],
        "closures": [str(closure) for closure in robot.closures],
        "warnings": list(robot.warnings),
    }


def _describe_body(robot: Robot, body: Body, joint: Joint) -> dict[str, Any]:
    from jounce.model.mimics import follows

    mimic = follows(joint, robot.joints)
    return {
        "name": body.name,
        "parent": _body_name(robot, body.parent),
        "mass": body.inertia.mass,
        "com": list(body.inertia.com),
        "joint": joint.name,
        "kind": joint.kind,
        "q": [joint.q_slice.start, joint.q_slice.stop],
        "v": [joint.v_slice.start, joint.v_slice.stop],
        "limits": {
            limit: [value if isfinite(value) else None for value in values]
            for limit, values in asdict(joint.limits).items()
        },
        "armature": list(joint.armature),
        "damping": list(joint.damping),
        "friction": joint.friction_entries,
        "mimic": mimic and mimic._asdict(),
    }


def _describe_frame(robot: Robot, frame: Frame) -> dict[str, Any]:
    position = [float(x) for x in frame.placement.p]
    return {"name": frame.name, "body": _body_name(robot, frame.body), "position": position}


def _body_name(robot: Robot, index: int) -> str | None:
    return robot.bodies[index].name if index >= 0 else None


def _print(console: Console, summary: dict[str, Any], *, with_frames: bool) -> None:
    gravity = " ".join(f"{g:g}" for g in summary["gravity"])
    console.print(f"[bold cyan]{escape(summary['name'])}[/]  {escape(summary['description'])}")
    console.print(
        f"nq {summary['nq']}, nv {summary['nv']}, {len(summary['bodies'])} bodies, "
        f"{len(summary['frames'])} frames, mass {summary['mass']:.4g} kg, "
        f"gravity ({gravity}) m/s²\n"
    )
    console.print(_table(summary["bodies"]))
    if with_frames:
        console.print()
        console.print(_frame_table(summary["frames"]))
    for closure in summary["closures"]:
        console.print(f"[cyan]closure:[/] {escape(closure)}", soft_wrap=True)
    if summary["warnings"]:
        console.print()
    for warning in summary["warnings"]:
        console.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)


def _table(bodies: list[dict[str, Any]]) -> Table:
    table = grid()
    table.add_column("body", no_wrap=True)
    table.add_column("joint", style="cyan", overflow="fold")
    table.add_column("kind", overflow="fold", min_width=len("cylindrical"))
    table.add_column("q", justify="right", no_wrap=True)
    table.add_column(escape("mass [kg]"), justify="right", no_wrap=True)
    for heading in ("position", "velocity", "effort"):
        table.add_column(heading, justify="right", overflow="fold", min_width=len(heading))
    for guide, body in _tree(bodies):
        table.add_row(
            guide + escape(body["name"]),
            escape(body["joint"]),
            _kind(body),
            _indices(*body["q"]),
            f"{body['mass']:.4g}",
            _range(body["limits"]),
            _bound(body["limits"]["velocity"]),
            _bound(body["limits"]["effort"]),
        )
    return table


def _frame_table(frames: list[dict[str, Any]]) -> Table:
    table = grid()
    table.add_column("frame", no_wrap=True)
    table.add_column("on body", style="cyan", no_wrap=True)
    table.add_column(escape("position there [m]"), no_wrap=True)
    for frame in frames:
        place = " ".join(f"{x:.4g}" for x in frame["position"])
        table.add_row(escape(frame["name"]), escape(frame["body"] or "(ground)"), place)
    return table


def _tree(bodies: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the bodies depth first, each with the guide lines before its name.

    An only child stands straight below its parent, so that a long chain stays narrow;
    siblings branch off.
    """
    children: dict[str | None, list[dict[str, Any]]] = {}
    for body in bodies:
        children.setdefault(body["parent"], []).append(body)
    stack = _branches(children.get(None, []), "")
    while stack:
        guide, below, body = stack.pop()
        yield guide, body
        stack += _branches(children.get(body["name"], []), below)


def _branches(siblings: list[dict[str, Any]], below: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return guide, guide of what hangs below, and body; in reverse, ready for a stack."""
    if len(siblings) < 2:
        return [(below, below, body) for body in siblings]
    *others, last = siblings
    rows = [(f"{below}├─ ", f"{below}│  ", body) for body in others]
    return [(f"{below}└─ ", f"{below}   ", last), *reversed(rows)]


def _kind(body: dict[str, Any]) -> str:
    mimic = body["mimic"]
    if mimic is None:
        return body["kind"]
    follows = f"{mimic['multiplier']:g} {escape(mimic['joint'])}"
    offset = f" {mimic['offset']:+g}" if mimic["offset"] else ""
    return f"{body['kind']} = {follows}{offset}"


def _indices(start: int, stop: int) -> str:
    return "" if start == stop else f"{start}" if stop == start + 1 else f"{start}:{stop}"


def _range(limits: dict[str, list[float | None]]) -> str:
    pairs = list(zip(limits["lower"], limits["upper"], strict=True))
    if all(pair == (None, None) for pair in pairs):
        return ""
    return ", ".join(
        f"{'−∞' if low is None else f'{low:g}'} … {'∞' if high is None else f'{high:g}'}"
        for low, high in pairs
    )


def _bound(values: list[float | None]) -> str:
    if all(value is None for value in values):
        return ""
    return ", ".join("∞" if value is None else f"{value:g}" for value in values)
