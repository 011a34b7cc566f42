"""Where package:// and file:// addresses lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jounce.errors import RobotFormatError
from jounce.formats.packages import resolve


@pytest.fixture(autouse=True)
def no_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


def file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_explicit_map_wins(tmp_path: Path) -> None:
    wanted = file(tmp_path / "here" / "a b.urdf")
    file(tmp_path / "arm" / "a b.urdf")
    found = resolve("package://arm/a%20b.urdf", tmp_path, {"arm": tmp_path / "here"})
    assert found == wanted


@pytest.mark.parametrize("folder", ["arm", "stack/arm", "."])
def test_ros_package_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    root = tmp_path / "arm" if folder == "." else tmp_path
    wanted = file(root / folder / "x.urdf")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(root)]))
    assert resolve("package://arm/x.urdf", "/") == wanted


def test_ament_prefix_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = file(tmp_path / "share" / "arm" / "x.urdf")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert resolve("package://arm/x.urdf", "/") == wanted


def test_walking_up(tmp_path: Path) -> None:
    wanted = file(tmp_path / "arm" / "meshes" / "x.stl")
    beside = file(tmp_path / "arm" / "urdf" / "arm.urdf")
    assert resolve("package://arm/meshes/x.stl", beside) == wanted
    other = file(tmp_path / "hand" / "urdf" / "hand.urdf")
    assert resolve("package://arm/meshes/x.stl", other) == wanted


def test_walking_up_to_a_folder_with_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name> arm </name></package>")
    wanted = file(tmp_path / "x.stl")
    assert resolve("package://arm/x.stl", file(tmp_path / "urdf" / "a.urdf")) == wanted


def test_paths(tmp_path: Path) -> None:
    wanted = file(tmp_path / "x.urdf")
    assert resolve("x.urdf", tmp_path) == wanted
    assert resolve("../x.urdf", file(tmp_path / "d" / "y.urdf")).samefile(wanted)
    assert resolve(f"file://{wanted}") == wanted


def test_errors_say_where_was_searched(tmp_path: Path) -> None:
    pattern = r"no file 'x.urdf' in a package 'arm'. Packages given: leg; .*Pass packages="
    with pytest.raises(RobotFormatError, match=pattern):
        resolve("package://arm/x.urdf", tmp_path, {"leg": tmp_path})
    with pytest.raises(RobotFormatError, match=f"folders searched: {tmp_path}"):
        resolve("package://arm/x.urdf", None, {"arm": tmp_path})
    with pytest.raises(RobotFormatError, match="there is no file"):
        resolve("x.urdf", tmp_path)
    with pytest.raises(RobotFormatError, match="unknown kind of address"):
        resolve("http://x/y.urdf")
