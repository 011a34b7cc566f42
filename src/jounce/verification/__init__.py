"""Is a robot sound, and do all ways to compute its dynamics agree?  See `jounce.verify`."""
