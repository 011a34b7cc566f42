"""What can be found out about a robot from its motions and forces."""

from jounce.identification.base_parameters import BaseParameters as BaseParameters
from jounce.identification.base_parameters import base_parameters as base_parameters
from jounce.identification.identify import BaseEstimate as BaseEstimate
from jounce.identification.identify import Identified as Identified
from jounce.identification.identify import Residuals as Residuals
from jounce.identification.identify import identify as identify
from jounce.identification.information import Information as Information

__all__ = [
    "BaseEstimate",
    "BaseParameters",
    "Identified",
    "Information",
    "Residuals",
    "base_parameters",
    "identify",
]
