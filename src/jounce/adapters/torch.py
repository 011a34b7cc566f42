"""Kernels as functions of PyTorch tensors, differentiable by autograd to any order.

The backward pass of a kernel is its ``vjp``, the forward one its ``jvp``, both kernels again:
see `jounce.kernels.products`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from math import prod
from typing import Any

from jounce.adapters.rules import (
    batch_shape,
    foreign_function,
    product,
    result_axes,
    result_shapes,
    run,
    run_at,
    weights,
    with_batch_axis,
)
from jounce.errors import ArgumentError, UnsupportedError
from jounce.kernels.description import KernelSpec, kernel_spec
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
    float64, strided, is_compiling = torch.float64, torch.strided, torch.compiler.is_compiling

    def operand(name: str, values: Any) -> Any:
        is_tensor = isinstance(values, torch.Tensor) and not values.is_nested
        if is_tensor and values.dtype is float64 and values.is_cpu and values.layout is strided:
            return values
        return _operand(torch, name, values)

    spec = kernel_spec(robot, quantity, order, wrenches, options)
    direct = foreign_function(torch, spec, operand, _call())

    @wraps(direct)
    def function(*arrays: Any) -> Any:
        if is_compiling():  # what torch.compile looks through is left out, as it is
            return torch.compiler.disable(direct)(*arrays)
        return direct(*arrays)

    return function


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
    if values.dtype.is_floating_point and values.dtype != torch.float64:
        raise ArgumentError(
            f"{name} is {values.dtype}, and Jounce computes in float64: make it {name}.double(), "
            "better where it comes from."
        )
    return values.double()


def _places(tensors: Sequence[Any]) -> list[int]:
    """Return the addresses of tensors; 0 where the numbers do not lie there as they are."""
    try:
        return [x.data_ptr() if x.is_contiguous() and not x.is_neg() else 0 for x in tensors]
    except RuntimeError as error:
        raise UnsupportedError(
            "PyTorch gives a tensor that has no numbers yet: what Jounce computes is not recorded "
            "(torch.export), and of the ways to map gradients it knows torch.func (vmap, jacrev, "
            "jacfwd), not is_grads_batched=True or vectorize=True."
        ) from error


def _refuse_recording() -> None:
    """Raise where PyTorch records its own operations to do them again: ours would be left out."""
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    if get_proxy_mode() is not None:
        raise UnsupportedError(
            "PyTorch records its operations here to repeat them later (torch.func.linearize, "
            "make_fx), and what Jounce computes is not one of them: take torch.func.jvp or vjp."
        )


@cache
def _call() -> Callable[..., Any]:
    """Return the differentiable call; all operands have the same batch axes."""
    import torch

    float64, modes = torch.float64, torch._C._len_torch_dispatch_stack

    def compute(spec: KernelSpec, *operands: Any) -> Any:
        if modes():
            _refuse_recording()
        places = _places(operands)
        if not all(places):
            arrays = run(spec, [x.numpy(force=True) for x in operands])
            return tuple([torch.from_numpy(x) for x in arrays])
        batch = batch_shape(spec, operands)
        shapes = result_shapes(spec, batch)
        results = tuple([torch.empty(*s, dtype=float64, device="cpu") for s in shapes])
        run_at(spec, places, [x.data_ptr() for x in results], prod(batch), (operands, results))
        return results

    class Call(torch.autograd.Function):
        """The kernel of a description on one tensor for each of its arguments."""

        @staticmethod
        def forward(*args: Any) -> Any:
            ctx, *inputs = args
            Transformed.setup_context(ctx, inputs, None)
            return compute(*inputs)

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            spec, operands = ctx.spec, ctx.saved_tensors
            lam = weights(torch, spec, grad_outputs)
            step = call if torch.is_grad_enabled() or transforms() else compute
            return None, *step(product(spec, "vjp"), *operands, lam)

        @staticmethod
        def jvp(ctx: Any, *grad_inputs: Any) -> Any:
            operands, tangents = ctx.saved_tensors, grad_inputs[1:]
            steps = [
                torch.zeros_like(x) if dx is None else dx.to(x)  # PyTorch takes any precision
                for x, dx in zip(operands, tangents, strict=True)
            ]
            return call(product(ctx.spec, "jvp"), *operands, *steps)

    class Transformed(Call):
        """The same for the transformations of ``torch.func``; it takes twice as long to call."""

        @staticmethod
        def forward(*args: Any) -> Any:
            return compute(*args)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG004
            ctx.spec, *operands = inputs
            ctx.save_for_backward(*operands)
            ctx.save_for_forward(*operands)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:  # noqa: ARG004
            spec, *operands = args
            results = call(spec, *with_batch_axis(torch, spec, operands, in_dims[1:]))
            return results, tuple(result_axes(spec))

    transforms = torch._C._are_functorch_transforms_active

    def call(spec: KernelSpec, *operands: Any) -> Any:
        return (Transformed if transforms() else Call).apply(spec, *operands)

    return call
