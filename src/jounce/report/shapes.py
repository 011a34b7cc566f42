"""The shapes of a robot as triangles, in the frames of its bodies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import JounceError, UnsupportedError
from jounce.formats.packages import resolve
from jounce.lazy import required
from jounce.model.robot import Robot
from jounce.model.visuals import MeshFile, Visual


class Shape(NamedTuple):
    """Triangles fixed to a body (-1: the ground), in its frame; colour None: the mesh's own."""

    body: int
    mesh: Any  # trimesh.Trimesh
    color: tuple[float, ...] | None


def shapes_of(robot: Robot) -> tuple[list[Shape], list[str]]:
    """Return the shapes of a robot, and a line about each that cannot be drawn."""
    shapes, notes = [], []
    if robot.visuals:
        try:
            required("trimesh", "drawing shapes", "view")
        except UnsupportedError as error:
            return [], [str(error)]
    for visual in robot.visuals:
        frame = robot.frame(visual.frame)
        try:
            mesh = _triangles(visual)
        except (JounceError, ImportError, OSError, ValueError, KeyError) as error:
            name = visual.shape if visual.mesh is None else visual.mesh.uri
            notes.append(f"{name} of {visual.frame!r} is not shown: {_reason(error)}")
            continue
        T = frame.placement @ visual.placement
        mesh.apply_transform(np.array(T.matrix(), dtype=float))
        shapes.append(Shape(frame.body, mesh, visual.color))
    return shapes, notes


def _reason(error: Exception) -> str:
    if isinstance(error, ImportError):
        return f"its format needs a package that is not installed ({error})"
    return " ".join(str(error).split()) or type(error).__name__


def _triangles(visual: Visual) -> Any:
    trimesh = required("trimesh", "drawing shapes", "view")
    size = visual.size
    match visual.shape:
        case "box":
            return trimesh.creation.box(extents=size)
        case "cylinder":
            return trimesh.creation.cylinder(radius=size[0], height=size[1])
        case "capsule":  # trimesh has its middle in the origin too
            return trimesh.creation.capsule(radius=size[0], height=size[1])
        case "sphere":
            return trimesh.creation.icosphere(radius=size[0])
        case "ellipsoid":
            return trimesh.creation.icosphere().apply_scale(size)
    assert visual.mesh is not None
    return _mesh(trimesh, visual.mesh).apply_scale(size)


def _mesh(trimesh: Any, given: MeshFile) -> Any:
    path = resolve(given.uri, given.base, dict(given.packages))
    if given.part is None:
        mesh = trimesh.load(path, force="mesh")
        return mesh.convert_units("meters") if mesh.units else mesh  # COLLADA says its unit
    model, part = _compiled(path), given.part
    vertices, faces = (
        _rows(getattr(model, f"mesh_{kind}"), kind, model, part) for kind in ("vert", "face")
    )
    return trimesh.Trimesh(vertices, faces, process=False)


def _rows(values: np.ndarray, kind: str, model: Any, part: int) -> np.ndarray:
    start = getattr(model, f"mesh_{kind}adr")[part]
    return values[start : start + getattr(model, f"mesh_{kind}num")[part]]


@cache
def _compiled(path: Path) -> Any:
    from jounce.formats.mjcf.compiled import compile_file

    return compile_file(path).model
