"""Torques of a planar arm of two joints and their second derivatives by skidy, with symbols."""

from __future__ import annotations


def build() -> int:
    """Let skidy derive and simplify Q, dQ/dt and d²Q/dt²; return the operations of the three."""
    import sympy as sp  # pyright: ignore[reportMissingImports]
    from skidy import (  # pyright: ignore[reportMissingImports]
        SymbolicKinDyn,
        generalized_vectors,
        inertia_matrix,
        joint_screw,
        mass_matrix_mixed_data,
        transformation_matrix,
    )

    L1, L2, g = sp.symbols("L1 L2 g")
    masses, inertias, coms = (sp.symbols(f"{x}1 {x}2") for x in ("m", "I", "c"))
    robot = SymbolicKinDyn(
        gravity_vector=sp.Matrix([0, g, 0]),
        ee=transformation_matrix(sp.eye(3), sp.Matrix([L2, 0, 0])),
        body_ref_config=[
            transformation_matrix(sp.eye(3), sp.Matrix([0, 0, 0])),
            transformation_matrix(sp.eye(3), sp.Matrix([L1, 0, 0])),
        ],
        joint_screw_coord=[joint_screw([0, 0, 1], [0, 0, 0]), joint_screw([0, 0, 1], [L1, 0, 0])],
        config_representation="spatial",
        Mb=[
            mass_matrix_mixed_data(m, inertia_matrix(Izz=I), sp.Matrix([c, 0, 0]))
            for m, I, c in zip(masses, inertias, coms, strict=True)
        ],
    )
    vectors = generalized_vectors(2, derivatives=True)
    robot.closed_form_kinematics_body_fixed(*vectors[:3], simplify=True, parallel=False)
    robot.closed_form_inv_dyn_body_fixed(*vectors, simplify=True, parallel=False)
    found = [robot.Q, robot.Qd, robot.Q2d]
    return int(sum(sp.count_ops(entry) for matrix in found for entry in matrix))
