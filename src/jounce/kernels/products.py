"""Derivatives of a kernel by its arguments, as kernels: what optimisers ask for.

=============  =======================================  =======================================
product        arguments                                result
=============  =======================================  =======================================
``jvp``        x …, then a direction for each           ``J dx``, shaped like the kernel's
``vjp``        x …, then λ of ``(rows, *batch, size)``  ``Jᵀ λ``, ``(m, *batch, longest)``
``jacobian``   x …                                      ``J``, ``(rows, *batch, *tail, n)``
=============  =======================================  =======================================

``size`` is that of one row of the kernel's result.  ``vjp`` has a row for each argument (for each
order of one that has orders), as long as the longest, by zeros at its end.  n counts the numbers
of all arguments, one after the other.  Coordinates are varied one by one, quaternions too: a kernel
is indifferent to the length of a quaternion, so its derivative along it is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from jounce.codegen.products import jacobian, jvp, vjp
from jounce.codegen.program import Program
from jounce.kernels.table import Argument, Signature

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
    widths = [a.width for a in arguments for _ in range(max(a.orders, 1))]
    if product == "vjp":
        arguments = (*arguments, Argument("weights", prod(tail), rows))
        return Signature(arguments, len(widths), (max(widths, default=0),))
    return Signature(arguments, rows, (*tail, sum(widths)))
