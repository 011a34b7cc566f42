"""Shapes in few triangles still look like themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.report.shapes import Shape, shapes_of
from jounce.report.triangles import few_triangles, merged
from jounce.report.write import report_of

trimesh = pytest.importorskip("trimesh")
RED = (1.0, 0.0, 0.0, 1.0)


def test_few_are_kept_as_they_are():
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    found = few_triangles([Shape(2, box, RED), Shape(-1, box, None)])
    np.testing.assert_array_equal(found.vertices, np.tile(box.vertices, (2, 1)))
    np.testing.assert_array_equal(found.faces, np.concatenate([box.faces, box.faces + 8]))
    np.testing.assert_array_equal(found.bodies, [2] * 8 + [-1] * 8)
    assert found.colors[0].tolist() == [255, 0, 0, 255]
    assert found.colors[-1].tolist() == [190, 194, 200, 255]


def test_many_become_few_near_the_surface():
    """Of a ball of 20,480 triangles; none is lost on one side only."""
    ball = trimesh.creation.icosphere(subdivisions=5)
    vertices, faces, which = merged(np.asarray(ball.vertices), np.asarray(ball.faces), 900)
    assert 600 < len(faces) <= 900
    assert len(which) == len(faces)
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(1.0, abs=0.03)
    corners = vertices[faces]
    area = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    assert area.sum() == pytest.approx(4.0 * np.pi, rel=0.05)
    assert np.abs(corners.mean(axis=1) - ball.triangles_center[which]).max() < 0.2
    assert np.abs(area @ corners.mean(axis=1)).max() < 0.05


def test_small_shapes_keep_what_large_ones_give_up():
    box, ball = trimesh.creation.box(), trimesh.creation.icosphere(subdivisions=4)
    found = few_triangles([Shape(0, ball, None), Shape(1, box, None), Shape(2, ball, None)], 1012)
    counts = np.bincount(found.bodies[found.faces[:, 0]])
    assert counts[1] == 12
    assert counts.sum() <= 1012
    assert (counts[[0, 2]] > 350).all()


def collada(path: Path) -> None:
    """Write a red and a green square, one above the other, with z up and in centimetres."""
    squares = ""
    for name, z in (("red", 0), ("green", 10)):
        squares += f"""<geometry id="{name}"><mesh><source id="{name}p">
        <float_array id="{name}a" count="12">0 0 {z} 10 0 {z} 10 10 {z} 0 10 {z}</float_array>
        <technique_common><accessor source="#{name}a" count="4" stride="3"><param name="X"
        type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
        </technique_common></source><vertices id="{name}v"><input semantic="POSITION"
        source="#{name}p"/></vertices><triangles count="2" material="{name}m"><input
        semantic="VERTEX" source="#{name}v" offset="0"/><p>0 1 2 0 2 3</p></triangles></mesh>
        </geometry>"""
    effects = materials = nodes = ""
    for name, color in (("red", "1 0 0 1"), ("green", "0 1 0 1")):
        effects += f"""<effect id="{name}e"><profile_COMMON><technique sid="common"><lambert>
        <diffuse><color>{color}</color></diffuse></lambert></technique></profile_COMMON></effect>"""
        materials += f'<material id="{name}x"><instance_effect url="#{name}e"/></material>'
        nodes += f"""<node id="{name}n"><instance_geometry url="#{name}"><bind_material>
        <technique_common><instance_material symbol="{name}m" target="#{name}x"/></technique_common>
        </bind_material></instance_geometry></node>"""
    path.write_text(
        f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
        version="1.4.1"><asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00
        </modified><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
        <library_effects>{effects}</library_effects><library_materials>{materials}
        </library_materials><library_geometries>{squares}</library_geometries>
        <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    )


def arm(folder: Path, mesh: str) -> jounce.Robot:
    (folder / "arm.urdf").write_text(
        f"""<robot name="arm"><link name="base"/><link name="upper"><visual><origin xyz="1 0 0"/>
        <geometry><mesh filename="{mesh}"/></geometry></visual><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="upper"/>
        <axis xyz="0 0 1"/></joint></robot>"""
    )
    return jounce.load(folder / "arm.urdf")


def test_collada_with_its_unit_and_its_colours(tmp_path: Path):
    pytest.importorskip("collada")
    collada(tmp_path / "part.dae")
    shapes, notes = shapes_of(arm(tmp_path, "part.dae"))
    assert notes == []
    found = few_triangles(shapes)
    assert found.vertices.min(axis=0) == pytest.approx([1.0, 0.0, 0.0])
    assert found.vertices.max(axis=0) == pytest.approx([1.1, 0.1, 0.1])
    low = found.vertices[found.faces][:, :, 2].mean(axis=1) < 0.05
    assert low.sum() == 2
    assert (found.colors[low] == [255, 0, 0, 255]).all()
    assert (found.colors[~low] == [0, 255, 0, 255]).all()


def test_a_report_says_which_shapes_are_missing(tmp_path: Path):
    robot = arm(tmp_path, "none.stl")
    time = np.linspace(0.0, 1.0, 5)
    report = report_of(robot, time, *np.zeros((3, 5, 1)))
    assert len(report.triangles.faces) == 0
    assert "none.stl of 'upper' is not shown" in report.sections[-1].note


def test_without_the_package_there_is_one_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "trimesh", None)
    shapes, notes = shapes_of(arm(tmp_path, "none.stl"))
    assert shapes == []
    (note,) = notes
    assert "pip install 'jounce[view]'" in note
