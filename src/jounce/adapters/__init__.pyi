"""The adapters, imported when they are first used."""

from jounce.adapters import casadi as casadi
from jounce.adapters import jax as jax
from jounce.adapters import parameter_order as parameter_order
from jounce.adapters import pinocchio as pinocchio
from jounce.adapters import torch as torch
