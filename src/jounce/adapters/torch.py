"""Kernels as functions of PyTorch tensors, differentiable by autograd to any order.

The backward pass of a kernel is its ``vjp``, the forward one its ``jvp``, both kernels again:
see `jounce.kernels.products`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from typing import Any

from jounce.adapters.rules import (
    batch_shape,
    foreign_function,
    product,
    result_axes,
    run,
    weights,
    with_batch_axis,
)
from jounce.errors import ArgumentError
from jounce.kernels.description import KernelSpec, kernel_spec
from jounce.lazy import required
from jounce.model.robot import Robot


def function(
    robot: Robot,
    quantity: str,
    *,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    **options: str,
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

    def operand(name: str, values: Any) -> Any:
        return _operand(torch, name, values)

    spec = kernel_spec(robot, quantity, order, wrenches, options)
    return foreign_function(torch, spec, operand, _call().apply)


def _operand(torch: Any, name: str, values: Any) -> Any:
    tensor = torch.as_tensor(values)
    if tensor.device.type != "cpu":
        raise ArgumentError(f"{name} is on {tensor.device}; Jounce computes on the CPU: .cpu().")
    if tensor.dtype == torch.float64:
        return tensor
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
        raise ArgumentError(
            f"{name} is {tensor.dtype}, and Jounce computes in float64: make it {name}.double(), "
            "better where it comes from."
        )
    return tensor.double()


@cache
def _call() -> Any:
    """Return the differentiable call; all operands have the same batch axes."""
    import torch

    class Call(torch.autograd.Function):
        """The kernel of a description on one tensor for each of its arguments."""

        @staticmethod
        def forward(spec: KernelSpec, *operands: Any) -> Any:
            results = run(spec, [x.detach().numpy() for x in operands])
            return tuple(torch.from_numpy(x) for x in results)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ARG004
            ctx.spec, *operands = inputs
            ctx.save_for_backward(*operands)
            ctx.save_for_forward(*operands)

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            spec, operands = ctx.spec, ctx.saved_tensors
            lam = weights(torch, spec, batch_shape(spec, operands), grad_outputs)
            step = Call.apply if torch.is_grad_enabled() else Call.forward
            return None, *step(product(spec, "vjp"), *operands, lam)

        @staticmethod
        def jvp(ctx: Any, *grad_inputs: Any) -> Any:
            operands, tangents = ctx.saved_tensors, grad_inputs[1:]
            steps = [
                torch.zeros_like(x) if dx is None else dx
                for x, dx in zip(operands, tangents, strict=True)
            ]
            return Call.apply(product(ctx.spec, "jvp"), *operands, *steps)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:  # noqa: ARG004
            spec, *operands = args
            results = Call.apply(spec, *with_batch_axis(torch, spec, operands, in_dims[1:]))
            return results, tuple(result_axes(spec))

    # torch looks at it in every call, and Python takes 20 µs to find it
    setattr(Call.forward, "__signature__", signature(Call.forward))  # noqa: B010
    return Call
