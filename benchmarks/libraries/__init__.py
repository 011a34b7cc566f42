"""Inverse dynamics of the bundled Panda in other libraries, each in the way its users would."""
