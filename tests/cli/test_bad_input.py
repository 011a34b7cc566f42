"""Whatever is given: a result, or one line that says what to do and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jounce.cli import main
from tests.cli.program import only_line

POSES = "t,x,y,z,qx,qy,qz,qw\n0,0.5,0,0.3,0,0,0,1\n1,0.4,0,0.3,0,0,0,1\n"
FILES = {
    "deep.json": '{"q": ' + "[" * 100_000,
    "twice.json": '{"q": [0, 0], "q": [1, 1], "v": [0, 0]}',
    "huge.json": f'{{"q": [1{"0" * 400}, 0], "v": [0, 0]}}',
    "none.json": '{"q": [[]], "v": [0, 0]}',
    "list.json": '["q", "v"]',
    "latin.json": '{"q": [0, 0], "ü": 1}'.encode("latin-1"),
    "poses.csv": POSES,
    "latin.csv": POSES.replace("t,", "ü,", 1).encode("latin-1"),
    "loud.csv": "t,joint1,joint2\n"
    + "".join(f"{0.01 * k},0.1,{1.7e308 if k == 5 else 0.1}\n" for k in range(20)),
    "log.csv": "t,joint1,joint2\n" + "".join(f"{k},0.1,{0.1 * k}\n" for k in range(20)),
    "limits.csv": "joint,velocity\njoint1,2\nü,3\n".encode("latin-1"),
    "long.csv": "joint,velocity\njoint1," + "9" * 140_000 + "\n",
    "limits.json": '{"joint1": ' + "[" * 100_000,
    "said.json": '{"joint1": {"velocity": 1}, "joint1": {"velocity": 2}}',
    "big.csv": POSES.replace("0.5", "1e308"),
}
SIMULATE = ("simulate", "planar2r")
CHECK = ("check", "planar2r", "log.csv", "--limits")
FOLLOW = ("ik", "panda", "--frame", "flange", "--path")
TABLE = {
    "step is no number": ((*SIMULATE, "--step", "nan"), "nan is not a finite number"),
    "step is infinite": ((*SIMULATE, "--step", "inf"), "inf is not a finite number"),
    "time is no number": ((*SIMULATE, "--time", "nan"), "nan is not a finite number"),
    "time without end": ((*SIMULATE, "--time", "1e308"), "give a longer step or a shorter time"),
    "report of no time": (("report", "planar2r", "--time", "nan", "-o", "r.html"), "nan is not a"),
    "noise is no number": (
        ("id", "planar2r", "poses.csv", "--noise", "nan"),
        "nan is not a finite",
    ),
    "noise beyond range": (
        ("id", "planar2r", "log.csv", "--units", "s", "--noise", "1e308"),
        "1e+100",
    ),
    "log beyond range": (("id", "planar2r", "loud.csv"), "joint2 moves at inf rad/s"),
    "step too short": ((*SIMULATE, "--step", "1e-12"), "1e+12 samples"),
    "order too high": ((*SIMULATE, "--order", "100"), "2<=x<=40"),
    "order of an export": (("export", "planar2r", "id", "out", "--order", "171"), "at most 168"),
    "order of a cached kernel": (("cache", "warm", "planar2r", "--order", "9" * 30), "at most 168"),
    "order of a verification": (("verify", "planar2r", "--order", "171"), "at most 168"),
    "orders of a comparison": (("compare", "planar2r", "--orders", "999"), "at most 168"),
    "state nested deep": ((*SIMULATE, "--state", "deep.json"), "nested too deep"),
    "state given twice": ((*SIMULATE, "--state", "twice.json"), "key 'q' is given twice"),
    "state beyond range": ((*SIMULATE, "--state", "huge.json"), "not understood"),
    "state without samples": ((*SIMULATE, "--state", "none.json"), "no sample of q"),
    "state is a list": ((*SIMULATE, "--state", "list.json"), "not understood"),
    "state in Latin-1": ((*SIMULATE, "--state", "latin.json"), "not understood"),
    "state is a directory": ((*SIMULATE, "--state", "."), "is a directory"),
    "output is a link to itself": ((*SIMULATE, "-o", "loop.csv"), "loop.csv"),
    "output is the state": ((*SIMULATE, "--state", "here.json", "-o", "here.json"), "what is read"),
    "output is the robot": (("simulate", "robot.json", "-o", "robot.json"), "what is read"),
    "output is the path": ((*FOLLOW, "poses.csv", "-o", "poses.csv"), "what is read"),
    "path in steps too short": ((*FOLLOW, "poses.csv", "-o", "o.csv", "--step", "1e-9"), "1e+09"),
    "path in steps of nothing": ((*FOLLOW, "poses.csv", "-o", "o.csv", "--step", "nan"), "nan is"),
    "limits in Latin-1": ((*CHECK, "limits.csv"), "limits.csv: is not UTF-8 text"),
    "limits of a field without end": ((*CHECK, "long.csv"), "long.csv:2: "),
    "limits nested deep": ((*CHECK, "limits.json"), "nested too deep"),
    "limits given twice": ((*CHECK, "said.json"), "key 'joint1' is given twice"),
    "path in Latin-1": ((*FOLLOW, "latin.csv", "-o", "o.csv"), "latin.csv"),
    "path out of this world": ((*FOLLOW, "big.csv", "-o", "o.csv"), "."),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with bad files, and nothing else in it afterwards."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
    robot = CliRunner().invoke(main, ["show", "planar2r", "--json"])
    assert robot.exit_code == 0
    (tmp_path / "here.json").write_text(json.dumps({"q": [0, 0], "v": [0, 0]}))
    import jounce

    jounce.load("planar2r").save(tmp_path / "robot.json")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    return tmp_path


@pytest.mark.parametrize("row", TABLE.values(), ids=list(TABLE))
def test_one_line_says_what_to_do(row: tuple[tuple[str, ...], str], place: Path):
    arguments, wanted = row
    before = {path.name: path.lstat().st_mtime_ns for path in place.iterdir()}
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code in (1, 2), result.output
    assert wanted in only_line(result.stderr)
    assert {path.name: path.lstat().st_mtime_ns for path in place.iterdir()} == before


def test_names_do_not_drive_the_terminal(tmp_path: Path):
    import jounce

    path = tmp_path / "robot.json"
    jounce.load("planar2r").save(path)
    evil = "link\\u001b[2J\\u009b31m\\u202e"
    text = path.read_text().replace('"link2"', f'"{evil}"')
    assert evil in text
    path.write_text(text)
    result = CliRunner().invoke(main, ["show", str(path)], color=True)
    assert result.exit_code == 0
    assert "link�[2J" in result.stdout
    result = CliRunner().invoke(main, ["export", str(path), "jacobian", "out", "--frame", "x"])
    assert result.exit_code == 2
    assert not {"\x1b", "\x9b", "\u202e"} & set(result.stderr)
    result = CliRunner().invoke(main, ["show", "no\x1b[2Jfile.urdf"])
    assert "\x1b" not in result.stderr
