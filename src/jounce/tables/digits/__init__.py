"""Numbers as text, in machine code."""
