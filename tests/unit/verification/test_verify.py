"""`jounce.verify`: sound robots pass, broken ones fail by name, and every check can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import ArgumentError
from jounce.verification import checks
from jounce.verification.motions import Motions
from jounce.verification.records import Check, Verification
from tests import oracle_data as oracle

pytestmark = pytest.mark.usefixtures("interpreted")

POSITIVE = "mass matrix is positive definite (smallest eigenvalue)"
NEGATIVE = "bodies with negative kinetic energy (number)"
IMPOSSIBLE = "bodies that no rigid body can be (number)"
FORWARD = "forward dynamics inverts inverse dynamics"


def found(result: Verification, name: str) -> Check:
    return next(check for check in result.checks if check.name == name)


SLOW = {"humanoid": pytest.mark.slow}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW.get(name, ())) for name in jounce.robots()]
)
def test_bundled_robots_pass(name: str) -> None:
    result = jounce.verify(jounce.load(name), samples=3)
    assert result.passed, str(result)
    assert len(result.checks) == 27
    assert found(result, POSITIVE).value > 1e-4


@pytest.mark.parametrize("seed", [1, 2])
def test_random_trees_pass(seed: int) -> None:
    options: dict[str, Any] = {"oblique_gravity": True, "damping": True, "armature": seed == 2}
    rng = np.random.default_rng(400 + seed)
    robot = jounce.examples.random_tree(rng, 11, floating_base=seed == 2, **options)
    result = jounce.verify(robot, samples=3, order=3, seed=seed)
    assert result.passed, str(result)


def test_a_robot_with_wrong_inertias_fails_by_name() -> None:
    """The authors' KUKA: inertias about the wrong point, M indefinite at some states."""
    result = jounce.verify(oracle.robot("kuka_authors"), samples=2, order=1)
    assert {check.name for check in result.failures} == {NEGATIVE, POSITIVE}
    assert found(result, POSITIVE).value < 0.0
    assert "body_4" in found(result, NEGATIVE).detail
    assert "body_3" not in found(result, NEGATIVE).detail
    assert "body_3" in found(result, IMPOSSIBLE).detail
    assert POSITIVE in result.verdict
    assert "FAILED" in str(result)


def test_published_numbers_are_advice_only() -> None:
    result = jounce.verify(jounce.load("iiwa14"), samples=1, order=0)
    check = found(result, IMPOSSIBLE)
    assert (check.passed, check.holds, check.verdict, check.value) == (True, False, "note", 2.0)
    assert "link4, link7" in check.detail


def test_a_massless_tip_fails_and_names_the_joint() -> None:
    b = jounce.RobotBuilder("tip")
    matter = jounce.Inertia(1.0, (1, 0, 0), np.eye(3))
    b.add("arm", None, jounce.joints.revolute((0, 0, 1)), inertia=matter)
    b.add("tip", "arm", jounce.joints.revolute((1, 0, 0)), joint_name="wrist")
    result = jounce.verify(b.build(), samples=2, order=1)
    assert {check.name for check in result.failures} == {POSITIVE, FORWARD}
    assert "'wrist'" in found(result, POSITIVE).detail
    assert "'wrist'" in found(result, FORWARD).detail


@pytest.mark.parametrize(("mass", "moment"), [(-1.0, 1.0), (1.0, -1.0)])
def test_negative_mass_and_negative_moment(mass: float, moment: float) -> None:
    b = jounce.RobotBuilder("negative")
    matter = jounce.Inertia(mass, (0, 0, 0), moment * np.eye(3))
    b.add("rod", None, jounce.joints.prismatic((1, 0, 0)), inertia=matter)
    result = jounce.verify(b.build(strict=False), samples=1, order=0)
    assert found(result, NEGATIVE).detail.endswith("rod")
    assert found(result, POSITIVE).passed == (mass > 0)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, 0, -9.8)])
def test_one_body_and_none(gravity: tuple[float, ...]) -> None:
    b = jounce.RobotBuilder("one", gravity)
    b.add("base")
    assert jounce.verify(b.build(), samples=2).passed
    matter = jounce.Inertia(1.0, (0.1, 0, 0.2), np.eye(3))
    b.add("rod", "base", jounce.joints.revolute((1, 0, 0)), inertia=matter)
    assert jounce.verify(b.build(), samples=2).passed


# Every comparison fails once what it compares is off by 1e-9 of itself, at the given order.
SPOILED = [
    (checks.mass_rate_is_coriolis, "mass_matrix", 1),
    (checks.mass_rate_is_coriolis, "mass_matrix", 3),
    (checks.mass_rate_is_coriolis, "coriolis_matrix", 2),
    (checks.coriolis_forces_are_common, "coriolis_matrix", 2),
    (checks.power_is_rate_of_energy, "kinetic_energy", 3),
    (checks.power_is_rate_of_energy, "potential_energy", 1),
    (checks.power_is_rate_of_energy, "inverse_dynamics", 2),
    (checks.matrices_agree, "mass_matrix", 2),
    (checks.matrices_agree, "gravity_forces", 2),
    (checks.matrices_agree, "coriolis_matrix", 2),
    (checks.gravity_is_the_force_at_rest, "gravity_forces", 0),
    (checks.forces_are_linear_in_parameters, "regressor", 0),
    (checks.forces_are_linear_in_parameters, "inverse_dynamics", 2),
    (checks.partials_along_the_motion_are_rates, "inverse_dynamics_partials", 0),
    (checks.partials_along_the_motion_are_rates, "inverse_dynamics_partials", 7),
    (checks.partials_along_the_motion_are_rates, "inverse_dynamics", 1),
    (checks.partials_along_the_motion_are_rates, "mass_matrix", 1),
    (checks.partials_along_the_motion_are_rates, "coriolis_matrix", 1),
    (checks.partials_along_the_motion_are_rates, "gravity_forces", 1),
    (checks.code_agrees, "inverse_dynamics", 2),
]


@pytest.mark.parametrize(("check", "quantity", "order"), SPOILED)
def test_every_comparison_can_fail(
    check: Callable[[Motions], Any], quantity: str, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    motions = Motions(jounce.load("panda"), samples=2, order=2, seed=0)
    assert all(c.passed for c in as_list(check(motions)))
    true = motions.text

    def spoiled(name: str, *arguments: Any, **options: Any) -> np.ndarray:
        values = true(name, *arguments, **options).copy()
        if name == quantity and options.get("factorization") != "passive":
            values[order] += 1e-9 * (1.0 + np.abs(values[order]).max())
        return values

    monkeypatch.setattr(motions, "text", spoiled)
    assert not all(c.passed for c in as_list(check(motions)))


def test_formulations_can_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    motions = Motions(jounce.load("panda"), samples=2, order=1, seed=0)
    true = motions.loaded_forces
    monkeypatch.setattr(
        motions, "loaded_forces", lambda name: true(name) * (1 + 1e-9 * (name == "spatial"))
    )
    bad = [check.name for check in checks.formulations_agree(motions) if not check.passed]
    assert bad == ["forces: spatial and momentum"]


def test_asymmetry_is_seen() -> None:
    motions = Motions(jounce.load("panda"), samples=2, order=2, seed=0)
    form = motions.closed_form()
    assert checks.mass_is_symmetric(motions).passed
    coefficients = form._M.coeffs
    coefficients[2, 0, 1, 2] += 1e-6
    assert not checks.mass_is_symmetric(motions).passed


def test_a_wrong_forward_dynamics_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    true = checks.evaluated

    def wrong(robot: Any, quantity: str, *arguments: Any, **options: Any) -> np.ndarray:
        values = true(robot, quantity, *arguments, **options)
        return values * (1 + 1e-9) if quantity == "forward_dynamics" else values

    motions = Motions(jounce.load("panda"), samples=2, order=2, seed=0)
    assert checks.forward_inverts_inverse(motions).passed
    monkeypatch.setattr(checks, "evaluated", wrong)
    assert not checks.forward_inverts_inverse(motions).passed


def as_list(result: Check | list[Check]) -> list[Check]:
    return [result] if isinstance(result, Check) else result


def test_errors_are_of_scale_and_nan_never_passes() -> None:
    scale = np.array([[10.0], [0.0]])
    assert checks._error(np.array([[1.0], [2.0]]), np.array([[1.5], [2.0]]), scale) == 0.05
    assert checks._error(np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]]), scale) == 0.1
    nan = checks._error(np.array([[np.nan], [2.0]]), np.array([[1.0], [2.0]]), scale)
    assert not Check("x", nan, 1.0).passed
    zero = np.zeros((1, 1))
    assert checks._error(zero, zero, zero) == 0.0
    assert checks._error(zero + 1e-300, zero, zero) == np.inf


def test_records() -> None:
    assert Check("a", 1.0, 1.0).passed
    assert not Check("a", 1.0, 1.0, above=True).passed
    assert not Check("a", np.nan, 1.0).passed
    assert not Check("a", np.nan, 1.0, above=True).passed
    result = Verification("r", 1, 2, 3, (Check("a", 3.0, 0.0), Check("b", 2e-13, 1e-12)))
    assert str(result).splitlines() == [
        "r: 1 samples, orders 0 to 2, seed 3",
        "a         3  ≤ 0        FAILED",
        "b   2.0e-13  ≤ 1.0e-12  ok",
        "1 of 2 checks failed: a",
    ]


def test_the_seed_decides() -> None:
    arm = jounce.load("planar2r")
    first, again, other = (jounce.verify(arm, samples=2, order=1, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first.checks != other.checks


def test_progress_and_bad_arguments() -> None:
    arm, told = jounce.load("planar2r"), []
    jounce.verify(arm, samples=1, order=0, progress=lambda *x: told.append(x))
    assert told[-1] == (len(checks.CHECKS), len(checks.CHECKS))
    assert jounce.verify(arm, samples=np.int64(1), order=np.int32(0)).samples == 1  # type: ignore[arg-type]
    for bad in ({"samples": 0}, {"order": -1}, {"seed": -1}, {"order": 1.5}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            jounce.verify(arm, **bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"jounce\.load"):
        jounce.verify("panda")  # type: ignore[arg-type]


def test_matter_far_outside_of_a_body_is_noted():
    """A wrist of 0.19 kg with a radius of gyration of 0.42 m, as a published UR5 has it."""
    wide = {}
    for moment in (0.0002, 0.0333):
        arm = jounce.load("planar2r").to_dict()
        across = moment + 0.19 * 0.1**2  # about the origin, 0.1 m from the centre
        arm["bodies"][1]["inertia"] = [0.19, 0.019, 0, 0, moment, across, across, 0, 0, 0]
        arm["frames"] = []
        robot = jounce.load(arm, strict=False)
        (check,) = [c for c in jounce.verify(robot, samples=2).checks if "far outside" in c.name]
        wide[moment] = check
        assert check.passed
    assert wide[0.0002].holds
    assert not wide[0.0333].holds
    assert "link2" in wide[0.0333].detail
