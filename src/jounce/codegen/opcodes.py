"""The operations a graph is made of; plain integers, as they are compared millions of times."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

ADD, SUB, MUL, DIV, NEG, SQRT, SIN, COS = range(8)
INPUT, CONSTANT = 8, 9

UNARY = frozenset((NEG, SQRT, SIN, COS))
# on numbers of any kind; square root, sine and cosine have names of their own in every library
OPERATORS: Mapping[int, Callable[..., Any]] = {
    ADD: operator.add,
    SUB: operator.sub,
    MUL: operator.mul,
    DIV: operator.truediv,
    NEG: operator.neg,
}
