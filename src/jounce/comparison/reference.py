"""The referee: forces to 50 digits, by the momentum text and, on chains, by one of the papers.

The robot of the referee has the numbers of the robot given, taken as exact; only its rotation
matrices, orthogonal to 16 digits at best, are made orthogonal to 50: without that, two right
texts agree to 16 digits only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from jounce.algebra.se3 import Transform, components
from jounce.algebra.so3 import Rotation
from jounce.algebra.vector import Vec3
from jounce.comparison.contestants import m20_body_fixed
from jounce.dynamics.inverse import inverse_dynamics
from jounce.literature.chain import SerialChain, assembled, mass_matrix
from jounce.model.lowering.tree import Tree, lowered
from jounce.model.records import mapped as mapped_record
from jounce.model.robot import Robot

DIGITS = 50
_HAND_WRITTEN = 2  # order of the second opinion
_SECOND_OPINIONS = 2  # instants at which it is asked


class Reference(NamedTuple):
    """Forces along a motion to 50 digits, and how far the second opinion is from them."""

    forces: np.ndarray  # (order + 1, instants, nv), mpmath numbers
    scales: list[float]  # max-norm at every order
    disagreement: float | None  # of the papers' text, relative; None where it does not apply

    def error(self, order: int, got: np.ndarray) -> float:
        """Return the largest error of ``got`` at one order, relative to the max-norm there."""
        return _distance(got, self.forces[order], self.scales[order])


def reference(robot: Robot, motion: Sequence[np.ndarray], *, serial: bool) -> Reference:
    """Return the forces of ``q, *rates``, ``(instants, width)`` each; raises without mpmath.

    ``serial`` asks for the second opinion, [M20, appendix B] to order 2.
    """
    import mpmath

    with mpmath.workdps(DIGITS):
        tree = orthogonal(mapped(lowered(robot), mpmath.mpf))
        foldable = mapped(tree, lambda x: float(x) if x in (0, 1) else x)  # of no cost in a text
        instants = [
            [[mpmath.mpf(float(x)) for x in row] for row in s] for s in zip(*motion, strict=True)
        ]
        Q = [inverse_dynamics(robot, q, rates, tree=foldable) for q, *rates in instants]
        Q = np.moveaxis(np.array(Q, dtype=object), 0, 1)
        scales = [float(max(abs(x) for x in level.flat)) for level in Q]
        disagreement = None
        if serial and len(motion) >= _HAND_WRITTEN + 3:
            chain = chain_of(tree)
            disagreement = max(
                _disagreement(chain, sample, Q[:, i], scales)
                for i, sample in enumerate(instants[:_SECOND_OPINIONS])
            )
    return Reference(Q, scales, disagreement)


def mapped(tree: Tree, number: Callable[[Any], Any]) -> Tree:
    """Return the tree with all its numbers replaced, but for indices."""
    others = (int, str, type(None))
    return mapped_record(tree, lambda x: x if isinstance(x, others) else number(x))


def orthogonal(tree: Tree) -> Tree:
    """Return the tree with the nearest orthogonal matrices: Newton's ``R ← R (3 − Rᵀ R) / 2``."""
    links = []
    for link in tree.links:
        R = np.array([tuple(row) for row in link.placement.rotation.rows], dtype=object)
        for _ in range(3):  # the error is squared every time: 1e-16, 1e-32, 1e-64
            R = R @ (3 * np.eye(3, dtype=int) - R.T @ R) / 2
        x, y, z = (Vec3(*row) for row in R)
        links.append(link._replace(placement=Transform(Rotation((x, y, z)), link.placement.p)))
    return tree._replace(links=tuple(links))


def chain_of(tree: Tree) -> SerialChain:
    """Return the links of a tree without branches as the papers' chain, frame by frame."""
    B = [np.array(link.placement.matrix(), dtype=object) for link in tree.links]
    X = [np.array(components(link.step.screws[0]), dtype=object) for link in tree.links]
    inertias = (link.inertia for link in tree.links)
    M = [mass_matrix(m, *first, *rotational) for m, first, rotational in inertias]
    return assembled(X, B, M, tuple(tree.gravity))


def _disagreement(
    chain: SerialChain, sample: Sequence[Any], Q: np.ndarray, scales: list[float]
) -> float:
    """Return the largest relative distance between the two texts at one instant."""
    opinion = m20_body_fixed(chain, np.array(sample[:5], dtype=object))
    return max(
        _distance(other, own, scale) for other, own, scale in zip(opinion, Q, scales, strict=False)
    )


def _distance(got: Any, wanted: Any, scale: float) -> float:
    """Return the max-norm of a difference, relative unless the scale is zero."""
    worst = 0.0
    for a, b in zip(np.ravel(got), np.ravel(wanted), strict=True):
        difference = abs(float(a - b))
        if not difference <= worst:  # NaN wins, and stays
            worst = difference
    return worst / scale if scale else worst
