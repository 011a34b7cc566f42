"""What a Jacobian has lost: rank, condition number and direction, and the error that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jounce.errors import SingularityError


class Loss(NamedTuple):
    """Rank and condition number of a Jacobian, and the directions it is about to lose.

    ``directions`` are orthogonal unit vectors, the worst one last: over the rows, twists that cost
    the greatest joint rates; with fewer columns than rows, joint motions that do least.
    """

    rank: int
    condition: float
    directions: np.ndarray  # (at least one, rows or columns)
    is_joint_motion: bool


def loss_of(J: np.ndarray, limit: float, size: float = 0.0) -> Loss:
    """Return what one Jacobian (rows, columns) has lost; its rank is that above 1 / limit.

    ``size`` is a singular value that it ought to have, where it may be small as a whole.
    """
    U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
    most = max(size, sizes[0])
    rank = int(np.sum(sizes * limit > most)) if most > 0 else 0
    condition = float(most / sizes[-1]) if sizes[-1] > 0 else np.inf
    is_joint_motion = J.shape[0] > J.shape[1]
    vectors = Vt if is_joint_motion else U.T
    return Loss(rank, condition, vectors[min(rank, len(vectors) - 1) :].copy(), is_joint_motion)


def condition_numbers(J: np.ndarray) -> np.ndarray:
    """Return the condition numbers of Jacobians ``(*batch, rows, columns)``, up to infinity."""
    sizes = np.linalg.svd(J, compute_uv=False)
    least = sizes[..., -1]
    return np.where(least > 0, sizes[..., 0] / np.where(least > 0, least, 1.0), np.inf)


def singularity_error(
    J: np.ndarray, rows: Sequence[str], columns: Sequence[str], limit: float, where: str,
    index: tuple[int, ...] = (), *, size: float = 0.0, **advice: str,
) -> SingularityError:  # fmt: skip
    """Return the error for a Jacobian whose condition number is above the limit."""
    loss = loss_of(J, limit, size)
    names = columns if loss.is_joint_motion else rows
    lost = "joint motion without effect" if loss.is_joint_motion else "lost direction"
    lost = f"{lost} {', '.join(_spelled(d, names) for d in loss.directions)}"
    finding = (
        f"the Jacobian is singular: rank {loss.rank} of {min(J.shape)}, condition number "
        f"{loss.condition:.3g} above {limit:.3g}, {lost}"
    )
    return SingularityError(where, finding, loss, index, **advice)


def _spelled(direction: np.ndarray, names: Sequence[str]) -> str:
    parts = [f"{x:+.3g} {n}" for x, n in zip(direction, names, strict=True) if abs(x) > 5e-4]
    return f"({' '.join(parts)})"
