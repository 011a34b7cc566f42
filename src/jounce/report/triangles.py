"""The shapes of a robot in few triangles, light enough for a page to carry and a canvas to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jounce.report.shapes import Shape

TRIANGLES = 9000  # of a robot
GREY = (190, 194, 200, 255)
_HALVINGS = 18  # of the interval that holds the size of a cell


class Triangles(NamedTuple):
    """Vertices ``(n, 3)`` in the frames of their ``bodies`` ``(n,)``, faces, colours of faces."""

    vertices: np.ndarray
    bodies: np.ndarray  # -1: the ground
    faces: np.ndarray  # (m, 3)
    colors: np.ndarray  # (m, 4): red, green, blue, opacity, 0 … 255


def few_triangles(shapes: Sequence[Shape], most: int = TRIANGLES) -> Triangles:
    """Return all shapes together in about ``most`` triangles.

    Shapes of few triangles keep them; the others share what is left in equal parts.
    """
    parts = [(np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros((0, 4), np.uint8))]
    bodies = [np.zeros(0, int)]
    level = _level([len(shape.mesh.faces) for shape in shapes], most)
    for shape in shapes:
        vertices, faces = np.asarray(shape.mesh.vertices), np.asarray(shape.mesh.faces)
        corners, kept, which = merged(vertices, faces, level)
        parts.append((corners, kept, _colors(shape)[which]))
        bodies.append(np.full(len(corners), shape.body))
    starts = np.cumsum([0, *(len(part[0]) for part in parts)])
    faces = [part[1] + start for part, start in zip(parts, starts, strict=False)]
    return Triangles(
        np.concatenate([part[0] for part in parts]),
        np.concatenate(bodies),
        np.concatenate(faces),
        np.concatenate([part[2] for part in parts]),
    )


def merged(
    vertices: np.ndarray, faces: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most ``most`` triangles like the given ones, and which of those each one was.

    Space is cut into cubes; the vertices of a cube become one, their mean.  Triangles within one
    or two cubes vanish, and so do repeated ones.  The cubes are as small as ``most`` allows.
    """
    if len(faces) <= most:
        return vertices, faces, np.arange(len(faces))
    low, high = 0.0, float(np.ptp(vertices, axis=0).max())
    found = _in_cubes(vertices, faces, high)
    for _ in range(_HALVINGS):
        side = 0.5 * (low + high)
        tried = _in_cubes(vertices, faces, side)
        if len(tried[1]) > most:
            low = side
        else:
            high, found = side, tried
    return found


def _in_cubes(
    vertices: np.ndarray, faces: np.ndarray, side: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    cubes = np.floor((vertices - vertices.min(axis=0)) / side).astype(np.int64)
    key = (cubes[:, 0] << 42) + (cubes[:, 1] << 21) + cubes[:, 2]
    _, cube = np.unique(key, return_inverse=True)
    count = np.bincount(cube)
    means = np.stack([np.bincount(cube, column) / count for column in vertices.T], axis=1)
    corners = cube[faces]
    a, b, c = corners.T
    which = np.flatnonzero((a != b) & (b != c) & (c != a))
    _, first = np.unique(np.sort(corners[which], axis=1), axis=0, return_index=True)
    which = which[np.sort(first)]
    used, kept = np.unique(corners[which], return_inverse=True)
    return means[used], kept.reshape(-1, 3), which


def _level(counts: Sequence[int], most: int) -> int:
    """Return the number with ``Σ min(count, level) ≈ most``."""
    level, left = most, most
    for place, count in enumerate(sorted(counts)):
        level = left // (len(counts) - place)
        if count > level:
            return level
        left -= count
    return most


def _colors(shape: Shape) -> np.ndarray:
    """Return the colour of every face, ``(faces, 4)``: the shape's, the mesh's own, or grey."""
    count = len(shape.mesh.faces)
    if shape.color is not None:
        return np.tile(np.round(255 * np.clip(shape.color, 0.0, 1.0)).astype(np.uint8), (count, 1))
    visual = shape.mesh.visual
    if not visual.defined:
        return np.tile(np.array(GREY, np.uint8), (count, 1))
    if visual.kind == "texture":
        corners = np.asarray(visual.to_color().vertex_colors).reshape(-1, 4)
        if len(corners) != len(shape.mesh.vertices):  # one colour for all
            return np.tile(corners[:1], (count, 1))
        return corners[np.asarray(shape.mesh.faces)[:, 0]]
    return np.asarray(visual.face_colors)
