"""The public functions, thin: arguments in, the kernel that fits them, arrays out."""
