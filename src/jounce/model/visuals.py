"""What a robot looks like: shapes fixed to its frames, no part of what is computed with it."""

from __future__ import annotations

from dataclasses import dataclass

from jounce.algebra.se3 import Transform


@dataclass(frozen=True, slots=True)
class MeshFile:
    """The file of a mesh, as the description of the robot names it.

    ``uri`` is looked for when the mesh is drawn, from ``base``, the file that names it (None:
    the current folder), and in ``packages``, pairs of a name and a folder.  ``part`` is the
    number of the mesh in an MJCF file, which then is ``base`` itself.
    """

    uri: str
    base: str | None = None
    packages: tuple[tuple[str, str], ...] = ()
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Visual:
    """One shape at ``placement`` in the frame of this name.

    ``size`` of a "box" are its three sides; of a "cylinder" or "capsule" the radius and the
    length along z, without caps; of a "sphere" the radius; of an "ellipsoid" three half axes;
    of a "mesh" the scales along x, y, z.  ``color`` is red, green, blue, opacity, 0 … 1.
    """

    frame: str
    placement: Transform
    shape: str
    size: tuple[float, ...]
    mesh: MeshFile | None = None
    color: tuple[float, ...] | None = None
