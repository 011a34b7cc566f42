"""URDF files: a small strict reader on the parser of the standard library."""
