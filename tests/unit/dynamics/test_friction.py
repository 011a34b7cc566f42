"""Dry friction in everything that forces are in, and nothing where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import jounce
from jounce.dynamics.inverse import inverse_dynamics
from jounce.dynamics.partials import inverse_dynamics_partials
from jounce.dynamics.variation import motion_partials
from jounce.elastic import SeriesElastic
from jounce.errors import ModelError, ShapeError, UnknownNameError
from jounce.model.records import Friction
from tests.tolerances import INDEPENDENT, ROUNDOFF, assert_close, assert_orders_close

KINDS = ["revolute", "prismatic", "helical", "cylindrical", "universal", "mimic"]


def rough(robot: jounce.Robot, rng: np.random.Generator, speed: float = 0.5) -> jounce.Robot:
    """Return the robot with friction in all joints, those that follow others too."""
    joints = [
        replace(
            joint,
            friction=tuple(
                Friction(float(c), float(o), speed)
                for c, o in zip(
                    rng.uniform(0.5, 2.0, joint.type.nv),
                    rng.normal(size=joint.type.nv),
                    strict=True,
                )
            ),
        )
        for joint in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


@pytest.fixture
def tree(rng: np.random.Generator) -> jounce.Robot:
    return rough(jounce.examples.random_tree(rng, 6, KINDS, damping=True), rng)


def smooth(robot: jounce.Robot) -> jounce.Robot:
    return replace(robot, joints=tuple(replace(j, friction=()) for j in robot.joints))


def state(robot: jounce.Robot, rng: np.random.Generator, rates: int) -> list[np.ndarray]:
    return [robot.random_configuration(rng), *rng.normal(size=(rates, robot.nv))]


def test_forces_of_any_order_are_those_of_the_formula(rng: np.random.Generator) -> None:
    """Differentiate c v / √(v² + s²) + o in time by hand: SymPy, along a polynomial."""
    robot = jounce.load("planar2r")
    dry = (Friction(1.3, 0.2, 0.4), Friction(0.6, -0.5, 0.1))
    pairs = zip(robot.joints, dry, strict=True)
    other = replace(robot, joints=tuple(replace(j, friction=(f,)) for j, f in pairs))
    q, *rates = state(robot, rng, 6)
    got = jounce.inverse_dynamics(other, q, *rates) - jounce.inverse_dynamics(robot, q, *rates)
    t = sympy.Symbol("t")
    for i, (c, o, s) in enumerate(dry):
        v = sum(sympy.Float(r[i], 40) * t**k / sympy.factorial(k) for k, r in enumerate(rates))
        F = sympy.Float(c, 40) * v / sympy.sqrt(v**2 + sympy.Float(s, 40) ** 2) + o
        wanted = [float(sympy.diff(F, t, k).subs(t, 0).evalf(30)) for k in range(5)]
        assert_orders_close(got[:, i], wanted, 1e-11)  # a difference of two forces


def test_all_formulations_agree(tree: jounce.Robot, rng: np.random.Generator) -> None:
    motion = state(tree, rng, 4)
    wanted = jounce.inverse_dynamics(tree, *motion)
    assert np.abs(wanted - jounce.inverse_dynamics(smooth(tree), *motion)).max() > 0.1
    for formulation in ("body", "spatial", "hybrid", "closed_form"):
        found = jounce.inverse_dynamics(tree, *motion, formulation=formulation)
        assert_orders_close(found, wanted, INDEPENDENT)


def test_partials_are_those_of_tangent_numbers(tree: jounce.Robot, rng) -> None:
    q, *rates = state(tree, rng, 4)
    found = inverse_dynamics_partials(tree, list(q), [list(r) for r in rates])
    wanted = motion_partials(inverse_dynamics, tree, list(q), [list(r) for r in rates])
    assert_close(found, wanted, INDEPENDENT)
    by_v = jounce.inverse_dynamics_partials(tree, q, *rates[:2])[0, 1]
    without = jounce.inverse_dynamics_partials(smooth(tree), q, *rates[:2])[0, 1]
    assert np.abs(by_v - without).max() > 0.01


def test_second_partials_by_velocity(rng: np.random.Generator) -> None:
    robot = rough(jounce.examples.random_tree(rng, 4, ["revolute", "prismatic", "mimic"]), rng)
    q, v, a = state(robot, rng, 2)
    found = jounce.inverse_dynamics_second_partials(robot, q, v, a).vv
    h = 1e-5
    for k, step in enumerate(np.eye(robot.nv) * h):
        above, below = (
            jounce.inverse_dynamics_partials(robot, q, v + s, a)[0, 1] for s in (step, -step)
        )
        assert_close(found[..., k], (above - below) / (2 * h), 1e-7, scale=1.0)


def test_forward_dynamics_undoes_inverse_dynamics(tree: jounce.Robot, rng) -> None:
    q, v, *rest = state(tree, rng, 4)
    Q = jounce.inverse_dynamics(tree, q, v, *rest)
    assert_orders_close(jounce.forward_dynamics(tree, q, v, *Q), rest, 1e-10)
    da_dv = jounce.forward_dynamics_partials(tree, q, v, Q[0])[1]
    h = 1e-6
    for k, step in enumerate(np.eye(tree.nv) * h):
        above, below = (jounce.forward_dynamics(tree, q, v + s, Q[0])[0] for s in (step, -step))
        assert_close(da_dv[:, k], (above - below) / (2 * h), 1e-6, scale=float(np.abs(da_dv).max()))


def test_every_check_of_verify_holds(tree: jounce.Robot) -> None:
    found = jounce.verify(tree)
    assert found.passed, str(found)


def test_no_friction_no_operation() -> None:
    panda = jounce.load("panda")
    none = rough(panda, np.random.default_rng(0))
    none = smooth(none)
    assert none == panda
    for quantity in ("inverse_dynamics", "inverse_dynamics_partials", "forward_dynamics"):
        plain, rough_one = (
            jounce.kernel(r, quantity).operations
            for r in (none, rough(panda, np.random.default_rng(0)))
        )
        assert plain < rough_one
        assert plain == jounce.kernel(panda, quantity).operations


def test_offset_alone_costs_one_addition() -> None:
    arm = jounce.load("planar2r")
    held = replace(
        arm, joints=tuple(replace(j, friction=(Friction(0.0, 0.3),)) for j in arm.joints)
    )
    more = jounce.kernel(held, "inverse_dynamics").operations
    assert more == jounce.kernel(arm, "inverse_dynamics").operations + 2


def test_elastic_joints_carry_it(rng: np.random.Generator) -> None:
    arm = rough(jounce.load("planar2r"), rng)
    drive = SeriesElastic(arm, stiffness=500.0, motor_inertia=0.1)
    motion = state(arm, rng, 4)
    found = drive.feedforward(*motion)
    Q = jounce.inverse_dynamics(drive.links, *motion)
    assert_close(found.spring_torque, Q[0], ROUNDOFF)
    assert_close(found.theta2, motion[2] + Q[2] / 500.0, INDEPENDENT)
    assert np.abs(Q[2] - jounce.inverse_dynamics(smooth(drive.links), *motion)[2]).max() > 0.1


def test_simulation_slows_down() -> None:
    builder = jounce.RobotBuilder("wheel", gravity=(0, 0, 0))
    disc = jounce.Inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.2]))
    friction = {"coulomb": 0.3, "offset": 0.05, "viscous": 0.02, "speed": 0.2}
    builder.add("disc", None, jounce.joints.revolute((0, 0, 1)), inertia=disc, friction=friction)
    wheel = builder.build()
    result = jounce.simulation.taylor(wheel, ([0.0], [3.0]), t=(0.0, 2.0))

    def rate(_, x):
        brake = 0.3 * x[1] / np.sqrt(x[1] ** 2 + 0.04) + 0.05 + 0.02 * x[1]
        return [x[1], -brake / 0.2]

    wanted = solve_ivp(rate, (0.0, 2.0), [0.0, 3.0], rtol=1e-12, atol=1e-12).y[:, -1]
    assert_close([float(x[0]) for x in result.final], wanted, 1e-8)


def test_it_is_kept(tmp_path, tree: jounce.Robot) -> None:
    tree.save(tmp_path / "robot.json")
    assert jounce.load(tmp_path / "robot.json") == tree
    assert smooth(tree) != tree
    assert "friction" not in str(smooth(tree).to_dict())
    floating = tree.with_floating_base()
    assert floating.joints[1].friction == tree.joints[0].friction
    locked = tree.with_locked({tree.joints[-1].name: np.zeros(tree.joints[-1].nq)} if
                              tree.joints[-1].mimic is None else {})  # fmt: skip
    assert locked.joints[0].friction == tree.joints[0].friction


def test_builders_check_it() -> None:
    add = lambda **more: jounce.RobotBuilder("r").add(  # noqa: E731
        "a", None, jounce.joints.revolute((0, 0, 1)), **more
    )
    with pytest.raises(UnknownNameError, match="did you mean 'coulomb'"):
        add(friction={"columb": 1.0})
    with pytest.raises(ModelError, match="finite and not negative"):
        add(friction={"coulomb": -1.0})
    with pytest.raises(ModelError, match="positive speed"):
        add(friction={"coulomb": 1.0, "speed": 0.0})
    with pytest.raises(ModelError, match="damping and viscous friction"):
        add(friction={"viscous": 1.0}, damping=2.0)
    with pytest.raises(ShapeError, match="must have 1 entries, got 2"):
        add(friction={"offset": [1.0, 2.0]})
