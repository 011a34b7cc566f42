"""What the rules of differentiation of JAX and PyTorch share: shapes of products and batches.

A kernel with ``jvp`` last is linear in the second half of its arguments, and its transpose is the
one with ``vjp`` last, which is linear in its weights λ; and the other way round.  So the two
close under differentiation: no rule is written for any one quantity or order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from jounce.errors import ShapeError
from jounce.kernels.arrays import Blocks, Rows, batch_axes, blocks, check_count, input_rows
from jounce.kernels.description import KernelSpec, partials_of, signature
from jounce.kernels.execution import Runner
from jounce.kernels.fastcall.addresses import Place, place
from jounce.kernels.kernel import KEPT_KERNELS, kernel_of
from jounce.lazy import cached_property

KEPT_BATCHES = 64  # of every kernel: a batch is often as large as the one before


@lru_cache(maxsize=256)
def product(spec: KernelSpec, kind: str) -> KernelSpec:
    """Return the description of a product of a kernel."""
    return spec._replace(products=(*spec.products, kind))


def factor(spec: KernelSpec) -> tuple[KernelSpec, str]:
    """Return the kernel a product was made of, and the kind of the product."""
    return spec._replace(products=spec.products[:-1]), spec.products[-1]


class Bound:
    """A kernel with what the adapters ask of it at every call, found once."""

    def __init__(self, spec: KernelSpec) -> None:
        self.spec = spec
        self.kernel = kernel_of(spec)
        self.form = form = signature(spec)
        self.partials = partials_of(spec)
        self.results = (  # orders and last axes of each: partials are shaped like arguments
            ((form.rows, form.tail),)
            if self.partials is None
            else tuple((a.orders, (a.width,)) for a in self.partials)
        )
        self.ins = blocks((max(orders, 1), width) for _, width, orders in form.arguments)
        self.outs = blocks((max(orders, 1), prod(tail)) for orders, tail in self.results)
        self.batch = lru_cache(KEPT_BATCHES)(partial(Batch, self))  # by its axes
        self.whole = lru_cache(KEPT_BATCHES)(self._whole)

    def _whole(self, shapes: tuple[tuple[int, ...], ...]) -> Batch | None:
        """Return the batch of operands of these shapes; None unless they share its axes."""
        try:
            check_count(self.form, shapes)
            leads, axes = batch_axes(self.form, shapes)
        except ShapeError:
            return None
        return self.batch(axes) if leads.count(axes) == len(leads) else None

    def axes(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the batch axes of a call, which its operands share, by the shape of the first."""
        return tuple(shape[1:-1] if self.form.arguments[0].orders else shape[:-1])

    def argument_shapes(self, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the shapes of the arguments for these batch axes."""
        return [(k, *axes, w) if k else (*axes, w) for _, w, k in self.form.arguments]

    def result_shapes(self, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the shapes of the results for these batch axes."""
        return [(k, *axes, *tail) if k else (*axes, *tail) for k, tail in self.results]

    def result_axes(self) -> list[int]:
        """Return where the first batch axis of each result stands."""
        return [1 if orders else 0 for orders, _ in self.results]

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the kernel on arrays that share their batch axes.

        NaN passes through, as optimisers step back from it.
        """
        axes = self.axes(arrays[0].shape)
        results = [np.empty(shape) for shape in self.result_shapes(axes)]
        if rows := prod(axes):
            inputs = input_rows(self.form, arrays, axes)
            outputs = self.outs.rows([x.ctypes.data for x in results], rows, results)
            self.kernel.run_rows(inputs, outputs, rows)
        return results


_bound = lru_cache(KEPT_KERNELS)(Bound)


def bound(spec: KernelSpec) -> Bound:
    """Return the kernel of this description with what goes with it."""
    return _bound(spec)


class Batch:
    """A kernel on contiguous arrays with these batch axes."""

    def __init__(self, kernel: Bound, axes: tuple[int, ...]) -> None:
        self.kernel, self.axes, self.rows = kernel, axes, prod(axes)
        self.result_shapes = kernel.result_shapes(axes)
        self._runner: Runner | None = None  # once it is compiled
        self._ins, self._outs = (_places(x, self.rows) for x in (kernel.ins, kernel.outs))
        self._in_stride, self._out_stride = kernel.ins.stride, kernel.outs.stride
        # of tensors, see `jounce.adapters.dlpack`: and the argument of which a result has the shape
        self.fill: Callable[..., bool] | None = None
        given = kernel.argument_shapes(axes)
        self.alike = [given.index(x) if x in given else None for x in self.result_shapes]

    @cached_property
    def vjp(self) -> Batch:
        """The kernel's ``vjp`` on the same batch."""
        return bound(product(self.kernel.spec, "vjp")).batch(self.axes)

    @cached_property
    def jvp(self) -> Batch:
        """The kernel's ``jvp`` on the same batch."""
        return bound(product(self.kernel.spec, "jvp")).batch(self.axes)

    @cached_property
    def place(self) -> Place | None:
        """The batch for machine code; None before it has run, and where it needs Python."""
        return place(self._runner, self.rows, self.kernel.ins, self.kernel.outs)

    def run(self, arguments: list[int], results: list[int], keep: Any = None) -> None:
        """Run the kernel on arrays at these addresses; ``keep`` owns their memory."""
        ins, outs, strides, more_strides = self._ins, self._outs, self._in_stride, self._out_stride
        inputs = [arguments[k] + before for k, before in ins] if ins else arguments
        outputs = [results[k] + before for k, before in outs] if outs else results
        if self._runner is not None and self.rows:
            places = [*inputs, *strides, *outputs, *more_strides]
            self._runner.run_at(places, len(inputs), self.rows, None, keep)
        elif self.rows:
            kernel, given = self.kernel.kernel, Rows(inputs, strides, keep)
            kernel.run_rows(given, Rows(outputs, more_strides, keep), self.rows)
            self._runner = kernel.runner


def _places(blocks: Blocks, rows: int) -> list[tuple[int, int]]:
    """Return the array of every block and the bytes before it; nothing if each is an array."""
    if not any(before for _, before in blocks.place):
        return []
    return [(k, rows * before) for k, before in blocks.place]


def foreign_function(
    xp: Any,
    kernel: Bound,
    operand: Callable[[str, Any], Any],
    call: Callable[..., Sequence[Any]],
) -> Callable[..., Any]:
    """Return the kernel as a function of arrays of another program.

    ``operand(name, values)`` makes an array of theirs of an argument, ``call(*operands)`` is
    the differentiable call on operands that share their batch axes.
    """
    spec, names = kernel.spec, [a.name for a in kernel.form.arguments]

    def function(*arrays: Any) -> Any:
        given = [operand(*pair) for pair in zip(names, arrays, strict=False)]
        given += arrays[len(given) :]  # too many: counted by `broadcast`
        return call(*broadcast(xp, kernel, given))[0]

    function.__name__ = spec.quantity
    function.__doc__ = (
        f"Return {spec.quantity} of {spec.robot.name}, order {spec.order}: ({', '.join(names)})."
    )
    return function


def weights(xp: Any, kernel: Bound, cotangents: Sequence[Any]) -> Any:
    """Return cotangents of the results as λ of the kernel's ``vjp``."""
    form = kernel.form
    if kernel.partials is None:
        (x,), axes = cotangents, len(form.tail)
        return x if axes == 1 else x.reshape(*x.shape[: len(x.shape) - axes], prod(form.tail))
    longest = form.tail[0]
    rows = []
    for (orders, (width,)), x in zip(kernel.results, cotangents, strict=True):
        x = x if orders else x[None]
        padding = _zeros(xp, (*x.shape[:-1], longest - width), x)
        rows.append(xp.concatenate([x, padding], -1))
    return xp.concatenate(rows, 0)


def _zeros(xp: Any, shape: tuple[int, ...], x: Any) -> Any:
    """Return zeros of the type of ``x``, beside it: PyTorch may make new tensors elsewhere."""
    return x.new_zeros(shape) if hasattr(x, "new_zeros") else xp.zeros(shape, dtype=x.dtype)


def with_batch_axis(
    xp: Any, kernel: Bound, operands: Sequence[Any], axes: Sequence[int | None]
) -> list[Any]:
    """Return the operands with one more batch axis, the first of all, which comes from ``axes``."""
    move = getattr(xp, "movedim", None) or xp.moveaxis  # PyTorch maps the first only
    pairs = list(zip(operands, axes, strict=True))
    size = next(x.shape[axis] for x, axis in pairs if axis is not None)
    result = []
    for argument, (x, axis) in zip(kernel.form.arguments, pairs, strict=True):
        place = 1 if argument.orders else 0
        if axis is None:
            shape = (*x.shape[:place], size, *x.shape[place:])
            result.append(xp.broadcast_to(x[:, None] if place else x[None], shape))
        else:
            result.append(move(x, axis, place))
    return result


def broadcast(xp: Any, kernel: Bound, operands: Sequence[Any]) -> list[Any]:
    """Return the operands with the batch axes they broadcast to; a wrong shape is refused."""
    form = kernel.form
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
