"""Bags of ROS that are almost right: messages that do not fit, and files that are damaged."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz import mutants
from tests.fuzz.rule import inside

JOINTS = ["joint1", "joint2"]
ODD = (float("nan"), float("inf"), 1e308, -0.0, 1e-320, 1e5)


def commands(rng: random.Random, place: Path) -> str | None:
    """Do what is done with logs with a bag that has odd messages, or was damaged."""
    try:
        import rosbags  # noqa: F401
    except ImportError:
        return None
    way = rng.choice(("rosbag1", "sqlite", "mcap"))
    is_odd = rng.random() < 0.5
    bag = _written(rng if is_odd else None, way, place)
    if not is_odd:
        files = [path for path in (bag.rglob("*") if bag.is_dir() else [bag]) if path.is_file()]
        _damage(rng.choice(files), rng)
    log = bag.name
    if way == "mcap" and rng.random() < 0.3:
        log = str(next(bag.glob("*.mcap")).relative_to(place))
    topic = ["--topic", rng.choice(("/states", "/states", "/none", *mutants.NAMES))]
    words = rng.choice([
        ["id", "planar2r", log, "--order", "0", "-o", "out.csv"],
        ["id", "planar2r", log, "--order", "1", "-o", "out.npz", *topic],
        ["check", "planar2r", log], ["identify", "planar2r", log, "--trim", "0.01"],
        ["report", "planar2r", log, "-o", "page.html"],
    ])  # fmt: skip
    return inside(place, words)


def _written(rng: random.Random | None, way: str, folder: Path) -> Path:
    """Write some joint states; with ``rng`` some of them are odd."""
    from rosbags import rosbag1, rosbag2
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if way == "rosbag1" else Stores.ROS2_HUMBLE)
    types: Any = store.types
    State, Header = types["sensor_msgs/msg/JointState"], types["std_msgs/msg/Header"]
    Time = types["builtin_interfaces/msg/Time"]
    path = folder / ("run.bag" if way == "rosbag1" else "run")
    extra: dict[str, Any] = {"seq": 0} if way == "rosbag1" else {}
    if way == "rosbag1":
        writer: Any = rosbag1.Writer(path)
        pack = store.serialize_ros1
    else:
        plugin = rosbag2.StoragePlugin.SQLITE3 if way == "sqlite" else rosbag2.StoragePlugin.MCAP
        writer = rosbag2.Writer(path, version=9, storage_plugin=plugin)
        pack = store.serialize_cdr
    with writer:
        kind = State.__msgtype__
        states = writer.add_connection("/states", kind, typestore=store)
        for k in range(40):
            ns, names = 10**18 + 10**7 * k, [*JOINTS]
            q, tau = [0.1 * np.sin(0.2 * k), 0.05 * k], [1.0, 0.5]
            if rng is not None and rng.random() < 0.1:
                ns, names, q, tau = _odd(rng, ns, names, q, tau)
            stamp = Time(sec=int(ns // 10**9), nanosec=int(ns % 10**9))
            arrays = [np.array(x, dtype=float) for x in (q, [], tau)]
            message = State(Header(stamp=stamp, frame_id="", **extra), names, *arrays)
            writer.write(states, 10**18 + 10**7 * k, bytes(pack(message, kind)))
    return path


def _odd(rng: random.Random, ns: int, names: list[str], q: list[Any], tau: list[Any]) -> Any:
    """Return a message that other programs may write too."""
    edit = rng.randrange(7)
    if edit == 0:
        q[rng.randrange(2)] = rng.choice(ODD)
    elif edit == 1:
        tau[rng.randrange(2)] = rng.choice(ODD)
    elif edit == 2:
        names[rng.randrange(2)] = rng.choice([*JOINTS, *mutants.NAMES])
    elif edit == 3:
        q = q[:1] if rng.random() < 0.5 else []
    elif edit == 4:
        tau = rng.choice(([], [1.0], [1.0] * 3))
    elif edit == 5:
        ns = rng.choice((0, 1, 10**18, ns + 10**16))
    else:
        names, q = rng.choice((([], []), (names * 2, q * 2), (names[::-1], q)))
    return ns, names, q, tau


def _damage(path: Path, rng: random.Random) -> None:
    data = path.read_bytes()
    if path.suffix == ".yaml" and rng.random() < 0.7:
        lines = data.decode().splitlines()
        k = rng.randrange(len(lines))
        key, colon, _ = lines[k].partition(":")
        lines[k] = rng.choice((f"{key}{colon} {rng.choice((*mutants.NUMBERS, 'null'))}", "", key))
        path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
        return
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data))
        size = rng.choice((1, 1, 4, 8, 100))
        part = rng.choice((b"", b"\xff" * size, b"\x00" * size, rng.randbytes(size)))
        data = rng.choice((data[:at], data[:at] + part + data[at + size :])) or b"\x00"
    path.write_bytes(data)
