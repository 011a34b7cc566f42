"""A robot of your own: read a URDF, add a tool, hold a payload, keep it as a file."""

import tempfile
from pathlib import Path

import numpy as np

import jounce

LINK = """
  <link name="{name}">
    <inertial>
      <origin xyz="0 0 {half}"/> <mass value="{mass}"/>
      <inertia ixx="{across}" iyy="{across}" izz="0.002" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>"""
JOINT = """
  <joint name="{name}" type="revolute">
    <parent link="{parent}"/> <child link="{child}"/>
    <origin xyz="0 0 {z}"/> <axis xyz="{axis}"/>
    <limit lower="-2.5" upper="2.5" velocity="3" effort="{effort}"/>
  </joint>"""
URDF = (
    '<robot name="crane"><link name="base"/>'
    + LINK.format(name="column", mass=4.0, half=0.2, across=0.06)
    + LINK.format(name="boom", mass=2.5, half=0.25, across=0.06)
    + LINK.format(name="jib", mass=1.5, half=0.2, across=0.03)
    + JOINT.format(name="slew", parent="base", child="column", z=0.1, axis="0 0 1", effort=40)
    + JOINT.format(name="luff", parent="column", child="boom", z=0.4, axis="0 1 0", effort=40)
    + JOINT.format(name="fold", parent="boom", child="jib", z=0.5, axis="0 1 0", effort=20)
    + "</robot>"
)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "crane.urdf")
    path.write_text(URDF, encoding="utf-8")
    crane = jounce.load(path)  # also .xacro, .xml (MJCF) and .json

hook = np.eye(4)
hook[2, 3] = 0.4
crane = crane.with_frame("hook", "jib", hook)
for joint in crane.joints:
    print(f"{joint.name}: {joint.kind} joint, effort {crane.limits.effort[joint.v_slice][0]:g} N m")

q = np.array([0.3, 0.9, 0.8])
rest = np.zeros(crane.nv)
print("hook at", jounce.frame_pose(crane, "hook", q)[0, :3, 3].round(3), "m")
for mass in (0.0, 2.0):
    loaded = crane.with_payload("hook", jounce.Inertia(mass, (0, 0, 0), 0.01 * mass * np.eye(3)))
    holding = jounce.inverse_dynamics(loaded, q, rest, rest)[0]
    print(f"torques that hold {mass:g} kg at the hook: {holding.round(2)} N m")

with tempfile.TemporaryDirectory() as folder:
    crane.save(Path(folder, "crane.json"))
    print("read back from JSON, bit for bit:", jounce.load(Path(folder, "crane.json")) == crane)
