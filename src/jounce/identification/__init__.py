"""What can be found out about a robot from its motions and forces."""

from jounce.identification.base_parameters import BaseParameters as BaseParameters
from jounce.identification.base_parameters import base_parameters as base_parameters
from jounce.identification.excitation import Excitation as Excitation
from jounce.identification.excitation import excitation as excitation
from jounce.identification.identify import BaseEstimate as BaseEstimate
from jounce.identification.identify import Identified as Identified
from jounce.identification.identify import Residuals as Residuals
from jounce.identification.identify import identify as identify
from jounce.identification.information import Information as Information
from jounce.identification.payload import Payload as Payload
from jounce.identification.payload import payload as payload
