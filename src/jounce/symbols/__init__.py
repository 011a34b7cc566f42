"""The equations of motion as SymPy expressions, and as code where long (``jounce[sympy]``)."""
