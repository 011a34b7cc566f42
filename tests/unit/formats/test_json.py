"""Jounce JSON: nothing is lost, nothing is ignored, and a broken file says where."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import InvalidInertiaError, JounceError, RobotFormatError, UnsupportedError
from jounce.formats import json as json_format
from jounce.formats.json import from_dict, to_dict
from jounce.model import joints
from jounce.model.builder import RobotBuilder
from jounce.model.examples import KINDS, random_tree
from jounce.model.inertia import Inertia
from jounce.model.records import Limits
from jounce.model.robot import Robot

BALL = Inertia(1.0, (0.1, 0, 0), 0.1 * np.eye(3))


def small() -> Robot:
    b = RobotBuilder("small", description="First line.\nMore: ½ é.", base_name="plinth")
    limits = Limits(-1.0, None, [2.0, None], effort_rate=0.1)
    b.add("arm", None, joints.cylindrical((0, 1, 1)), inertia=BALL, limits=limits, armature=0.1)
    b.add("hand", "arm", joints.helical((0, 0, 1), 0.3), inertia=BALL, joint_name="wrist")
    b.add("thumb", "hand", joints.prismatic((1, 0, 0)), inertia=BALL, mimic=("wrist", -0.5, 0.1))
    b.add("camera", None, inertia=BALL)
    b.frame("tip", "thumb")
    b.warnings.append("a warning")
    return b.build()


@pytest.mark.parametrize("kind", [*KINDS, "all"])
@pytest.mark.parametrize("floating", [False, True])
def test_a_file_gives_back_an_equal_robot(kind: str, floating: bool, rng, tmp_path: Path):
    robot = random_tree(
        rng,
        12,
        KINDS if kind == "all" else [kind],
        massless=0.3,
        floating_base=floating,
        oblique_gravity=True,
        armature=True,
        damping=True,
    )
    robot.save(tmp_path / "robot.json")
    for again in (jounce.load(tmp_path / "robot.json"), from_dict(robot.to_dict())):
        assert again == robot
        assert hash(again) == hash(robot)
        assert repr(again.joints) == repr(robot.joints)
        assert (again.description, again.warnings) == (robot.description, robot.warnings)


def test_everything_is_written(tmp_path: Path):
    robot = small()
    robot.save(tmp_path / "robot.json")
    again = jounce.load(tmp_path / "robot.json")
    assert again == robot
    assert (again.description, again.warnings) == (robot.description, ("a warning",))
    assert (again.base_name, again.base_inertia) == ("plinth", BALL)
    data = json.loads((tmp_path / "robot.json").read_text(encoding="utf-8"))
    assert data == to_dict(robot)
    assert data["bodies"][0]["joint"]["limits"]["velocity"] == [2.0, None]
    assert data["bodies"][2]["joint"]["mimic"] == {
        "joint": "wrist",
        "multiplier": -0.5,
        "offset": 0.1,
    }


def test_missing_entries_have_the_documented_defaults():
    joint = {"name": "j", "kind": "revolute", "axes": [[0, 0, 2]]}
    body = {"name": "arm", "inertia": [1, 0, 0, 0, 1, 1, 1, 0, 0, 0], "joint": joint}
    data = {"format": "jounce-robot", "version": 1, "name": "r", "gravity": [0, 0, 0]}
    b = RobotBuilder("r", (0, 0, 0))
    b.add(
        "arm",
        None,
        joints.revolute((0, 0, 1)),
        inertia=Inertia(1, (0, 0, 0), np.eye(3)),
        joint_name="j",
    )
    assert from_dict(data | {"bodies": [body]}) == b.build()


def changed(path: str, value: Any = ...) -> dict[str, Any]:
    """Return the data of the small robot with one entry replaced, or removed."""
    data = copy.deepcopy(to_dict(small()))
    *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    at: Any = data
    for key in way:
        at = at[key]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return data


ARM = r"r\.json: bodies\[0\] \('arm'\)"
BAD = [
    ("format", "urdf", r"r\.json: not a Jounce robot: \"format\" must be 'jounce-robot'"),
    ("format", ..., "not a Jounce robot"),
    ("version", 2, "version 2 of the robot format; this Jounce reads version 1. Update"),
    ("version", ..., "version None of the robot format"),
    ("name", ..., r"r\.json: the entry 'name' is missing"),
    ("name", 3, "'name' must be a string, got 3"),
    ("gravity", ..., "the entry 'gravity' is missing"),
    ("gravity", [0, 0], r"r\.json: gravity must have 3 components, got 2"),
    ("gravity", [0, 0, None], r"r\.json: gravity must be a number, got None"),
    ("gravity", [0, 0, "9.8"], r"r\.json: gravity must be a number, got '9.8'"),
    ("gravity", 9.8, r"'gravity' must be a list \[…\], got 9.8"),
    ("description", None, "'description' must be a string, got null"),
    ("warnings", "none", "'warnings' must be a list"),
    ("warnings", [1], "'warnings' must hold strings, got 1"),
    ("base", [], r"r\.json: base: expected an object"),
    ("base/name", 1, r"base: 'name' must be a string"),
    ("base/inertia", [1.0], r"r\.json: base: an inertia has 10 parameters.* got 1"),
    ("bodies", ..., "the entry 'bodies' is missing"),
    ("bodies", {"arm": 1}, r"'bodies' must be a list \[…\], got {'arm': 1}"),
    ("bodies/0", "arm", r"r\.json: bodies\[0\]: expected an object {…}, got 'arm'"),
    ("bodies/0/name", ..., r"r\.json: bodies\[0\]: the entry 'name' is missing"),
    ("bodies/0/name", 7, r"bodies\[0\] \(7\): 'name' must be a string"),
    ("bodies/0/name", "", r"a body or frame needs a name"),
    ("bodies/1/name", "arm", r"bodies\[1\] \('arm'\): .*already has a body or frame named 'arm'"),
    ("bodies/1/parent", "amr", r"bodies\[1\] \('hand'\): no body named 'amr'; did you mean 'arm'"),
    ("bodies/1/parent", 0, r"bodies\[1\] \('hand'\): no body named 0"),
    ("bodies/1/parent", [], r"bodies\[1\] \('hand'\): no body named \[\]"),
    ("bodies/0/inertia", ..., r"bodies\[0\]: the entry 'inertia' is missing"),
    ("bodies/0/inertia", [1.0] * 9, ARM + r": an inertia has 10 parameters.* got 9"),
    ("bodies/0/inertia", [None] * 10, ARM + ": mass must be a number, got None"),
    ("bodies/0/inertia", "heavy", ARM + r": 'inertia' must be a list"),
    ("bodies/0/inertia/7", "0.1", ARM + ": rotational inertia must be a number, got '0.1'"),
    ("bodies/0/rotation", [[1, 0, 0], [0, 1, 0]], ARM + ": 'rotation' must be 3 rows of 3"),
    ("bodies/0/rotation", [1, 2, 3], ARM + ": 'rotation' must be 3 rows of 3"),
    ("bodies/0/rotation/0/0", None, ARM + ": the placement of 'arm' must be a number, got None"),
    ("bodies/0/rotation/0/0", 2.0, ARM + ": the rotation of the placement of 'arm' must be orth"),
    ("bodies/0/translation", [1, 2], ARM + r": 'translation' must be 3 numbers, got \[1, 2\]"),
    ("bodies/0/joint", ..., r"bodies\[0\]: the entry 'joint' is missing"),
    ("bodies/0/joint", None, ARM + ": joint: expected an object"),
    ("bodies/0/joint/kind", ..., ARM + ": joint: the entry 'kind' is missing"),
    ("bodies/0/joint/kind", "ball", ARM + ": joint: unknown joint kind 'ball'; known: revolute,"),
    ("bodies/0/joint/kind", "fixed", ARM + ": joint: a body with a fixed joint is a frame"),
    ("bodies/0/joint/kind", [], ARM + r": joint: 'kind' must be a string, got \[\]"),
    ("bodies/0/joint/name", None, ARM + ": joint: 'name' must be a string, got null"),
    ("bodies/0/joint/axes", [], ARM + ": joint: a cylindrical joint has 1 axes, got 0"),
    ("bodies/0/joint/axes", [[0, 0, 0]], ARM + ": joint: a joint axis must not be zero"),
    ("bodies/0/joint/axes", [[0, 1]], ARM + ": joint: axis must have 3 components"),
    ("bodies/0/joint/axes", [5], ARM + ": joint: axis must have 3 components, got 5"),
    ("bodies/0/joint/point", [0, 0], ARM + ": joint: point must have 3 components"),
    ("bodies/0/joint/pitch", 0.1, ARM + ": joint: a cylindrical joint has no pitch, got 0.1"),
    ("bodies/1/joint/pitch", None, r"\('hand'\): joint: pitch of a helical joint must be a number"),
    ("bodies/2/joint/point", [0, 0, 1], r"\('thumb'\): joint: a prismatic joint has no point"),
    ("bodies/0/joint/armature", [1.0], ARM + ": armature of 'arm' must have 2 entries, got 1"),
    ("bodies/0/joint/armature", [[1], [1, 2]], ARM + ": armature of 'arm' must be a single number"),
    ("bodies/0/joint/damping", [-1, 0], ARM + ": damping of 'arm' must be finite and not neg"),
    ("bodies/0/joint/damping", None, ARM + ": damping of 'arm' must be a number, got None"),
    ("bodies/0/joint/limits", [1], ARM + ": joint: limits: expected an object"),
    ("bodies/0/joint/limits/speed", [1], ARM + ": joint: limits: unknown entry 'speed'.* velocity"),
    ("bodies/0/joint/limits/lower", [1, 2, 3], ARM + ": limit lower of 'arm' must have 2 entries"),
    ("bodies/0/joint/limits/lower", ["a", 0], ARM + ": limit lower of 'arm' must be a number"),
    ("bodies/0/joint/limits", {"lower": 9, "upper": 8}, ARM + ": limits of joint 'arm': lower 9 a"),
    ("bodies/1/joint/name", "arm", r"\('hand'\): .*already has a joint named 'arm'"),
    ("bodies/2/joint/mimic", "wrist", r"\('thumb'\): joint: mimic: expected an object"),
    ("bodies/2/joint/mimic/joint", "elbow", r"r\.json: no joint named 'elbow'.* wrist"),
    (
        "bodies/2/joint/mimic/joint",
        "thumb",
        r"r\.json: mimic joints follow each other .* thumb → thumb",
    ),
    ("bodies/2/joint/mimic/offset", None, r"\('thumb'\): mimic of 'thumb' must be a number"),
    ("bodies/2/joint/mimic/factor", 2, r"joint: mimic: unknown entry 'factor'"),
    ("frames", 3, "'frames' must be a list"),
    ("frames/0", 3, r"frames\[0\]: expected an object"),
    ("frames/1/name", "arm", r"frames\[1\] \('arm'\): .*already has a body or frame"),
    ("frames/1/body", "leg", r"r\.json: frames\[1\] \('tip'\): no body named 'leg'"),
    (
        "frames/1/rotation/0/0",
        -1.0,
        r"frames\[1\] \('tip'\): the rotation of the placement of 'tip'",
    ),
    ("bodies/0/mass", 1.0, r"bodies\[0\]: unknown entry 'mass'; .* Known entries: name, inertia"),
    ("bodies/0/joint/armatur", 1.0, r"joint: unknown entry 'armatur'.* armature"),
    ("joints", [], r"r\.json: unknown entry 'joints'"),
]


@pytest.mark.parametrize(("path", "value", "message"), BAD)
def test_a_wrong_entry_is_named_with_its_place(path: str, value: Any, message: str, tmp_path: Path):
    data = changed(path, value)
    file = tmp_path / "r.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RobotFormatError, match=message):
        jounce.load(file)
    with pytest.raises(RobotFormatError, match=r"^robot: "):
        from_dict(data)


@pytest.mark.parametrize(
    "content", ["", "{", "[1, 2", '{"format": }', "\x00", "é\udcff", "[" * 100000]
)
def test_what_is_not_json_is_refused_with_a_line(content: str, tmp_path: Path):
    file = tmp_path / "r.json"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RobotFormatError, match=r"r\.json:\d+: not valid JSON"):
        json_format.load(file)


@pytest.mark.parametrize("content", ["[]", "3", "null", '"panda"'])
def test_json_that_is_no_robot_is_refused(content: str, tmp_path: Path):
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(RobotFormatError, match=r"r\.json: not a Jounce robot"):
        jounce.load(tmp_path / "r.json")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path):
    (tmp_path / "r.json").write_text(json.dumps(to_dict(small())), encoding="utf-8-sig")
    assert jounce.load(tmp_path / "r.json") == small()


def test_impossible_inertias_need_strict_to_be_off(tmp_path: Path):
    data = changed("bodies/0/inertia", [-1.0, *[0.0] * 9])
    (tmp_path / "r.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInertiaError, match=r"r\.json: mass of body 'arm' is negative"):
        jounce.load(tmp_path / "r.json")
    assert jounce.load(tmp_path / "r.json", strict=False).bodies[0].inertia.mass == -1.0
    (tmp_path / "r.json").write_text(json.dumps(changed("bodies/0/inertia", [float("nan")] * 10)))
    with pytest.raises(InvalidInertiaError, match=r"r\.json: .*'arm' is not finite"):
        jounce.load(tmp_path / "r.json", strict=False)


def test_saving_where_nothing_can_be_saved(tmp_path: Path):
    robot = small()
    with pytest.raises(FileNotFoundError, match=r"robot 'small' cannot be saved.*nowhere"):
        robot.save(tmp_path / "nowhere" / "r.json")
    for name in ("arm.urdf", "arm"):  # JSON in it would not be read again
        with pytest.raises(UnsupportedError, match=rf"{name}: robots are saved as JSON; .*\.json"):
            robot.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "r.json").mkdir()
    with pytest.raises(IsADirectoryError, match="robot 'small' cannot be saved"):
        robot.save(tmp_path / "r.json")
    assert list(tmp_path.parent.glob(".*.tmp")) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_saving_to_a_read_only_directory(tmp_path: Path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="robot 'small' cannot be saved"):
        small().save(tmp_path / "r.json")


def test_saving_reports_what_the_system_refuses(tmp_path: Path, monkeypatch):
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", "temporary")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match=r"robot 'small' cannot be saved: Perm.*r\.json"):
        small().save(tmp_path / "r.json")


@pytest.mark.parametrize(("where", "step"), [(os, "fsync"), (Path, "replace")])
def test_an_interrupted_save_leaves_the_old_file(
    where: Any, step: str, tmp_path: Path, monkeypatch
):
    file = tmp_path / "r.json"
    small().save(file)
    before = file.read_bytes()

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        jounce.load("panda").save(file)
    monkeypatch.undo()
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_a_saved_file_has_the_permissions_of_any_other_and_links_stay(tmp_path: Path):
    file, link, other = tmp_path / "r.json", tmp_path / "link.json", tmp_path / "plain"
    other.write_text("")
    small().save(file)
    assert file.stat().st_mode == other.stat().st_mode
    file.chmod(0o640)
    link.symlink_to(file)
    jounce.load("panda").save(link)
    assert link.is_symlink()
    assert jounce.load(file) == jounce.load("panda")
    assert file.stat().st_mode & 0o777 == 0o640


def test_symbols_cannot_be_saved(tmp_path: Path):
    sympy = pytest.importorskip("sympy")
    b = RobotBuilder("symbolic")
    mass = sympy.Symbol("m")
    b.add("arm", None, joints.revolute((0, 0, 1)), inertia=Inertia(mass, (0, 0, 0), np.eye(3)))
    robot = b.build()
    with pytest.raises(UnsupportedError, match="only robots with finite numbers can be saved"):
        robot.save(tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []
    assert from_dict(robot.to_dict()) == robot


def test_an_entry_given_twice_is_refused(tmp_path: Path):
    path = tmp_path / "r.json"
    jounce.load("planar2r").save(path)
    path.write_text(path.read_text().replace('"gravity"', '"gravity": [0, 0, 1], "gravity"', 1))
    with pytest.raises(RobotFormatError, match=r"r\.json: the entry 'gravity' is given twice"):
        jounce.load(path)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("bodies/0/inertia/0", 10**400, "mass is too large for a number of double precision"),
        ("gravity/2", 10**400, "gravity is too large for a number of double precision"),
        ("bodies/0/joint/limits/lower", 10**400, "limit lower of .* is too large"),
        ("bodies/0/inertia", [1.0, 0, 0, 0, 1e308, 1e308, 1e308, 0, 0, 0], "inertia of body"),
        ("bodies/0/inertia", [1e-300, 1e300, 0, 0, 1, 1, 1, 0, 0, 0], "inertia of body"),
        ("bodies/2/joint/mimic/joint", ["thumb"], "must name a joint"),
    ],
)
def test_numbers_that_cannot_be_computed_with(path: str, value: Any, message: str):
    with pytest.raises(JounceError, match=message):
        from_dict(changed(path, value))


def test_json_that_is_nested_too_deep(tmp_path: Path):
    path = tmp_path / "r.json"
    for depth in (500, 5_000, 100_000):
        nested = "[" * depth + "]" * depth
        path.write_text(f'{{"format": "jounce-robot", "version": 1, "name": {nested}, '
                        '"gravity": [0, 0, 0], "bodies": []}')  # fmt: skip
        with pytest.raises(RobotFormatError, match=r"r\.json"):
            jounce.load(path)
