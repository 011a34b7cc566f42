"""The fastest swing of a Panda by IPOPT in CasADi: torques and torque rates within limits.

The motion is a B-spline; control points and duration are free. The same problem is solved with
the exact Jacobian of the dynamics and with CasADi's finite differences.
"""

import time

import casadi
import numpy as np
from scipy.interpolate import BSpline

import jounce

panda = jounce.load("panda")
start = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
goal = np.array([0.4, -0.1, -0.3, -1.8, 0.3, 1.9, 1.2])
RATE = np.full(7, 200.0)  # N m/s, weaker drives than its own
DEGREE, POINTS, SAMPLES = 5, 12, 24
knots = np.r_[[0.0] * DEGREE, np.linspace(0, 1, POINTS - DEGREE + 1), [1.0] * DEGREE]
basis = BSpline(knots, np.eye(POINTS), DEGREE)
u = np.linspace(0.0, 1.0, SAMPLES)
B = [casadi.DM(basis(u, nu=k)) for k in range(4)]
DIFFERENCES = {f"enable_{x}": x == "fd" for x in ("fd", "forward", "reverse", "jacobian")}
QUIET = {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory", "tol": 1e-5}


def within(problem, low, rows, high):
    """Bound a matrix, column by column."""
    low, high = (casadi.repmat(casadi.DM(x), 1, rows.shape[1]) for x in (low, high))
    problem.subject_to(problem.bounded(-1, casadi.vec((2 * rows - low - high) / (high - low)), 1))


def solve(options):
    dynamics = jounce.adapters.casadi.function(panda, "inverse_dynamics", order=1)
    symbols = [casadi.SX.sym(name, 7) for name in "qvaj"]
    f = casadi.Function("f", symbols, dynamics(*symbols), options).map(SAMPLES)
    problem = casadi.Opti()
    inner, T = problem.variable(7, POINTS - 6), problem.variable()
    first, last = (casadi.repmat(casadi.DM(x), 1, 3) for x in (start, goal))  # at rest: v = a = 0
    control = casadi.horzcat(first, inner, last)
    q, v, a, j = (control @ B[k].T / T**k for k in range(4))
    limits, (Q, Q1) = panda.limits, f(q, v, a, j)
    for low, rows, high in ((limits.lower, inner, limits.upper), (-RATE, Q1, RATE)):
        within(problem, low, rows, high)
    for rows, high in ((v, limits.velocity), (Q, limits.effort)):
        within(problem, -high, rows, high)
    problem.minimize(T)
    problem.set_initial(T, 2.0)
    problem.set_initial(inner, np.linspace(start, goal, POINTS - 4)[1:-1].T)
    problem.solver("ipopt", {"print_time": False, "no_nlp_grad": True}, QUIET)
    began = time.perf_counter()
    found = problem.solve()
    spent, rounds = time.perf_counter() - began, found.stats()["iter_count"]
    return f"{rounds} iterations, {spent:.2f} s: swing in {found.value(T):.4f} s"


print("exact Jacobian:", solve({}))
print("finite differences:", solve(DIFFERENCES))
