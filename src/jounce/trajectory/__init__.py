"""Motions with exact time derivatives of any order, and the tables that hold sampled ones.

A trajectory is called as ``traj(t, order=4)`` and returns ``(order + 1, *t.shape, n)``: the
first axis is the order of the time derivative, so ``q, *rates = traj(t)`` is what the functions
of Jounce take.
"""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
