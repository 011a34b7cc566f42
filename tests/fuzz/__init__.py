"""Mutated files and options: a right answer or one error, never a trace, a hang or a half file."""
