"""The robot: an immutable, hashable tree of bodies, joints and frames."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.algebra.vector import Vec3
from jounce.errors import InvalidInertiaError, ShapeError, UnsupportedError, check_name
from jounce.lazy import cached_property
from jounce.model.checks import finite_vec3
from jounce.model.closures import Closure, check_closure
from jounce.model.inertia import (
    NO_MATTER,
    Inertia,
    check_finite_inertia,
    check_inertia,
    inertia_fault,
    matter_of,
)
from jounce.model.limits import coordinate_limits
from jounce.model.records import Body, Frame, Joint, Limits, leaves
from jounce.model.visuals import Visual

FLOATING_JOINTS = ("root_joint", "floating_base_joint")
_PLAIN = (str, float, int, slice, type(None))  # all that a robot without symbols holds


@dataclass(frozen=True)
class Robot:
    """A tree of rigid bodies.

    ``bodies`` are the moving bodies in topological order; ``joints[i]`` carries
    ``bodies[i]``.  ``frames`` holds a frame for every body and every link that is welded to a
    body or to the ground.  ``base_inertia`` is the matter welded to the ground, in the frame
    of the ground.  Two robots are equal when all of it is equal; the hash is the
    same in every process.  What is only said or shown has no part in that: ``description``,
    ``warnings`` and ``visuals``, the shapes that URDF and MJCF files give the links.
    """

    name: str
    gravity: Vec3
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...]
    base_name: str = "base"
    base_inertia: Inertia = NO_MATTER
    closures: tuple[Closure, ...] = ()
    description: str = field(default="", compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    visuals: tuple[Visual, ...] = field(default=(), compare=False)

    @cached_property
    def digest(self) -> str:
        """Hexadecimal fingerprint of everything that makes two robots equal."""
        return hashlib.blake2b(repr(self._content).encode(), digest_size=16).hexdigest()

    @property
    def _content(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self) if f.compare)

    @cached_property
    def _has_symbols(self) -> bool:
        return not all(isinstance(x, _PLAIN) for x in leaves(self._content))

    @cached_property
    def _hash(self) -> int:
        return int(self.digest[:15], 16)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Robot):
            return NotImplemented
        if self.digest != other.digest:  # the fields alone would take 1 for 1.0
            return False
        # the digest would take symbols of one name for the same
        symbols = self._has_symbols or other._has_symbols
        return not symbols or self._content == other._content

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.n_bodies} bodies, nq={self.nq}, nv={self.nv}>"

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(j.nq for j in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocities: degrees of freedom."""
        return sum(j.nv for j in self.joints)

    @property
    def n_bodies(self) -> int:
        """Number of moving bodies."""
        return len(self.bodies)

    @property
    def n_parameters(self) -> int:
        """Number of inertial parameters, ten a body."""
        return 10 * len(self.bodies)

    @property
    def n_closure_rows(self) -> int:
        """Number of directions that closures hold."""
        return sum(len(c.rows) for c in self.closures)

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent of every body, -1 for the ground."""
        return tuple(b.parent for b in self.bodies)

    @property
    def mass(self) -> Any:
        """Total mass, that of the fixed base included."""
        return sum((b.inertia.mass for b in self.bodies), self.base_inertia.mass)

    @property
    def neutral(self) -> np.ndarray:
        """The configuration q = 0, with unit quaternions."""
        q = np.zeros(self.nq)
        for quaternion in self.quaternions:
            q[quaternion.stop - 1] = 1.0
        return q

    @cached_property
    def quaternions(self) -> tuple[slice, ...]:
        """Where in q the quaternions x y z w stand."""
        return tuple(q for joint in self.joints if (q := joint.quaternion) is not None)

    @cached_property
    def is_flat(self) -> bool:
        """Whether v is the rate of q: no joint is spherical or free."""
        return all(joint.is_flat for joint in self.joints)

    @property
    def limits(self) -> Limits:
        """Limits of all joints as arrays in the order of q (lower, upper) and of v.

        A joint that follows another bounds the position and the rates of that one too.
        """
        return coordinate_limits(self.joints)

    @cached_property
    def _frame_index(self) -> Mapping[str, Frame]:
        return {f.name: f for f in self.frames}

    def frame(self, name: str) -> Frame:
        """Return the frame of this name; every body name is a frame name."""
        check_name("frame", name, self._frame_index)
        return self._frame_index[name]

    def body(self, name: str) -> Body:
        """Return the body of this name."""
        return _named("body", name, self.bodies)

    def joint(self, name: str) -> Joint:
        """Return the joint of this name."""
        return _named("joint", name, self.joints)

    def with_gravity(self, gravity: Any) -> Robot:
        """Return the same robot under another gravitational acceleration."""
        return replace(self, gravity=finite_vec3("gravity", gravity))

    def with_payload(self, frame: str, inertia: Inertia) -> Robot:
        """Return the robot with ``inertia``, given in ``frame``, welded to it."""
        what = f"payload on {frame}"
        check_inertia(given := matter_of(inertia, what), what)
        place = self.frame(frame)
        bodies = list(self.bodies)
        carrier = self.base_inertia if place.body < 0 else bodies[place.body].inertia
        total = Inertia.from_spatial(carrier.spatial + given.spatial.moved(place.placement))
        if place.body < 0:
            return replace(self, base_inertia=total)
        bodies[place.body] = replace(bodies[place.body], inertia=total)
        return replace(self, bodies=tuple(bodies))

    def with_frame(self, name: str, parent: str | None, placement: Any) -> Robot:
        """Return the robot with one more frame, at ``placement`` in ``parent`` (None: ground)."""
        from jounce.model.edits import rebuild

        builder = rebuild(self)
        builder.frame(name, parent, placement)
        return builder.build(strict=False)

    def with_locked(self, values: Mapping[str, Any]) -> Robot:
        """Return the robot with these joints welded at these coordinates.

        Their bodies become frames of what they are welded to; joints that mimic a locked
        joint are locked with it.
        """
        from jounce.model.edits import rebuild

        if not isinstance(values, Mapping):
            raise ShapeError(
                f"locked joints are given with their values, {{joint: q}}, got {values!r}."
            )
        names = [j.name for j in self.joints]
        locked: dict[str, Transform] = {}
        for name, value in values.items():
            joint = self.joint(name)
            if joint.mimic is not None:
                source = names[joint.mimic.source]
                raise UnsupportedError(
                    f"joint {name!r} mimics {source!r}: lock {source!r} instead."
                )
            q = joint.checked(value)
            locked[name] = joint.type.pose(q)
            for follower in self.joints:
                if follower.mimic and names[follower.mimic.source] == name:
                    _, factor, offset = follower.mimic
                    locked[follower.name] = follower.type.pose([factor * q[0] + offset])
        return rebuild(self, locked=locked).build(strict=False)

    def with_floating_base(self, joint_name: str | None = None) -> Robot:
        """Return the robot with its base free to move; base coordinates come first.

        The new body is named ``base_name`` (``floating_base`` if that name is taken), its
        joint ``root_joint`` unless told (``floating_base_joint`` if that name is taken).
        """
        from jounce.model.edits import rebuild

        if self.joints and self.joints[0].type.is_free:
            raise UnsupportedError(f"robot {self.name!r} already has a floating base.")
        if joint_name is None:
            taken = any(joint.name == FLOATING_JOINTS[0] for joint in self.joints)
            joint_name = FLOATING_JOINTS[taken]
        return rebuild(self, floating=joint_name).build(strict=False)

    def with_closures(self, *closures: Closure) -> Robot:
        """Return the robot with these closures besides those it has.

        >>> import jounce
        >>> robot = jounce.load("planar2r").with_closures(jounce.Closure("link2", directions="vx"))
        >>> print(*robot.closures)
        link2 – ground (vx)
        """
        for closure in closures:
            check_closure(self, closure)
        return replace(self, closures=(*self.closures, *closures))

    def without_closures(self) -> Robot:
        """Return the tree alone."""
        return replace(self, closures=()) if self.closures else self

    def with_parameters(self, parameters: Any, *, strict: bool = True) -> Robot:
        """Return the robot with these inertial parameters (the order of `jounce.parameters`)."""
        values = np.ravel(np.asarray(parameters, dtype=object)).tolist()  # symbols stay symbols
        if len(values) != self.n_parameters:
            raise ShapeError(
                f"parameters must have 10 entries a body, {self.n_parameters} in all, "
                f"got {len(values)}."
            )
        bodies = tuple(
            replace(body, inertia=Inertia.from_parameters(values[10 * i : 10 * i + 10]))
            for i, body in enumerate(self.bodies)
        )
        for body in bodies:
            check_finite_inertia(body.inertia, body.name)
        faults = [inertia_fault(body.inertia, body.name) for body in bodies] if strict else []
        found = [fault for fault in faults if fault is not None]
        if found:
            raise InvalidInertiaError(
                f"{len(found)} of {len(bodies)} bodies cannot be: {'; '.join(found)}. Least "
                "squares often end there; jounce.identification.identify(robot, log, "
                "consistent=True) finds parameters that bodies have. Pass strict=False to compute "
                "with these anyway."
            )
        return replace(self, bodies=bodies)

    def random_configuration(
        self, rng: np.random.Generator, size: int | tuple[int, ...] | None = None
    ) -> np.ndarray:
        """Return a random configuration within the limits, finite where there are none.

        With ``size``, an integer or a shape, as many, ``(*size, nq)``: those that single calls
        would give one after the other.  Without limits: angles within ±π, lengths and positions
        within ±1 m, any orientation.

        >>> import jounce, numpy as np
        >>> jounce.load("panda").random_configuration(np.random.default_rng(0), size=5).shape
        (5, 7)
        """
        from jounce.model.configuration import random_configuration

        return random_configuration(self, rng, size)

    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data, the content of a Jounce JSON file."""
        from jounce.formats.json import to_dict

        return to_dict(self)

    def save(self, path: str | Path) -> None:
        """Write the robot to a Jounce JSON file; `jounce.load` gives an equal robot back."""
        from jounce.formats.json import save

        save(self, path)


def _named(kind: str, name: str, records: Any) -> Any:
    known = {record.name: record for record in records}
    check_name(kind, name, known)
    return known[name]
