"""Derivatives of a kernel by its arguments, as kernels: what optimisers ask for.

=============  ===================================  ==========================================
product        arguments                            result
=============  ===================================  ==========================================
``jvp``        x …, then a direction for each       ``J dx``, shaped like the kernel's result
``vjp``        x …, then λ of ``(rows, *, width)``  ``Jᵀ λ``, ``(1, *batch, n)``
``jacobian``   x …                                  ``J``, ``(rows, *batch, *tail, n)``
=============  ===================================  ==========================================

n counts the numbers of all arguments, one after the other, and ``width`` those of one row of
the result.  Coordinates are varied one by one, quaternions too: a kernel is indifferent to the
length of a quaternion, so its derivative along it is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from jounce.codegen.products import jacobian, jvp, vjp
from jounce.codegen.program import Program
from jounce.kernels.quantity import Argument, Signature

PRODUCTS: Mapping[str, Callable[[Program], Program]] = {
    "jvp": jvp,
    "vjp": vjp,
    "jacobian": jacobian,
}


def product_signature(form: Signature, product: str) -> Signature:
    """Return names and shapes of a product from those of its kernel."""
    arguments, rows, tail = form
    if product == "jvp":
        return Signature(
            (*arguments, *(a._replace(name=f"d{a.name}") for a in arguments)), *form[1:]
        )
    count = sum(argument_sizes(form))
    if product == "vjp":
        return Signature((*arguments, Argument("lambda", prod(tail), rows)), 1, (count,))
    return Signature(arguments, rows, (*tail, count))


def argument_sizes(form: Signature) -> list[int]:
    """Return how many numbers each argument of one sample holds."""
    return [a.width * max(a.orders, 1) for a in form.arguments]
