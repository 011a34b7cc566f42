"""``jounce id`` of robots with a floating base or ball joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import jounce
from jounce.cli import main
from jounce.model.components import position_names, velocity_names
from jounce.trajectory import MotionTable, read_table, write_table
from tests.cli.program import only_line
from tests.floating_walker import exact_motion, walker
from tests.tolerances import INDEPENDENT, assert_close, assert_orders_close

ROBOT = walker()
NAMES, RATE_NAMES = position_names(ROBOT), velocity_names(ROBOT)


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    ROBOT.save(tmp_path / "walker.json")
    return tmp_path / "walker.json"


def positions(path: Path, step: float, duration: float = 6.0) -> np.ndarray:
    """Write the positions, with quaternions of any sign; return the times."""
    t = np.arange(0.0, duration, step)
    q = exact_motion(t, 0)[0][0]
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (t.size, 2))
    q[:, 3:7] *= signs[:, :1]
    q[:, 9:13] *= signs[:, 1:]
    write_table(path, MotionTable(t, NAMES, q[None]))
    return t


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_positions_alone_give_the_torques_of_the_motion(ending: str, robot: Path, tmp_path: Path):
    """The error falls as that of a spline of degree 7: by h⁶ for Q, h⁵ for Q̇, h⁴ for Q̈."""
    log, out, errors = tmp_path / f"log.{ending}", tmp_path / f"torques.{ending}", []
    for step in (0.04, 0.02):
        t = positions(log, step)
        code, text, err = run("id", robot, log, "--noise", "0", "-o", out)
        assert (code, err) == (0, "")
        assert [line.split()[0] for line in text.splitlines()[1:12]] == list(RATE_NAMES)
        units = [line.split()[-1] for line in text.splitlines()[4:9]]
        assert units == ["N", "N", "N", "N", "m"]  # the last is N m
        found = read_table(out, ROBOT).forces
        assert found is not None
        true = jounce.inverse_dynamics(ROBOT, *exact_motion(t, 4)[1])
        inner = (t > 1.0) & (t < 5.0)
        scale = np.abs(true).max(axis=(1, 2))
        errors.append(np.abs(found - true)[:, inner].max(axis=(1, 2)) / scale)
    assert np.all(errors[1] < [1e-8, 1e-6, 1e-4]), errors
    orders = np.log2(errors[0] / errors[1])
    assert np.all(orders > [5.5, 4.5, 3.5]), orders


def test_the_motion_is_written_with_the_torques(robot: Path, tmp_path: Path):
    log, out = tmp_path / "log.csv", tmp_path / "torques.csv"
    t = positions(log, 0.01)
    assert run("id", robot, log, "--with-motion", "--noise", "0", "-o", out)[0] == 0
    found = read_table(out, ROBOT)
    q, *rates = found.motion
    path, _ = exact_motion(t, 0)
    for part in ROBOT.quaternions:  # one sign for all samples
        path[0, :, part] *= np.sign(path[0, 0, part] @ q[0, part])
    assert_close(q, path[0], 1e-9)
    assert len(rates) == 4
    again = jounce.inverse_dynamics(ROBOT, q, *rates)
    assert_orders_close(found.forces, again, INDEPENDENT)
    # the result is a log itself, whose rates are used as they are
    assert run("id", robot, out, "-o", tmp_path / "again.csv")[0] == 0
    assert_orders_close(read_table(tmp_path / "again.csv", ROBOT).forces, again, INDEPENDENT)


@pytest.mark.parametrize("option", ["", "--fit"])
@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_the_torques_of_a_simulation_come_back(
    option: str, ending: str, robot: Path, tmp_path: Path
):
    """With the velocities of the simulation, and from its positions alone."""
    motion, out = tmp_path / f"motion.{ending}", tmp_path / "torques.npz"
    torque = np.linspace(-0.3, 0.5, ROBOT.nv)
    said = ",".join(map(repr, torque.tolist()))
    arguments = ("--time", "1", "--step", "0.005", "--torque", said, "-o", motion)
    assert run("simulate", robot, *arguments)[0] == 0
    options = [option] if option else []
    assert run("id", robot, motion, "--noise", "0", "--order", "1", *options, "-o", out)[0] == 0
    Q, Q1 = np.asarray(read_table(out, ROBOT).forces)[:, 40:-40]
    assert_close(Q, np.broadcast_to(torque, Q.shape), 1e-7)
    assert_close(Q1, np.zeros_like(Q1), 1e-4, scale=1.0)


def test_a_report(robot: Path, tmp_path: Path):
    pytest.importorskip("plotly")
    positions(tmp_path / "log.csv", 0.02)
    code, _, err = run("report", robot, tmp_path / "log.csv", "-o", tmp_path / "page.html")
    assert (code, err) == (0, "")
    assert "ball" in (tmp_path / "page.html").read_text("utf-8")


def test_a_bundled_robot_on_a_floating_base(tmp_path: Path):
    floating = jounce.load("planar2r", floating_base=True)
    t = np.arange(0.0, 2.0, 0.01)
    q = np.tile(floating.neutral, (t.size, 1))
    q[:, -1] = np.sin(t)
    write_table(tmp_path / "log.csv", MotionTable(t, position_names(floating), q[None]))
    out = tmp_path / "torques.csv"
    assert run("id", "planar2r", tmp_path / "log.csv", "--floating-base", "-o", out)[0] == 0
    forces = np.asarray(read_table(out, floating).forces)
    fixed = jounce.load("planar2r")
    rates = [np.stack([0.0 * t, np.sin(t + k * np.pi / 2)], axis=1) for k in range(5)]
    want = jounce.inverse_dynamics(fixed, *rates)
    assert_orders_close(forces[:2, 40:-40, 6:], want[:2, 40:-40], 1e-5)


def test_jumps_are_refused(robot: Path, tmp_path: Path):
    log, t = tmp_path / "log.csv", np.arange(200) / 100
    path = exact_motion(t, 0)[0][0]
    path[100:, 9:13] = path[100:, [12, 11, 10, 9]] * [1, 1, -1, -1]  # half a turn
    write_table(log, MotionTable(t, NAMES, path[None]))
    for options in ((), ("--block", "100"), ("--block", "1")):
        code, _, err = run("id", robot, log, "--noise", "0", *options)
        assert code == 2
        assert f"{log}:102: a quaternion turns by more than 90 degrees" in only_line(err)
    late = t + np.where(t < 1.0, 0.0, 10.0)  # nobody knows what happened in a pause
    write_table(log, MotionTable(late, NAMES, path[None]))
    code, _, err = run("id", robot, log, "--noise", "0")
    assert code == 0
    assert "a gap of 10" in only_line(err)


def test_what_a_log_must_have(robot: Path, tmp_path: Path):
    log = tmp_path / "log.csv"
    log.write_text("t,base,slider\n0,1,2\n", encoding="utf-8")
    code, _, err = run("id", robot, log)
    assert code == 2
    line = only_line(err)
    for name in NAMES:
        assert name in line
    positions(log, 0.02)
    lines = log.read_text("utf-8").splitlines()
    fields = lines[30].split(",")
    lines[30] = ",".join([*fields[:4], "0.9", *fields[5:]])
    log.write_text("\n".join(lines), encoding="utf-8")
    code, _, err = run("id", robot, log)
    assert code == 2
    assert f"{log}:31: the quaternion q:base[qx]," in only_line(err)
