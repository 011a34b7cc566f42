"""A posture of the whole body of Talos by SciPy's SLSQP: feet fixed, a hand at its goal.

The centre of mass stays above the middle of the feet; of all such postures the one nearest to
standing is wanted. Gradients are exact and by increments, as the base turns. The model comes with
`pip install example-robot-data`.
"""

import time
from importlib.metadata import distribution

import numpy as np
from scipy.optimize import minimize

import jounce

share = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data")
talos = jounce.load(f"{share}/robots/talos_data/robots/talos_reduced.urdf", floating_base=True)
FEET, HAND = ("left_sole_link", "right_sole_link"), "gripper_right_fingertip_1_link"
standing = talos.neutral
stance = {foot: jounce.frame_pose(talos, foot, standing)[0] for foot in FEET}
middle = sum(T[:2, 3] for T in stance.values()) / 2
goal = jounce.frame_pose(talos, HAND, standing)[0, :3, 3] + [0.45, 0.15, 0.25]


def moved(foot, T):
    """Position and sines of the turn since standing; linear in T, so it takes partials too."""
    S = np.tensordot(stance[foot][:3, :3].T, T[:3, :3], 1)
    return np.stack([*T[:3, 3], S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])


def constraints(x):
    """Feet, centre of mass, hand: 17 numbers that vanish."""
    q = jounce.integrate(talos, standing, x)
    feet = [moved(f, jounce.frame_pose(talos, f, q)[0]) - moved(f, T) for f, T in stance.items()]
    com = jounce.center_of_mass(talos, q)[0, :2] - middle
    return np.r_[(*feet, com, jounce.frame_pose(talos, HAND, q)[0, :3, 3] - goal)]


def slopes(x):
    """Their partials by x, by way of the increments of q."""
    q = jounce.integrate(talos, standing, x)
    feet = [moved(foot, jounce.frame_pose_partials(talos, foot, q)[0]) for foot in FEET]
    com = jounce.com_jacobian(talos, q)[0, :2]
    by_q = np.vstack([*feet, com, jounce.frame_pose_partials(talos, HAND, q)[0, :3, 3]])
    return by_q @ jounce.integrate_partials(talos, standing, x)[1]


start = np.zeros(talos.nv)
assert slopes(start).shape == (*constraints(start).shape, talos.nv)  # compiled now
for name, given in {"exact gradients": {"jac": slopes}, "finite differences": {}}.items():
    began = time.perf_counter()
    conditions = {"type": "eq", "fun": constraints, **given}
    found = minimize(lambda x: x @ x, start, jac=lambda x: 2 * x, constraints=conditions)
    spent = time.perf_counter() - began
    print(f"{name}: {found.nit} iterations, {spent:.2f} s, cost {found.fun:.6f},", end=" ")
    print(f"largest violation {np.abs(constraints(found.x)).max():.1e}")
    assert found.success
