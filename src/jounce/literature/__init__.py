"""Literal transcriptions of the papers' algorithms, misprints corrected: see docs/errata.md."""
