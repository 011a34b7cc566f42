"""GOA13 (17)-(20) against differences at 60 digits; what the package lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mpmath as mp
import numpy as np

import jounce
from jounce.literature.chain import from_robot
from jounce.literature.goa13_adjoint_partials import adjoint_partials, factor_W
from tests import oracle_data as oracle
from tests.tolerances import INDEPENDENT, assert_close

STEP = mp.mpf(10) ** -20


def exact(values: np.ndarray) -> np.ndarray:
    return np.vectorize(mp.mpf, otypes=[object])(values)


def test_partials_are_differences(rng: np.random.Generator):
    """Ad⁻¹ is a product of poses, adj a text of its own: nothing of (18)-(20) is in them."""
    chain = from_robot(oracle.robot("chain5_open"))
    q, v = rng.normal(size=(2, chain.n))
    found = adjoint_partials(chain, np.array([q, v]))
    with mp.workdps(60):
        fields = ("screws_body", "screws_spatial", "B", "A", "inertias", "gravity")
        fine = replace(chain, **{name: exact(getattr(chain, name)) for name in fields})

        def at(dq: np.ndarray, dv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            values = adjoint_partials(fine, np.array([exact(q) + dq, exact(v) + dv]))
            return values.Ad_inverse, values.adj

        none = exact(np.zeros(chain.n))
        for h in range(chain.n):
            e = exact(np.eye(chain.n)[h]) * STEP
            for got, ends in (
                ((found.dAd_inverse_dq, found.dadj_dq), (at(e, none), at(-e, none))),
                ((None, found.dadj_dv), (at(none, e), at(none, -e))),
            ):
                for partial, ahead, behind in zip(got, *ends, strict=True):
                    if partial is not None:
                        wanted = ((ahead - behind) / (2 * STEP)).astype(float)
                        assert_close(partial[:, h], wanted, INDEPENDENT, scale=1.0)


def test_adj_is_that_of_the_twist(rng: np.random.Generator):
    """``adj X = [V, X]`` with the twist of another text, and W has entries 0, 1 and −1."""
    robot = oracle.robot("chain5_open")
    q, v = rng.normal(size=(2, robot.nv))
    found = adjoint_partials(from_robot(robot), np.array([q, v]))
    for V, adj in zip(jounce.twists(robot, q, v)[0], found.adj, strict=True):
        X = rng.normal(size=6)
        wanted = np.r_[np.cross(V[:3], X[:3]), np.cross(V[:3], X[3:]) + np.cross(V[3:], X[:3])]
        assert_close(adj @ X, wanted, INDEPENDENT)
    assert sorted(set(factor_W().ravel().tolist())) == [-1.0, 0.0, 1.0]


def test_the_package_lists_its_modules():
    import jounce.literature

    folder = Path(jounce.literature.__file__).parent
    assert dir(jounce.literature) == sorted(p.stem for p in folder.glob("*.py") if p.stem[0] != "_")
    for name in dir(jounce.literature):
        doc = getattr(jounce.literature, name).__doc__
        assert name in ("chain", "system_matrices") or "[" in doc.split("\n")[0], name
