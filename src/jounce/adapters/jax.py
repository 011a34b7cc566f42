"""Kernels as functions of JAX: ``jit``, ``vmap``, ``grad``, ``jvp`` and ``vjp``, to any order.

One primitive carries all of them; its parameter says which kernel.  Its derivative is the
kernel's ``jvp`` and the transpose of that its ``vjp``, see `jounce.kernels.products`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from jounce.adapters import xla
from jounce.adapters.rules import (
    bound,
    factor,
    foreign_function,
    product,
    weights,
    with_batch_axis,
)
from jounce.codegen.cache import key_of
from jounce.errors import ArgumentError, UnsupportedError
from jounce.kernels.description import KernelSpec, kernel_spec
from jounce.kernels.fastcall.addresses import Place
from jounce.lazy import required
from jounce.model.robot import Robot


def function(
    robot: Robot,
    quantity: str,
    *,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    **options: Any,
) -> Callable[..., Any]:
    """Return a quantity as a function of JAX arrays, with the arguments of `jounce.kernel`.

    The result is shaped like the kernel's, ``(order + 1, *batch, ...)``.  It is computed on the
    CPU, in float64: set ``jax_enable_x64``, for the whole program (the context manager of that
    name sets it for one thread, and compiled code calls from threads of its own).

    >>> import jax, jounce
    >>> jax.config.update("jax_enable_x64", True)
    >>> arm = jounce.load("planar2r")
    >>> potential = jounce.adapters.jax.function(arm, "potential_energy")
    >>> q, still = jax.numpy.array([0.1, 0.2]), jax.numpy.zeros(2)
    >>> gradient = jax.grad(lambda q: potential(q, still)[0])(q)
    >>> bool(abs(gradient - jounce.gravity_forces(arm, q)[0]).max() < 1e-14)
    True
    """
    jax = required("jax", "the adapter", "jax")

    def operand(name: str, values: Any) -> Any:
        return _operand(jax, name, values)

    spec = kernel_spec(robot, quantity, order, wrenches, options)
    return foreign_function(jax.numpy, bound(spec), operand, partial(_primitive().bind, spec=spec))


def _operand(jax: Any, name: str, values: Any) -> Any:
    if not jax.config.jax_enable_x64:
        raise UnsupportedError(
            "Jounce computes in float64 and JAX is set to float32: call "
            "jax.config.update('jax_enable_x64', True) before the first array is made."
        )
    try:
        array = jax.numpy.asarray(values)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} must be an array of real numbers: {error}") from error
    if array.dtype == np.float64:
        return array
    if array.dtype.kind in "iub":
        return array.astype(np.float64)
    if array.dtype.kind == "c":
        raise ArgumentError(f"{name} is {array.dtype}, and Jounce takes real numbers.")
    raise ArgumentError(
        f"{name} is {array.dtype}, and Jounce computes in float64: make it "
        f"{name}.astype('float64'), better where it comes from."
    )


def _run(spec: KernelSpec, arguments: xla.Buffers, results: xla.Buffers) -> Place | None:
    """Run the kernel on the memory of XLA; return the batch, for machine code."""
    kernel = bound(spec)
    batch = kernel.batch(kernel.axes(arguments.shape(0)))
    batch.run(arguments.addresses(), results.addresses())
    return batch.place


@cache
def _primitive() -> Any:
    """Return the primitive with its rules; all operands of a call have the same batch axes."""
    import jax
    import jax.numpy as jnp
    from jax.core import ShapedArray
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    kernel_p = Primitive("jounce")
    kernel_p.multiple_results = True
    call = kernel_p.bind

    def abstract(*operands: Any, spec: KernelSpec) -> Any:
        kernel = bound(spec)
        found = kernel.result_shapes(kernel.axes(operands[0].shape))
        return [ShapedArray(shape, np.float64) for shape in found]

    def eager(*operands: Any, spec: KernelSpec) -> Any:
        return [jnp.asarray(x) for x in bound(spec).run([np.asarray(x) for x in operands])]

    def compiled(ctx: Any, *operands: Any, spec: KernelSpec) -> Any:
        name = f"jounce.{key_of(spec.robot.digest, repr(spec[1:]))}"
        xla.register(jax, name, partial(_run, spec))
        return jax.ffi.ffi_lowering(name)(ctx, *operands)

    def elsewhere(ctx: Any, *operands: Any, spec: KernelSpec) -> Any:  # noqa: ARG001
        where = ", ".join(ctx.module_context.platforms)
        raise UnsupportedError(
            f"{spec.quantity} is to be compiled for {where}, and Jounce computes on the CPU: move "
            "its arguments there, jax.device_put(q, jax.devices('cpu')[0]), or run JAX on the CPU, "
            "JAX_PLATFORMS=cpu."
        )

    def forward(primals: Any, tangents: Any, *, spec: KernelSpec) -> Any:
        tangents = [ad.instantiate_zeros(t) for t in tangents]
        values = call(*primals, spec=spec)
        return values, call(*primals, *tangents, spec=product(spec, "jvp"))

    def backward(cotangents: Any, *operands: Any, spec: KernelSpec) -> Any:
        inner, kind = factor(spec)
        kernel = bound(inner)
        count = len(kernel.form.arguments)
        primals, linear = operands[:count], operands[count:]
        given = [ad.instantiate_zeros(x) for x in cotangents]
        if kind == "jvp":
            lam = weights(jnp, kernel, given)
            parts = call(*primals, lam, spec=product(inner, "vjp"))
        else:
            moved = call(*primals, *given, spec=product(inner, "jvp"))
            parts = [weights(jnp, kernel, moved)]
        pairs = zip(linear, parts, strict=True)
        return [None] * count + [p if ad.is_undefined_primal(x) else None for x, p in pairs]

    def batched(operands: Any, axes: Any, *, spec: KernelSpec) -> Any:
        kernel = bound(spec)
        return call(*with_batch_axis(jnp, kernel, operands, axes), spec=spec), kernel.result_axes()

    kernel_p.def_impl(eager)
    kernel_p.def_abstract_eval(abstract)
    mlir.register_lowering(kernel_p, elsewhere)
    mlir.register_lowering(kernel_p, compiled, platform="cpu")
    ad.primitive_jvps[kernel_p] = forward
    ad.primitive_transposes[kernel_p] = backward
    batching.primitive_batchers[kernel_p] = batched
    return kernel_p
