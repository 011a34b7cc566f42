"""While somebody compiles Python does not collect; afterwards it does again, if it did before."""

from __future__ import annotations

import gc
import threading

import pytest

from jounce.codegen.gate import compiling


@pytest.mark.parametrize("collects", [True, False])
def test_collection_pauses_until_the_last_has_left(collects: bool):
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with compiling(), compiling():
            inside.set()
            leave.wait()

    before = gc.isenabled()
    thread = threading.Thread(target=other)
    try:
        gc.enable() if collects else gc.disable()
        with compiling():
            thread.start()
            inside.wait()
            assert not gc.isenabled()
        assert not gc.isenabled()  # the other one is still inside
        leave.set()
        thread.join()
        assert gc.isenabled() == collects
        with pytest.raises(ZeroDivisionError), compiling():
            1 / 0  # noqa: B018
        assert gc.isenabled() == collects
    finally:
        leave.set()
        gc.enable() if before else gc.disable()
