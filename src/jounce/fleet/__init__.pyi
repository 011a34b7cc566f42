"""The public names of fleets, and where they live."""

from jounce.fleet.information import information as information
from jounce.fleet.limit_check import FleetLimits as FleetLimits
from jounce.fleet.limit_check import FleetRow as FleetRow
from jounce.fleet.limit_check import check as check
from jounce.fleet.manifest import Record as Record
from jounce.fleet.torques import Torques as Torques
from jounce.fleet.torques import inverse_dynamics as inverse_dynamics
