"""``jounce id``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.trajectory import Fourier, MotionTable, read_table, write_table
from jounce.trajectory.spline.spline import Spline
from tests.cli.program import interrupt, only_line
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

ARM = jounce.load("planar2r")
NAMES = ("joint1", "joint2")
MOTION = Fourier([[0.3, -0.2], [0.1, 0.4]], [[0.1, 0.2], [-0.3, 0.1]], 3.0, [0.2, 0.5])
STREAMED = 1e-9  # of scale: in blocks of any size against all at once


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["id", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def log(path: Path, samples: int = 2000, orders: int = 1, noise: float = 1e-5) -> Path:
    """Write a motion with irregular times; positions have noise if they are alone."""
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.5e-3, 1.5e-3, samples))
    values = MOTION(t, order=orders - 1)
    if orders == 1:
        values = values + noise * rng.standard_normal(values.shape)
    write_table(path, MotionTable(t, NAMES, values))
    return path


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_rates_of_the_file_are_used_as_they_are(ending: str, tmp_path: Path):
    file, out = log(tmp_path / f"log.{ending}", 50, orders=6), tmp_path / f"torques.{ending}"
    code, text, err = run("planar2r", file, "-o", out, "--with-motion")
    assert (code, err) == (0, "")
    found = read_table(out)
    motion = MOTION(found.time, order=4)
    assert_close(found.values, motion, INDEPENDENT)
    assert_orders_close(found.forces, jounce.inverse_dynamics(ARM, *motion), INDEPENDENT)
    assert f"{out}: 50 samples; read " in text
    assert "rates: " not in text


@pytest.mark.parametrize("order", [0, 2])
def test_the_spline_gives_what_is_missing(order: int, tmp_path: Path):
    file, out = log(tmp_path / "log.csv"), tmp_path / "torques.csv"
    code, text, err = run("planar2r", file, "-o", out, "--order", str(order))
    assert (code, err) == (0, "")
    found = read_table(out)
    assert found.values.shape == (0, 2000, 2)
    t, q = read_table(file).time, read_table(file).values[0]
    whole = Spline.fit(t, q, order=order + 2)(t, order=order + 2)
    assert_orders_close(found.forces, jounce.inverse_dynamics(ARM, *whole), STREAMED)
    true = jounce.inverse_dynamics(ARM, *MOTION(t, order=order + 2))
    inner = slice(200, -200)
    assert_orders_close(np.asarray(found.forces)[:, inner], true[:, inner], 0.05)
    assert "smoothing spline of degree 7 near q" in text


def test_the_spline_continues_the_highest_rates(tmp_path: Path):
    file, out = log(tmp_path / "log.npz", 12000, orders=3), tmp_path / "torques.npz"
    code, text, err = run("planar2r", file, "-o", out, "--with-motion", "--noise", "0")
    assert (code, err) == (0, "")
    found = read_table(out)
    motion = MOTION(found.time, order=4)
    assert_close(found.values[:2], motion[:2], INDEPENDENT)
    assert_orders_close(found.values, motion, 1e-4)
    assert "spline of degree 7 through a" in text
    assert run("planar2r", file, "-o", out, "--with-motion", "--fit")[0] == 0
    assert np.abs(read_table(out).values[1] - motion[1]).max() > 0.0


@pytest.mark.parametrize("noise", ["", "0"])
def test_the_size_of_a_block_changes_nothing(noise: str, tmp_path: Path):
    file = log(tmp_path / "log.csv", 12000)
    option = ("--noise", noise) if noise else ()
    found = []
    for size in ("700", "5001", "1000000"):
        out = tmp_path / f"{size}.npz"
        assert run("planar2r", file, "-o", out, "--block", size, *option)[0] == 0
        found.append(read_table(out))
    for other in found[1:]:
        assert_close(other.time, found[0].time, 0.0)
        assert_orders_close(other.forces, found[0].forces, STREAMED)


@pytest.mark.parametrize("samples", [50, 128, 501])
def test_without_a_file_the_largest_torques_are_printed(samples: int, tmp_path: Path):
    code, text, err = run("planar2r", log(tmp_path / "log.npz", samples, orders=5))
    assert (code, err) == (0, "")
    first, *rows, last = text.splitlines()
    assert first.split() == ["joint", "largest", "|Q|", "|Q1|", "/s", "|Q2|", "/s^2", "unit"]
    t = read_table(tmp_path / "log.npz").time
    highest = np.abs(jounce.inverse_dynamics(ARM, *MOTION(t, order=4))).max(axis=1)
    for name, row, wanted in zip(NAMES, rows, highest.T, strict=True):
        assert row.split()[0] == name
        assert_close([float(x) for x in row.split()[1:4]], wanted, 1e-5)
    assert re.fullmatch(rf"{samples} samples; read \S+ s, evaluate \S+ s, write \S+ s", last)


def test_a_log_of_another_program(tmp_path: Path):
    """Degrees, milliseconds, bare names, columns of others, rows written twice, a gap."""
    t = np.concatenate([np.arange(300), np.arange(900, 1200)])
    degrees = np.rad2deg(MOTION(t / 1e3, 0)[0]).tolist()
    rows = [f"{k},{second!r},on,{first!r}" for k, (first, second) in zip(t, degrees, strict=True)]
    rows.insert(40, rows[39])
    file, out = tmp_path / "log.csv", tmp_path / "torques.csv"
    file.write_text("timestamp,joint2,mode,joint1\n" + "\n".join(rows) + "\n", encoding="utf-8")
    arguments = ("planar2r", file, "--units", "deg,ms", "--noise", "0", "-o", out)
    assert f"{file}:42: time 0.039 does not come after 0.039" in run(*arguments)[2]
    code, _, err = run(*arguments, "--drop-duplicates")
    assert code == 0
    assert err.splitlines() == [
        f"jounce: {file}:303: a gap of 0.601 s before t = 0.9",
        f"jounce: {file}: left out 1 rows that repeat the row before",
        f"jounce: {file}: ignored columns mode",
    ]
    true = jounce.inverse_dynamics(ARM, *MOTION(t / 1e3, order=4))
    assert_orders_close(np.asarray(read_table(out).forces)[:2], true[:2], 1e-4)


CLOCKS = [
    ("csv", "", lambda ns: [f"{1_700_000_000 + x // 10**9}.{x % 10**9:09d}" for x in ns.tolist()]),
    ("csv", "ns", lambda ns: (ns + 1_700_000_000 * 10**9).tolist()),
    ("npz", "ns", lambda ns: ns + 1_700_000_000 * 10**9),
    ("npz", "", lambda ns: np.datetime64(1_700_000_000, "s") + ns.astype("timedelta64[ns]")),
    ("parquet", "", lambda ns: np.datetime64(1_700_000_000, "s") + ns.astype("timedelta64[ns]")),
]


@pytest.mark.parametrize(("ending", "units", "stamps"), CLOCKS)
def test_the_time_of_a_clock(ending: str, units: str, stamps, tmp_path: Path):
    """A log that begins in the year 2023 has the torques of the same log that begins at 0."""
    ns = np.cumsum(np.random.default_rng(2).integers(5 * 10**5, 15 * 10**5, 2000))
    ns, out = ns - ns[0], tmp_path / "torques.npz"
    q = MOTION(ns / 1e9, 0)[0] + 1e-5 * np.random.default_rng(3).standard_normal((2000, 2))
    write_table(tmp_path / "early.npz", MotionTable(ns / 1e9, NAMES, q[None]))
    assert run("planar2r", tmp_path / "early.npz", "-o", out)[0] == 0
    want, late = read_table(out), tmp_path / f"late.{ending}"
    if ending == "csv":
        rows = [f"{t},{a!r},{b!r}" for t, (a, b) in zip(stamps(ns), q.tolist(), strict=True)]
        late.write_text("\n".join(["t,joint1,joint2", *rows]), encoding="utf-8")
    elif ending == "npz":
        np.savez(late, time=stamps(ns), names=NAMES, values=q[None])
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"t": stamps(ns), "joint1": q[:, 0], "joint2": q[:, 1]}), late)
    code, _, err = run("planar2r", late, "-o", out, *(("--units", units) if units else ()))
    assert code == 0
    assert re.fullmatch(
        rf"jounce: {re.escape(str(late))}: time is counted from the first sample, at "
        r"1700000000(\.0*)? s",
        only_line(err),
    )
    found = read_table(out)
    assert_close(found.time, want.time, INDEPENDENT)
    assert_orders_close(found.forces, want.forces, INDEPENDENT)


def test_many_gaps_are_counted(tmp_path: Path):
    t = np.cumsum(np.where(np.arange(400) % 50 == 49, 10.0, 0.01))
    write_table(tmp_path / "log.csv", MotionTable(t, NAMES, MOTION(t, order=2)))
    code, _, err = run("planar2r", tmp_path / "log.csv", "--order", "0", "--block", "50")
    assert code == 0
    lines = err.splitlines()
    assert len(lines) == 4
    for line, number in zip(lines, (51, 101, 151), strict=False):
        assert f"{tmp_path / 'log.csv'}:{number}: a gap of 10 s" in line
    assert lines[3] == "jounce: and 5 more gaps"


def test_noise_that_hides_the_rates_is_told(tmp_path: Path):
    t, rng = np.arange(4000) / 100, np.random.default_rng(0)
    q = 0.1 * np.sin(0.3 * t)[:, None] + 0.01 * rng.standard_normal((4000, 2))
    write_table(tmp_path / "log.csv", MotionTable(t, NAMES, q[None]))
    code, _, err = run("planar2r", tmp_path / "log.csv", "--order", "4", "--noise", "1e-3")
    assert code == 0
    line = only_line(err)
    assert line.startswith("jounce: the samples do not support derivatives of order 6: derivative")
    assert "of joint1 is" in line


UNITS = [
    ("rad,m,s", 1.0, 1.0, 1.0, []),
    ("deg", 180 / np.pi, 1.0, 1.0, ["boom is at -111 rad, far from its limits -1 … 1; if it is"]),
    ("mm", 1.0, 1e3, 1.0, ["hook is at 200 m, far from its limits 0 … 0.3; if it is in mm, say"]),
    ("ms", 1.0, 1.0, 1e3, ["the samples are 10 s apart; if the time is in ms, us or ns, say"]),
    ("us", 1.0, 1.0, 1e-6, ["rad/s; if it is in deg, say"]),
]


@pytest.mark.parametrize(("units", "angle", "length", "time", "notes"), UNITS)
def test_units_that_are_hard_to_believe(
    units: str, angle: float, length: float, time: float, notes: list[str], tmp_path: Path
):
    """Limits may be exceeded by their range; what is further is refused, unless it is said."""
    builder = jounce.RobotBuilder("crane")
    inertia = jounce.Inertia(1.0, [0.1, 0, 0], np.eye(3))
    for name, parent, joint, limits in (
        ("boom", None, jounce.joints.revolute([0, 0, 1]), jounce.Limits(lower=-1, upper=1)),
        ("hook", "boom", jounce.joints.prismatic([1, 0, 0]), jounce.Limits(lower=0, upper=0.3)),
    ):
        builder.add(name, parent, joint=joint, inertia=inertia, limits=limits)
    builder.build().save(tmp_path / "crane.json")
    t = np.arange(200) / 100
    q = np.stack([-1.95 * np.sin(t / 2 + 0.5), 0.1 + 0.1 * np.cos(t)], axis=1) * [angle, length]
    file = tmp_path / "log.csv"
    write_table(file, MotionTable(time * t, ("boom", "hook"), q[None]))
    out = tmp_path / "torques.csv"
    code, _, err = run(tmp_path / "crane.json", file, "-o", out)
    assert (code, out.exists()) == ((2, False) if notes else (0, True))
    assert len(err.splitlines()) == len(notes), err
    for note in notes:
        assert note in err
        assert re.search(r"; if it is right, --units (rad|m|s)\.$", err.strip())
    if time >= 1.0:
        assert run(tmp_path / "crane.json", file, "--units", units)[2] == ""
    assert run(tmp_path / "crane.json", file, "--units", "rad,m,s")[0] == 0


@pytest.mark.parametrize(("step", "is_told"), [(0.02, False), (0.35, True)])
def test_a_joint_that_the_spline_misses_is_told(step: float, is_told: bool, tmp_path: Path):
    """Three samples a period are too few to tell a motion from noise."""
    t = np.arange(0.0, 10.0, step)
    q = np.stack([np.sin(t), 0.4 * np.sin(5.93 * t)], axis=1)
    write_table(tmp_path / "log.csv", MotionTable(t, NAMES, q[None]))
    code, _, err = run("planar2r", tmp_path / "log.csv")
    assert code == 0
    line = r"jounce: \S+log.csv: the spline misses joint2 by 0.\d+ rms of 0.28; if that is .*\n"
    assert bool(re.fullmatch(line, err)) == is_told, err
    assert is_told or not err


def rows(*changed: str) -> str:
    """Return a log whose last lines are these."""
    good = [f"{k / 100},{np.sin(k / 9)},{np.cos(k / 9)}" for k in range(30)]
    return "\n".join(["t,joint1,joint2", *good[: 30 - len(changed)], *changed, ""])


SHORT = "t,joint1,joint2\n0,1,2\n0.1,2,3\n0.2,3,4\n"
NAN = rows().splitlines()
NAN[16] = "0.15,nan,1"

BAD = [
    ("wrong column", rows().replace("joint2", "elbow"), (), "log.csv:1: no column q:joint2;"),
    ("no joint", rows().replace("joint", "axis"), (), "known joints: joint1, joint2"),
    ("no time", rows().replace("t,", "clock,"), (), "log.csv:1: no time column named 't'"),
    ("nan", "\n".join(NAN), (), "log.csv:17: joint1 is nan; all values must be finite"),
    ("no number", rows("9,x,1"), (), "log.csv:31: column joint1: 'x' is not a number"),
    ("empty", rows("9,,1"), (), "log.csv:31: column joint1: is empty"),
    ("short row", rows("9,1"), (), "log.csv:31: 2 fields, but 3 columns"),
    ("backwards", rows("0.1,1,1"), (), "log.csv:31: time 0.1 does not come after 0.28"),
    ("stands", rows("5,1,1", "5,1,2"), (), "log.csv:31: time 5.0 does not come after 5.0"),
    ("no rows", "t,joint1,joint2\n", (), "log.csv:2: no sample"),
    ("no header", "0,1,2\n1,2,3\n", (), "log.csv:1: no header"),
    ("empty file", "", (), "log.csv:1: no header"),
    ("binary", "\0\0\0", (), "not a text"),
    ("too few", SHORT, (), "log.csv: a spline of degree 7 needs at least 8 samples, got 3"),
    ("too few for the order", rows(), ("--order", "30"), "needs at least 36 samples, got 30"),
    ("units", rows(), ("--units", "furlong"), "no unit named 'furlong'"),
    ("noise", rows(), ("--noise", "-1"), "--noise"),
    ("degree", rows(), ("--degree", "6"), "degree must be odd, got 6"),
    ("order", rows(), ("--order", "-1"), "--order"),
    ("block", rows(), ("--block", "0"), "--block"),
    ("ending", rows(), ("-o", "torques.txt"), "end in .csv or .npz or .parquet, not in '.txt'"),
    (
        "directory",
        rows(),
        ("-o", "/no/such/torques.csv"),
        "no directory /no/such to write torques.csv to",
    ),
    ("option", rows(), ("--speed",), "--speed"),
    ("huge", rows("9,1.7e308,1"), (), "log.csv: samples must be 1e+100 at most, got 1.7e+308"),
    ("huge noise", rows(), ("--noise", "1e308"), "noise must be finite, ≥ 0 and 1e+100 at most"),
    ("high order", rows(), ("--order", "171"), "degree must be 99 at most, got 177"),
    ("long field", "t,joint1,joint2," + "x" * 200_000, (), "field larger than field limit"),
]


@pytest.mark.parametrize(
    ("text", "arguments", "match"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input(text: str, arguments: tuple[str, ...], match: str, tmp_path: Path):
    file = tmp_path / "log.csv"
    file.write_text(text, encoding="utf-8")
    code, out, err = run("planar2r", file, *(arguments or ("-o", tmp_path / "torques.csv")))
    assert (code, out) == (2, "")
    assert match in only_line(err)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("planar2r", "none.csv"), "none.csv: No such file or directory; check the path"),
        (("planar2r", "log.dat"), "log.dat: motion tables end in .csv or .tsv"),
        (("planar2r",), "Missing argument 'MOTION...'"),
        (("planar3r", "none.csv"), "planar3r"),
        (("no.urdf", "none.csv"), "no.urdf"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], match: str):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert match in only_line(err)


def test_an_existing_result_survives_a_bad_log(tmp_path: Path):
    file, out = tmp_path / "log.csv", tmp_path / "torques.csv"
    out.write_text("precious", encoding="utf-8")
    file.write_text(rows("9,x,1"), encoding="utf-8")
    assert run("planar2r", file, "-o", out)[0] == 2
    assert out.read_text("utf-8") == "precious"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no directory that refuses files")
def test_a_directory_that_cannot_be_written_to(tmp_path: Path):
    """The line names what was asked for, not the temporary file that could not be made."""
    code, _, err = run("planar2r", log(tmp_path / "log.csv", 50), "-o", "/proc/torques.csv")
    assert code == 2
    assert only_line(err).startswith("jounce: /proc/torques.csv: ")


def test_the_log_is_not_overwritten(tmp_path: Path):
    file = log(tmp_path / "log.csv", 50)
    before = file.read_bytes()
    code, _, err = run("planar2r", file, "-o", tmp_path / "." / "log.csv")
    assert code == 2
    assert "is also what is read" in only_line(err)
    assert file.read_bytes() == before


def test_one_sample_with_all_its_rates(tmp_path: Path):
    file, out = log(tmp_path / "log.csv", 1, orders=5), tmp_path / "torques.csv"
    code, _, err = run("planar2r", file, "-o", out)
    assert (code, err) == (0, "")
    found = read_table(out)
    wanted = jounce.inverse_dynamics(ARM, *MOTION(found.time, order=4))
    assert_orders_close(found.forces, wanted, INDEPENDENT)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_ctrl_c_leaves_nothing(ending: str, tmp_path: Path):
    file, out = log(tmp_path / "log.csv", 3000), tmp_path / f"torques.{ending}"
    program = (
        "import sys, time\nfrom jounce.cli import main\nimport jounce.tables.file as tables\n"
        "writer = tables.table_writer\n"
        "from contextlib import contextmanager\n"
        "@contextmanager\n"
        "def slow(path):\n"
        "    with writer(path) as write:\n"
        "        def wait(table):\n"
        "            write(table)\n"
        "            print('ready', flush=True)\n"
        "            while True:\n"
        "                time.sleep(0.1)\n"
        "        yield wait\n"
        "tables.table_writer = slow\n"
        f"sys.argv = ['jounce', 'id', 'planar2r', {str(file)!r}, '-o', {str(out)!r}]\nmain()"
    )
    code, err = interrupt(program)
    assert (code, err) == (130, "jounce: interrupted\n")
    assert list(tmp_path.iterdir()) == [file]


def test_help_has_an_example():
    code, out, _ = run("--help")
    assert code == 0
    assert "Example: jounce id panda log.csv --units deg -o torques.csv" in out
