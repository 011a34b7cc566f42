"""Other planners and solvers on the same problems: toppra, and Clarabel on the convex one."""

from __future__ import annotations

import logging
from typing import NamedTuple

import numpy as np
from scipy import sparse

import jounce
from jounce.limits.forces import MotionForces
from jounce.planning.constraints import SECOND_ORDER, Constraints, constraints_at
from jounce.planning.curve import Curve, path_motion
from jounce.planning.interior_point import Points, Problem, Solution, shortest
from jounce.planning.limits_along import LimitsAlong
from jounce.planning.squared_speed import basis_at, clamped_knots
from jounce.trajectory import MotionLimits

GRID = 1000
DEGREE, GAUSS = 3, 3
LEAST, MOST = 1e-2, 1e4  # of the coefficients of b


def toppra_duration(robot: jounce.Robot, points: np.ndarray, limits: MotionLimits) -> float:
    """Return the duration that toppra finds at 1000 grid points of the same curve."""
    import toppra
    from toppra import algorithm, constraint

    logging.getLogger("toppra").setLevel(logging.ERROR)
    motion = path_motion(robot, points)

    class Path(toppra.interpolator.AbstractGeometricPath):
        dof, waypoints, path_interval = robot.nq, None, np.array([0.0, 1.0])

        def __call__(self, place, order=0):
            found = [*motion(np.atleast_1d(place), order=order)][order]
            return found if np.ndim(place) else found[0]

    def bounds(name: str) -> np.ndarray:
        return np.stack([-getattr(limits, name), getattr(limits, name)], axis=1)

    scheme = {"discretization_scheme": constraint.DiscretizationType.Interpolation}
    rows = [
        constraint.JointVelocityConstraint(bounds("velocity")),
        constraint.JointTorqueConstraint(
            lambda q, v, a: jounce.inverse_dynamics(robot, q, v, a)[0],
            bounds("effort"),
            np.zeros(robot.nv),
            **scheme,
        ),
    ]
    if np.isfinite(limits.acceleration).all():
        rows.append(constraint.JointAccelerationConstraint(bounds("acceleration"), **scheme))
    grid = np.linspace(0.0, 1.0, GRID + 1)
    planner = algorithm.TOPPRA(rows, Path(), gridpoints=grid, solver_wrapper="seidel")
    _, speed, _ = planner.compute_parameterization(0.0, 0.0)
    return float((2.0 * np.diff(grid) / (speed[1:] + speed[:-1])).sum())


class Convex(NamedTuple):
    """The problem without limits of rates, as the planner poses it: points and their rows."""

    points: Points
    rows: Constraints
    size: int

    @classmethod
    def of(
        cls, robot: jounce.Robot, points: np.ndarray, limits: MotionLimits, pieces: int, unit: float
    ) -> Convex:
        """Return the problem of a path through points, b counted in this unit."""
        curve = Curve(robot, path_motion(robot, points), 1, (True, True))
        x, weight = np.polynomial.legendre.leggauss(GAUSS)
        edges = np.linspace(0.0, 1.0, pieces + 1)
        u = (edges[:-1, None] + (1.0 + x) / (2.0 * pieces)).ravel()
        along, forces = LimitsAlong(robot, limits), MotionForces(robot)
        rows = constraints_at(curve, along, forces, u, unit, features=SECOND_ORDER)
        first, basis = basis_at(clamped_knots(pieces, DEGREE), DEGREE, u, SECOND_ORDER)
        weights = np.tile(weight / (2.0 * pieces), pieces)
        return cls(Points(first, basis, weights), rows, pieces + DEGREE)

    def duration(self, x: np.ndarray) -> float:
        """Return ∫ du / √b of a spline with these coefficients."""
        return float((self.points.weight / np.sqrt(self.points.features(x)[:, 0])).sum())

    def excess(self, x: np.ndarray) -> float:
        """Return by how much of a limit the worst row is broken."""
        return float(self.rows(self.points.features(x))[0].max())

    def own(self, tolerance: float) -> Solution:
        """Solve it as the planner does."""
        fixed = np.zeros(self.size, dtype=bool)
        problem = Problem(self.points, self.rows, LEAST, MOST, fixed)
        return shortest(problem, np.full(self.size, 0.5), tolerance)

    def clarabel(self, tolerance: float | None = None) -> np.ndarray:
        """Return the coefficients that Clarabel finds, of the same as a second-order cone program.

        Unknowns are x, w and z: w² ≤ b and w z ≥ 1 at every point, minimise Σ weight z.
        """
        import clarabel

        points, rows, size = self.points, self.rows, self.size
        m, n = points.weight.size, rows.o.shape[1]
        columns = points.first[:, None] + np.arange(points.basis.shape[2])
        place = np.repeat(np.arange(m), columns.shape[1]), columns.ravel()
        B, D = (sparse.csr_matrix((points.basis[:, k].ravel(), place), (m, size)) for k in (0, 1))
        linear = sparse.vstack(
            [sparse.diags(rows.L[:, r, 0]) @ B + sparse.diags(rows.L[:, r, 1]) @ D
             for r in range(n)]
        )  # fmt: skip
        none, one = sparse.csc_matrix((m, m)), sparse.identity(m)

        def cone(*parts: tuple) -> sparse.csr_matrix:
            """Return rows in the order of the points, three each."""
            stacked = sparse.vstack([sparse.hstack(part) for part in parts]).tocsr()
            return stacked[np.arange(3 * m).reshape(3, m).T.ravel()]

        # (b + 1, b − 1, 2 w) and (w + z, w − z, 2) lie in second-order cones
        first = cone((-B, none, none), (-B, none, none), (0 * B, -2.0 * one, none))
        second = cone((0 * B, -one, -one), (0 * B, -one, one), (0 * B, none, none))
        bounds = sparse.hstack([linear, sparse.csc_matrix((n * m, 2 * m))])
        least = sparse.hstack([-sparse.identity(size), sparse.csc_matrix((size, 2 * m))])
        A = sparse.vstack([bounds, least, first, second]).tocsc()
        right = np.concatenate(
            [-rows.o.T.ravel(), np.full(size, -LEAST), np.tile([1.0, -1.0, 0.0], m),
             np.tile([0.0, 0.0, 2.0], m)]
        )  # fmt: skip
        cost = np.concatenate([np.zeros(size + m), points.weight])
        cones = [clarabel.NonnegativeConeT(n * m + size)]
        cones += [clarabel.SecondOrderConeT(3)] * (2 * m)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        if tolerance is not None:
            settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        square = sparse.csc_matrix((cost.size, cost.size))
        solver = clarabel.DefaultSolver(square, cost, A, right, cones, settings)
        return np.array(solver.solve().x)[:size]
