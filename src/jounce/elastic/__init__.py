"""Robots whose motors drive the joints through springs."""

from jounce.elastic.series import Feedforward as Feedforward
from jounce.elastic.series import SeriesElastic as SeriesElastic
from jounce.elastic.tracking import DynamicExtension as DynamicExtension
from jounce.elastic.tracking import ExtendedController as ExtendedController
from jounce.elastic.tracking import TrackingController as TrackingController
from jounce.elastic.variable_stiffness import Antagonistic as Antagonistic
from jounce.elastic.variable_stiffness import StiffnessFeedforward as StiffnessFeedforward
from jounce.elastic.variable_stiffness import VariableStiffness as VariableStiffness
