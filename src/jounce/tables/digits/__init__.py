"""Numbers as text and back, in machine code."""

from collections.abc import Container


def powers_of_ten(exponents: range, rounded_up: Container[int]) -> bytes:
    """Return powers of ten times powers of two in 16 bytes each: integers of 128 bits.

    Those that are no such integers are cut, or rounded up.
    """
    found = bytearray()
    for k in exponents:
        top, bottom = 10 ** max(k, 0), 10 ** max(-k, 0)
        shift = 128 - top.bit_length() if k >= 0 else 127 + bottom.bit_length()
        cut, rest = divmod(top << max(shift, 0), bottom << max(-shift, 0))
        found += (cut + (rest > 0 and k in rounded_up)).to_bytes(16, "little")
    return bytes(found)


PRODUCT = """
def product(g, x):
    # The upper two words of a product of two and one, the higher first.
    both = (g >> 64) * x + ((g & 0xFFFFFFFFFFFFFFFF) * x >> 64)
    return i64(both >> 64), i64(both)
"""
