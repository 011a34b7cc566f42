"""Matter that may sit on either side of a joint: the regrouping of inertial parameters.

An inertia that the motion of a joint leaves unchanged, seen from the parent, moves like
matter of the parent: shifting it there changes no generalised force.  What remains are the
base parameters.  (Joint wrenches, momenta and the passive C do change.)
"""

from __future__ import annotations

from jounce.algebra.inertia import NO_INERTIA, SpatialInertia, Symmetric3
from jounce.algebra.vector import ZERO, Vec3


def invariant_part(motion: str, inertia: SpatialInertia) -> SpatialInertia:
    """Return the part of an inertia that a primitive motion about or along z leaves unchanged.

    revolute                mass on the axis and a rotor about it: m, m c_z, diag(t, t, 0)
    helical, cylindrical    diag(t, t, 0)
    prismatic               the whole rotational inertia
    spherical               the mass, at the centre
    """
    mass, h, I = inertia
    rotor = Symmetric3(I.yy, I.yy, 0.0, 0.0, 0.0, 0.0)
    match motion:
        case "revolute":
            return SpatialInertia(mass, Vec3(0.0, 0.0, h.z), rotor)
        case "helical" | "cylindrical":
            return SpatialInertia(0.0, ZERO, rotor)
        case "prismatic":
            return SpatialInertia(0.0, ZERO, I)
        case "spherical":
            return SpatialInertia(mass, ZERO, NO_INERTIA.rotational)
    return NO_INERTIA
