"""Time-optimal motions along a path, under limits from velocity to the rates of torques."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
