"""Files that are almost right: XML, JSON, tables and archives, mutated by a seed."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1.7e308", "1e-320", "1e400", "1" + "0" * 400, "0", "-0.0",
    "", " ", "1,5", "0x10", "1e", "--1", "１", "1_000", "x" * 50, "1e5", "-3", "0.5 0.5", "3.14159",
)  # fmt: skip
NAMES = (
    "", " ", "link1", "joint1", "world", "a/b", "..", "x" * 5000, "\x1b[2J", "ü", "\u202e", "q:j",
    "null", "t", "root_joint", "0", "-1", "%s", "{}", "link1 ",
)  # fmt: skip
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")

URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><inertial><mass value="3"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="link1"><inertial><origin xyz="0.1 0 0.2" rpy="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <link name="link2"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="link3"><inertial><mass value="0.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="tool"/>
  <joint name="joint1" type="revolute"><parent link="base"/><child link="link1"/>
    <origin xyz="0 0 0.3" rpy="0 0 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="80" velocity="2"/>
    <dynamics damping="0.1" friction="0"/></joint>
  <joint name="joint2" type="continuous"><parent link="link1"/><child link="link2"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="joint3" type="prismatic"><parent link="link2"/><child link="link3"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.3" effort="10" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="link3"/><child link="tool"/>
    <origin xyz="0.1 0 0"/></joint>
</robot>
"""

MJCF = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="link1" pos="0 0 0.3"><joint name="joint1" type="hinge" axis="0 0 1" range="-2 2"/>
      <inertial pos="0.1 0 0.2" mass="2" diaginertia="0.02 0.03 0.04"/>
      <body name="link2" pos="0.4 0 0" quat="1 0 0 0"><joint name="joint2" axis="0 1 0"/>
        <inertial pos="0 0.1 0" mass="1" diaginertia="0.02 0.02 0.02"/>
        <site name="tool" pos="0.1 0 0"/></body></body>
  </worldbody>
</mujoco>
"""

URDF_ODD = """<?xml version="1.0"?>
<robot name="odd">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="link1"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="1.5"/>
    <inertia ixx="0.05" ixy="0.001" ixz="-0.002" iyy="0.06" iyz="0.003" izz="0.07"/></inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="grey"/></visual></link>
  <link name="link2"><inertial><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="link3"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="link4"><inertial><mass value="0.3"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="joint1" type="floating"><parent link="base"/><child link="link1"/></joint>
  <joint name="joint2" type="planar"><parent link="link1"/><child link="link2"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="joint3" type="revolute"><parent link="link1"/><child link="link3"/>
    <origin xyz="0 0.1 0" rpy="0.1 0 0"/><axis xyz="1 2 3"/>
    <limit lower="-1" upper="1" effort="8" velocity="2"/></joint>
  <joint name="joint4" type="revolute"><parent link="link3"/><child link="link4"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 1 0"/><mimic joint="joint3" multiplier="-2" offset="0.1"/>
    <limit lower="-3" upper="3" effort="8" velocity="2"/></joint>
</robot>
"""

MJCF_ODD = """<mujoco model="odd">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0 1 -9" timestep="0.002"/>
  <default><joint armature="0.1" damping="0.2"/>
    <default class="arm"><geom type="capsule" size="0.05" density="900"/></default></default>
  <worldbody>
    <body name="boat"><freejoint name="root"/>
      <geom type="box" size="0.3 0.2 0.1" mass="3"/>
      <body name="link1" pos="0 0 0.3" euler="10 20 30" childclass="arm">
        <joint name="joint1" axis="1 1 0" pos="0.1 0 0" ref="15" range="-90 90"/>
        <geom fromto="0 0 0 0.2 0 0.1"/>
        <body name="link2" pos="0.4 0 0" axisangle="0 0 1 40"><joint name="joint2" type="ball"/>
          <geom fromto="0 0 0 0.2 0.1 0" pos="0 0 0"/>
          <body name="link3" pos="0 0.3 0" xyaxes="0 1 0 -1 0 0">
            <joint name="joint3" type="slide" axis="0 0 1" range="-0.2 0.2"/>
            <joint name="joint4" axis="0 1 0"/>
            <inertial pos="0 0.1 0" mass="1" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
          </body></body></body></body>
  </worldbody>
  <equality><joint joint1="joint3" joint2="joint4" polycoef="0 0.1 0 0 0"/></equality>
  <actuator><motor joint="joint1" gear="5"/></actuator>
</mujoco>
"""

LIMITS_CSV = "joint,velocity,acceleration,effort\njoint1,2,10,80\njoint2,2,10,80\n"
LIMITS_JSON = json.dumps({"joint1": {"velocity": 2, "effort": 80}, "joint2": {"velocity": 2}})
POINTS_CSV = "t,joint1,joint2\n0,0,0\n1,0.5,0.3\n2,1,-0.2\n"
POSES_CSV = (
    "t,x,y,z,qx,qy,qz,qw\n0,0.5,0,0.3,0,0,0,1\n0.5,0.45,0,0.3,0,0,0,1\n1,0.4,0,0.3,0,0,0,1\n"
)
STATE_JSON = json.dumps({"q": [0.1, 0.2], "v": [0.0, 0.0]})


def log_csv(rng: random.Random, joints: Sequence[str] = ("joint1", "joint2")) -> str:
    """Return a log of some samples."""
    rows = [
        ",".join(repr(x) for x in (0.01 * k, *(rng.uniform(-0.1, 0.1) for _ in joints)))
        for k in range(40)
    ]
    return "\n".join([",".join(("t", *joints)), *rows, ""])


def xml(text: str, rng: random.Random) -> bytes:
    """Return XML with one to three edits of elements or attributes, or of the bytes."""
    root = ET.fromstring(text)
    for _ in range(rng.randint(1, 3)):
        rng.choice((_attribute, _attribute, _attribute, _delete, _twice, _rename, _move))(root, rng)
    data = ET.tostring(root)
    return _bytes(data, rng) if rng.random() < 0.3 else data


def _parents(root: ET.Element) -> list[tuple[ET.Element, ET.Element]]:
    return [(parent, child) for parent in root.iter() for child in parent]


def _attribute(root: ET.Element, rng: random.Random) -> None:
    element = rng.choice(list(root.iter()))
    if not element.attrib or rng.random() < 0.1:
        element.set(rng.choice(("xyz", "name", "rpy", "value", "extra")), rng.choice(NUMBERS))
        return
    key = rng.choice(list(element.attrib))
    value = element.attrib[key]
    if rng.random() < 0.15:
        del element.attrib[key]
    elif NUMBER.search(value) and key not in ("name", "link"):
        places = list(NUMBER.finditer(value))
        place = rng.choice(places)
        element.set(key, value[: place.start()] + rng.choice(NUMBERS) + value[place.end() :])
    else:
        others = [x for e in root.iter() for x in e.attrib.values()]
        element.set(key, _xml_text(rng.choice((*NAMES, *others))))


def _xml_text(text: str) -> str:
    return re.sub(r"[\x00-\x1f]", "?", text)


def _delete(root: ET.Element, rng: random.Random) -> None:
    if pairs := _parents(root):
        parent, child = rng.choice(pairs)
        parent.remove(child)


def _twice(root: ET.Element, rng: random.Random) -> None:
    if pairs := _parents(root):
        parent, child = rng.choice(pairs)
        parent.append(copy.deepcopy(child))


def _rename(root: ET.Element, rng: random.Random) -> None:
    element = rng.choice(list(root.iter()))
    element.tag = rng.choice(("link", "joint", "inertial", "origin", "axis", "mimic", "gazebo",
                              "body", "geom", "freejoint", "default", "include", "site", "frame",
                              "weld", "connect", "x"))  # fmt: skip


def _move(root: ET.Element, rng: random.Random) -> None:
    if pairs := _parents(root):
        parent, child = rng.choice(pairs)
        parent.remove(child)
        inside = set(child.iter())
        rng.choice([e for e in root.iter() if e not in inside]).append(child)


def json_text(text: str, rng: random.Random) -> bytes:
    """Return JSON with one to three edits of values or keys, or of the bytes."""
    data = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        data = _json_edit(data, rng)
    out = json.dumps(data)
    if rng.random() < 0.1:
        out = re.sub(NUMBER, lambda _: rng.choice(("NaN", "1e999", "1" + "0" * 400)), out, count=1)
    if rng.random() < 0.1:
        out = re.sub(r'("\w+": )', r"\1 0, \1", out, count=1)  # a key twice
    return _bytes(out.encode(), rng) if rng.random() < 0.2 else out.encode()


def _json_edit(data: Any, rng: random.Random) -> Any:
    odd: tuple[Any, ...] = (
        None, True, -1, 0, 1e308, "", "x", [], {}, [[]], [1, [2]], {"a": 1}, 10**400, -0.0, 1e-320,
        _nested(2000), "nan", [None] * 3,
    )  # fmt: skip
    if isinstance(data, dict) and data and rng.random() < 0.9:
        key = rng.choice(list(data))
        if rng.random() < 0.15:
            return {k: v for k, v in data.items() if k != key}
        if rng.random() < 0.1:
            return {**data, rng.choice(NAMES): rng.choice(odd)}
        return {**data, key: _json_edit(data[key], rng)}
    if isinstance(data, list) and data and rng.random() < 0.9:
        k = rng.randrange(len(data))
        if rng.random() < 0.15:
            return data[:k] + data[k + 1 :] if rng.random() < 0.5 else [*data, data[k]]
        return [*data[:k], _json_edit(data[k], rng), *data[k + 1 :]]
    return rng.choice((*odd, rng.choice(NAMES)))


def _nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(min(depth, 400)):  # json.dumps itself gives up at a thousand
        value = [value]
    return value


def csv_text(text: str, rng: random.Random) -> bytes:
    """Return a table with one to three edits of cells, rows or columns, or of the bytes."""
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(rng.randint(1, 3)):
        r = rng.randrange(len(rows))
        edit = rng.randrange(6)
        if edit == 0 and len(rows) > 1:
            del rows[r]
        elif edit == 1:
            rows.insert(r, list(rng.choice(rows)))
        elif edit == 2:
            rows[r].append(rng.choice(NUMBERS))
        elif rows[r]:
            c = rng.randrange(len(rows[r]))
            rows[r][c] = rng.choice(NAMES if r == 0 else NUMBERS)
    end = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    data = end.join(rng.choice((",", ",", ",", ",", ";")).join(row) for row in rows).encode()
    if rng.random() < 0.05:
        data = data.replace(b",", b"," + b"9" * 140_000, 1)
    return _bytes(data, rng) if rng.random() < 0.3 else data


def npz(text: str, rng: random.Random) -> bytes:
    """Return the archive of a table with an array of another kind, or damaged."""
    rows = np.array([line.split(",") for line in text.splitlines()[1:]], float)
    arrays: dict[str, Any] = {
        "time": rows[:, 0], "values": rows[None, :, 1:],
        "names": np.array(text.splitlines()[0].split(",")[1:]),
    }  # fmt: skip
    odd: tuple[Callable[[Any], Any], ...] = (
        lambda x: x[:1], lambda x: x[None], lambda x: np.array(str(x)), lambda x: x[::-1],
        lambda x: x.astype(complex) if x.dtype.kind == "f" else x, lambda _: np.array([]),
        lambda x: np.array(x, dtype=object), lambda x: np.where(x == x.flat[0], np.nan, 1.0),
        lambda x: x * np.float64("1e308") if x.dtype.kind == "f" else x, lambda _: np.array(5),
    )  # fmt: skip
    key = rng.choice(list(arrays))
    with np.errstate(all="ignore"):
        arrays[key] = rng.choice(odd)(arrays[key])
    if rng.random() < 0.1:
        del arrays[key]
    file = io.BytesIO()
    np.savez(file, **arrays)
    data = file.getvalue()
    if rng.random() < 0.2:
        data = _lying(data, rng)
    return _bytes(data, rng) if rng.random() < 0.4 else data


def _lying(data: bytes, rng: random.Random) -> bytes:
    """Return the archive with a header that promises another shape."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            shape = rng.choice((b"(99999999999999,)", b"(-1, 2)", b"(0,)", b"((((", b"(40, 2, 7)"))
            new.writestr(name, re.sub(rb"\([\d, ]+\)", shape, old.read(name), count=1))
    return out.getvalue()


def parquet(text: str, rng: random.Random) -> bytes:
    """Return the file of a table with a column of another kind, or damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    header, *lines = text.splitlines()
    rows = np.array([line.split(",") for line in lines], float)
    columns: dict[str, Any] = dict(zip(header.split(","), rows.T, strict=True))
    odd: tuple[Callable[[Any], Any], ...] = (
        lambda x: [str(v) for v in x], lambda x: [None, *x[1:]], lambda x: [[v] for v in x],
        lambda x: [v > 0 for v in x], lambda x: [int(v) for v in x], lambda x: [b"x" for _ in x],
        lambda x: x * 1e308, lambda x: np.full(len(x), np.nan), lambda x: x,
    )  # fmt: skip
    key = rng.choice(list(columns))
    with np.errstate(all="ignore"):
        columns[key] = rng.choice(odd)(columns[key])
    table = pa.table(columns)
    if rng.random() < 0.2:
        table = table.rename_columns([rng.choice((*NAMES, name)) for name in table.column_names])
    file = io.BytesIO()
    pq.write_table(table, file)
    data = file.getvalue()
    return _bytes(data, rng) if rng.random() < 0.5 else data


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """Return bytes cut, flipped, doubled, in another encoding or under another heading."""
    edit = rng.randrange(8)
    at = rng.randrange(len(data)) if data else 0
    if edit == 0:
        return data[:at]
    if edit == 1:
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if edit == 2:
        return data[:at] + data[at // 2 : at] + data[at:]
    if edit == 3:
        return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "latin-1")), "replace")
    if edit == 4:
        encoding = rng.choice((b"idna", b"latin-1", b"utf-7", b"x", b"utf-16", b"punycode"))
        return b'<?xml version="1.0" encoding="' + encoding + b'"?>' + data.split(b"?>")[-1]
    if edit == 5:
        return b"\xef\xbb\xbf" + data
    if edit == 6:
        return data[:at] + b"\x00" + data[at:]
    return data.replace(b"<", b"<!--", 1) if rng.random() < 0.5 else data * 2
