"""What can be found out about a robot from its motions and forces."""

from jounce.identification.base_parameters import BaseParameters as BaseParameters
from jounce.identification.base_parameters import base_parameters as base_parameters

__all__ = ["BaseParameters", "base_parameters"]
