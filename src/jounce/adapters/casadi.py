"""Kernels as functions of CasADi.

A traced program is straight-line code over ``+ − × ÷ √ sin cos``: replayed on CasADi's symbols
it is a function that CasADi differentiates, maps and prints like its own.  For speed, export C:
``jounce export ROBOT QUANTITY DIR --lang casadi``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jounce.codegen.interpreter import carry_out
from jounce.codegen.opcodes import COS, OPERATORS, SIN, SQRT
from jounce.errors import UnsupportedError
from jounce.kernels.casadi_c import ports
from jounce.kernels.description import kernel_spec, signature
from jounce.kernels.export import function_name
from jounce.kernels.tracing import traced
from jounce.lazy import required
from jounce.model.robot import Robot


def function(
    robot: Robot,
    quantity: str,
    *,
    order: int = 0,
    wrenches: Sequence[Any] = (),
    name: str | None = None,
    **options: Any,
) -> Any:
    """Return a quantity as a ``casadi.Function`` on SX, with the arguments of `jounce.kernel`.

    Inputs are named like the kernel's (``q``, ``v``, ``a``, ``j``, ``s``, ``wrench_on_tool``), the
    outputs ``out0``, ``out1``, ... are the orders.  Vectors are columns; wrenches have a row an
    order; of a result with more than two axes the last one is the columns.

    >>> import casadi, jounce
    >>> arm = jounce.load("planar2r")
    >>> f = jounce.adapters.casadi.function(arm, "inverse_dynamics")
    >>> f
    Function(planar2r_inverse_dynamics:(q[2],v[2],a[2])->(out0[2]) SXFunction)
    >>> q, v, a = (casadi.SX.sym(x, 2) for x in "qva")
    >>> M = casadi.Function("M", [q, v, a], [casadi.jacobian(f(q, v, a), a)])([0.1, 0.2], 0, 0)
    >>> bool(abs(M.full() - jounce.mass_matrix(arm, [0.1, 0.2])[0]).max() < 1e-14)
    True
    """
    casadi = required("casadi", "the adapter", "casadi")
    spec = kernel_spec(robot, quantity, order, wrenches, options)
    title = function_name(spec, name)
    if not casadi.Function.check_name(title):
        raise UnsupportedError(
            f"CasADi does not take the name {title!r}; give one without two underscores in a row "
            "that is not null, jac or hess."
        )
    program, (inputs, outputs) = traced(spec), ports(signature(spec))
    symbols = [casadi.SX.sym(port.name, *port.shape) for port in inputs]
    rows = [x[r, c] for x in symbols for r in range(x.shape[0]) for c in range(x.shape[1])]
    values: dict[int, Any] = dict(enumerate([*rows, *program.constants]))
    functions = {**OPERATORS, SQRT: casadi.sqrt, SIN: casadi.sin, COS: casadi.cos}
    carry_out(program, values, functions)
    results = [
        casadi.reshape(casadi.vertcat(*(values[x] for x in row)), *reversed(port.shape)).T
        for row, port in zip(program.outputs, outputs, strict=True)
    ]
    names = [port.name for port in inputs], [port.name for port in outputs]
    return casadi.Function(title, symbols, results, *names)
