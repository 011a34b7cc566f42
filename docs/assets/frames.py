"""Draw frames.svg: one arm, one motion, three representations (``python docs/assets/frames.py``).

Positions and velocities in the picture are computed by Jounce.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jounce

TARGET = Path(__file__).with_name("frames.svg")
Q, V = [0.35, 0.75], [0.5, 0.4]
SCALE, WIDTH, HEIGHT = 118.0, 320.0, 414.0  # pixels a metre, pixels of a panel
ARROW = 0.6  # metres drawn for 1 m/s
ORIGIN = (62.0, 258.0)  # of the world in a panel
INK, PALE, RED, GREEN, BLUE = "#263238", "#90a4ae", "#c62828", "#2e7d32", "#1565c0"
PANELS = {
    "body": ("axes of the frame", "velocity of the frame's origin"),
    "spatial": ("axes of the world", "velocity of the point of the body", "at the world's origin"),
    "hybrid": ("axes of the world", "velocity of the frame's origin"),
}


def pixel(point: np.ndarray) -> tuple[float, float]:
    """Return where a point of the plane is in a panel; y points up in the world."""
    return ORIGIN[0] + SCALE * point[0], ORIGIN[1] - SCALE * point[1]


def line(start: np.ndarray, end: np.ndarray, color: str, width: float, mark: str = "") -> str:
    """Draw from point to point, with an arrow head if ``mark`` names one."""
    (x1, y1), (x2, y2) = pixel(start), pixel(end)
    tip = f' marker-end="url(#{mark})"' if mark else ""
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{color}" stroke-width="{width}"{tip}/>'


def text(x: float, y: float, words: str, size: int, color: str = INK, style: str = "") -> str:
    """Write words at a pixel."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" {style}>{words}</text>'


def axes(origin: np.ndarray, rotation: np.ndarray, bold: bool) -> list[str]:
    """Draw the x and y axes of a frame, 0.42 m long."""
    parts = []
    for name, color, direction in zip("xy", (RED, GREEN), rotation.T, strict=True):
        shade, mark = (color, color[1:]) if bold else (PALE, PALE[1:])
        end = origin + 0.42 * direction
        parts.append(line(origin, end, shade, 3.0 if bold else 1.5, f"m{mark}"))
        if bold:
            x, y = pixel(end + 0.12 * direction)
            parts.append(text(x - 4, y + 5, name, 15, color, 'font-style="italic"'))
    return parts


def arm(elbow: np.ndarray, tip: np.ndarray) -> list[str]:
    """Draw the two links and their joints."""
    parts = [line(np.zeros(2), elbow, "#cfd8dc", 13), line(elbow, tip, "#cfd8dc", 13)]
    for joint in (np.zeros(2), elbow):
        x, y = pixel(joint)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="white" stroke="{INK}"/>')
    return parts


def panel(representation: str, robot: jounce.Robot) -> list[str]:
    """Draw one representation: bold axes are those the components refer to."""
    T = jounce.frame_pose(robot, "tip", Q)[0]
    elbow, tip = jounce.poses(robot, Q)[0, 1, :2, 3], T[:2, 3]
    _, _, spin, vx, vy, _ = jounce.frame_twist(robot, "tip", Q, V, representation=representation)[0]
    axes_of_body, world = T[:2, :2], np.eye(2)
    rotation = axes_of_body if representation == "body" else world
    point = np.zeros(2) if representation == "spatial" else tip
    parts = [*arm(elbow, tip), *axes(np.zeros(2), world, bold=False)]
    parts += axes(tip, axes_of_body, bold=False)
    parts += axes(point, rotation, bold=True)
    velocity = ARROW * rotation @ np.array([vx, vy])
    parts.append(line(point, point + velocity, BLUE, 4.0, f"m{BLUE[1:]}"))
    x, y = pixel(point + velocity * (1.0 + 0.13 / np.linalg.norm(velocity)))
    parts.append(text(x - 5, y + 5, "v", 17, BLUE, 'font-style="italic" font-weight="bold"'))
    parts.append(text(18, 36, representation, 20, INK, 'font-weight="bold"'))
    what, *which = PANELS[representation]
    parts.append(text(18, 326, what, 14))
    for k, words in enumerate(which):
        parts.append(text(18, 348 + 18 * k, words if k else f"v: {words}", 14, BLUE))
    numbers = ", ".join(f"{x:.2f}".replace("-", "−") for x in (spin, vx, vy))
    parts.append(text(18, 396, f"(ω, vx, vy) = ({numbers})", 14, INK, 'font-family="monospace"'))
    return parts


def marker(color: str) -> str:
    """Return an arrow head."""
    shape = f'<path d="M0,0 L6,3 L0,6 z" fill="{color}"/>'
    box = 'viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto"'
    return f'<marker id="m{color[1:]}" {box}>{shape}</marker>'


def picture() -> str:
    """Return the whole SVG."""
    robot = jounce.load("planar2r")
    parts = ["<defs>", *map(marker, (PALE, RED, GREEN, BLUE)), "</defs>"]
    parts.append(f'<rect width="{3 * WIDTH:g}" height="{HEIGHT:g}" rx="8" fill="white"/>')
    for k, representation in enumerate(PANELS):
        group = "\n".join(panel(representation, robot))
        parts.append(f'<g transform="translate({k * WIDTH:g} 0)">\n{group}\n</g>')
    size = f'viewBox="0 0 {3 * WIDTH:g} {HEIGHT:g}" font-family="sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8", newline="\n")
