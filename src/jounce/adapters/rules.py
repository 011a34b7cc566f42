"""What the rules of differentiation of JAX and PyTorch share: shapes of products and batches.

A kernel with ``jvp`` last is linear in the second half of its arguments, and its transpose is the
one with ``vjp`` last, which is linear in its weights λ; and the other way round.  So the two
close under differentiation: no rule is written for any one quantity or order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.kernels.description import KernelSpec, signature
from jounce.kernels.kernel import kernel_of
from jounce.kernels.table import Argument, Signature


def product(spec: KernelSpec, kind: str) -> KernelSpec:
    """Return the description of a product of a kernel."""
    return spec._replace(products=(*spec.products, kind))


def factor(spec: KernelSpec) -> tuple[KernelSpec, str]:
    """Return the kernel a product was made of, and the kind of the product."""
    return spec._replace(products=spec.products[:-1]), spec.products[-1]


@lru_cache(maxsize=256)
def shapes(spec: KernelSpec) -> Signature:
    """Return names and shapes of arguments and result, remembered."""
    return signature(spec)


@lru_cache(maxsize=256)
def partials_of(spec: KernelSpec) -> tuple[Argument, ...] | None:
    """Return the arguments that the rows of a result belong to; None for a plain result."""
    if not spec.products:
        return None
    inner, kind = factor(spec)
    return shapes(inner).arguments if kind == "vjp" else partials_of(inner)


def foreign_function(
    xp: Any,
    spec: KernelSpec,
    operand: Callable[[str, Any], Any],
    call: Callable[..., Sequence[Any]],
) -> Callable[..., Any]:
    """Return the kernel as a function of arrays of another program.

    ``operand(name, values)`` makes an array of theirs of an argument, ``call(spec, *operands)``
    is the differentiable call on operands that share their batch axes.
    """
    names = [a.name for a in shapes(spec).arguments]

    def function(*arrays: Any) -> Any:
        given = [operand(*pair) for pair in zip(names, arrays, strict=False)]
        given += arrays[len(given) :]  # too many: counted by `broadcast`
        return call(spec, *broadcast(xp, spec, given))[0]

    function.__name__ = spec.quantity
    function.__doc__ = (
        f"Return {spec.quantity} of {spec.robot.name}, order {spec.order}: ({', '.join(names)})."
    )
    return function


def run(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run the kernel; partials come back one array an argument, shaped like it.

    NaN passes through, as optimisers step back from it.
    """
    result = kernel_of(spec).call(*arrays, threads=None)
    arguments = partials_of(spec)
    if arguments is None:
        return [result]
    parts, row = [], 0
    for _, width, orders in arguments:
        rows = slice(row, row + orders) if orders else row
        parts.append(result[rows][..., :width])
        row += max(orders, 1)
    return parts


def run_into(spec: KernelSpec, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
    """Run the kernel into the memory of results that are shaped like those of `run`."""
    if partials_of(spec) is None:
        kernel_of(spec).call(*arrays, out=results[0], threads=None)
        return
    for found, place in zip(run(spec, arrays), results, strict=True):
        place[...] = found


def batch_shape(spec: KernelSpec, operands: Sequence[Any]) -> tuple[int, ...]:
    """Return the batch axes, which all operands of a call share."""
    (first, *_), x = shapes(spec).arguments, operands[0]
    return tuple(x.shape[1:-1] if first.orders else x.shape[:-1])


def result_shapes(spec: KernelSpec, batch: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of what `run` gives for these batch axes."""
    arguments, form = partials_of(spec), shapes(spec)
    if arguments is None:
        return [(form.rows, *batch, *form.tail)]
    return [
        (orders, *batch, width) if orders else (*batch, width) for _, width, orders in arguments
    ]


def result_axes(spec: KernelSpec) -> list[int]:
    """Return where the first batch axis of each result stands."""
    arguments = partials_of(spec)
    return [1] if arguments is None else [1 if a.orders else 0 for a in arguments]


def weights(xp: Any, spec: KernelSpec, batch: tuple[int, ...], cotangents: Sequence[Any]) -> Any:
    """Return cotangents of the results of `run` as λ of the kernel's ``vjp``."""
    arguments, form = partials_of(spec), shapes(spec)
    if arguments is None:
        return cotangents[0].reshape(form.rows, *batch, prod(form.tail))
    longest = form.tail[0]
    rows = []
    for (_, width, orders), x in zip(arguments, cotangents, strict=True):
        x = x if orders else x[None]
        run_into = xp.zeros((*x.shape[:-1], longest - width), dtype=x.dtype)
        rows.append(xp.concatenate([x, run_into], -1))
    return xp.concatenate(rows, 0)


def with_batch_axis(
    xp: Any, spec: KernelSpec, operands: Sequence[Any], axes: Sequence[int | None]
) -> list[Any]:
    """Return the operands with one more batch axis, the first of all, which comes from ``axes``."""
    move = getattr(xp, "movedim", None) or xp.moveaxis  # PyTorch maps the first only
    pairs = list(zip(operands, axes, strict=True))
    size = next(x.shape[axis] for x, axis in pairs if axis is not None)
    result = []
    for argument, (x, axis) in zip(shapes(spec).arguments, pairs, strict=True):
        place = 1 if argument.orders else 0
        if axis is None:
            shape = (*x.shape[:place], size, *x.shape[place:])
            result.append(xp.broadcast_to(x[:, None] if place else x[None], shape))
        else:
            result.append(move(x, axis, place))
    return result


def broadcast(xp: Any, spec: KernelSpec, operands: Sequence[Any]) -> list[Any]:
    """Return the operands with the batch axes they broadcast to; a wrong shape is refused."""
    arguments = shapes(spec).arguments
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
    if leads.count(leads[0]) == len(leads):
        return list(operands)
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
