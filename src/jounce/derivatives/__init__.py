"""From numbers to jets and back: run a text and unpack every time derivative."""
