"""Motions that tell most about the parameters, within all limits.

With Y_b the columns of the base parameters at the samples t, σ the errors of the forces::

    H = Σ_t Y_bᵀ σ⁻² Y_b             maximise log det H
    d log det H = 2 Σ_t G : dY_b     G = σ⁻² Y_b H⁻¹

The determinant does not depend on units, nor on which base parameters are chosen.  The motion is a
Fourier series, linear in its coefficients; the partials of Y by q, v and a, and those of the
forces, are exact.  Limits count as squares of what exceeds them, ever more, until `check_limits`
finds nothing.

What others make small instead is the condition number of the regressor; with W its rows, columns
of length one, ``W = U diag(s) Vᵀ`` and u, v the outer columns::

    log cond = log s_1 − log s_n          G = u_1 v_1ᵀ / s_1 − u_n v_nᵀ / s_n
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import minimize

from jounce.algebra.jet import Jet
from jounce.dynamics.friction import friction_slope
from jounce.errors import ArgumentError, InfeasibleError, UnsupportedError, check_name
from jounce.identification.terms import COULOMB_SPEED, FRICTION, Terms, terms_of
from jounce.identification.triangle import triangle
from jounce.kernels.kernel import kernel
from jounce.lazy import cached_property
from jounce.limits.check import LimitReport, check_limits, scale_of, values_of
from jounce.limits.limits import MotionLimits, Quantity, checked_limits
from jounce.model.checks import as_floats, checked_integer
from jounce.model.components import velocity_names
from jounce.model.parameters import friction_kinds
from jounce.model.records import Friction
from jounce.model.robot import Robot
from jounce.trajectory.fourier import Fourier

PRICES = (1e2, 1e3, 1e4)  # of the squared excess over a limit, in parts of it, round by round
STEPS = 200  # of the descent, a round
MARGIN = 0.005  # of the limits, that samples keep: between them a little more is used
ROUNDS = 3  # in which margins grow by what `check_limits` finds
SAMPLES_A_WAVE = 20  # of the highest harmonic
TRIES = 20  # random series a start begins from: the best of them
DEPENDENT = 1e-12  # of the largest: columns below are sums of the others
DURATIONS = (1e-3, 1e6)  # s, shortest and longest
MOST_HARMONICS, MOST_STARTS = 50, 1000
SHRINKINGS = 40  # at most, until a series keeps the limits
Array = np.ndarray
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Excitation:
    """A motion for identification, and what its log will tell.

    ``information`` is H of the base parameters ``names``, for ``rate`` samples a second and
    forces with standard deviation ``noise``; ``uncertainty`` what they will be known to.
    ``condition`` is that of the weighted regressor with columns of length one.
    """

    motion: Fourier
    duration: float
    names: tuple[str, ...]
    information: Array
    limits: LimitReport
    starts: tuple[float, ...]  # log det of every start, or −log of its condition number

    def __str__(self) -> str:
        return (
            f"excitation of {self.duration:g} s for {len(self.names)} base parameters, "
            f"condition {self.condition:.3g}\n{self.motion}\n{self.limits}"
        )

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant of the information: what was made largest."""
        return float(np.linalg.slogdet(self.information)[1])

    @property
    def condition(self) -> float:
        """Condition number of the regressor, its columns of length one."""
        lengths = np.sqrt(np.diag(self.information))
        return float(np.sqrt(np.linalg.cond(self.information / np.outer(lengths, lengths))))

    @property
    def uncertainty(self) -> Array:
        """Expected standard deviation of every base parameter."""
        return np.sqrt(np.diag(np.linalg.inv(self.information)))


def excitation(
    robot: Robot,
    limits: MotionLimits | None = None,
    *,
    duration: float = 10.0,
    harmonics: int = 5,
    base_frequency: float | None = None,
    friction: Sequence[str] | bool = FRICTION,
    armature: bool = False,
    coulomb_speed: float = COULOMB_SPEED,
    noise: Any = None,
    rate: float = 1000.0,
    at_rest: bool = True,
    criterion: str = "information",
    starts: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Excitation:
    """Return a Fourier motion whose log tells most about the base parameters.

    It keeps within ``limits``, the robot's own unless given, torque rates included, as
    `check_limits` finds.  It repeats with ``base_frequency`` in Hz, once in ``duration`` unless
    given; ``at_rest`` lets it begin and end with neither velocity nor acceleration.  ``noise`` is
    the standard deviation of the forces, one number or nv: 1 % of the limits of effort unless
    given.  The best of so many ``starts`` is returned; ``progress(done, total)`` is told.
    ``criterion="condition"`` makes the condition number small instead, as is often done: that tells
    less (see `docs/identification.md`), and is here to compare.

    >>> import jounce
    >>> arm = jounce.load("planar2r")
    >>> limits = jounce.trajectory.MotionLimits.of(arm, velocity=2.0, acceleration=10.0)
    >>> found = jounce.identification.excitation(arm, limits, duration=5.0, harmonics=3, starts=1)
    >>> found.limits.ok, found.motion.duration
    (True, 5.0)
    """
    limits = checked_limits(robot, limits)
    terms = terms_of(robot, friction_kinds(friction), armature, coulomb_speed)
    _check(robot, limits, duration, harmonics, starts)
    check_name("criterion", criterion, CRITERIA)
    search = _Search(terms, limits, duration, harmonics, base_frequency or 1.0 / duration, at_rest)
    search.weights, search.criterion = 1.0 / _noise(limits, noise), CRITERIA[criterion]
    rng = np.random.default_rng(seed)
    found: list[tuple[float, Fourier, LimitReport]] = []
    total = starts * len(PRICES)
    for start in range(starts):
        search.margins = dict.fromkeys(search.margins, MARGIN)
        x = search.random_start(rng)
        for k, price in enumerate(PRICES):
            x = search.improved(x, price)
            if progress is not None:
                progress(start * len(PRICES) + k + 1, total)
        motion, report = search.within_limits(x)
        found.append((search.score(motion), motion, report))
    value, motion, report = max(found, key=lambda one: one[0])
    if not np.isfinite(value):
        raise ArgumentError(
            f"{search.count} base parameters cannot be told apart within these limits; give more "
            "harmonics or a longer duration."
        )
    W = search.samples(motion)
    H = W.T @ W * (rate * duration / len(search.times))
    return Excitation(motion, duration, terms.base[0], H, report, tuple(one[0] for one in found))


class _Search:
    """Fourier series as vectors x: reduced a and b of all joints, then the centre q0."""

    def __init__(
        self,
        terms: Terms,
        limits: MotionLimits,
        duration: float,
        harmonics: int,
        frequency: float,
        at_rest: bool,
    ) -> None:
        self.terms, self.limits, self.robot = terms, limits, terms.robot
        self.weights, self.criterion = np.ones(terms.robot.nv), _lost_information
        self.omega, self.harmonics = 2.0 * np.pi * frequency, harmonics
        waves = harmonics * max(duration * frequency, 1.0)
        samples = max(int(SAMPLES_A_WAVE * waves), -(-2 * self.count // self.robot.nv))
        self.times = np.linspace(0.0, duration, samples, endpoint=False)
        k = np.arange(1, harmonics + 1)[None, :]
        whole = np.eye(harmonics)
        self.of_a = null_space(np.ones_like(k)) if at_rest else whole  # Σ a_k = 0
        self.of_b = null_space(k) if at_rest else whole  # Σ k b_k = 0
        self.limited = limits.limited()
        self.margins = dict.fromkeys((q.name for q in self.limited), MARGIN)
        self.orders = 1 + max(2, limits.order)
        self.force_orders = max([0, *(q.order + 1 for q in self.limited if q.is_force)])

    @property
    def count(self) -> int:
        return len(self.terms.base[0])

    @cached_property
    def speeds(self) -> Array:
        """What velocities are measured by: their limits, or what accelerations allow."""
        fast = self.limits.acceleration / (self.omega * self.harmonics)
        return np.minimum(np.minimum(self.limits.velocity, fast), 1e3)

    @cached_property
    def basis(self) -> Array:
        """The derivatives of the motion by a and b, ``(orders, m, columns)``."""
        cuts = [(self.of_a, 1.0, 0.0), (self.of_b, 0.0, 1.0)]
        parts = []
        for cut, a, b in cuts:
            one = Fourier(a * cut, b * cut, self.omega, np.zeros(cut.shape[1]))
            parts.append(one(self.times, order=self.orders - 1))
        return np.concatenate(parts, axis=-1)

    def ranges(self) -> Iterator[tuple[Quantity, Array, Array, Array]]:
        """Yield every limited quantity with its range, less a margin, and its half width."""
        for quantity in self.limited:
            low, high = self.limits.range_of(quantity)
            half = scale_of(low, high)
            space = self.margins[quantity.name] * half
            yield quantity, low + space, high - space, half

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the coefficients ``(columns, n)`` in rad/s or m/s, and the centre ``(n,)``."""
        rows = x.reshape(-1, self.robot.nv)
        return rows[:-1] * self.speeds, rows[-1]

    def motion_of(self, x: Array) -> list[Array]:
        """Return q and its derivatives at the samples."""
        coefficients, centre = self.split(x)
        motion = list(self.basis @ coefficients)
        motion[0] = motion[0] + centre
        return motion

    def fourier(self, x: Array, scale: float = 1.0) -> Fourier:
        """Return the series of x, its swing times ``scale``."""
        coefficients, centre = self.split(x)
        a = self.of_a @ coefficients[: self.of_a.shape[1]]
        b = self.of_b @ coefficients[self.of_a.shape[1] :]
        return Fourier(scale * a, scale * b, self.omega, centre)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """Return the weighted columns of the base parameters, ``(m, nv, count)``."""
        Y = kernel(self.robot, "regressor")(q, v, a)[0]
        eye = np.eye(self.robot.nv)
        motors = [x[..., None] * eye for x in self.terms.motor_signals(v, a).values()]
        full = np.concatenate([Y, *motors], axis=-1)
        return full[..., self.columns] * self.weights[:, None]

    @cached_property
    def columns(self) -> list[int]:
        return [self.terms.names.index(name) for name in self.terms.base[0]]

    def samples(self, motion: Fourier) -> Array:
        """Return the rows of all samples of a motion, ``H = Wᵀ W``."""
        return self.rows(*motion(self.times, order=2)).reshape(-1, self.count)

    def score(self, motion: Fourier) -> float:
        """Return what is made largest, −∞ where a combination of parameters is not seen."""
        return -self.criterion(self.samples(motion))[0]

    def cost(self, x: Array, price: float) -> tuple[float, Array]:
        """Return −log det H and the price of exceeded limits, with the gradient by x."""
        motion = self.motion_of(x)
        gradients = [np.zeros_like(motion[0]) for _ in motion]
        value = self._information_cost(motion, gradients)
        value += self._limit_cost(motion, gradients, price)
        by_coefficients = sum(B.T @ g for B, g in zip(self.basis, gradients, strict=True))
        by_centre = gradients[0].sum(axis=0)
        return value, np.vstack([by_coefficients * self.speeds, by_centre]).ravel()

    def _information_cost(self, motion: list[Array], gradients: list[Array]) -> float:
        q, v, a = motion[:3]
        nv, matter = self.robot.nv, self.robot.n_parameters
        W = self.rows(q, v, a)
        value, G = self.criterion(W.reshape(-1, self.count))
        if not np.isfinite(value):
            return np.inf
        full = np.zeros((len(q), nv, len(self.terms.names)))
        full[..., self.columns] = G.reshape(W.shape) * self.weights[:, None]
        part = kernel(self.robot, "regressor_gradient")(
            q, v, a, np.ascontiguousarray(full[..., :matter]).reshape(len(q), -1)
        )[0]
        for k in range(3):
            gradients[k] += part[:, k * nv : (k + 1) * nv]
        joint = np.arange(nv)
        for kind in self.terms.motors:
            own = full[:, joint, matter + nv * self.terms.motors.index(kind) + joint]
            if kind == "viscous":
                gradients[1] += own
            elif kind == "coulomb":
                unit = Friction(1.0, 0.0, self.terms.coulomb_speed)
                gradients[1] += own * friction_slope(unit, Jet((v,))).coeffs[0]
            elif kind == "armature":
                gradients[2] += own
        return value

    def _limit_cost(self, motion: list[Array], gradients: list[Array], price: float) -> float:
        """Add ``price · mean (excess / half width)²`` of every limited quantity."""
        forces, partials = self._forces(motion)
        total = 0.0
        for quantity, low, high, half in self.ranges():
            x = values_of(self.robot, [quantity], motion, forces)[0]
            excess = (np.maximum(x - high, 0.0) + np.minimum(x - low, 0.0)) / half
            total += price * float(np.sum(excess * excess)) / len(x)
            slope = 2.0 * price * excess / half / len(x)
            if not quantity.is_force:
                gradients[quantity.order] += slope
                continue
            for j, partial in enumerate(partials[quantity.order]):
                gradients[j] += np.einsum("mi,mij->mj", slope, partial)
        return total

    def _forces(self, motion: list[Array]) -> tuple[Any, Any]:
        """Return forces with their rates, and ``[k][j]``, their partials by q⁽ʲ⁾."""
        if not self.force_orders:
            return (), ()
        order, state = self.force_orders - 1, motion[: self.force_orders + 2]
        forces = kernel(self.robot, "inverse_dynamics", order=order)(*state)
        flat = kernel(self.robot, "inverse_dynamics_partials", order=order)(*state)
        return forces, flat.reshape(order + 1, order + 3, *flat.shape[1:])

    def random_start(self, rng: np.random.Generator) -> Array:
        """Return the best of a few random series, shrunk so far that samples keep the limits."""
        low = np.where(np.isfinite(self.limits.lower), self.limits.lower, -1.0)
        high = np.where(np.isfinite(self.limits.upper), self.limits.upper, 1.0)
        best, least = None, np.inf
        for _ in range(TRIES):
            centre = low + (high - low) * rng.uniform(0.3, 0.7, self.robot.nv)
            swing = rng.normal(size=(self.basis.shape[-1], self.robot.nv)) / self.harmonics
            x = np.concatenate([swing.ravel(), centre])
            for _ in range(SHRINKINGS):
                if self._limit_cost(self.motion_of(x), self._unused(), 1.0) == 0.0:
                    break
                x[: swing.size] *= 0.85
            value, _ = self.cost(x, 1.0)
            if best is None or value < least:
                best, least = x, value
        assert best is not None
        return best

    def _unused(self) -> list[Array]:
        return [np.zeros((len(self.times), self.robot.nv)) for _ in range(self.orders)]

    def improved(self, x: Array, price: float) -> Array:
        """Return x after some steps of descent."""
        found: Any = minimize(
            self.cost, x, args=(price,), jac=True, method="L-BFGS-B",
            options={"maxiter": STEPS, "maxcor": 30},
        )  # fmt: skip
        return found.x if np.isfinite(found.fun) else x

    def within_limits(self, x: Array) -> tuple[Fourier, LimitReport]:
        """Return the best motion that keeps the limits, also between the samples.

        It is shrunk about its centre until `check_limits` finds nothing.  Then what was found
        widens the margin of the samples, and the descent goes on, as long as that is better.
        """
        best, value = self._shrunk(x), -np.inf
        for _ in range(ROUNDS):
            found = self.score(best[0]) if best[1].ok else -np.inf
            if found <= value and best[1].ok:
                break
            value = found
            report = check_limits(self.robot, self.fourier(x), self.limits)
            if report.ok:
                break
            for row in report.violations:
                self.margins[row.quantity] += min(row.use - 1.0, 0.1)
            x = self.improved(x, PRICES[-1])
            other = self._shrunk(x)
            if other[1].ok and (not best[1].ok or self.score(other[0]) > value):
                best = other
        motion, report = best
        if not report.ok:
            worst = report.violations[0]
            raise InfeasibleError(
                f"no motion was found that keeps {worst.quantity} of {worst.joint}: "
                f"{worst.use:.2f} of it are used; widen the limits, or check that the robot can "
                "hold itself."
            )
        return motion, report

    def _shrunk(self, x: Array) -> tuple[Fourier, LimitReport]:
        """Return the motion with the largest swing that keeps the limits, of a few."""
        motion = self.fourier(x)
        report = check_limits(self.robot, motion, self.limits)
        for less in np.geomspace(1e-3, 0.5, SHRINKINGS // 2):
            if report.ok:
                break
            motion = self.fourier(x, 1.0 - float(less))
            report = check_limits(self.robot, motion, self.limits)
        return motion, report


def _lost_information(W: Array) -> tuple[float, Array]:
    """Return −log det WᵀW and its gradient by W; ∞ where columns depend on each other."""
    R = triangle(W)
    diagonal = np.abs(np.diag(R))
    if diagonal.min() <= DEPENDENT * diagonal.max():
        return np.inf, W
    inverse = np.linalg.inv(R)
    return float(-2.0 * np.log(diagonal).sum()), -2.0 * W @ (inverse @ inverse.T)


def _condition(W: Array) -> tuple[float, Array]:
    """Return the logarithm of the condition number, columns of length one, and its gradient."""
    lengths = np.linalg.norm(W, axis=0)
    if lengths.min() <= DEPENDENT * lengths.max():
        return np.inf, W
    unit = W / lengths
    _, s, Vt = np.linalg.svd(triangle(unit))
    if s[-1] <= DEPENDENT * s[0]:
        return np.inf, W
    outer = Vt[[0, -1]] / s[[0, -1], None]  # v / s, so that u = W v / s
    G = unit @ (outer[:1].T @ outer[:1] - outer[1:].T @ outer[1:])
    return float(np.log(s[0] / s[-1])), (G - unit * np.sum(G * unit, axis=0)) / lengths


CRITERIA = {"information": _lost_information, "condition": _condition}


def _check(
    robot: Robot, limits: MotionLimits, duration: float, harmonics: int, starts: int
) -> None:
    if not robot.is_flat:
        raise UnsupportedError(
            f"excitation swings joints with one number each; {robot.name!r} has a quaternion. "
            "Lock that joint, or give the motion of an arm alone."
        )
    shortest, longest = DURATIONS
    if not shortest <= duration <= longest:
        raise ArgumentError(f"duration must be {shortest:g} … {longest:g} s, got {duration!r}.")
    checked_integer("harmonics", harmonics, 2, MOST_HARMONICS)
    checked_integer("starts", starts, 1, MOST_STARTS)
    free = ~np.isfinite(limits.velocity) & ~np.isfinite(limits.acceleration)
    for i in np.flatnonzero(free):
        raise ArgumentError(
            f"nothing limits the speed of {velocity_names(robot)[i]!r}: the best motion would be "
            "infinitely fast; give limits with velocity or acceleration."
        )


def _noise(limits: MotionLimits, noise: Any) -> Array:
    if noise is None:
        known = np.isfinite(limits.effort) & (limits.effort > 0.0)
        return np.where(known, 0.01 * limits.effort, 1.0)
    values = np.broadcast_to(as_floats("noise", noise), limits.effort.shape)
    if not np.all(values > 0.0):
        raise ArgumentError(f"noise must be positive, got {noise!r}.")
    return values
