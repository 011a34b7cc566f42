"""What the functions of kinematics and dynamics take, refuse and return."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import jounce
from jounce.errors import (
    ArgumentError,
    NotFiniteError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
)
from tests.tolerances import EXACT, ROUNDOFF, assert_close, assert_orders_close

pytestmark = pytest.mark.usefixtures("interpreted")


class Function(NamedTuple):
    """A public function: rates beyond the order, sizes of one result, what it takes."""

    extra_rates: int
    sizes: tuple[int | str, ...]
    frame: bool = False
    representation: bool = False
    wrenches: bool = False

    def tail(self, robot: jounce.Robot) -> tuple[int, ...]:
        return tuple(n if isinstance(n, int) else getattr(robot, n) for n in self.sizes)


FUNCTIONS = {
    "poses": Function(0, ("n_bodies", 4, 4)),
    "frame_pose": Function(0, (4, 4), frame=True),
    "twists": Function(1, ("n_bodies", 6), representation=True),
    "frame_twist": Function(1, (6,), frame=True, representation=True),
    "jacobian": Function(0, (6, "nv"), frame=True, representation=True),
    "body_jacobians": Function(0, ("n_bodies", 6, "nv"), representation=True),
    "joint_screws": Function(0, ("nv", 6), representation=True),
    "center_of_mass": Function(0, (3,)),
    "com_jacobian": Function(0, (3, "nv")),
    "inverse_dynamics": Function(2, ("nv",), wrenches=True),
    "gravity_forces": Function(0, ("nv",)),
    "joint_wrenches": Function(2, ("n_bodies", 6), representation=True, wrenches=True),
    "momentum": Function(1, (6,)),
    "centroidal_momentum": Function(1, (6,)),
    "kinetic_energy": Function(1, ()),
    "potential_energy": Function(1, ()),
}
NEEDS_MASS = ("center_of_mass", "com_jacobian", "centroidal_momentum")
RATES = ("v", "a", "j", "s")

every_function = pytest.mark.parametrize("name", FUNCTIONS)
with_frame, with_representation, with_wrenches = (
    pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if getattr(f, field)])
    for field in ("frame", "representation", "wrenches")
)


def _robot() -> jounce.Robot:
    """Return a small robot with quaternions, and a tool."""
    rng = np.random.default_rng(4)
    kinds = ("revolute", "spherical", "cylindrical")
    robot = jounce.examples.random_tree(rng, 3, kinds, branching=0.0)
    return robot.with_frame("tool", robot.bodies[-1].name, jounce.examples.random_placement(rng))


ROBOT = _robot()


def motion(name: str, order: int = 1, batch: tuple[int, ...] = (), robot: Any = ROBOT) -> list[Any]:
    rng = np.random.default_rng(7)
    rows = [robot.random_configuration(rng) for _ in range(int(np.prod(batch, dtype=int)))]
    q = np.array(rows).reshape(*batch, robot.nq)
    count = order + FUNCTIONS[name].extra_rates
    return [q, *rng.normal(size=(count, *batch, robot.nv))]


def call(name: str, *arrays: Any, robot: Any = ROBOT, frame: Any = "tool", **options: Any) -> Any:
    frames = (frame,) if FUNCTIONS[name].frame else ()
    return getattr(jounce, name)(robot, *frames, *arrays, **options)


@every_function
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 0), (0,), (2, 3)])
def test_shapes(name: str, batch: tuple[int, ...]) -> None:
    result = call(name, *motion(name, 1, batch))
    assert result.shape == (2, *batch, *FUNCTIONS[name].tail(ROBOT))
    assert result.dtype == np.float64
    assert result.flags.c_contiguous


@every_function
def test_every_sample_of_a_batch_is_itself(name: str) -> None:
    arrays = motion(name, 2, (2, 3))
    whole = call(name, *arrays)
    for index in np.ndindex(2, 3):
        single = call(name, *(x[index] for x in arrays))
        assert_orders_close(whole[:, *index], single, ROUNDOFF, scale=1.0)


@every_function
def test_batch_axes_broadcast(name: str) -> None:
    q, *rates = motion(name, 2, (4, 1))
    rates = [r[0, 0] if k == 1 else r.reshape(1, 4, ROBOT.nv) for k, r in enumerate(rates)]
    whole = call(name, q, *rates)
    assert whole.shape == (3, 4, 4, *FUNCTIONS[name].tail(ROBOT))
    full = [np.broadcast_to(x, (4, 4, x.shape[-1])) for x in (q, *rates)]
    assert_close(whole, call(name, *full), EXACT)


@every_function
def test_lists_integers_and_single_precision(name: str) -> None:
    arrays = motion(name)
    assert_close(call(name, *(x.tolist() for x in arrays)), call(name, *arrays), EXACT)
    q = ROBOT.neutral
    rates = [np.arange(ROBOT.nv)] * (len(arrays) - 1)
    wanted = call(name, q, *(r.astype(float) for r in rates))
    assert_close(call(name, q.astype(int), *rates), wanted, EXACT)
    assert_close(call(name, q.astype(np.float32), *rates), wanted, EXACT)


@every_function
def test_arguments_are_not_modified(name: str) -> None:
    arrays = motion(name, 1, (3,))
    copies = [x.copy() for x in arrays]
    for x in arrays:
        x.flags.writeable = False
    call(name, *arrays)[...] = 0.0
    for x, copy in zip(arrays, copies, strict=True):
        assert np.array_equal(x, copy)


@every_function
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(name: str, bad: float) -> None:
    arrays = motion(name, 1, (3,))
    for place, argument in enumerate(("q", *RATES)[: len(arrays)]):
        spoiled = [x.copy() for x in arrays]
        spoiled[place][2, 1] = bad
        with pytest.raises(NotFiniteError, match=rf"^{argument}\[2, 1\] is "):
            call(name, *spoiled)


@every_function
def test_wrong_shapes(name: str) -> None:
    arrays = motion(name)
    for place, argument in enumerate(("q", *RATES)[: len(arrays)]):
        for wrong in (arrays[place][:-1], np.zeros(99), 1.0, np.zeros((99, 0)), "q", [[1], [1, 2]]):
            given = [*arrays[:place], wrong, *arrays[place + 1 :]]
            with pytest.raises(ShapeError, match=rf"^{argument} must "):
                call(name, *given)


@every_function
def test_batches_that_do_not_fit(name: str) -> None:
    q, *rates = motion(name, 2, (3,))
    with pytest.raises(ShapeError, match="do not broadcast"):
        call(name, q, *rates[:-1], rates[-1][:2])


@every_function
def test_too_few_rates(name: str) -> None:
    arrays = motion(name, 0)
    assert call(name, *arrays).shape[0] == 1
    for count in range(1, 1 if name == "potential_energy" else len(arrays)):
        with pytest.raises((ShapeError, TypeError), match=r"rate|positional"):
            call(name, *arrays[:count])


@every_function
def test_quaternions_have_unit_length_or_are_refused(name: str) -> None:
    q, *rates = motion(name)
    place = next(joint.q_slice for joint in ROBOT.joints if joint.kind == "spherical")
    near, far = q.copy(), q.copy()
    near[place] *= 1.0 + 5e-7
    assert_orders_close(call(name, near, *rates), call(name, q, *rates), ROUNDOFF, scale=1.0)
    far[place] *= 1.0 + 1e-5
    with pytest.raises(ArgumentError, match="must have unit norm"):
        call(name, far, *rates)


@every_function
@pytest.mark.parametrize("not_a_robot", ["panda", None, []])
def test_the_first_argument_is_a_robot(name: str, not_a_robot: Any) -> None:
    with pytest.raises(TypeError, match=r"robot must be a jounce\.Robot, got") as caught:
        call(name, *motion(name), robot=not_a_robot)
    assert caught.value.__context__ is None  # one traceback, not two


@with_frame
@pytest.mark.parametrize("frame", ["tol", "", None, 7])
def test_unknown_frames(name: str, frame: Any) -> None:
    with pytest.raises(UnknownNameError, match="link_0, link_1, link_2, tool") as caught:
        call(name, *motion(name), frame=frame)
    assert ("did you mean 'tool'" in str(caught.value)) == (frame == "tol")
    assert isinstance(caught.value, KeyError)


@with_representation
@pytest.mark.parametrize("wrong", ["world", "LOCAL", "", None])
def test_unknown_representations(name: str, wrong: Any) -> None:
    with pytest.raises(UnknownNameError, match="body, hybrid, spatial"):
        call(name, *motion(name), representation=wrong)


def test_unknown_formulations() -> None:
    with pytest.raises(UnknownNameError, match=r"body, .*hybrid, momentum, spatial"):
        call("inverse_dynamics", *motion("inverse_dynamics"), formulation="newton")


@with_wrenches
@pytest.mark.parametrize("given", [[np.zeros((1, 6))], np.zeros((1, 6)), "tool"])
def test_wrenches_must_have_names(name: str, given: Any) -> None:
    with pytest.raises(jounce.ArgumentError, match="must map names of frames to wrenches"):
        call(name, *motion(name), wrenches=given)


@with_wrenches
def test_wrenches_on_unknown_bodies(name: str) -> None:
    with pytest.raises(UnknownNameError, match="link_0, link_1, link_2, tool"):
        call(name, *motion(name), wrenches={"hand": np.zeros((1, 6))})
    with pytest.raises(UnknownNameError, match="body, hybrid, spatial"):
        jounce.Wrench(np.zeros((1, 6)), "world")


@with_wrenches
@pytest.mark.parametrize("shape", [(), (6,), (1, 5), (1, 7), (0, 6), (2, 3, 3)])
def test_wrenches_of_wrong_shape(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"wrench on tool must have shape \(m, \*batch, 6\)"):
        call(name, *motion(name), wrenches={"tool": np.zeros(shape)})


@with_wrenches
@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid"])
def test_wrenches_must_be_finite(name: str, representation: str) -> None:
    W = np.zeros((2, 6))
    W[1, 4] = np.nan
    with pytest.raises(NotFiniteError, match=r"wrench on tool\[1, 4\] is nan"):
        call(name, *motion(name), wrenches={"tool": jounce.Wrench(W, representation)})


@with_wrenches
def test_wrenches_broadcast(name: str) -> None:
    arrays = motion(name, 2, (4,))
    W = np.random.default_rng(0).normal(size=(3, 5, 1, 6))
    whole = call(name, *arrays, wrenches={"tool": W})
    assert whole.shape == (3, 5, 4, *FUNCTIONS[name].tail(ROBOT))
    wanted = [call(name, *arrays, wrenches={"tool": W[:, k]}) for k in range(5)]
    assert_orders_close(whole, np.stack(wanted, axis=1), ROUNDOFF)
    single = [x[0] for x in arrays]
    assert call(name, *single, wrenches={"tool": np.zeros((1, 0, 6))}).shape[1] == 0


@with_wrenches
def test_missing_derivatives_are_zero_and_surplus_ones_ignored(name: str) -> None:
    arrays, W = motion(name, 2), np.random.default_rng(1).normal(size=(5, 6))
    short = call(name, *arrays, wrenches={"tool": W[:1]})
    padded = np.concatenate([W[:1], np.zeros((2, 6))])
    assert_close(short, call(name, *arrays, wrenches={"tool": padded}), EXACT)
    full = call(name, *arrays, wrenches={"tool": W})
    assert_close(full, call(name, *arrays, wrenches={"tool": W[:3].tolist()}), EXACT)
    assert_close(call(name, *arrays, wrenches={}), call(name, *arrays), EXACT)


def test_the_sign_of_a_wrench() -> None:
    """``Q = … − Jᵀ W``: what pushes the robot along takes load off the motors."""
    q, *rates = motion("inverse_dynamics", 0)
    W = np.random.default_rng(2).normal(size=6)
    loaded = call("inverse_dynamics", q, *rates, wrenches={"tool": W[None]})
    taken = call("inverse_dynamics", q, *rates) - loaded
    assert_close(taken[0], call("jacobian", q)[0].T @ W, ROUNDOFF, scale=10.0)


@every_function
@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_robot_that_does_not_move(name: str, batch: tuple[int, ...]) -> None:
    b = jounce.RobotBuilder("table")
    b.add("tool", inertia=jounce.Inertia(2.0, (0, 0, 0.1), 0.1 * np.eye(3)))
    robot = b.build()
    result = call(name, *motion(name, 1, batch, robot), robot=robot)
    assert result.shape == (2, *batch, *FUNCTIONS[name].tail(robot))
    assert not result[1].any()


@every_function
def test_a_robot_of_nothing(name: str) -> None:
    robot = jounce.RobotBuilder("nothing").build()
    arrays = motion(name, robot=robot)
    if not FUNCTIONS[name].frame and name not in NEEDS_MASS:
        assert call(name, *arrays, robot=robot).shape == (2, *FUNCTIONS[name].tail(robot))
        return
    with pytest.raises((UnknownNameError, UnsupportedError), match=r"names: none|has no mass"):
        call(name, *arrays, robot=robot)


@every_function
def test_a_robot_without_mass(name: str) -> None:
    b = jounce.RobotBuilder("light")
    b.add("tool", joint=jounce.joints.revolute((0, 0, 1)))
    robot = b.build()
    arrays = motion(name, robot=robot)
    if name in NEEDS_MASS:
        with pytest.raises(UnsupportedError, match="'light' has no mass"):
            call(name, *arrays, robot=robot)
        return
    result = call(name, *arrays, robot=robot)
    assert result.shape == (2, *FUNCTIONS[name].tail(robot))
    if not FUNCTIONS[name].representation and name not in ("poses", "frame_pose"):
        assert not result.any()


@pytest.mark.parametrize("batch", [(), (3,)])
def test_potential_energy_needs_no_velocity(batch: tuple[int, ...]) -> None:
    q, v, a = motion("potential_energy", 1, batch)
    got = jounce.potential_energy(ROBOT, q)
    assert got.shape == (1, *batch)
    assert_close(got, jounce.potential_energy(ROBOT, q, v), EXACT)
    assert_close(got, jounce.potential_energy(ROBOT, q, v, a)[:1], ROUNDOFF)
    with pytest.raises(ShapeError, match="v must be an array"):
        jounce.potential_energy(ROBOT, q, None, a)
    with pytest.raises(TypeError, match=r"must be a jounce\.Robot"):
        jounce.potential_energy("panda", q)  # type: ignore[arg-type]


def test_what_is_remembered_of_calls_belongs_to_one_robot() -> None:
    """Robots that come and go may have the same address: each gets its own numbers."""
    q, v, a = motion("inverse_dynamics", 0)
    for strength in (1.0, 2.0, 3.0):
        for _ in range(2):
            robot = ROBOT.with_gravity((0.0, 0.0, -strength))
            weight = call("gravity_forces", q, robot=robot)
            moved = call("inverse_dynamics", q, v, a, robot=robot)
            kernel = jounce.kernel(robot, "inverse_dynamics")
            assert_close(moved, kernel(q, v, a), EXACT)
            assert_close(weight / strength, call("gravity_forces", q) / 9.80665, ROUNDOFF)
            del robot


def test_calls_that_differ_in_anything_have_kernels_of_their_own() -> None:
    q, v, a, j = motion("inverse_dynamics", 1)
    one, two = ({"tool": jounce.Wrench(np.ones((1, 6)), r)} for r in ("body", "spatial"))
    first = [call("inverse_dynamics", q, v, a), call("twists", q, v, representation="body")]
    for _ in range(2):
        assert_close(call("inverse_dynamics", q, v, a, j)[:1], first[0], ROUNDOFF)
        assert_close(call("inverse_dynamics", q, v, a, formulation="body"), first[0], ROUNDOFF)
        assert_close(call("inverse_dynamics", q, v, a, wrenches={}), first[0], EXACT)
        loaded = [call("inverse_dynamics", q, v, a, wrenches=w) for w in (one, two)]
        assert abs(loaded[0] - loaded[1]).max() > 0.1 < abs(loaded[0] - first[0]).max()
        assert abs(call("twists", q, v, representation="spatial") - first[1]).max() > 0.1


def test_only_so_many_calls_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jounce.api.call.KEPT_KERNELS", 2)
    memory: dict[Any, Any] = {}
    monkeypatch.setattr("jounce.api.call._called", memory)
    (q,) = motion("poses", 0)
    for name in ("poses", "center_of_mass", "poses", "gravity_forces"):
        assert_close(call(name, q), jounce.kernel(ROBOT, name)(q), EXACT)
        assert 1 <= len(memory) <= 2
