"""The comparison on small robots: who takes part, what is counted, how right everybody is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.comparison.contestants import CONTESTANTS
from jounce.comparison.records import Comparison, Measurement
from jounce.errors import ArgumentError
from jounce.kernels.description import kernel_spec
from jounce.kernels.kernel import kernel_of
from tests.tolerances import INDEPENDENT

LITERAL = {name for name, contestant in CONTESTANTS.items() if contestant.is_literal}
ALL = set(CONTESTANTS)


def small(robot: jounce.Robot, orders: Any = (0, 2), **options: Any) -> Comparison:
    return jounce.compare(robot, orders, **{"samples": 8, "instants": 3, "rounds": 1, **options})


@pytest.fixture(scope="module")
def chain() -> Comparison:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOUNCE_INTERPRET", "1")  # counts and errors need no machine code
        return small(jounce.examples.chain(3), (0, 1, 2, 3))


def test_everybody_is_right(chain: Comparison):
    assert set(chain.formulations) == ALL
    assert chain.orders == (0, 1, 2, 3)
    for row in chain.rows:
        assert row.error is not None
        assert 0.0 < row.error < INDEPENDENT, row
    assert chain.disagreement is not None
    assert chain.disagreement < 1e-45
    assert [note.partition(":")[0] for note in chain.notes] == ["nothing is compiled"]


def test_hand_written_texts_stop_at_order_two(chain: Comparison):
    last = {name: max(r.order for r in chain.rows if r.formulation == name) for name in ALL}
    assert {name for name, order in last.items() if order == 2} == LITERAL - {"km21"}
    assert {order for name, order in last.items() if name not in LITERAL} == {3}


def test_everything_is_measured():
    found = small(jounce.load("planar2r"), (0, 2))
    assert set(found.formulations) == ALL
    assert not found.notes
    for row in found.rows:
        assert (row.error or 1.0) < INDEPENDENT
        counts = row.multiplications, row.additions, row.operations
        compiled = row.trace_seconds, row.compile_seconds
        assert (None in counts) == (None in compiled) == (row.formulation == "closed_form")
        for value in (row.ns_per_sample, row.latency_us, row.python_us):
            assert value is not None
            assert value > 0.0


def test_counts_are_those_of_the_kernel_and_deterministic(chain: Comparison, interpreted: None):
    robot = jounce.examples.chain(3)
    for order in chain.orders:
        kernel = kernel_of(kernel_spec(robot, "inverse_dynamics", order))
        assert chain["momentum", order].operations == kernel.operations
    again = small(robot, chain.orders, formulations=("km21", "hybrid", "spatial_given"))
    for row in again.rows:
        assert _counts(row) == _counts(chain[row.formulation, row.order])


def test_more_derivatives_cost_more(chain: Comparison):
    for name in chain.formulations:
        counts = [r.operations for r in chain.rows if r.formulation == name and r.operations]
        assert counts == sorted(set(counts)), name


def test_a_wrong_text_is_found(monkeypatch: pytest.MonkeyPatch):
    def bind(robot: jounce.Robot) -> Any:
        text = CONTESTANTS["body"].bind(robot)
        return lambda rows: [[x * (1.0 + 1e-9) for x in row] for row in text(rows)]

    wrong = replace(CONTESTANTS["momentum"], bind=bind)
    monkeypatch.setitem(CONTESTANTS, "momentum", wrong)
    found = small(jounce.load("planar2r"), (0,), formulations=("momentum", "body"))
    assert found["momentum", 0].error == pytest.approx(1e-9, rel=0.2)
    assert (found["body", 0].error or 1.0) < INDEPENDENT


def test_trees_go_without_the_papers(rng: np.random.Generator, interpreted: None):
    robot = jounce.examples.random_tree(rng, 3, floating_base=True, armature=True, damping=True)
    found = small(robot, (0, 1), instants=2)
    assert set(found.formulations) == ALL - LITERAL
    assert found.disagreement is None
    assert all((row.error or 0.0) < INDEPENDENT for row in found.rows)
    note = next(note for note in found.notes if note.startswith("without"))
    assert all(name in note for name in LITERAL)


def test_motors_are_left_out_for_everyone(interpreted: None):
    robot = jounce.load("puma560")
    assert any(joint.armature != (0.0,) for joint in robot.joints)
    names = ("momentum", "m20_body")
    found = small(robot, (0,), formulations=names)
    assert found.formulations == names
    assert "motor inertia" in found.notes[0]
    assert all((row.error or 0.0) < INDEPENDENT for row in found.rows)
    ours = small(robot, (0,), formulations=("momentum",))
    assert not any("motor" in note for note in ours.notes)
    assert (ours["momentum", 0].operations or 0) > (found["momentum", 0].operations or 0)


def test_without_machine_code_there_are_counts_and_errors(interpreted: None):
    found = small(jounce.load("planar2r"), (0,), formulations=("momentum", "closed_form"))
    row = found["momentum", 0]
    assert (row.compile_seconds, row.ns_per_sample, row.latency_us) == (None, None, None)
    assert row.operations
    assert (row.error or 1.0) < INDEPENDENT
    assert "nothing is compiled" in found.notes[0]


def test_without_mpmath_there_are_no_errors(monkeypatch: pytest.MonkeyPatch, interpreted: None):
    import sys

    monkeypatch.setitem(sys.modules, "mpmath", None)
    found = small(jounce.load("planar2r"), (0,), formulations=("momentum",))
    assert found["momentum", 0].error is None
    assert any("pip install 'jounce[compare]'" in note for note in found.notes)


def test_progress_reaches_its_end(interpreted: None):
    steps: list[tuple[int, int]] = []
    small(jounce.load("planar2r"), (0, 3), progress=lambda done, total: steps.append((done, total)))
    total = steps[0][1]
    assert steps == [(k + 1, total) for k in range(total)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"orders": ()}, ArgumentError, "orders must be one or more integers"),
        ({"orders": (0, -1)}, ArgumentError, "order must be an integer"),
        ({"orders": (True,)}, ArgumentError, "order must be an integer"),
        ({"samples": 0}, ArgumentError, "samples must be an integer"),
        ({"rounds": 1.5}, ArgumentError, "rounds must be an integer"),
        ({"formulations": ("momentun",)}, jounce.UnknownNameError, "did you mean 'momentum'"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        small(jounce.load("planar2r"), **options)


def test_nobody_left(rng: np.random.Generator):
    tree = jounce.examples.random_tree(rng, 4, floating_base=True)
    with pytest.raises(jounce.UnsupportedError, match="nobody is left"):
        small(tree, formulations=("km21",))


def test_nothing_that_moves():
    builder = jounce.RobotBuilder("statue")
    builder.add("body", None, jounce.joints.fixed())
    with pytest.raises(jounce.UnsupportedError, match="no joint that moves"):
        small(builder.build())


def _counts(row: Measurement) -> tuple[int | None, ...]:
    return row.multiplications, row.additions, row.operations
