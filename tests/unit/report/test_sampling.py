"""Fewer samples that look the same."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.report.sampling import thinned, thinned_time


def test_few_samples_stay_as_they_are(rng: np.random.Generator):
    time, values = np.arange(10.0), rng.normal(size=(10, 3))
    assert thinned_time(time, 10) is time
    assert thinned(values, 10) is values


@pytest.mark.parametrize(("samples", "count"), [(11, 10), (1000, 10), (997, 100), (10_001, 3333)])
def test_peaks_stay(rng: np.random.Generator, samples: int, count: int):
    values = rng.normal(size=(samples, 4))
    kept = thinned(values, count)
    assert len(kept) == len(thinned_time(np.arange(samples), count)) <= count
    assert np.array_equal(kept.min(axis=0), values.min(axis=0))
    assert np.array_equal(kept.max(axis=0), values.max(axis=0))


def test_a_spike_stays_where_it_was():
    time, values = np.linspace(0.0, 1.0, 10_000), np.zeros((10_000, 1))
    values[7012] = 5.0
    times = thinned_time(time, 200)[thinned(values, 200)[:, 0] == 5.0]
    assert np.abs(times - time[7012]).max() <= 0.01


def test_a_curve_that_rises_or_falls_is_exact():
    time = np.linspace(0.0, 2.0, 5000)
    values = np.stack([np.exp(time), -(time**3)], axis=1)
    times = thinned_time(time, 300)
    assert np.array_equal(thinned(values, 300), np.stack([np.exp(times), -(times**3)], axis=1))
    assert (times[0], times[-1]) == (time[0], time[-1])
    assert (np.diff(times) > 0).all()
