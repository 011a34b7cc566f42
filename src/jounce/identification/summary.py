"""What was found, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.model.components import velocity_names
from jounce.model.inertia import Inertia

if TYPE_CHECKING:
    from jounce.identification.identify import Identified


def summary(found: Identified) -> str:
    """Return residuals a joint, friction with errors, bodies, and all doubts."""
    terms, robot = found.terms, found.robot
    how = f"physical, {found.prior or 'no'} prior" if found.consistent else "least squares"
    lines = [
        f"{robot.name}: {found.samples} samples, {len(found.base.names)} base parameters",
        f"condition {found.condition:.3g}; {how}",
        "",
        "residuals, rms       before   training" + "   validation" * _has(found),
    ]
    joints = velocity_names(robot)
    residuals = [found.residuals.before, found.residuals.training]
    residuals += [found.residuals.validation] if found.residuals.validation is not None else []
    lines += _rows(joints, np.array(residuals).T, "{:11.4g}")
    for kind in terms.motors:
        own = terms.place(kind)
        pairs = np.array([found.parameters[own], found.uncertainty[own]]).T
        lines += ["", f"{kind:<14}     value          ±", *_rows(joints, pairs, "{:11.4g}")]
    lines += ["", "bodies           mass      ±      centre of mass                     before"]
    for i, (body, old) in enumerate(zip(robot.bodies, terms.robot.bodies, strict=True)):
        error = found.uncertainty[10 * i]
        place = " ".join(f"{x:9.5f}" for x in body.inertia.com)
        was = _said(old.inertia)
        lines.append(f"{body.name:<14} {body.inertia.mass:8.4f} {error:8.2g}  {place}   {was}")
    lines += ["", "base parameters from the data alone"]
    width = max(len(name) for name in found.base.names)
    for name, value, error in zip(*found.base[:3], strict=True):
        lines.append(f"  {name:<{width}} {value:11.4g} ± {error:.2g}")
    if found.warnings:
        lines += ["", "doubts", *(f"  {line}" for line in found.warnings)]
    return "\n".join(lines)


def _has(found: Identified) -> bool:
    return found.residuals.validation is not None


def _rows(names: tuple[str, ...], values: np.ndarray, form: str) -> list[str]:
    return [
        f"  {name:<14}" + "".join(form.format(x) for x in row)
        for name, row in zip(names, values, strict=True)
    ]


def _said(inertia: Inertia) -> str:
    place = " ".join(f"{x:.4f}" for x in inertia.com)
    return f"{inertia.mass:.4f} at {place}"
