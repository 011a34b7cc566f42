"""What the rules of differentiation of JAX and PyTorch share: shapes of products and batches.

A kernel with ``jvp`` last is linear in the second half of its arguments, and its transpose is the
one with ``vjp`` last, which is linear in its weights λ; and the other way round.  So the two
close under differentiation: no rule is written for any one quantity or order.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from jounce.errors import ShapeError, UnsupportedError
from jounce.kernels.kernel import kernel_of
from jounce.kernels.products import argument_sizes
from jounce.kernels.quantities import KernelSpec, signature


def require(package: str, program: str) -> Any:
    """Return a package that is an extra of the same name, or say how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise UnsupportedError(
            f"this adapter needs {program}: pip install 'jounce[{package}]'."
        ) from None


def product(spec: KernelSpec, kind: str) -> KernelSpec:
    """Return the description of a product of a kernel."""
    return spec._replace(products=(*spec.products, kind))


def factor(spec: KernelSpec) -> tuple[KernelSpec, str]:
    """Return the kernel a product was made of, and the kind of the product."""
    return spec._replace(products=spec.products[:-1]), spec.products[-1]


def run(spec: KernelSpec, arrays: Sequence[Any]) -> np.ndarray:
    """Run the kernel on arrays; NaN passes through, as optimisers step back from it."""
    return kernel_of(spec).call(*(np.asarray(x) for x in arrays), threads=None)


def batch_shape(spec: KernelSpec, operands: Sequence[Any]) -> tuple[int, ...]:
    """Return the batch axes, which all operands of a call share."""
    (first, *_), x = signature(spec).arguments, operands[0]
    return tuple(x.shape[1:-1] if first.orders else x.shape[:-1])


def result_shape(spec: KernelSpec, batch: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the result for these batch axes."""
    form = signature(spec)
    return form.rows, *batch, *form.tail


def weights(spec: KernelSpec, batch: tuple[int, ...], cotangent: Any) -> Any:
    """Return a cotangent of the result as λ of the kernel's ``vjp``."""
    form = signature(spec)
    return cotangent.reshape(form.rows, *batch, prod(form.tail))


def directions(xp: Any, spec: KernelSpec, row: Any) -> list[Any]:
    """Cut ``(1, *batch, n)``, a result of ``vjp``, into one array for each argument."""
    form, parts, start = signature(spec), [], 0
    for (_, width, orders), size in zip(form.arguments, argument_sizes(form), strict=True):
        part = row[0][..., start : start + size]
        if orders:
            part = xp.stack([part[..., k * width : (k + 1) * width] for k in range(orders)])
        parts.append(part)
        start += size
    return parts


def with_batch_axis(
    xp: Any, spec: KernelSpec, operands: Sequence[Any], axes: Sequence[int | None]
) -> list[Any]:
    """Return the operands with one more batch axis, the first of all, which comes from ``axes``."""
    move = getattr(xp, "movedim", None) or xp.moveaxis  # PyTorch maps the first only
    pairs = list(zip(operands, axes, strict=True))
    size = next(x.shape[axis] for x, axis in pairs if axis is not None)
    result = []
    for argument, (x, axis) in zip(signature(spec).arguments, pairs, strict=True):
        place = 1 if argument.orders else 0
        if axis is None:
            shape = (*x.shape[:place], size, *x.shape[place:])
            result.append(xp.broadcast_to(x[:, None] if place else x[None], shape))
        else:
            result.append(move(x, axis, place))
    return result


def broadcast(xp: Any, spec: KernelSpec, operands: Sequence[Any]) -> list[Any]:
    """Return the operands with the batch axes they broadcast to; a wrong shape is refused."""
    arguments = signature(spec).arguments
    if len(operands) != len(arguments):
        names = ", ".join(a.name for a in arguments)
        raise ShapeError(f"expected {len(arguments)} arrays ({names}), got {len(operands)}.")
    leads = []
    for (name, width, orders), x in zip(arguments, operands, strict=True):
        shape = tuple(x.shape)
        bad = orders and (len(shape) < 2 or shape[0] != orders)
        if bad or not shape or shape[-1] != width:
            lead = f"{orders}, *batch" if orders else "*batch"
            raise ShapeError(f"{name} must have shape ({lead}, {width}), got {shape}.")
        leads.append(shape[1:-1] if orders else shape[:-1])
    try:
        batch = np.broadcast_shapes(*leads)
    except ValueError:
        raise ShapeError(f"the batch axes of the arguments do not broadcast: {leads}.") from None
    return [
        x if lead == batch else _stretched(xp, x, bool(argument.orders), batch)
        for argument, x, lead in zip(arguments, operands, leads, strict=True)
    ]


def _stretched(xp: Any, x: Any, has_orders: bool, batch: tuple[int, ...]) -> Any:
    if not has_orders:
        return xp.broadcast_to(x, (*batch, x.shape[-1]))
    orders, *lead, width = x.shape
    padded = x.reshape(orders, *[1] * (len(batch) - len(lead)), *lead, width)
    return xp.broadcast_to(padded, (orders, *batch, width))
