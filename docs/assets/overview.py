"""Draw overview.svg: an arm moves, and its torques with two time derivatives.

Run ``python docs/assets/overview.py``; everything in the picture is computed by Jounce.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import jounce
from jounce.trajectory import Polynomial

TARGET = Path(__file__).with_name("overview.svg")
START = [-0.6, -0.9, 0.0, -2.5, 0.0, 1.6, 0.8]
END = [0.9, 0.5, -0.3, -1.1, 0.2, 1.9, 0.1]
DURATION, SAMPLES, GHOSTS = 1.2, 121, 7
WIDTH, HEIGHT, SPLIT = 960.0, 400.0, 400.0
INK, PALE, GRID = "#263238", "#78909c", "#eceff1"
COLORS = ("#c62828", "#ef6c00", "#f9a825", "#2e7d32", "#00838f", "#1565c0", "#6a1b9a")
PANELS = (("Q", "N m"), ("dQ/dt", "N m/s"), ("d²Q/dt²", "N m/s²"))


def text(x: float, y: float, words: str, size: int, color: str = INK, style: str = "") -> str:
    """Write words at a pixel."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" {style}>{words}</text>'


def path(x: np.ndarray, y: np.ndarray, color: str, width: float, opacity: float = 1.0) -> str:
    """Draw a line through points."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    look = f'stroke="{color}" stroke-width="{width:g}" stroke-opacity="{opacity:.2f}"'
    return f'<polyline points="{points}" fill="none" {look} stroke-linejoin="round"/>'


def arm(robot: jounce.Robot, motion: Polynomial) -> list[str]:
    """Draw the arm at several times, seen from the side and a little from above."""
    q = motion(np.linspace(0.0, DURATION, SAMPLES), order=0)[0]
    bodies = jounce.poses(robot, q)[0][..., :3, 3]
    tool = jounce.frame_pose(robot, "flange", q)[0][:, None, :3, 3]
    points = np.concatenate([np.zeros_like(tool), bodies, tool], axis=1)
    turn = np.array([[0.80, 0.60, 0.0], [-0.15, 0.20, 0.97]])
    across, up = np.moveaxis(points @ turn.T, -1, 0)
    x, y = 130.0 + 330.0 * across, 360.0 - 330.0 * up
    parts = [path(x[:, -1], y[:, -1], PALE, 1.5)]
    for shade in np.linspace(0.1, 0.4, GHOSTS):
        k = int((SAMPLES - 1) * (shade - 0.1) / 0.3)
        parts.append(path(x[k], y[k], INK, 5.0, shade))
    parts.append(path(x[-1], y[-1], INK, 7.0))
    for a, b, color in zip(x[-1, 1:-1], y[-1, 1:-1], COLORS, strict=True):
        parts.append(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="6" fill="white" stroke="{color}" '
            'stroke-width="3.5"/>'
        )
    return [*parts, text(24, 34, "give q, v, a, jerk, snap", 16, INK, 'font-weight="bold"')]


def curves(t: np.ndarray, rows: np.ndarray, name: str, unit: str, top: float) -> list[str]:
    """Draw the curves of all joints below ``top``."""
    height, left, right = 96.0, SPLIT + 86.0, WIDTH - 20.0
    peak = np.abs(rows).max()
    middle = top + height / 2
    x = left + (right - left) * t / DURATION
    box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{height:.1f}"'
    parts = [f'<rect {box} fill="none" stroke="{GRID}"/>']
    parts.append(path(x[[0, -1]], np.array([middle, middle]), PALE, 0.7))
    for joint, color in zip(rows.T, COLORS, strict=True):
        parts.append(path(x, middle - 0.47 * height * joint / peak, color, 1.8))
    parts.append(text(SPLIT, middle, name, 16, INK, 'font-weight="bold"'))
    parts.append(text(SPLIT, middle + 18, f"±{peak:.0f} {unit}", 11, PALE))
    return parts


def picture() -> str:
    """Return the whole SVG."""
    robot = jounce.load("panda")
    motion = Polynomial.rest_to_rest(START, END, DURATION, smoothness=4)
    t = np.linspace(0.0, DURATION, SAMPLES)
    Q = jounce.inverse_dynamics(robot, *motion(t, order=4))
    parts = [f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" rx="8" fill="white"/>']
    parts += arm(robot, motion)
    parts.append(text(SPLIT, 34, "get the torques and their time derivatives", 16, INK,
                      'font-weight="bold"'))  # fmt: skip
    for k, (name, unit) in enumerate(PANELS):
        parts += curves(t, Q[k], name, unit, 54.0 + 110.0 * k)
    parts.append(text(WIDTH - 62, HEIGHT - 8, "time →", 12, PALE))
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" font-family="sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8", newline="\n")
