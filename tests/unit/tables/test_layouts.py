"""Logs as other programs write them: the numbers are those of the plain table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.errors import JounceError, TableError, UnknownNameError
from jounce.tables import MotionTable, open_log, read_table, write_table
from jounce.tables.file import open_motion
from jounce.trajectory import Fourier, Spline
from tests.tolerances import EXACT, INDEPENDENT, assert_close, assert_orders_close

JOINTS = ("shoulder_pan_joint", "elbow_joint")
NS = np.cumsum(np.random.default_rng(0).integers(5 * 10**6, 15 * 10**6, 600))
NS -= NS[0]
T = NS / 1e9
Q = Fourier([[0.3, -0.2]], [[0.1, 0.2]], 3.0, [0.2, 0.5])(T, 0)[0]
TAU = np.stack([np.cos(T), 2 * np.sin(T)], axis=1)
EPOCH = 1_700_000_000
HERE = "shoulder_pan_joint, elbow_joint"


def robot() -> jounce.Robot:
    builder = jounce.RobotBuilder("arm")
    inertia = jounce.Inertia(1.0, [0.1, 0, 0], np.eye(3))
    joint = jounce.joints.revolute([0, 0, 1])
    builder.add("a", joint=joint, inertia=inertia, joint_name=JOINTS[0])
    builder.add("b", "a", joint=joint, inertia=inertia, joint_name=JOINTS[1])
    return builder.build()


ARM = robot()


def lines(header: str, row: Callable[[int], str]) -> str:
    return "\n".join([header, *(row(i) for i in range(len(T)))]) + "\n"


def joined(*values: object, mark: str = ",") -> str:
    return mark.join(value if isinstance(value, str) else repr(value) for value in values)


def plain(i: int) -> list[float]:
    return [float(x) for x in (T[i], *Q[i])]


class Case(NamedTuple):
    name: str
    text: str
    options: dict[str, object] | None = None
    said: str = ""
    efforts: bool = False


def with_date(i: int) -> str:
    whole = np.datetime64(EPOCH, "s") + np.timedelta64(int(NS[i]), "ns")
    return str(whole) + ("Z" if i % 2 else "+00:00")


def comma(x: float) -> str:
    return repr(float(x)).replace(".", ",")


CASES = [
    Case(
        "ROS message by number, with names",
        lines(
            "time,joint_states.name[0],joint_states.name[1],joint_states.name[2],"
            + ",".join(f"joint_states.{x}[{k}]" for x in ("position", "effort") for k in range(3)),
            lambda i: joined(
                float(T[i]),
                '"elbow_joint"',
                "gripper",
                JOINTS[0],
                *map(float, (Q[i, 1], 7.0, Q[i, 0], TAU[i, 1], 7.0, TAU[i, 0])),
            ),
        ),
        said=f"positions are joint_states.position* of {HERE}; torques are joint_states.effort* of",
        efforts=True,
    ),
    Case(
        "PlotJuggler",
        lines(
            "__time,/joint_states/elbow_joint/position,/joint_states/elbow_joint/velocity,"
            "/joint_states/shoulder_pan_joint/position,/joint_states/shoulder_pan_joint/effort,"
            "/joint_states/elbow_joint/effort,/joint_states/header/stamp",
            lambda i: joined(
                f"{EPOCH + NS[i] // 10**9}.{NS[i] % 10**9:09d}",
                float(Q[i, 1]),
                0.0,
                *map(float, (Q[i, 0], *TAU[i])),
                0.0,
            ),
        ),
        said="time is __time; positions are /joint_states/*/position of",
        efforts=True,
    ),
    Case(
        "rostopic echo -p",
        lines(
            "%time,field.header.stamp,field.name0,field.name1,field.position0,field.position1",
            lambda i: joined(
                str(EPOCH * 10**9 + int(NS[i])),
                "0",
                JOINTS[1],
                JOINTS[0],
                float(Q[i, 1]),
                float(Q[i, 0]),
            ),
        ),
        said="time is %time; positions are field.position* of",
    ),
    Case(
        "RTDE of a UR, between blanks",
        lines(
            "timestamp target_q_0 target_q_1 actual_q_0 actual_q_1 actual_qd_0 actual_qd_1",
            lambda i: joined(float(T[i]), 9.0, 9.0, *map(float, Q[i]), 0.0, 0.0, mark=" "),
        ),
        said="positions are actual_q* of shoulder_pan_joint, elbow_joint; blanks",
    ),
    Case(
        "numbered from 1",
        lines("t,q1,q2,tau1,tau2", lambda i: joined(*plain(i), *map(float, TAU[i]))),
        said="positions are q* of shoulder_pan_joint, elbow_joint; torques are tau* of",
        efforts=True,
    ),
    Case(
        "joint and quantity",
        lines(
            "elbow_joint_pos,t,shoulder_pan_joint_pos,elbow_joint_vel",
            lambda i: joined(float(Q[i, 1]), float(T[i]), float(Q[i, 0]), 0.0),
        ),
        said="positions are *_pos of",
    ),
    Case(
        "columns said",
        lines("clock,A,B,C", lambda i: joined(*plain(i), float(TAU[i, 0]))),
        {"columns": {"A": JOINTS[0], "B": f"q:{JOINTS[1]}"}, "time": "clock"},
        said="time is clock",
    ),
    Case(
        "milliseconds since 1970",
        lines(
            "timestamp," + ",".join(JOINTS),
            lambda i: joined(
                f"{EPOCH * 1000 + NS[i] // 10**6}.{NS[i] % 10**6:06d}", *map(float, Q[i])
            ),
        ),
    ),
    Case(
        "dates",
        lines("Time," + ",".join(JOINTS), lambda i: joined(with_date(i), *map(float, Q[i]))),
        said="time is Time; time is a date",
    ),
    Case(
        "semicolons and decimal commas",
        lines("t;" + ";".join(JOINTS), lambda i: ";".join(comma(x) for x in plain(i))),
        said="semicolons and decimal commas",
    ),
    Case(
        "tabs, comments, a mark of the editor",
        "\ufeff# robot 7\n# run 3\n"
        + lines(
            "t\t" + "\t".join(JOINTS),
            lambda i: joined(*plain(i), mark="\t") + ("\n# still running" if i == 300 else ""),
        ),
        said="tabs",
    ),
    Case(
        "names in a comment, as numpy.savetxt writes them",
        lines("# t " + " ".join(JOINTS), lambda i: joined(*plain(i), mark=" ")),
        said="blanks",
    ),
    Case(
        "microseconds by the name of the column",
        lines(
            "time_us," + ",".join(JOINTS),
            lambda i: joined(f"{NS[i] // 1000}.{NS[i] % 1000:03d}", *map(float, Q[i])),
        ),
        said="time is time_us",
    ),
    Case(
        "quoted names with units",
        lines(
            '"Time [s]",' + ",".join(f'"{joint} [rad]"' for joint in JOINTS),
            lambda i: joined(*plain(i)),
        ),
        said="time is Time [s]; positions are * [rad] of",
    ),
    Case(
        "names in other case",
        lines(
            "TIME," + ",".join(joint.upper() for joint in reversed(JOINTS)),
            lambda i: joined(plain(i)[0], *map(float, Q[i, ::-1])),
        ),
        said="time is TIME",
    ),
]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Torques of the plain table."""
    folder = tmp_path_factory.mktemp("plain")
    write_table(folder / "log.csv", MotionTable(T, JOINTS, Q[None]))
    return torques(folder / "log.csv")[0]


def torques(log: Path, *options: str) -> tuple[np.ndarray, str]:
    """Return what ``jounce id`` writes, and what it says on stderr."""
    ARM.save(log.parent / "arm.json")
    out = log.parent / "torques.npz"
    words = ["id", str(log.parent / "arm.json"), str(log), "-o", str(out), "--order", "1", *options]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    forces = read_table(out).forces
    assert forces is not None
    return forces, result.stderr


def words_of(options: dict[str, object]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        if isinstance(value, dict):
            words += [word for key, x in value.items() for word in ("--map", f"{key}={x}")]
        else:
            words += [f"--{name}", str(value)]
    return words


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_layout(case: Case, tmp_path: Path, wanted: np.ndarray):
    file = tmp_path / "log.csv"
    file.write_text(case.text, encoding="utf-8")
    log = open_log(ARM, file, order=0, **(case.options or {}))
    table = log.table()
    assert_close(table.time, T, INDEPENDENT)
    assert_close(table.values[0], Q, EXACT)
    if case.efforts:
        assert_close(table.forces, TAU[None], EXACT)
    else:
        assert table.forces is None
    assert case.said in log.file.said
    assert bool(case.said) == bool(log.file.said)
    found, err = torques(file, *words_of(case.options or {}))
    assert_orders_close(found, wanted, 1e-9)  # times differ by roundings, and rates feel that
    assert case.said in err


def judged(log: Path, *options: str) -> tuple[str, str]:
    """Return what ``jounce check`` and ``jounce report`` say of a log; a limit is exceeded."""
    arm, limits, page = (log.parent / name for name in ("arm.json", "limits.csv", "page.html"))
    ARM.save(arm)
    limits.write_text(f"joint,velocity,effort\n{JOINTS[0]},0.3,100\n{JOINTS[1]},1e3,100\n")
    said = []
    for command, code, more in (("check", 1, ()), ("report", 0, ("-o", str(page)))):
        words = [command, str(arm), str(log), "--limits", str(limits), *more, *options]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == code, result.output
        lines = result.stdout.replace(str(page), "page").splitlines()
        said.append("\n".join(line for line in lines if not line.startswith("rates:")))
    assert log.name in page.read_text(encoding="utf-8")
    return said[0], said[1]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What is said of the plain table."""
    folder = tmp_path_factory.mktemp("plain")
    write_table(folder / "log.csv", MotionTable(T, JOINTS, Q[None]))
    found = judged(folder / "log.csv")
    assert "velocity" in found[0]
    return found


BAGS = ["rosbag1", "sqlite", "mcap", "mcap alone"]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_layout_is_judged(case: Case, tmp_path: Path, verdicts: tuple[str, str]):
    file = tmp_path / "log.csv"
    file.write_text(case.text, encoding="utf-8")
    assert judged(file, *words_of(case.options or {})) == verdicts


@pytest.mark.parametrize("way", BAGS)
def test_a_bag_is_judged(way: str, tmp_path: Path, verdicts: tuple[str, str]):
    assert judged(bag(tmp_path, way), "--topic", "/joint_states") == verdicts


@pytest.mark.parametrize("way", BAGS)
def test_bags(way: str, tmp_path: Path, wanted: np.ndarray):
    file = bag(tmp_path, way)
    log = open_log(ARM, file, order=0, topic="/joint_states")
    table = log.table()
    assert_close(table.time, T, INDEPENDENT)
    assert_close(table.values[0], Q, EXACT)
    assert_close(table.forces, TAU[None], EXACT)
    found, err = torques(file, "--topic", "/joint_states")
    assert_orders_close(found, wanted, 1e-9)
    assert "positions are those of /joint_states" in err
    with pytest.raises(TableError, match=r"/joint_states, /other; say which with --topic"):
        open_log(ARM, file)
    with pytest.raises(TableError, match=r"missing are shoulder.*it has x, y.*--map NAME=JOINT"):
        open_log(ARM, file, topic="/other")
    names = {"x": JOINTS[0], "y": JOINTS[1]}
    assert len(open_log(ARM, file, order=0, topic="/other", columns=names).table().time) == 50


def bag(folder: Path, way: str) -> Path:
    """Write two topics: joint states in changing order and with a gripper between, and others."""
    pytest.importorskip("rosbags")
    from rosbags import rosbag1, rosbag2
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if way == "rosbag1" else Stores.ROS2_HUMBLE)
    types = store.types
    State, Header = types["sensor_msgs/msg/JointState"], types["std_msgs/msg/Header"]
    Time = types["builtin_interfaces/msg/Time"]
    kind = State.__msgtype__
    if way == "rosbag1":
        path = folder / "run.bag"
        writer, pack = rosbag1.Writer(path), store.serialize_ros1
        extra = {"seq": 0}
    else:
        path = folder / "run"
        plugin = getattr(rosbag2.StoragePlugin, "SQLITE3" if way == "sqlite" else "MCAP")
        writer = rosbag2.Writer(path, version=9, storage_plugin=plugin)
        pack, extra = store.serialize_cdr, {}

    def message(ns: int, names: list[str], q: list[float], tau: list[float]) -> bytes:
        stamp = Time(sec=ns // 10**9, nanosec=ns % 10**9)
        header = Header(stamp=stamp, frame_id="", **extra)
        arrays = [np.array(x, dtype=float) for x in (q, [], tau)]
        return bytes(pack(State(header, names, *arrays), kind))

    with writer:
        states = writer.add_connection("/joint_states", kind, typestore=store)
        other = writer.add_connection("/other", kind, typestore=store)
        for i in range(len(T)):
            ns, (a, b), (x, y) = EPOCH * 10**9 + int(NS[i]), Q[i].tolist(), TAU[i].tolist()
            names, q, tau = [JOINTS[0], "gripper", JOINTS[1]], [a, 0.1, b], [x, 0.2, y]
            if i % 2:
                names, q, tau = names[::-1], q[::-1], tau[::-1]
            writer.write(states, ns + 1000, message(ns, names, q, tau))
            if i % 12 == 0:
                writer.write(states, ns + 2000, message(ns + 2000, ["gripper"], [0.3], [0.0]))
                writer.write(other, ns + 3000, message(0, ["x", "y"], [a, b], []))
    return next(path.glob("*.mcap")) if way == "mcap alone" else path


def test_lists_in_parquet(tmp_path: Path, wanted: np.ndarray, verdicts: tuple[str, str]):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    states = pa.array(Q.tolist(), pa.list_(pa.float64()))
    fixed = pa.array((Q + 1).tolist(), pa.list_(pa.float64(), 2))
    columns = {"observation.state": states, "action": fixed, "timestamp": T, "task": ["x"] * len(T)}
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns), file)
    log = open_log(ARM, file, order=0)
    assert_close(log.table().values[0], Q, EXACT)
    assert log.file.said == f"positions are observation.state* of {HERE}"
    assert log.file.ignored == ("action[0]", "action[1]", "task")
    assert_orders_close(torques(file)[0], wanted, EXACT)
    assert judged(file) == verdicts
    ragged = pa.array([*Q[:-1].tolist(), [1.0]], pa.list_(pa.float64()))
    pq.write_table(pa.table({**columns, "observation.state": ragged}), file)
    with pytest.raises(TableError, match=r"observation\.state: not all rows hold 2 numbers"):
        open_log(ARM, file)


def test_episodes_in_parquet(tmp_path: Path):
    """Each is differentiated as if it were alone, whatever the row groups."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parts = [slice(0, 200), slice(200, 450), slice(450, 600)]
    time = np.concatenate([T[part] - T[part.start] for part in parts])
    episode = np.repeat([3, 4, 7], [200, 250, 150])
    states = pa.array(Q.tolist(), pa.list_(pa.float64()))
    columns = {"observation.state": states, "timestamp": time, "episode_index": episode}
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns), file, row_group_size=130)
    log = open_log(ARM, file, order=2)
    assert "3 episodes, time begins anew with each: here each number begins 100 s" in log.file.said
    assert log.file.ignored == ()
    table = log.table()
    assert_close(table.time, time + 100.0 * (episode - 3), INDEPENDENT)
    assert [gap.place for gap in log.gaps] == [f"{file}: row {row}" for row in (201, 451)]
    assert log.smoothing is not None
    for part in parts:
        alone = Spline.fit(table.time[part], Q[part], smoothing=log.smoothing)
        wanted = alone(table.time[part], order=2)
        assert_orders_close(table.values[:, part], wanted, 1e-9)
    assert len(log.parts(100)) == 3
    split = [x for part in log.parts(100) for x in log.blocks(part=part)]
    assert_close(np.concatenate([x.values for x in split], axis=1), table.values, EXACT)
    pq.write_table(pa.table(columns | {"timestamp": T}), file)
    assert_close(open_log(ARM, file, order=0).table().time, T, EXACT)  # one clock for all


@pytest.mark.parametrize("bad", [[0], [7], [199, 200, 450]])
def test_episodes_with_times_that_are_missing(tmp_path: Path, bad: list[int]):
    """They are as far apart as if these rows were not there; the unit is that of the file."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    episode = np.repeat([0, 1, 2], [200, 250, 150])
    begin = np.array([0, 200, 450])[episode]
    time = 1e3 * (T - T[begin])
    time[bad] = np.nan
    states = pa.array(Q.tolist(), pa.list_(pa.float64()))
    columns = {"observation.state": states, "timestamp": pa.array(time, from_pandas=True)}
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns | {"episode_index": episode}), file)
    log = open_log(ARM, file, order=0, units="ms", drop_invalid=True)
    assert "each number begins 100 s after the one before" in log.file.said
    wanted = np.delete(time / 1e3 + 100.0 * episode, bad)
    assert_close(log.table().time, wanted, INDEPENDENT)
    columns["timestamp"] = pa.array(np.full(600, np.nan))
    pq.write_table(pa.table(columns | {"episode_index": episode}), file)
    with pytest.raises(TableError, match="no row has both numbers, timestamp and episode_index"):
        open_log(ARM, file, order=0, drop_invalid=True)


REFUSED = [
    (
        "t,left.q_0,left.q_1,right.q_0,right.q_1",
        {},
        TableError,
        r"positions may be left\.q\*, right\.q\*; say which with --topic",
    ),
    ("t,q1,q2,q3", {}, TableError, r"q\* is there 3 times, as 1, 2, 3, but the joints are shoul"),
    ("t,elbow_joint_pos,x", {}, TableError, r"\*_pos is there 1 times, as elbow_joint, but"),
    ("time,timestamp,q1,q2", {}, TableError, "time may be time, timestamp; say which with --time"),
    ("a.stamp,b.stamp,q1,q2", {}, TableError, r"time may be a\.stamp, b\.stamp"),
    ("x,q1,q2", {}, TableError, "no time column.*say which it is with --time COLUMN"),
    ("t,a,b", {}, TableError, "no joint among t, a, b.*say which is which with --map COLUMN=JOINT"),
    ("t,q1,q2", {"time": "clock"}, UnknownNameError, "no column named 'clock'"),
    ("t,a,b", {"columns": {"c": "elbow_joint"}}, UnknownNameError, "no column named 'c'"),
    ("t,a,b", {"columns": {"a": "elbow"}}, UnknownNameError, "no joint named 'elbow'; did you"),
]


@pytest.mark.parametrize(("header", "options", "error", "message"), REFUSED)
def test_what_is_ambiguous_is_refused(
    header: str, options: dict[str, object], error: type[JounceError], message: str, tmp_path: Path
):
    file = tmp_path / "log.csv"
    count = header.count(",") + 1
    file.write_text(lines(header, lambda i: joined(*[float(T[i])] * count)), encoding="utf-8")
    with pytest.raises(error, match=rf"log\.csv:1: .*{message}"):
        open_log(ARM, file, **options)


def test_a_topic_chooses_among_columns(tmp_path: Path):
    file = tmp_path / "log.csv"
    header = "t,left.q_0,left.q_1,right.q_0,right.q_1"
    row = lambda i: joined(float(T[i]), 9.0, 9.0, *map(float, Q[i]))  # noqa: E731
    file.write_text(lines(header, row), encoding="utf-8")
    assert_close(open_log(ARM, file, order=0, topic="right").table().values[0], Q, EXACT)


def dirty(path: Path) -> list[int]:
    """Write a log with rows that are no good; return those that are."""
    rows = [joined(*plain(i)) for i in range(len(T))]
    rows[10] = f"{T[10]},,1"
    rows[20] = f"{T[20]},nan,1"
    rows[30] = f"{T[30]},broken"
    rows[40] = f"{T[40]},x,1"
    rows[50], rows[51] = rows[51], rows[50]  # the second comes late
    rows.insert(61, rows[60])
    path.write_text("\n".join(["t," + ",".join(JOINTS), *rows]), encoding="utf-8")
    return [i for i in range(len(T)) if i not in (10, 20, 30, 40, 50)]


def test_dirty_rows_are_left_out_and_counted(tmp_path: Path):
    file = tmp_path / "log.csv"
    good = dirty(file)
    with pytest.raises(
        TableError, match=r"log\.csv:12: column shoulder_pan_joint: is empty; --drop-i"
    ):
        open_log(ARM, file)
    log = open_log(ARM, file, order=0, drop_invalid=True)
    table = log.table()
    assert_close(table.time, T[good], EXACT)
    assert_close(table.values[0], Q[good], EXACT)
    assert log.notes == [
        f"{file}: left out 4 rows that are not all numbers",
        f"{file}: left out 2 rows whose time is not after those before",
    ]
    both = open_log(ARM, file, order=0, drop_invalid=True, drop_duplicates=True)
    assert len(both.table().time) == len(good)
    assert (both.file.dropped, both.file.invalid, both.file.late) == (1, 4, 1)
    blocks = list(log.blocks(7))
    assert_close(np.concatenate([block.time for block in blocks]), T[good], EXACT)
    assert (log.file.invalid, log.file.late) == (4, 2)
    _, err = torques(file, "--drop-invalid")
    assert "left out 4 rows that are not all numbers" in err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0.01,nan,1", "is nan; all values must be finite; --drop-invalid"),
        ("-1,1,1", "time must increase strictly; --drop-invalid leaves such rows out"),
        ("0.01,1", "2 fields, but 3 columns in the header; --drop-invalid"),
    ],
)
def test_what_is_wrong_with_a_row_says_what_can_be_done(row: str, message: str, tmp_path: Path):
    file = tmp_path / "log.csv"
    file.write_text("t," + ",".join(JOINTS) + f"\n0,0,1\n{row}\n0.02,0,2\n", encoding="utf-8")
    with pytest.raises(JounceError, match=rf"log\.csv:3: .*{message}"):
        open_log(ARM, file, order=0)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_names_that_say_degrees(ending: str, tmp_path: Path):
    """Small angles in degrees could be radians; the name of the column is not passed over."""
    file = tmp_path / f"log.{ending}"
    header = "t\t" + "\t".join(f"{joint}_pos_deg" for joint in JOINTS)
    degrees = np.degrees(Q)
    rows = lines(header, lambda i: joined(float(T[i]), *map(float, degrees[i]), mark="\t"))
    file.write_text(rows, encoding="utf-8")
    with pytest.raises(TableError, match="_pos_deg seems to be in deg; say --units deg, or, if"):
        open_log(ARM, file, order=0)
    table = open_log(ARM, file, order=0, units="deg").table()
    assert_close(table.values[0], Q, INDEPENDENT)
    (as_is,) = open_log(ARM, file, order=0, units="rad").table().values
    assert_close(as_is, degrees, EXACT)


def test_joints_of_one_letter(tmp_path: Path):
    """Which other words have in them, too."""
    builder = jounce.RobotBuilder("letters")
    body = jounce.Inertia(1.0, (0.0, 0.0, 0.0), np.eye(3))
    builder.add("one", joint=jounce.joints.revolute((0, 0, 1)), inertia=body, joint_name="e")
    builder.add("two", "one", jounce.joints.revolute((0, 1, 0)), inertia=body, joint_name="s")
    robot, file = builder.build(), tmp_path / "log.csv"
    for header in ("t,e_pos,s_pos", "t,position of e,position of s"):
        file.write_text(lines(header, lambda i: joined(*plain(i))), encoding="utf-8")
        assert_close(open_log(robot, file, order=0).table().values[0], Q, EXACT)
    file.write_text(lines("t,e_pos_deg,s_pos_deg", lambda i: joined(*plain(i))), encoding="utf-8")
    with pytest.raises(TableError, match="column e_pos_deg seems to be in deg"):
        open_log(robot, file, order=0)


def test_a_log_of_nothing_but_dirt(tmp_path: Path):
    file = tmp_path / "log.csv"
    file.write_text("t," + ",".join(JOINTS) + "\n0,,1\n1,,2\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"no row is left"):
        open_log(ARM, file, drop_invalid=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_refused_and_does_not_hang(tmp_path: Path):
    os.mkfifo(tmp_path / "log.csv")
    with pytest.raises(TableError, match=r"log\.csv: is no regular file; copy"):
        open_log(ARM, tmp_path / "log.csv")


def test_damaged_metadata_of_parquet(tmp_path: Path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table({"t": T, "q1": Q[:, 0], "q2": Q[:, 1]}), file)
    whole = file.read_bytes()
    file.write_bytes(whole[:-60] + bytes(40) + whole[-20:])
    with pytest.raises(TableError, match=r"log\.parquet: not a whole Parquet file"):
        open_log(ARM, file)


def test_map_is_checked(tmp_path: Path):
    result = CliRunner().invoke(main, ["id", "planar2r", str(tmp_path / "x.csv"), "--map", "a"])
    assert result.exit_code == 2
    assert re.search("'a' must be COLUMN=JOINT", result.stderr)


def test_a_column_that_is_wanted_twice(tmp_path: Path):
    path, samples = tmp_path / "a.csv", 3000
    lines = [f"{k / 100!r},{k % 7},{k},{-k}" for k in range(samples)]
    path.write_text("\n".join(["t,q:a,w[fx],w[fx]", *lines]) + "\n")
    spoiled = [np.full((samples, 3), np.nan, order="F") for _ in range(20)]
    del spoiled  # what is made next has their numbers
    log = open_motion(path, ["a"], others=True)
    _, found = log.further(log.ignored)
    assert np.array_equal(found, np.repeat(np.arange(float(samples))[:, None], 2, axis=1))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_of_which_nothing_is_left(tmp_path: Path, ending: str):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        path.write_text("t,q:a\n0,nan\n1,nan\n")
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({"t": [0.0, 1.0], "q:a": [np.nan, np.nan]}), path)
    with pytest.raises(TableError, match="no row is left"):
        open_motion(path, ["a"], drop_invalid=True).table()
