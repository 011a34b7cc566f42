"""Put a robot together, body by body; every reader ends here, so every check is here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from jounce.algebra.inertia import SpatialInertia
from jounce.algebra.se3 import IDENTITY, Transform
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.errors import ModelError, check_name
from jounce.model import joints as kinds
from jounce.model.checks import finite_vec3, of_type, plain, repeated, rigid_transform
from jounce.model.closures import Closure, check_closure
from jounce.model.inertia import NO_MATTER, Inertia, check_finite_inertia, check_inertia, matter_of
from jounce.model.joints import JointType
from jounce.model.mimics import Follows, followed
from jounce.model.records import COULOMB_SPEED, Body, Frame, Friction, Joint, Limits, Mimic
from jounce.model.robot import Robot
from jounce.model.visuals import Visual

LONGEST = 1e6  # m that a placement may be away
STANDARD_GRAVITY = (0.0, 0.0, -9.80665)


class RobotBuilder:
    """Collect bodies and frames, then `build` the robot.

    >>> import jounce
    >>> b = jounce.RobotBuilder("pendulum")
    >>> rod = jounce.Inertia(1.0, (0, 0, -0.5), [[0.08, 0, 0], [0, 0.08, 0], [0, 0, 0.001]])
    >>> b.add("rod", joint=jounce.joints.revolute((0, 1, 0)), inertia=rod)
    >>> b.build().nv
    1
    """

    def __init__(
        self,
        name: str,
        gravity: Any = STANDARD_GRAVITY,
        *,
        base_name: str = "base",
        description: str = "",
    ) -> None:
        self.name = str(name)
        self.gravity = finite_vec3("gravity", gravity)
        self.base_name = base_name
        self.description = description
        self.warnings: list[str] = []
        self.visuals: list[Visual] = []
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._joint_names: set[str] = set()
        self._mimics: dict[str, Follows] = {}
        self._frames: dict[str, Frame] = {}
        self._closures: list[Closure] = []
        self._matter: dict[int, SpatialInertia] = {-1: NO_MATTER.spatial}  # by body, -1: ground

    def add(
        self,
        name: str,
        parent: str | None = None,
        joint: JointType | None = None,
        placement: Any = IDENTITY,
        inertia: Inertia | None = None,
        joint_name: str | None = None,
        armature: Any = 0.0,
        damping: Any = 0.0,
        limits: Limits | None = None,
        *,
        mimic: tuple[str, float, float] | None = None,
        friction: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a body at ``placement`` in ``parent`` (a body or frame; None is the ground).

        ``mimic=(joint, multiplier, offset)`` makes the new joint follow another one.
        ``friction={"coulomb": c, "offset": o, "speed": s}`` adds ``c v / √(v² + s²) + o`` to its
        force; ``"viscous"`` is another name of ``damping``, and s is 0.01 unless given.
        """
        joint = kinds.fixed() if joint is None else joint
        of_type(joint, JointType, f"joint of {name!r}", "jounce.joints.revolute((0, 0, 1))")
        weld = self._place(name, parent, placement)
        matter = matter_of(inertia, name).spatial
        if not joint.nv:
            self._frames[name] = weld
            self._matter[weld.body] += matter.moved(weld.placement)
            return
        label = name if joint_name is None else joint_name
        if not isinstance(label, str) or not label:
            raise ModelError(f"the joint of {name!r} needs a name, got {label!r}.")
        if label in self._joint_names:
            raise ModelError(f"robot {self.name!r} already has a joint named {label!r}.")
        record = _joint(label, joint, armature, damping, limits, friction or {})
        if mimic is not None:
            self._mimics[label] = _checked_mimic(label, mimic)
        index = len(self._bodies)
        self._frames[name] = Frame(name, index, IDENTITY)
        self._matter[index] = matter
        self._bodies.append(Body(name, weld.body, weld.placement, NO_MATTER))
        self._joints.append(record)
        self._joint_names.add(label)

    def frame(self, name: str, body: str | None, placement: Any = IDENTITY) -> None:
        """Add a named frame at ``placement`` in a body or frame (None is the ground)."""
        self._frames[name] = self._place(name, body, placement)

    def closure(
        self, frame: str, to: str | None = None, *, directions: str | Sequence[str] = "all"
    ) -> None:
        """Hold a frame to another, or to the ground: see `jounce.Closure`."""
        self._closures.append(Closure(frame, to, directions=directions))

    def add_ground_matter(self, inertia: Inertia) -> None:
        """Add matter that is welded to the ground; a floating base takes it along."""
        self._matter[-1] += matter_of(inertia, self.base_name).spatial

    def build(self, strict: bool = True) -> Robot:
        """Return the robot; ``strict=False`` accepts inertias that no body can have.

        Welded matter is merged first, so it is the sum that is checked.  NaN and infinity are
        never accepted.
        """
        bodies = tuple(
            replace(body, inertia=Inertia.from_spatial(self._matter[i]))
            for i, body in enumerate(self._bodies)
        )
        base = Inertia.from_spatial(self._matter[-1])
        check = check_inertia if strict else check_finite_inertia
        for body in bodies:
            check(body.inertia, body.name)
        check(base, self.base_name)
        names = {body.name for body in bodies}
        robot = Robot(
            self.name,
            self.gravity,
            bodies,
            _numbered(self._joints, self._mimics),
            tuple(sorted(self._frames.values(), key=lambda frame: frame.name not in names)),
            self.base_name,
            base,
            tuple(self._closures),
            self.description,
            tuple(self.warnings),
            tuple(self.visuals),
        )
        for closure in robot.closures:
            check_closure(robot, closure)
        return robot

    def _place(self, name: Any, parent: str | None, placement: Any) -> Frame:
        """Return where a new name is: the moving body that carries it and its pose there."""
        if not isinstance(name, str) or not name:
            raise ModelError(f"a body or frame needs a name, got {name!r}.")
        if name in self._frames:
            raise ModelError(f"robot {self.name!r} already has a body or frame named {name!r}.")
        T = rigid_transform(placement, f"the placement of {name!r}")
        for length in T.p:
            if isinstance(length, float) and abs(length) > LONGEST:
                raise ModelError(
                    f"the placement of {name!r} is {length:g} m away, and beyond {LONGEST:g} m the "
                    "digits of other lengths are lost; check the units."
                )
        if parent is None:
            return Frame(name, -1, _tidy(T))
        check_name("body", parent, self._frames)
        carrier = self._frames[parent]
        return Frame(name, carrier.body, _tidy(_composed(carrier.placement, T)))


def _joint(
    name: str,
    type_: JointType,
    armature: Any,
    damping: Any,
    limits: Limits | None,
    friction: Mapping[str, Any],
) -> Joint:
    damping, dry = _friction(name, type_.nv, damping, friction)
    sizes = slice(0, type_.nq), slice(0, type_.nv)
    motor = _per_velocity(armature, type_.nv, f"armature of {name!r}")
    viscous = _per_velocity(damping, type_.nv, f"damping of {name!r}")
    bounds = Limits() if limits is None else limits
    of_type(bounds, Limits, f"limits of joint {name!r}", "jounce.Limits(lower=-1, upper=1)")
    return Joint(name, type_, *sizes, motor, viscous, bounds.filled(type_, name), friction=dry)


def _friction(
    name: str, nv: int, damping: Any, given: Mapping[str, Any]
) -> tuple[Any, tuple[Friction, ...]]:
    """Return damping and dry friction of a joint; no friction at all is an empty tuple."""
    known = ("viscous", "coulomb", "offset", "speed")
    for kind in given:
        check_name(f"friction of {name!r}", kind, known)
    if "viscous" in given:
        if any(repeated(damping, nv, f"damping of {name!r}")):
            raise ModelError(f"joint {name!r} has damping and viscous friction: give one of them.")
        damping = given["viscous"]
    coulomb = _per_velocity(given.get("coulomb", 0.0), nv, f"Coulomb friction of {name!r}")
    speed = _per_velocity(given.get("speed", COULOMB_SPEED), nv, f"friction speed of {name!r}")
    offset = _entries(given.get("offset", 0.0), nv, f"offset of {name!r}")
    if not all(isfinite(x) for x in offset) or not all(x > 0.0 for x in speed):
        raise ModelError(
            f"friction of {name!r} needs finite offsets and a positive speed, got {offset} and "
            f"{speed}."
        )
    if not any(coulomb) and not any(offset):
        return damping, ()
    return damping, tuple(map(Friction, coulomb, offset, speed))


def _entries(given: Any, nv: int, what: str) -> tuple[Any, ...]:
    return tuple(plain(x, what) for x in repeated(given, nv, what))


def _per_velocity(given: Any, nv: int, what: str) -> tuple[Any, ...]:
    values = _entries(given, nv, what)
    if any(isinstance(x, float) and not (isfinite(x) and x >= 0.0) for x in values):
        raise ModelError(f"{what} must be finite and not negative, got {values}.")
    return values


def _checked_mimic(name: str, mimic: Any) -> Follows:
    try:
        source, multiplier, offset = mimic
    except (TypeError, ValueError):
        raise ModelError(
            f"mimic of joint {name!r} must be (joint, multiplier, offset), got {mimic!r}."
        ) from None
    multiplier, offset = (plain(x, f"mimic of {name!r}") for x in (multiplier, offset))
    if not isinstance(source, str):
        raise ModelError(f"mimic of joint {name!r} must name a joint, got {source!r}.")
    if not all(isinstance(x, float) and isfinite(x) for x in (multiplier, offset)):
        raise ModelError(
            f"mimic of joint {name!r} needs a finite multiplier and offset, "
            f"got {multiplier!r}, {offset!r}."
        )
    return Follows(source, multiplier, offset)


def _numbered(joints: list[Joint], mimics: dict[str, Follows]) -> tuple[Joint, ...]:
    """Give every joint its place in q and v; mimic joints get none of their own."""
    places = {joint.name: i for i, joint in enumerate(joints)}
    kinds_by_name = {joint.name: joint.kind for joint in joints}
    result, q, v = [], 0, 0
    for joint in joints:
        mimic, nq, nv = None, joint.type.nq, joint.type.nv
        if joint.name in mimics:
            source, *numbers = followed(joint.name, mimics, kinds_by_name)
            mimic, nq, nv = Mimic(places[source], *numbers), 0, 0
        result.append(
            replace(joint, q_slice=slice(q, q + nq), v_slice=slice(v, v + nv), mimic=mimic)
        )
        q, v = q + nq, v + nv
    return tuple(result)


def _composed(a: Transform, b: Transform) -> Transform:
    """Compose; the identity on either side leaves the other bit for bit."""
    if a == IDENTITY:
        return b
    return a if b == IDENTITY else a @ b


def _tidy(T: Transform) -> Transform:
    """Return plain floats without negative zero, so that equal poses hash alike."""
    a, b, c = (Vec3(*map(plain, row)) for row in T.rotation.rows)
    return Transform(Rotation((a, b, c)), Vec3(*map(plain, T.p)))
