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

from jounce.kernels.arrays import Blocks, batch_axes, blocks, check_count, input_rows
from jounce.kernels.description import KernelSpec, partials_of, signature
from jounce.kernels.kernel import kernel_of
from jounce.kernels.table import Signature


@lru_cache(maxsize=256)
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
def results_of(spec: KernelSpec) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the orders and the last axes of each result: partials are shaped like arguments."""
    partials, form = partials_of(spec), shapes(spec)
    if partials is None:
        return ((form.rows, form.tail),)
    return tuple((a.orders, (a.width,)) for a in partials)


@lru_cache(maxsize=256)
def _blocks(spec: KernelSpec) -> tuple[Blocks, Blocks]:
    """Return the blocks of rows of arguments and of results."""
    arguments, results = shapes(spec).arguments, results_of(spec)
    return (
        blocks((max(orders, 1), width) for _, width, orders in arguments),
        blocks((max(orders, 1), prod(tail)) for orders, tail in results),
    )


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
    """Run the kernel on arrays that share their batch axes.

    NaN passes through, as optimisers step back from it.
    """
    batch = batch_shape(spec, arrays)
    results = [np.empty(shape) for shape in result_shapes(spec, batch)]
    if rows := prod(batch):
        inputs = input_rows(shapes(spec), arrays, batch)
        outputs = _blocks(spec)[1].rows([x.ctypes.data for x in results], rows, results)
        kernel_of(spec).run_rows(inputs, outputs, rows)
    return results


def run_at(
    spec: KernelSpec, arguments: Sequence[int], results: Sequence[int], rows: int, keep: Any = None
) -> None:
    """Run the kernel on contiguous arrays at these addresses; ``keep`` owns their memory."""
    if rows:
        ins, outs = _blocks(spec)
        inputs, outputs = ins.rows(arguments, rows, keep), outs.rows(results, rows, keep)
        kernel_of(spec).run_rows(inputs, outputs, rows)


def batch_shape(spec: KernelSpec, operands: Sequence[Any]) -> tuple[int, ...]:
    """Return the batch axes, which all operands of a call share."""
    (first, *_), x = shapes(spec).arguments, operands[0]
    return tuple(x.shape[1:-1] if first.orders else x.shape[:-1])


def result_shapes(spec: KernelSpec, batch: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of the results for these batch axes."""
    return [
        (orders, *batch, *tail) if orders else (*batch, *tail) for orders, tail in results_of(spec)
    ]


def result_axes(spec: KernelSpec) -> list[int]:
    """Return where the first batch axis of each result stands."""
    return [1 if orders else 0 for orders, _ in results_of(spec)]


def weights(xp: Any, spec: KernelSpec, cotangents: Sequence[Any]) -> Any:
    """Return cotangents of the results as λ of the kernel's ``vjp``."""
    form = shapes(spec)
    if partials_of(spec) is None:
        (x,), axes = cotangents, len(form.tail)
        return x if axes == 1 else x.reshape(*x.shape[: len(x.shape) - axes], prod(form.tail))
    longest = form.tail[0]
    rows = []
    for (orders, (width,)), x in zip(results_of(spec), cotangents, strict=True):
        x = x if orders else x[None]
        padding = _zeros(xp, (*x.shape[:-1], longest - width), x)
        rows.append(xp.concatenate([x, padding], -1))
    return xp.concatenate(rows, 0)


def _zeros(xp: Any, shape: tuple[int, ...], x: Any) -> Any:
    """Return zeros of the type of ``x``, beside it: PyTorch may make new tensors elsewhere."""
    return x.new_zeros(shape) if hasattr(x, "new_zeros") else xp.zeros(shape, dtype=x.dtype)


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
    form = shapes(spec)
    check_count(form, operands)
    leads, batch = batch_axes(form, [tuple(x.shape) for x in operands])
    return [
        x if lead == batch else _stretched(xp, x, bool(argument.orders), batch)
        for argument, x, lead in zip(form.arguments, operands, leads, strict=True)
    ]


def _stretched(xp: Any, x: Any, has_orders: bool, batch: tuple[int, ...]) -> Any:
    if not has_orders:
        return xp.broadcast_to(x, (*batch, x.shape[-1]))
    orders, *lead, width = x.shape
    padded = x.reshape(orders, *[1] * (len(batch) - len(lead)), *lead, width)
    return xp.broadcast_to(padded, (orders, *batch, width))
