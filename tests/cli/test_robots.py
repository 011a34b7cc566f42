"""``jounce robots``."""

from __future__ import annotations

from click.testing import CliRunner

import jounce
from jounce.cli import main


def test_every_bundled_robot_is_a_row():
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["robots"])
    assert (result.exit_code, result.stderr) == (0, "")
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == ["robot", "nq", "nv", "bodies", "mass", "[kg]", "description"]
    assert [row.split()[0] for row in rows] == list(jounce.robots())
    for row in rows:
        name, nq, nv, bodies, mass, *description = row.split()
        robot = jounce.load(name)
        assert (int(nq), int(nv), int(bodies)) == (robot.nq, robot.nv, robot.n_bodies)
        assert mass == f"{robot.mass:.3f}"
        assert description, f"{name} has no description"
