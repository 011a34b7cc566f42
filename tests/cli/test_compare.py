"""``jounce compare``."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import jounce
from jounce.cli import main
from jounce.comparison import study
from jounce.comparison.contestants import CONTESTANTS
from tests.cli.program import only_line, started
from tests.comparison_rows import rows_of_csv

ONE = ("--quick", "--orders", "0", "--formulation", "momentum")


def invoke(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(main, ["compare", *arguments])


def test_table_and_csv(tmp_path: Path):
    target = tmp_path / "table.csv"
    result = invoke("planar2r", "--quick", "--orders", "0,2", "--csv", str(target),
                    "--formulation", "momentum", "--formulation", "mk21")  # fmt: skip
    assert (result.exit_code, result.stderr) == (0, "")
    rows = rows_of_csv(target.read_text(encoding="utf-8"))
    assert [(r.formulation, r.order) for r in rows] == [
        ("momentum", 0), ("momentum", 2), ("mk21", 0), ("mk21", 2),
    ]  # fmt: skip
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["momentum", *(f"{r.operations:,}" for r in rows[:2])] in lines
    assert "10,000 calls" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no_such_robot",), "no_such_robot"),
        (("planar2r", "--orders", "3-1"), "--orders must look like 0-6"),
        (("planar2r", "--orders", "-1"), "--orders must look like 0-6"),
        (("planar2r", "--orders", "x"), "--orders must look like 0-6"),
        (("planar2r", "--formulation", "momentun"), "did you mean 'momentum'"),
        (("planar2r", *ONE, "--plot", "figure.txt"), "must end in .png or .svg or .pdf"),
        (
            ("planar2r", *ONE, "--csv", "no/such/directory/table.csv"),
            "no directory no/such/directory",
        ),
        (("planar2r", *ONE, "--csv", "."), "directory"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jounce.comparison.study._entries", _never)
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in only_line(result.stderr)


def test_a_plot_needs_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = invoke("planar2r", *ONE, "--plot", str(tmp_path / "figure.svg"))
    assert result.exit_code == 2
    assert "pip install 'jounce[plot]'" in only_line(result.stderr)


def test_a_wrong_formulation_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, interpreted: None
):
    class Wrong(study.Entry):
        def forces(self, motion):
            return super().forces(motion) * 1.001

    monkeypatch.setattr(study, "Entry", Wrong)
    target = tmp_path / "table.csv"
    result = invoke("planar2r", *ONE, "--csv", str(target))
    assert result.exit_code == 1
    assert "momentum at order 0" in only_line(result.stderr)
    assert target.exists()


def test_ctrl_c_leaves_nothing(tmp_path: Path):
    target = tmp_path / "table.csv"
    program = f"""
import sys
from jounce.cli import main
from jounce.comparison import study
real = study._measured
def slow(*arguments):
    print("ready", flush=True)
    while True:
        real(*arguments)
study._measured = slow
sys.argv = ["jounce", "compare", "planar2r", *{ONE!r}, "--csv", {str(target)!r}]
main()
"""
    with started(program=program) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, only_line(err)) == (130, "jounce: interrupted")
    assert not list(tmp_path.iterdir())


def test_the_function_and_the_package_have_different_names():
    assert callable(jounce.compare)
    assert "momentum" in CONTESTANTS


def _never(*_: object) -> None:
    raise AssertionError("measured before the arguments were checked")
