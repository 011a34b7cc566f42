"""Items made ahead by a thread: order, how many, errors, and an early end."""

from __future__ import annotations

import threading

import pytest

from jounce.ahead import ahead


@pytest.mark.parametrize("most", [1, 3])
def test_a_thread_makes_no_more_than_it_may(most: int):
    made: list[int] = []
    here = threading.get_ident()

    def items():
        for i in range(20):
            assert threading.get_ident() != here
            made.append(i)
            yield i

    taken = []
    for item in ahead(items(), most):
        taken.append(item)
        assert len(made) <= len(taken) + most
    assert taken == list(range(20))


def test_an_error_comes_in_its_turn():
    def items():
        yield 1
        yield 2
        raise ValueError("third")

    made = ahead(items(), 5)
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(ValueError, match="third"):
        next(made)


def test_who_stops_early_leaves_no_thread():
    before = threading.active_count()
    closed = []

    def items():
        try:
            while True:
                yield 0
        finally:
            closed.append(True)

    source = items()
    made = ahead(source)
    next(made)
    made.close()
    source.close()
    assert closed
    assert threading.active_count() == before
