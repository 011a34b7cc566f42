"""Literal transcriptions of the papers' algorithms, misprints corrected; see each module."""
