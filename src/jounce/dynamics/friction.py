"""Dry friction and offsets of joints, smooth enough for every order.

    F(v) = c v / √(v² + s²) + o          dF/dv = c s² / (v² + s²)^(3/2)

c is Coulomb's friction, reached to 0.7 at the speed s, o an offset that no motion changes.  What
grows with the speed, d v, is the damping of the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.algebra.jet import Jet, derivatives
from jounce.model.records import Friction


def friction_force(friction: Friction, v: Jet) -> Any:
    """Return F of a velocity, as a jet of its order."""
    if not friction.coulomb:
        return friction.offset
    return v * _inverse_root(friction, v) * friction.coulomb + friction.offset


def friction_slope(friction: Friction, v: Jet) -> Any:
    """Return dF/dv of a velocity, as a jet of its order."""
    if not friction.coulomb:
        return 0.0
    y = _inverse_root(friction, v)
    return y * y * y * (friction.coulomb * friction.speed * friction.speed)


def motor_signal(kind: str, rates: Sequence[Any], speed: Any) -> Sequence[Any]:
    """Return what a parameter of a motor is multiplied by, with derivatives: v, F/c, 1 or a.

    ``rates`` are v, a, ...; the result is one shorter.
    """
    if kind in ("viscous", "armature"):
        return rates[:-1] if kind == "viscous" else rates[1:]
    unit = Friction(float(kind == "coulomb"), float(kind == "offset"), speed)
    force = friction_force(unit, Jet.from_derivatives(rates[:-1]))
    return derivatives(force, len(rates) - 2)


def _inverse_root(friction: Friction, v: Jet) -> Jet:
    return (v * v + friction.speed * friction.speed).sqrt().reciprocal()
