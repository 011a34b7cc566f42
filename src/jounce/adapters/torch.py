"""Kernels as functions of PyTorch tensors, differentiable by autograd to any order.

The backward pass of a kernel is its ``vjp``, the forward one its ``jvp``, both kernels again:
see `jounce.kernels.products`.

A batch that has run before, of tensors as they should be, is for machine code: see
`jounce.adapters.dlpack`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any

from jounce.adapters import dlpack
from jounce.adapters.rules import (
    Batch,
    Bound,
    bound,
    foreign_function,
    weights,
    with_batch_axis,
)
from jounce.errors import ArgumentError, UnsupportedError
from jounce.kernels.description import kernel_spec
from jounce.lazy import required
from jounce.model.checks import as_floats
from jounce.model.robot import Robot


def function(
    robot: Robot,
    quantity: str,
    *,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    **options: Any,
) -> Callable[..., Any]:
    """Return a quantity as a function of tensors, with the arguments of `jounce.kernel`.

    The result is shaped like the kernel's, ``(order + 1, *batch, ...)``.  Tensors are float64
    and on the CPU.

    >>> import jounce, torch
    >>> arm = jounce.load("planar2r")
    >>> potential = jounce.adapters.torch.function(arm, "potential_energy")
    >>> q = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=True)
    >>> potential(q, torch.zeros_like(q))[0].backward()
    >>> bool(abs(q.grad.numpy() - jounce.gravity_forces(arm, [0.1, 0.2])[0]).max() < 1e-14)
    True
    """
    torch = required("torch", "the adapter", "torch")
    kernel = bound(kernel_spec(robot, quantity, order, wrenches, options))
    (call, fast, traced), operand = _calls(), partial(_operand, torch)
    recent: list[Batch] = []  # that of the last call
    float64, strided, is_compiling = torch.float64, torch.strided, torch.compiler.is_compiling
    trace = torch._C._get_tracing_state

    def checked(*operands: Any) -> Any:
        if trace() is not None:
            return traced(kernel, operands)
        return call(_batch(kernel, operands), operands)

    general = foreign_function(torch, kernel, operand, checked)
    plain = {torch.Tensor, torch.nn.Parameter}

    @wraps(general)
    def function(*arrays: Any) -> Any:
        if is_compiling():  # what torch.compile looks through is left out, as it is
            return torch.compiler.disable(general)(*arrays)
        if trace() is not None:  # shapes are tensors too
            return general(*arrays)
        for batch in recent:
            if (results := fast(batch, arrays)) is not None:
                return results[0]
        for x in arrays:
            if type(x) not in plain or x.dtype is not float64 or not x.is_cpu:
                return general(*arrays)
            if x.layout is not strided:
                return general(*arrays)
        try:
            batch = kernel.whole(tuple([x.shape for x in arrays]))
        except RuntimeError:  # nested
            batch = None
        if batch is None:
            return general(*arrays)
        recent[:] = (batch,)
        return call(batch, arrays)[0]

    return function


def _batch(kernel: Bound, operands: Sequence[Any]) -> Batch:
    axes = kernel.axes(operands[0].shape)
    try:
        return kernel.batch(axes)
    except TypeError:  # symbols of a recording, which is refused
        return Batch(kernel, axes)


def _operand(torch: Any, name: str, values: Any) -> Any:
    """Return values as a tensor that is what it should be, or refuse them."""
    if not isinstance(values, torch.Tensor):
        if isinstance(values, list | tuple) and any(isinstance(x, torch.Tensor) for x in values):
            return torch.stack([_operand(torch, name, x) for x in values])
        array = as_floats(name, values)
        whole = array if array.flags.c_contiguous else array.copy(order="C")
        return torch.as_tensor(whole, device="cpu")
    if values.is_nested or values.layout is not torch.strided:
        kind = "nested" if values.is_nested else values.layout
        raise ArgumentError(f"{name} is {kind}: make it a dense tensor, as {name}.to_dense().")
    if values.device.type != "cpu":
        raise ArgumentError(f"{name} is on {values.device}; Jounce computes on the CPU: .cpu().")
    if values.dtype.is_complex:
        raise ArgumentError(f"{name} is {values.dtype}, and Jounce takes real numbers.")
    if values.dtype == torch.float64:
        return values
    if values.dtype.is_floating_point:
        raise ArgumentError(
            f"{name} is {values.dtype}, and Jounce computes in float64: make it {name}.double(), "
            "better where it comes from."
        )
    return values.double()


class _NoNumbers(UnsupportedError):
    """A tensor is not in memory."""


def _places(tensors: Sequence[Any]) -> list[int]:
    """Return the addresses of tensors; 0 where the numbers do not lie there as they are."""
    try:
        return [x.data_ptr() if x.is_contiguous() and not x.is_neg() else 0 for x in tensors]
    except RuntimeError as error:
        raise _NoNumbers(
            "PyTorch gives a tensor that has no numbers yet: what Jounce computes is not recorded "
            "(torch.export), and of the ways to map gradients it knows torch.func (vmap, jacrev, "
            "jacfwd), not is_grads_batched=True or vectorize=True."
        ) from error


def _refuse_recording() -> None:
    """Raise where PyTorch records its own operations to do them again: ours would be left out.

    So it is where tensors that are made have shapes only.
    """
    import torch
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    if get_proxy_mode() is not None:
        raise UnsupportedError(
            "PyTorch records its operations here to repeat them later (torch.func.linearize, "
            "make_fx), and what Jounce computes is not one of them: take torch.func.jvp or vjp."
        )
    if type(torch.empty(0, device="cpu")) is not torch.Tensor:
        raise UnsupportedError(
            "PyTorch makes tensors without numbers here (FakeTensorMode), and Jounce computes "
            "numbers: call it outside."
        )


@cache
def _calls() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the differentiable call, that for known batches, and that for ``torch.jit.trace``.

    All operands have the same batch axes.  The second returns None for what is not so plain.
    """
    import torch
    from torch.autograd import forward_ad

    native: Any = torch._C
    empty, empty_like, is_grad_enabled = torch.empty, torch.empty_like, torch.is_grad_enabled
    float64, cpu, modes = torch.float64, torch.device("cpu"), native._len_torch_dispatch_stack

    def new(batch: Batch) -> Any:
        return tuple([empty(s, dtype=float64, device=cpu) for s in batch.result_shapes])

    def like(batch: Batch, operands: Sequence[Any]) -> Any:
        """Return the same in half the time, beside operands that `fill` takes."""
        pairs = zip(batch.alike, batch.result_shapes, strict=True)
        return tuple(
            [
                empty(shape, dtype=float64, device=cpu) if k is None else empty_like(operands[k])
                for k, shape in pairs
            ]
        )

    def compute(batch: Batch, operands: Sequence[Any]) -> Any:
        if modes():
            _refuse_recording()
        if batch.fill is not None and batch.fill(*operands):
            results = like(batch, operands)
            if batch.fill(*operands, *results):
                return results
        places = _places(operands)
        if not all(places):
            arrays = batch.kernel.run([x.numpy(force=True) for x in operands])
            return tuple([torch.from_numpy(x) for x in arrays])
        results = new(batch)
        run(batch, places, operands, results)
        return results

    def run(batch: Batch, places: list[int], operands: Sequence[Any], results: Any) -> None:
        batch.run(places, [x.data_ptr() for x in results], (operands, results))
        if batch.fill is None and batch.place is not None:
            shapes = batch.kernel.argument_shapes(batch.axes)
            batch.fill = dlpack.fill(torch, batch.place, shapes, batch.result_shapes)

    class Call(torch.autograd.Function):
        """A kernel on one tensor for each of its arguments, whose results are there or to be."""

        @staticmethod
        def forward(*args: Any) -> Any:
            ctx, batch, results, *operands = args
            ctx.batch = batch
            ctx.save_for_backward(*operands)
            if forward_ad._current_level >= 0:  # else there are no tangents
                ctx.save_for_forward(*operands)
            return results

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            batch, operands = ctx.batch, ctx.saved_tensors
            given = *operands, weights(torch, batch.kernel, grad_outputs)
            if is_grad_enabled() or transforms():
                return None, None, *call(batch.vjp, given)
            return None, None, *compute(batch.vjp, given)

        @staticmethod
        def jvp(ctx: Any, *grad_inputs: Any) -> Any:
            operands, tangents = ctx.saved_tensors, grad_inputs[2:]
            steps = [
                torch.zeros_like(x) if dx is None else dx.to(x)  # PyTorch takes any precision
                for x, dx in zip(operands, tangents, strict=True)
            ]
            return call(ctx.batch.jvp, (*operands, *steps))

    class Traced(Call):
        """The same for ``torch.jit.trace``, which calls it again with other operands."""

        @staticmethod
        def forward(*args: Any) -> Any:
            ctx, spec, _, *operands = args
            state = trace()
            native._set_tracing_state(None)
            try:
                batch = _batch(bound(spec), operands)
                return Call.forward(ctx, batch, compute(batch, operands), *operands)
            finally:
                native._set_tracing_state(state)

    class Transformed(Call):
        """The same for the transformations of ``torch.func``; it takes twice as long to call."""

        @staticmethod
        def forward(*args: Any) -> Any:
            batch, _, *operands = args
            return compute(batch, operands)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs[2:])
            Call.forward(ctx, inputs[0], output, *inputs[2:])

        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:  # noqa: ARG004
            kernel, given = args[0].kernel, args[2:]
            operands = with_batch_axis(torch, kernel, given, in_dims[2:])
            return call(_batch(kernel, operands), operands), tuple(kernel.result_axes())

    transforms, trace = native._are_functorch_transforms_active, native._get_tracing_state
    # torch.autograd.Function.apply looks for transformations, here and in what is left of them
    above: Any = super(torch.autograd.Function, Call)
    note = above.apply

    def call(batch: Batch, operands: Sequence[Any]) -> Any:
        if trace() is not None:
            return traced(batch.kernel, operands)
        if not transforms():
            try:
                return note(batch, compute(batch, operands), *operands)
            except _NoNumbers:  # it may be left over from a transformation
                pass
        return Transformed.apply(batch, None, *operands)

    def fast(batch: Batch, operands: Sequence[Any]) -> Any:
        """Note first and compute then: the kernel leaves nothing of PyTorch in the caches."""
        fill = batch.fill
        if fill is None or transforms() or modes() or not fill(*operands):
            return None
        results = noted = like(batch, operands)
        if forward_ad._current_level >= 0 or (
            is_grad_enabled() and any(x.requires_grad for x in operands)
        ):
            noted = note(batch, results, *operands)
        if not fill(*operands, *results):
            run(batch, _places(operands), operands, results)
        return noted

    def traced(kernel: Bound, operands: Sequence[Any]) -> Any:
        return Traced.apply(kernel.spec, None, *operands)

    return call, fast, traced
