"""Where the commands write: results to stdout, messages and progress to stderr."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import Progress, TaskID
from rich.segment import Segment
from rich.table import Table

from jounce.cli.failure import harmless

if TYPE_CHECKING:
    from jounce.kernels.kernel import Kernel
    from jounce.model.robot import Robot

_WIDTH_OF_A_FILE = 160
_DELAY = 0.5  # seconds; a command that is done sooner shows no bar


class _PipeConsole(Console):
    """A console that lets a broken pipe through to ``failure`` instead of exiting itself."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - rich calls this while it handles the BrokenPipeError

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render without the control characters that names in files may have."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else harmless(text), style, control)


def output() -> Console:
    """Return the console for results; files and pipes get wide lines instead of wrapped ones."""
    return _console(stderr=False)


def messages() -> Console:
    """Return the console for everything that is not a result."""
    return _console(stderr=True)


def say(line: str) -> None:
    """Print one line of a result as it is."""
    output().print(line, markup=False, soft_wrap=True)


def note(line: str) -> None:
    """Print one line that is not a result."""
    messages().print(f"jounce: {line}", markup=False, soft_wrap=True)


def grid(*headings: str, words: int = 1) -> Table:
    """Return a table without lines, of some columns of words and then numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, heading in enumerate(headings):
        table.add_column(escape(heading), justify="left" if i < words else "right")
    return table


class Bar:
    """A progress bar: a call is a step, `reach` tells how much is done of how much."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task
        self.moved = False

    def __call__(self, steps: int = 1) -> None:
        """Go some steps further."""
        self._bar.advance(self._task, steps)

    def reach(self, done: float, total: float) -> None:
        """Show that so much is done."""
        self._bar.update(self._task, completed=done, total=total)
        self.moved = True


@contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Bar]:
    """Show a progress bar while the block runs, and yield it.

    The bar goes to stderr, only on a terminal, only after half a second, and leaves no trace.
    """
    bar = Progress(console=messages(), transient=True)
    shown = Bar(bar, bar.add_task(description, total=total))
    if not bar.console.is_terminal:
        yield shown
        return
    timer = Timer(_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield shown
    finally:
        timer.cancel()
        timer.join()  # either it never starts the bar or it has started it by now
        bar.stop()


def compiled_kernel(robot: Robot, quantity: str, order: int, *wrenches: str) -> tuple[Kernel, bool]:
    """Return a kernel, compiled, and whether anything had to be compiled."""
    from jounce.kernels.description import kernel_spec
    from jounce.kernels.kernel import kernel_of

    kernel = kernel_of(kernel_spec(robot, quantity, order, wrenches))
    with progress(f"compiling {quantity} of {robot.name}, order {order}") as bar:
        kernel.compile(bar.reach)
    return kernel, bar.moved


def _console(*, stderr: bool) -> Console:
    console = _PipeConsole(stderr=stderr, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_A_FILE
    return console
