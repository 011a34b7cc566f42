"""One sample from Python in about a microsecond: a call without Python in between."""
