"""Inverse kinematics: joint rates of any order, joints of a pose, joint motions along a path."""

from jounce.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
