"""Numbers as text and back, in machine code."""
