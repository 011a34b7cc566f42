"""What an MJCF file may say that Jounce cannot honour, and the equalities it can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jounce.algebra.se3 import Transform
from jounce.errors import UnsupportedError
from jounce.formats.mjcf.compiled import Compiled, pose
from jounce.model.mimics import Follows


class Rule(NamedTuple):
    """Objects that are refused when one of these fields is not zero."""

    kind: str  # joint, tendon, body, as MjModel names its accessors
    fields: tuple[str, ...]
    what: str
    unless: tuple[str, ...] = ()  # disable flags that switch it off
    only_damping: bool = False


COUNTS = {"body": "nbody", "joint": "njnt", "tendon": "ntendon"}
SPRINGS_OFF = ("SPRING", "PASSIVE")
DAMPERS_OFF = ("DAMPER", "PASSIVE")
STIFFNESS = ("stiffness", "stiffnesspoly")
RULES = (
    Rule("joint", tuple(f"jnt_{f}" for f in STIFFNESS), "a spring (stiffness)", SPRINGS_OFF),
    Rule("tendon", tuple(f"tendon_{f}" for f in STIFFNESS), "a spring (stiffness)", SPRINGS_OFF),
    Rule("tendon", ("tendon_armature",), "armature"),
    Rule("tendon", ("tendon_damping", "tendon_dampingpoly"), "damping", DAMPERS_OFF, True),
    Rule("body", ("body_gravcomp",), "gravity compensation (gravcomp)"),
)


def refuse_unsupported(compiled: Compiled, *, damping: bool) -> None:
    """Raise UnsupportedError that names everything Jounce would compute differently."""
    found = [
        *_by_rule(compiled, damping),
        *_whole_model(compiled),
        *_by_joint(compiled, damping),
        *_by_actuator(compiled, damping),
    ]
    _raise(compiled, found)


def couplings(compiled: Compiled, *, mimic: bool) -> dict[int, Follows]:
    """Return the joints that follow another one: ``q = multiplier * q_source + offset``.

    Without ``mimic`` there are none, but equalities of other kinds are refused all the same.

    MuJoCo: ``y − y0 = a0 + a1 (x − x0) + …`` with y0, x0 the coordinates in the file.
    """
    model, result, refused = compiled.model, {}, []
    names = compiled.names("eq")
    for i, kind in _equalities(compiled):
        label = f"equality {names[i] or i!r} ({kind})"
        follower, leader = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        a = model.eq_data[i]
        if kind in ("connect", "weld"):
            continue  # `loops`
        if kind != "joint":
            refused.append(f"{label} is of a kind that Jounce does not have")
        elif not mimic:
            continue
        elif leader < 0:
            refused.append(f"{label} locks a joint (use Robot.with_locked after loading)")
        elif np.any(a[2:5]):
            refused.append(f"{label} has a polynomial of degree above 1")
        elif follower in result:
            refused.append(f"{label} couples joint {compiled.joints[follower]!r} a second time")
        else:
            y0, x0 = model.qpos0[model.jnt_qposadr[[follower, leader]]]
            offset = float(y0 + a[0] - a[1] * x0)
            result[follower] = Follows(compiled.joints[leader], float(a[1]), offset)
    _raise(compiled, refused)
    return result


def _equalities(compiled: Compiled) -> Iterator[tuple[int, str]]:
    """Yield number and kind of every active equality."""
    if not compiled.disabled("EQUALITY", "CONSTRAINT"):
        for i in np.flatnonzero(compiled.model.eq_active0).tolist():
            yield i, compiled.mujoco.mjtEq(compiled.model.eq_type[i]).name[5:].lower()


def loops(compiled: Compiled) -> Iterator[tuple[str, str, list[tuple[int, Transform]]]]:
    """Yield name, directions and both ends, poses in bodies, of every active connect and weld."""
    model, names = compiled.model, compiled.names("eq")
    for i, kind in _equalities(compiled):
        if kind not in ("connect", "weld"):
            continue
        is_weld, a = kind == "weld", model.eq_data[i]
        ids = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if model.eq_objtype[i] == compiled.mujoco.mjtObj.mjOBJ_SITE:
            poses = [pose(model.site_pos[k], model.site_quat[k]) for k in ids]
            ids = (int(model.site_bodyid[k]) for k in ids)
        elif is_weld:  # the pose of the second in the first, and a point of the second
            poses = [pose(a[3:6], a[6:10]), pose(a[:3])]
        else:
            poses = [pose(a[:3]), pose(a[3:6])]
        ends = [*zip(ids, poses, strict=True)]
        yield names[i] or f"equality{i}", "all" if is_weld else "linear", ends


def reflected(compiled: Compiled, field: str) -> np.ndarray:
    """Return what actuators add to each joint: ``Σ gear² field``, as MuJoCo does.

    ``field`` is ``actuator_armature`` or ``actuator_damping``.
    """
    model, total = compiled.model, np.zeros(compiled.model.njnt)
    for actuator, value in _active(compiled, field):
        if _drives_joint(compiled, actuator):
            row = model.actuator_outadr[actuator] if hasattr(model, "actuator_outadr") else actuator
            total[model.actuator_trnid[actuator, 0]] += model.actuator_gear[row, 0] ** 2 * value
    return total


def _by_rule(compiled: Compiled, damping: bool) -> Iterator[str]:
    for rule in RULES:
        if compiled.disabled(*rule.unless) or (rule.only_damping and not damping):
            continue
        count = getattr(compiled.model, COUNTS[rule.kind])
        hit = np.any([compiled.rows(f, count).any(axis=1) for f in rule.fields], axis=0)
        for i in np.flatnonzero(hit):
            yield f"{rule.kind} {_name(compiled, rule.kind, int(i))!r} has {rule.what}"


def _whole_model(compiled: Compiled) -> Iterator[str]:
    model = compiled.model
    if model.opt.density or model.opt.viscosity:
        yield "option density or viscosity asks for fluid forces"
    if model.nflex:
        yield "it has deformable bodies (flex)"
    # plugins of geoms, actuators and sensors exert no passive forces
    for i in np.flatnonzero(model.body_plugin >= 0):
        yield f"body {compiled.bodies[i]!r} has a plugin"


def _by_joint(compiled: Compiled, damping: bool) -> Iterator[str]:
    model = compiled.model
    poly = compiled.rows("dof_dampingpoly", model.nv)
    checks_poly = damping and not compiled.disabled(*DAMPERS_OFF)
    for j, name in enumerate(compiled.joints):
        dof = model.jnt_dofadr[j]
        if compiled.kind(j) == "free" and model.dof_armature[dof : dof + 3].any():
            yield f"free joint {name!r} has armature, an inertia of world axes (use <freejoint/>)"
        if checks_poly and poly[dof].any():
            yield f"joint {name!r} has damping of degree above 1"


def _by_actuator(compiled: Compiled, damping: bool) -> Iterator[str]:
    fields = ["actuator_armature"]
    if damping and not compiled.disabled(*DAMPERS_OFF):
        fields += ["actuator_damping", "actuator_dampingpoly"]
    for field in fields:
        what = field.removeprefix("actuator_")
        for actuator, _ in _active(compiled, field):
            name = compiled.names("actuator")[actuator] or actuator
            if what == "dampingpoly":
                yield f"actuator {name!r} has damping of degree above 1"
            elif not _drives_joint(compiled, actuator):
                yield f"actuator {name!r} has {what} but does not drive a hinge or a slide"


def _active(compiled: Compiled, field: str) -> list[tuple[int, float]]:
    values = getattr(compiled.model, field, np.zeros(0))  # MuJoCo 3 has no such fields
    return [(i, float(np.max(row))) for i, row in enumerate(values) if np.any(row)]


def _drives_joint(compiled: Compiled, actuator: int) -> bool:
    transmissions = compiled.mujoco.mjtTrn
    kinds = (int(transmissions.mjTRN_JOINT), int(transmissions.mjTRN_JOINTINPARENT))
    if int(compiled.model.actuator_trntype[actuator]) not in kinds:
        return False
    return compiled.kind(int(compiled.model.actuator_trnid[actuator, 0])) in ("hinge", "slide")


def _name(compiled: Compiled, kind: str, index: int) -> str | int:
    names = {"body": compiled.bodies, "joint": compiled.joints}.get(kind)
    return (names or compiled.names(kind))[index] or index


def _raise(compiled: Compiled, found: list[str]) -> None:
    if found:
        raise UnsupportedError(
            f"{compiled.path}: Jounce does not model this and will not leave it out: "
            f"{'; '.join(found)}. Remove it from the file or switch it off there."
        )
