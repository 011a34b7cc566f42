"""Compile a kernel for a command, with a progress line if it takes a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.cli.console import progress

if TYPE_CHECKING:
    from jounce.kernels.kernel import Kernel


def compile_with_progress(kernel: Kernel) -> bool:
    """Make sure that a kernel is compiled; tell whether anything had to be compiled."""
    robot, quantity, order = kernel.spec[:3]
    done = 0
    with progress(f"compiling {quantity} of {robot.name}, order {order}") as advance:

        def report(parts: int, _total: int) -> None:
            nonlocal done
            advance(parts - done)
            done = parts

        kernel.compile(report)
    return done > 0
