"""One sample from Python in about a microsecond: a call without Python in between."""

from jounce.kernels.fastcall.call import fast_callable as fast_callable
