"""The robot in the scene of viser: shapes, stick figure, joints, frames, centre of mass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jounce.algebra.rigid import quaternion_of
from jounce.api.call import Wrench
from jounce.api.dynamics import joint_wrenches
from jounce.api.kinematics import center_of_mass, frame_pose, poses
from jounce.model.robot import Robot
from jounce.report.drawing import skeleton
from jounce.report.shapes import shapes_of

GREY, DARK, BLUE, ORANGE = (190, 194, 200), (70, 76, 84), (45, 105, 190), (225, 120, 30)
PURPLE, TEAL = (130, 60, 170), (20, 140, 140)
HEAD = 0.82  # of an arrow of a moment: where its second head ends
FREE, NEAR, OVER = np.array([[60.0, 160, 90], [235, 180, 40], [210, 45, 45]])
PARTS = {  # what can be shown, and whether it is at first
    "Shapes": True,
    "Stick figure": False,
    "Joints, by use of limits": True,
    "Centre of mass": True,
    "Frames": False,
    "Joint forces": False,
    "Wrenches": True,
}


class Scene:
    """A robot drawn by a server of viser; `place` moves it."""

    def __init__(self, server: Any, robot: Robot, pushes: Mapping[str, Wrench]) -> None:
        self.robot, self._scene = robot, server.scene
        self._pushed = tuple(pushes)  # frames on which wrenches act
        self._strongest = [  # moment and force of the log
            max((np.linalg.norm(x.values[0, :, part], axis=1).max() for x in pushes.values()),
                default=0.0)
            for part in (slice(3), slice(3, 6))
        ]  # fmt: skip
        self._drawing = skeleton(robot)
        shapes, self.notes = shapes_of(robot)
        self._handles: dict[str, list[Any]] = {name: [] for name in PARTS}
        self.size = self._extent(shapes)
        server.scene.set_up_direction(tuple(self._drawing["up"]))
        self._bodies = [
            server.scene.add_frame(f"/body{i}", show_axes=False) for i in range(robot.n_bodies)
        ]
        self._add_shapes(shapes)
        self._add_joints()
        self._add_frames()
        self._add_moving()
        lacks_shapes = not shapes or bool(self.notes)
        for name, is_on in PARTS.items():
            self.show(name, is_on or (name == "Stick figure" and lacks_shapes))

    def show(self, part: str, is_on: bool) -> None:
        """Show or hide one of `PARTS`."""
        for handle in self._handles[part]:
            handle.visible = is_on

    def is_shown(self, part: str) -> bool:
        """Tell whether a part is visible."""
        return any(handle.visible for handle in self._handles[part])

    def place(
        self,
        q: np.ndarray,
        rates: tuple[np.ndarray, ...] = (),
        wrenches: Mapping[str, Wrench] | None = None,
    ) -> None:
        """Move the robot to q; velocity, acceleration and wrenches matter to joint forces."""
        wrenches = wrenches or {}
        T = self._placed(q)
        for handle, pose, turn in zip(self._bodies, T[:-1], _wxyz(T[:-1]), strict=True):
            handle.position, handle.wxyz = pose[:3, 3], turn
        points = self._joint_points(T)[:-1]
        self._sticks.points = self._stick_points(T)
        if self._com is not None:
            self._com.position = center_of_mass(self.robot, q)[0]
        rest = np.zeros(self.robot.nv)
        moving = rates or (rest, rest)
        loads = {"wrenches": wrenches or None, "representation": "hybrid"}
        (W,) = joint_wrenches(self.robot, q, *moving, **loads)
        self._forces.points = self._arrows(points, W[:, 3:])
        for handle, points in zip(self._pushes, self._push_arrows(q, wrenches), strict=False):
            handle.points = points

    def color(self, use: np.ndarray) -> None:
        """Colour each joint by the share of its limits that is used, ``(nv,)``."""
        for joint, handles in zip(self.robot.joints, self._markers, strict=True):
            source = joint if joint.mimic is None else self.robot.joints[joint.mimic.source]
            share = float(use[source.v_slice].max(initial=0.0))
            color = tuple(int(c) for c in use_color(share))
            for handle in handles:
                if handle.color != color:
                    handle.color = color

    def middle(self, q: np.ndarray) -> np.ndarray:
        """Return the middle of the stick figure at q."""
        ends = self._stick_points(self._placed(q)).reshape(-1, 3)
        return 0.5 * (ends.min(axis=0) + ends.max(axis=0))

    def _extent(self, shapes: list[Any]) -> float:
        """Return the radius about the origin of all there is, at q = 0."""
        T = self._placed(self.robot.neutral)
        points = [*self._joint_points(T), *self._stick_points(T)[:, 1]]
        reach = [float(np.linalg.norm(point)) for point in points]
        for body, mesh, _ in shapes:
            reach.append(float(np.linalg.norm(T[body, :3, 3]) + np.linalg.norm(mesh.extents)))
        return max(*reach, 1e-3)

    def _add_shapes(self, shapes: list[Any]) -> None:
        for i, (body, mesh, color) in enumerate(shapes):
            name = f"/body{body}/shape{i}" if body >= 0 else f"/ground/shape{i}"
            if color is None and mesh.visual.defined:
                handle = self._scene.add_mesh_trimesh(name, mesh)
            else:
                r, g, b, alpha = color or (*(x / 255 for x in GREY), 1.0)
                handle = self._scene.add_mesh_simple(
                    name,
                    np.asarray(mesh.vertices),
                    np.asarray(mesh.faces),
                    color=tuple(round(255 * min(max(x, 0.0), 1.0)) for x in (r, g, b)),
                    opacity=None if alpha >= 1.0 else max(alpha, 0.0),
                    flat_shading=True,
                    side="double",
                )
            self._handles["Shapes"].append(handle)

    def _add_joints(self) -> None:
        """Add a pin along each axis of each joint; a ball where there is none."""
        self._markers: list[list[Any]] = []
        for i, body in enumerate(self._drawing["bodies"][:-1]):
            point, markers = np.array(body["joint"]), []
            for k, axis in enumerate(body["axes"]):
                markers.append(
                    self._scene.add_cylinder(
                        f"/body{i}/joint{k}",
                        radius=0.012 * self.size,
                        height=0.22 * self.size,  # a pin that stands out of the shapes
                        position=point,
                        wxyz=_from_z(np.array(axis)),
                    )
                )
            if not markers and body["held"]:
                markers.append(
                    self._scene.add_icosphere(
                        f"/body{i}/joint", radius=0.03 * self.size, position=point
                    )
                )
            self._markers.append(markers)
            self._handles["Joints, by use of limits"] += markers

    def _add_frames(self) -> None:
        length = 0.1 * self.size
        for i, frame in enumerate(self.robot.frames):
            T = np.array(frame.placement.matrix(), dtype=float)
            above = f"/body{frame.body}" if frame.body >= 0 else "/ground"
            name = f"{above}/frame{i}"
            axes = self._scene.add_frame(
                name,
                axes_length=length,
                axes_radius=0.04 * length,
                position=T[:3, 3],
                wxyz=_wxyz(T[None])[0],
            )
            label = self._scene.add_label(f"{name}/name", frame.name)
            self._handles["Frames"] += [axes, label]

    def _add_moving(self) -> None:
        """Add what is drawn in the frame of the ground and moves."""
        T = self._placed(self.robot.neutral)
        self._sticks = self._scene.add_line_segments(
            "/sticks", self._stick_points(T), DARK, thickness=0.012 * self.size
        )
        self._handles["Stick figure"].append(self._sticks)
        self._com = None
        if self.robot.mass > 0.0:
            self._com = self._scene.add_icosphere(
                "/centre_of_mass", radius=0.025 * self.size, color=BLUE
            )
            self._handles["Centre of mass"].append(self._com)
        none = self._arrows(self._joint_points(T)[:-1], np.zeros((self.robot.n_bodies, 3)))
        self._forces = self._add_arrows("forces", none, ORANGE, (0.007, 0.018, 0.04))
        self._handles["Joint forces"].append(self._forces)
        nothing = self._push_arrows(self.robot.neutral, {}) if self._pushed else ()
        self._pushes = [  # moments and forces
            self._add_arrows(name, points, color, (0.009, 0.024, 0.05))
            for name, points, color in zip(
                ("moments", "wrenches"), nothing, (TEAL, PURPLE), strict=False
            )
        ]
        self._handles["Wrenches"] += self._pushes

    def _add_arrows(
        self, name: str, points: np.ndarray, color: tuple[int, ...], sizes: tuple[float, ...]
    ) -> Any:
        """Add arrows: radius of the shaft, radius and length of the head as parts of the robot."""
        kinds = ("shaft_radius", "head_radius", "head_length")
        measures = {kind: size * self.size for kind, size in zip(kinds, sizes, strict=True)}
        return self._scene.add_arrows(f"/{name}", points, color, **measures)

    def _push_arrows(
        self, q: np.ndarray, wrenches: Mapping[str, Wrench]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return arrows of moments, ``(2 frames, 2, 3)``, and forces, ``(frames, 2, 3)``.

        They begin in the origin of the frame, about which moments are; the strongest of the log is
        half as long as the robot is large.  A moment is two arrows, so that it has two heads.
        """
        moments, forces = [], []
        moment, force = (0.5 * self.size / (x or 1.0) for x in self._strongest)
        for frame in self._pushed:
            (T,) = frame_pose(self.robot, frame, q)
            at, wrench = T[:3, 3], wrenches.get(frame)
            m, f = np.zeros((2, 3)) if wrench is None else np.split(np.array(wrench.values)[0], 2)
            if wrench is not None and wrench.representation == "body":
                m, f = T[:3, :3] @ m, T[:3, :3] @ f
            elif wrench is not None and wrench.representation == "spatial":
                m = m - np.cross(at, f)
            forces.append((at, at + force * f))
            moments += [(at, at + moment * m), (at, at + HEAD * moment * m)]
        return np.array(moments), np.array(forces)

    def _stick_points(self, T: np.ndarray) -> np.ndarray:
        """Return the ends of all sticks in the world, ``(sticks, 2, 3)``."""
        points, ends = self._joint_points(T), []
        for body, pose, start in zip(self._drawing["bodies"], T, points, strict=True):
            if body["held"]:
                ends.append((points[body["parent"]], start))
            ends += [(start, pose[:3, :3] @ np.array(tip) + pose[:3, 3]) for tip in body["tips"]]
        return np.array(ends or [np.zeros((2, 3))])

    def _placed(self, q: np.ndarray) -> np.ndarray:
        """Return the poses of all bodies, and of the ground, which is the last as in a drawing."""
        return np.concatenate([poses(self.robot, q)[0], np.eye(4)[None]])

    def _joint_points(self, T: np.ndarray) -> np.ndarray:
        """Return where the joints of the bodies are in the world, the origin for the ground."""
        local = np.array([body["joint"] for body in self._drawing["bodies"]])
        return np.einsum("nij,nj->ni", T[:, :3, :3], local) + T[:, :3, 3]

    def _arrows(self, points: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Return arrows ``(bodies, 2, 3)``; as long as the robot is large for all its weight."""
        weight = float(self.robot.mass) * (np.linalg.norm(self.robot.gravity) or 9.80665)
        return np.stack([points, points + forces * (0.5 * self.size / max(weight, 1e-9))], axis=1)


def use_color(share: float) -> np.ndarray:
    """Return green while a limit is far, yellow near it, red beyond it."""
    if share > 1.0:
        return OVER
    part = np.clip((share - 0.5) / 0.5, 0.0, 1.0)
    return FREE + part * (NEAR - FREE)


def _wxyz(T: np.ndarray) -> np.ndarray:
    """Return the rotations of poses as viser takes them."""
    return np.roll(quaternion_of(T[:, :3, :3]), 1, axis=-1)


def _from_z(axis: np.ndarray) -> np.ndarray:
    """Return the quaternion w x y z that turns z to ``axis``, which has unit length."""
    if axis[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return quaternion / np.linalg.norm(quaternion)
