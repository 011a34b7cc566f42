"""``jounce cache``: the compiled code that is kept on disk."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jounce.cli.arguments import count_option, robot_argument, wrench_option
from jounce.cli.console import compiled_kernel, say

if TYPE_CHECKING:
    from jounce.model.robot import Robot

_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))


@click.group(invoke_without_command=True, epilog="Example: jounce cache")
@click.pass_context
def cache(ctx: click.Context) -> None:
    """Show, clear or fill the cache of compiled code.

    It lives in the user's cache directory, or where JOUNCE_CACHE_DIR says.
    """
    if ctx.invoked_subcommand is None:
        _show()


@cache.command(epilog="Example: jounce cache clear")
def clear() -> None:
    """Remove all compiled code."""
    from jounce.codegen import cache as disk

    place, known = _directory(), disk.entries()
    removed, size = disk.clear(), sum(count for _, count, _ in known)
    left = disk.entries()
    if left:
        raise click.ClickException(
            f"removed {removed} of {len(known)} entries; {len(left)} in {place} cannot be "
            "removed, check the permissions"
        )
    entries = "1 entry" if removed == 1 else f"{removed} entries"
    say(f"removed {entries}, {_size(size)}, from {place}")


@cache.command(epilog="Example: jounce cache warm panda --order 2")
@robot_argument
@count_option("--order", "Highest time derivative.", default=0)
@click.option("--quantity", default="inverse_dynamics", show_default=True, metavar="NAME",
              help="What to compute.")  # fmt: skip
@wrench_option
def warm(robot: Robot, *, order: int, quantity: str, wrenches: tuple[str, ...]) -> None:
    """Compile ahead of time, so that the first call finds the code."""
    from jounce.errors import UnsupportedError

    begin = time.perf_counter()
    kernel, compiled = compiled_kernel(robot, quantity, order, *wrenches)
    if kernel.runner is None:
        raise UnsupportedError("nothing to compile with; install llvmlite")
    did = f"compiled in {time.perf_counter() - begin:.2f} s" if compiled else "was there already"
    say(f"{quantity} of {robot.name}, order {order}: {kernel.operations} operations, {did}")


def _show() -> None:
    """Print directory, entries, size and age."""
    from jounce.codegen import cache as disk

    place, known = _directory(), disk.entries()
    say(f"directory  {place}")
    say(f"entries    {len(known)}")
    say(f"size       {_size(sum(count for _, count, _ in known))}")
    if known:
        now = time.time()
        oldest, newest = _age(now - known[0][2]), _age(now - known[-1][2])
        say(f"last used  {newest} ago; the oldest {oldest} ago")


def _directory() -> Path:
    from jounce.codegen import cache as disk

    place = disk.directory()
    if place is None:
        raise click.ClickException(f"there is no cache directory; set {disk.VARIABLE} to one")
    return place


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 1024:.1f} KiB"


def _age(seconds: float) -> str:
    for unit, name in _UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(seconds, 0.0):.0f} seconds"
