"""Splines through samples or near them, whole or streamed, and how they are smoothed."""
