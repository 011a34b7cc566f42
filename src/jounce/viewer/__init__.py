"""A robot to look at, in the browser: its shapes, sliders for its joints, a log played along.

viser serves the page, from this machine to this machine (extra ``jounce[view]``).
"""

from jounce.viewer.view import View as View

__all__ = ["View"]
