"""Benchmarks: ratios against a named peer measured in the same run (``python -m benchmarks``)."""
