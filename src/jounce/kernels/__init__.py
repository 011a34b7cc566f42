"""Robot + text + code generation: compiled kernels, shapes and checks."""
