"""The operations a graph is made of; plain integers, as they are compared millions of times."""

from __future__ import annotations

ADD, SUB, MUL, DIV, NEG, SQRT, SIN, COS = range(8)
INPUT, CONSTANT = 8, 9

UNARY = frozenset((NEG, SQRT, SIN, COS))
