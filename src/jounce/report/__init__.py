"""One page of HTML about a robot and a motion: moving picture, curves, limits, energy.

The robot is drawn on a plain canvas by a projection of our own: sticks, ellipsoids and some
thousand triangles need nothing more, so the page works without WebGL.  Plotly draws the curves.
"""

from jounce.report.default_motion import default_motion as default_motion
from jounce.report.write import write_report as write_report

__all__ = ["default_motion", "write_report"]
