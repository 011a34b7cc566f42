"""Limits of motions and forces: what they are, whether they are kept, how fast a motion may be."""
