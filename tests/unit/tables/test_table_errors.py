"""Each class of bad motion file has its error, with the file and the line."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from jounce.errors import NotFiniteError, ShapeError, UnknownNameError
from jounce.tables.reader import BLOCK
from jounce.trajectory import TableError, read_motion

GOOD = "t,q:x,v:x\n0,1,2\n1,3,4\n"

BAD_ROWS = [
    ("abc not a number", "2,abc,4", TableError, "column q:x: 'abc' is not a number"),
    ("underscore", "2,1_0,4", TableError, "column q:x: '1_0' is not a number"),
    ("quoted", '2,"1",4', TableError, "column q:x: '\"1\"' is not a number"),
    ("empty field", "2,,4", TableError, "column q:x: is empty"),
    ("too few", "2,3", TableError, "2 fields, but 3 columns in the header"),
    ("too many", "2,3,4,5", TableError, "4 fields, but 3 columns"),
    ("semicolons", "2;3;4", TableError, "1 fields, but 3 columns"),
    ("comment", "# 2,3,4", TableError, "column t: '# 2' is not a number"),
    ("comment behind", "2,3,4 # on", TableError, "column v:x: '4 # on' is not a number"),
    ("nan", "2,3,nan", NotFiniteError, "v:x is nan; all values must be finite"),
    ("infinity", "2,-inf,4", NotFiniteError, "q:x is -inf"),
    ("time stands", "1,3,4", TableError, "time 1.0 does not come after 1.0"),
    ("time runs back", "0.5,3,4", TableError, "time 0.5 does not come after 1.0"),
]

BAD_HEADERS = [
    ("", TableError, "1: no header"),
    ("\n0,1\n", TableError, "1: no header"),
    ("0,1,2\n", TableError, "1: no header"),
    ("t;q:x\n0;1\n", TableError, "1: columns must be separated by commas"),
    ("t\tq:x\n", TableError, "separated by commas"),
    ("q:x,v:x\n0,1\n", TableError, "1: no time column named 't' among q:x, v:x"),
    ("t\n0\n", TableError, "1: no joint"),
    ("t,q:x,q:x\n", TableError, "1: column q:x is there more than once"),
    ("t,q:x,v:x,q1:x\n", TableError, "column v:x is there more than once"),
    ("t,time,q:x\n", TableError, "column t is there more than once"),
    ("t,q:x,w:x\n", UnknownNameError, "1: column 'w:x' is not understood; columns are named t, q:"),
    ("t,q:x,\n", UnknownNameError, "column '' is not understood"),
    ("t,q:\n", UnknownNameError, "column 'q:' is not understood"),
    ("t,x\n", UnknownNameError, "column 'x' is not understood"),
    ("t,q:x,a:x\n", TableError, "1: no column v:x; every order needs all joints"),
    ("t,q:x,q:y,v:x\n", TableError, "no column v:y;.*Columns found: t, q:x, q:y, v:x"),
    ("t,v:x\n", TableError, "no column q:x"),
    ("t,q:x,Q1:x\n", TableError, "no column Q:x"),
    ("t,q:x\n", TableError, "2: no sample"),
    ("t,q:x\n\n \n", TableError, "4: no sample"),
]

FOR_JOINTS = [
    ("t,q:elbow\n", UnknownNameError, "1: column 'q:elbow': no joint named 'elbow'.*x, y"),
    ("t,q:x,q:yy\n", UnknownNameError, "did you mean 'y'"),
    ("t,q:x\n", TableError, "1: no column q:y"),
    ("t,x,y,z\n", UnknownNameError, "column 'z' is not understood.*known joints: x, y"),
    ("t,x,q:x,y\n", TableError, "column q:x is there more than once"),
]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("blanks", [0, 2])
@pytest.mark.parametrize(
    ("row", "error", "message"), [r[1:] for r in BAD_ROWS], ids=[r[0] for r in BAD_ROWS]
)
def test_a_bad_row(row: str, error, message: str, blanks: int, tmp_path: Path):
    path = write(tmp_path / "motion.csv", GOOD + "\n" * blanks + row + "\n9,9,9\n")
    with pytest.raises(error, match=f"^{re.escape(f'{path}:{4 + blanks}: {message}')}"):
        read_motion(path)


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [(r[1].replace("0.5", "-5"), *r[2:]) for r in BAD_ROWS if "time" not in r[0]],
)
def test_a_bad_row_far_down(row: str, error, message: str, tmp_path: Path):
    rows = "".join(f"{k - BLOCK},1,2\n" for k in range(BLOCK + 2))
    path = write(tmp_path / "motion.csv", "t,q:x,v:x\n" + rows + row + "\n")
    with pytest.raises(error, match=f"^{re.escape(f'{path}:{BLOCK + 4}: {message}')}"):
        read_motion(path)


def test_time_is_compared_across_blocks(tmp_path: Path):
    rows = "".join(f"{k},1\n" for k in range(BLOCK))
    path = write(tmp_path / "motion.csv", "t,q:x\n" + rows + f"{BLOCK - 1},1\n")
    with pytest.raises(
        TableError, match=f"{re.escape(str(path))}:{BLOCK + 2}: time {BLOCK - 1}.0 does"
    ):
        read_motion(path)


def test_all_rows_too_short(tmp_path: Path):
    path = write(tmp_path / "motion.csv", "t,q:x,v:x\n0,1\n1,2\n")
    with pytest.raises(TableError, match=":2: 2 fields, but 3 columns"):
        read_motion(path)


@pytest.mark.parametrize(("text", "error", "message"), BAD_HEADERS)
def test_a_bad_header(text: str, error, message: str, tmp_path: Path):
    path = write(tmp_path / "motion.csv", text)
    with pytest.raises(error, match=f"^{re.escape(str(path))}:.*{message}"):
        read_motion(path)


@pytest.mark.parametrize(("text", "error", "message"), FOR_JOINTS)
def test_columns_of_other_joints(text: str, error, message: str, tmp_path: Path):
    path = write(tmp_path / "motion.csv", text)
    with pytest.raises(error, match=f"^{re.escape(str(path))}:.*{message}"):
        read_motion(path, ["x", "y"])


def test_names_asked_for_twice(tmp_path: Path):
    with pytest.raises(ShapeError, match="different joints"):
        read_motion(write(tmp_path / "motion.csv", GOOD), ["x", "x"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"t,q:\xe9\n0,1\n", ":1: not a text in UTF-8"),
        (b"PK\x03\x04\x00\x00\n", ":1: not a text in UTF-8"),
        (b"t,q:x\n0,1\n1,\xff\n", ":3: column q:x: '\ufffd' is not a number"),
    ],
)
def test_what_is_no_text(content: bytes, message: str, tmp_path: Path):
    path = tmp_path / "motion.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=re.escape(str(path)) + message):
        read_motion(path)


@pytest.mark.parametrize("name", ["none.csv", "none.npz"])
def test_a_missing_file_is_an_os_error(name: str, tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        read_motion(tmp_path / name)


ARRAYS = {"time": np.arange(3.0), "names": np.array(["x", "y"]), "values": np.zeros((1, 3, 2))}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"names": None}, TableError, "no array names;.*Arrays found: time, values"),
        ({"time": None, "names": None}, TableError, "no array time, names"),
        ({"values": None}, ShapeError, "needs values or forces"),
        ({"values": np.zeros((1, 2, 2))}, ShapeError, r"values must have shape \(orders, 3, 2\)"),
        ({"values": np.full((1, 3, 2), np.nan)}, NotFiniteError, "sample 0: q:x is nan"),
        ({"time": np.array([0.0, 2.0, 1.0])}, TableError, "sample 2: time 1.0 does not come"),
        (
            {"names": None, "values": None, "q": np.zeros((3, 3))},
            TableError,
            r"the array q has the shape \(3, 3\); .* a column for each of x, y\.",
        ),
        (
            {"names": None, "values": None, "q": np.zeros((3, 2)), "Q": np.zeros((2, 2))},
            TableError,
            r"the array Q has the shape \(2, 2\); .* must have a row a time",
        ),
        ({"names": np.array([1, 2])}, ShapeError, "names must be plain texts"),
        ({"names": np.array(["x", "z"])}, UnknownNameError, "no joint named 'z'"),
        ({"names": np.array(["x", None])}, TableError, "not a NumPy archive of plain arrays"),
        (
            {"names": np.array(["x"]), "values": np.zeros((1, 3, 1))},
            TableError,
            "no column q:y;.*Columns found: t, q:x",
        ),
    ],
)
def test_a_bad_archive(changed, error, message: str, tmp_path: Path):
    arrays = {key: array for key, array in {**ARRAYS, **changed}.items() if array is not None}
    path = tmp_path / "motion.npz"
    np.savez(path, **arrays)
    with pytest.raises(error, match=f"^{re.escape(str(path))}: .*{message}"):
        read_motion(path, ["x", "y"])


@pytest.mark.parametrize("content", [b"", b"t,q:x\n0,1\n", b"PK\x03\x04broken"])
def test_what_is_no_archive(content: bytes, tmp_path: Path):
    path = tmp_path / "motion.npz"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"motion\.npz: not a NumPy archive"):
        read_motion(path)


def test_a_single_array_is_no_archive(tmp_path: Path):
    path = tmp_path / "motion.npz"
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(TableError, match=r"not a NumPy archive of plain arrays \(a single array\)"):
        read_motion(path)


@pytest.mark.parametrize("shape", ["(2,)", "(4,)", "(0,)", "(99999999999999,)", "(-1,)", "(("])
def test_an_array_of_another_length_than_its_header_says(shape: str, tmp_path: Path):
    """Checksums of the archive are those of the lie."""
    path, sound = tmp_path / "log.npz", tmp_path / "sound.npz"
    np.savez(sound, **ARRAYS)
    with zipfile.ZipFile(sound) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "time.npy":
                lie = f"{shape}, }}".encode()
                start = data.index(b"(3,)")
                end = data.index(b"\n", start)
                data = data[:start] + lie.ljust(end - start) + data[end:]
            new.writestr(name, data)
    with pytest.raises(TableError, match=r"log\.npz: not a NumPy archive of plain arrays"):
        read_motion(path)


@pytest.mark.parametrize("what", ["encrypted", "compression"])
def test_an_archive_that_cannot_be_unpacked(what: str, tmp_path: Path):
    path = tmp_path / "log.npz"
    np.savez(path, **ARRAYS)
    data = bytearray(path.read_bytes())
    for mark, flags, method in ((b"PK\3\4", 6, 8), (b"PK\1\2", 8, 10)):
        for place in [match.start() for match in re.finditer(re.escape(mark), data)]:
            at, value = (flags, 1) if what == "encrypted" else (method, 99)
            data[place + at] = value
    path.write_bytes(data)
    with pytest.raises(TableError, match=r"log\.npz: not a NumPy archive of plain arrays"):
        read_motion(path)
