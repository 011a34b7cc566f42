"""Fewer samples that look the same."""

from __future__ import annotations

import numpy as np


def thinned_time(time: np.ndarray, count: int) -> np.ndarray:
    """Return the times that belong to `thinned` values."""
    if len(time) <= count:
        return time
    first, last = _buckets(len(time), count)
    return time[np.stack([first, last], axis=1).ravel()]


def thinned(values: np.ndarray, count: int) -> np.ndarray:
    """Return at most ``count`` rows of ``(samples, lines)`` that keep every peak.

    The samples are cut into buckets.  Of each bucket the smallest and the largest value of a
    line stay, at the times of the first and the last sample of the bucket: exactly the curve
    where it rises or falls within the bucket, its envelope where it does not.
    """
    if len(values) <= count:
        return values
    first, last = _buckets(len(values), count)
    low = np.minimum.reduceat(values, first, axis=0)
    high = np.maximum.reduceat(values, first, axis=0)
    rising = values[first] <= values[last]
    pairs = np.stack([np.where(rising, low, high), np.where(rising, high, low)], axis=1)
    return pairs.reshape(-1, *values.shape[1:])


def spread(samples: int, count: int) -> np.ndarray:
    """Return at most ``count`` evenly spread indices, the first and the last among them."""
    return np.unique(np.linspace(0, samples - 1, min(samples, max(count, 2))).astype(np.intp))


def _buckets(samples: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last sample of every bucket; a bucket has two or more."""
    edges = np.linspace(0, samples, count // 2 + 1).astype(np.intp)
    return edges[:-1], edges[1:] - 1
