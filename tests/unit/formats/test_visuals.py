"""What robots look like is kept beside what is computed, and changes nothing of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce

LINK = '<link name="{}">{}<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'  # noqa: E501
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'  # noqa: E501
SHAPE = "<visual>{}<geometry>{}</geometry></visual>"


def load(tmp_path: Path, *shapes: str, head: str = "") -> jounce.Robot:
    text = f'<robot name="r">{head}{LINK.format("a", "")}{LINK.format("b", "".join(shapes))}{JOINT}'
    (tmp_path / "r.urdf").write_text(text + "</robot>")
    return jounce.load(tmp_path / "r.urdf", packages={"parts": str(tmp_path)})


def test_shapes_of_a_urdf(tmp_path: Path):
    robot = load(
        tmp_path,
        SHAPE.format('<origin xyz="1 2 3"/><material name="red"/>', '<box size="1 2 3"/>'),
        SHAPE.format("", '<cylinder radius="0.5" length="2"/>'),
        SHAPE.format("", '<sphere radius="0.25"/>'),
        SHAPE.format("", '<mesh filename="package://parts/b.stl" scale="1 1 0.001"/>'),
        head='<material name="red"><color rgba="1 0 0 1"/></material>',
    )
    box, cylinder, sphere, mesh = robot.visuals
    assert (box.frame, box.shape, box.size, box.color) == ("b", "box", (1, 2, 3), (1, 0, 0, 1))
    assert tuple(box.placement.p) == (1.0, 2.0, 3.0)
    assert (cylinder.shape, cylinder.size, cylinder.color) == ("cylinder", (0.5, 2.0), None)
    assert (sphere.shape, sphere.size) == ("sphere", (0.25,))
    assert (mesh.shape, mesh.size) == ("mesh", (1.0, 1.0, 0.001))
    assert mesh.mesh is not None
    assert mesh.mesh.uri == "package://parts/b.stl"
    assert mesh.mesh.packages == (("parts", str(tmp_path)),)


def test_shapes_are_no_part_of_the_fingerprint_and_stay_through_edits(tmp_path: Path):
    plain, shaped = load(tmp_path), load(tmp_path, SHAPE.format("", '<sphere radius="1"/>'))
    assert shaped.visuals
    assert plain == shaped
    assert plain.digest == shaped.digest
    for edited in (
        shaped.with_floating_base(),
        shaped.with_gravity((0, 0, 0)),
        shaped.with_frame("tool", "b", np.eye(4)),
        shaped.with_payload("b", jounce.Inertia(1.0, (0, 0, 0), np.eye(3))),
    ):
        assert edited.visuals == shaped.visuals
        assert all(edited.frame(visual.frame) for visual in edited.visuals)


@pytest.mark.parametrize(
    "shape",
    [
        "<visual/>",
        SHAPE.format("", ""),
        SHAPE.format("", "<box/>"),
        SHAPE.format("", '<box size="1 2"/>'),
        SHAPE.format("", '<mesh scale="1 1 1"/>'),
        SHAPE.format('<origin xyz="a b c"/>', '<sphere radius="1"/>'),
        SHAPE.format("", '<torus radius="1"/>'),
    ],
)
def test_a_shape_that_cannot_be_read_is_left_out(tmp_path: Path, shape: str):
    assert load(tmp_path, shape).visuals == ()


def test_shapes_of_an_mjcf_stand_where_mujoco_has_them(tmp_path: Path):
    mujoco, trimesh = pytest.importorskip("mujoco"), pytest.importorskip("trimesh")
    from jounce.report.shapes import shapes_of

    tetrahedron = trimesh.creation.icosahedron().apply_scale((0.1, 0.2, 0.3))
    tetrahedron.apply_translation((0.3, 0.0, 0.1)).export(tmp_path / "part.stl")
    (tmp_path / "r.xml").write_text(
        """<mujoco><asset><mesh name="part" file="part.stl" scale="1 1 2"/></asset><worldbody>
        <geom type="plane" size="1 1 1"/>
        <body name="b" pos="0 0 1" euler="10 20 30"><joint name="j" axis="0 1 0"/>
        <geom type="mesh" mesh="part" pos="0.1 0 0"/><geom type="box" size="0.1 0.2 0.3"/>
        <geom type="capsule" size="0.1 0.4" pos="0 0.2 0" group="3"/></body>
        </worldbody></mujoco>"""
    )
    robot = jounce.load(tmp_path / "r.xml")
    shapes, notes = shapes_of(robot)
    assert notes == []
    assert [visual.shape for visual in robot.visuals] == ["mesh", "box"]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    data = mujoco.MjData(model)
    data.qpos[0] = 0.7
    mujoco.mj_forward(model, data)
    ((T,),) = jounce.poses(robot, [0.7])
    for geom, (_, mesh, _) in zip((1, 2), shapes, strict=True):
        R, p = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
        corners = model.mesh_vert if geom == 1 else 0.5 * mesh_corners((0.2, 0.4, 0.6))
        wanted = corners @ R.T + p
        found = mesh.vertices @ T[:3, :3].T + T[:3, 3]
        apart = np.linalg.norm(found[:, None] - wanted[None], axis=-1).min(axis=1)
        assert apart.max() < 1e-6  # meshes are kept in single precision


def mesh_corners(sides: tuple[float, ...]) -> np.ndarray:
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    return signs * sides


def test_a_mesh_that_is_not_there_is_named(tmp_path: Path):
    pytest.importorskip("trimesh")
    from jounce.report.shapes import shapes_of

    robot = load(tmp_path, SHAPE.format("", '<mesh filename="package://parts/none.stl"/>'))
    shapes, (note,) = shapes_of(robot)
    assert shapes == []
    assert note.startswith("package://parts/none.stl of 'b' is not shown: ")
