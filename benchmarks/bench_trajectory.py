"""Derivatives from samples: how well those of the papers' motion come back, and how fast."""

from __future__ import annotations

import time
import warnings

import numpy as np
from rich.console import Console
from rich.table import Table

from jounce.trajectory import Spline, SplineWarning, papers_motion, stream_derivatives

DURATION, RATE, ORDER, EDGE = 20.0, 1000, 4, 1.0  # s, Hz, –, s left out at both ends
LONG, BLOCK = 10**6, 8192  # samples


def run(console: Console) -> None:
    """Print the errors of all derivatives, and the time of a long stream."""
    console.print(errors())
    console.print(stream())


def errors() -> Table:
    """Compare with the exact derivatives, of the largest value of each joint."""
    t = np.arange(0.0, DURATION, 1.0 / RATE)
    exact = papers_motion(7)(t, order=ORDER)
    scale = np.abs(exact).max(axis=1, keepdims=True)
    inside = (t > EDGE) & (t < DURATION - EDGE)
    noise = np.random.default_rng(0).standard_normal(exact[0].shape)
    samples = {
        "17 digits": (exact[0], None),
        "17 digits, noise=0": (exact[0], 0.0),
        "rounded to 1e-6 rad": (np.round(exact[0], 6), None),
        "white noise of 1e-4 rad": (exact[0] + 1e-4 * noise, None),
    }
    table = Table(title="papers' motion, 1 kHz, 20 s: largest error inside (at the ends)")
    for heading in ("samples", "q", "v", "a", "jerk", "snap"):
        table.add_column(heading, justify="left" if heading == "samples" else "right")
    for name, (q, known) in samples.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SplineWarning)
            found = Spline.fit(t, q, noise=known)(t, order=ORDER)
        error = np.abs(found - exact) / scale
        pairs = zip(error[:, inside].max(axis=(1, 2)), error.max(axis=(1, 2)), strict=True)
        table.add_row(name, *(f"{a:.0e} ({b:.0e})" for a, b in pairs))
    return table


def stream() -> str:
    """Time the derivatives of a long motion in blocks."""
    t = np.arange(LONG) / RATE
    q = papers_motion(7)(t, order=0)[0] + 1e-5 * np.random.default_rng(0).standard_normal((LONG, 7))
    smoothing = Spline.fit(t[:16384], q[:16384]).smoothing
    begin = time.perf_counter()
    blocks = ((t[i : i + BLOCK], q[i : i + BLOCK]) for i in range(0, LONG, BLOCK))
    count = sum(len(times) for times, _ in stream_derivatives(blocks, smoothing, ORDER))
    seconds = time.perf_counter() - begin
    return f"stream of {count} samples of 7 joints to order {ORDER}: {seconds:.1f} s"
