"""Conventions of other programs."""
