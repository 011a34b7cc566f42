"""Numbers as text and back, in machine code."""

PRODUCT = """
def product(g, x):
    # The upper two words of a product of two and one, the higher first.
    both = (g >> 64) * x + ((g & 0xFFFFFFFFFFFFFFFF) * x >> 64)
    return i64(both >> 64), i64(both)
"""
