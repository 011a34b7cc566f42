"""The command group; a command's module is imported only when the command is used."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Sequence
from typing import Any

import click

from jounce import __version__
from jounce.cli.failure import Stopped, exit_code

# Name of the command, which is also its module here and the function in it -> one-line help.
COMMANDS = {
    "robots": "List the bundled robots.",
    "show": "Show what a robot is made of.",
    "verify": "Check that a robot is sound and that all computations of it agree.",
    "id": "Compute torques of a logged motion, and their rates.",
    "check": "Check a logged motion against limits.",
    "plan": "Find the fastest motion through points that keeps all limits.",
    "ik": "Find the joints that put a frame at a pose, or move it along a path.",
    "identify": "Find the robot that fits logs with torques, or what it carried.",
    "excite": "Make a motion whose log tells most about a robot, within its limits.",
    "simulate": "Let a robot move under constant torques, and gravity.",
    "export": "Write a quantity of a robot as source code that needs nothing else.",
    "bench": "Time the code for a robot, beside Pinocchio if it is installed.",
    "report": "Write a page that shows a robot moving, with torques and limits.",
    "view": "Show a robot in the browser, with sliders, or play a log along.",
    "compare": "Measure all formulations of inverse dynamics on a robot.",
    "cache": "Show, clear or fill the cache of compiled code.",
}


class Program(click.Group):
    """A click group that loads commands lazily and ends by the rules of ``failure``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f"jounce.cli.{cmd_name}"), cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones there are."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}; the commands are {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command list from the table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C and a closed pipe become ordinary failures."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as failure:
            raise Stopped from failure

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program, then exit with the code of ``failure``."""
        run = super().main

        def action() -> object:
            return run(args, prog_name or "jounce", complete_var, standalone_mode=False, **extra)

        if not standalone_mode:
            return action()
        if isinstance(sys.stdout, io.TextIOWrapper):  # not ² in ASCII: show ? for it
            sys.stdout.reconfigure(errors="replace")
        sys.exit(exit_code(action))


@click.group(
    "jounce",
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Robot dynamics and all its derivatives.

    A robot is the name of a bundled one (see 'jounce robots') or a file: .urdf, .xacro,
    .xml (MJCF) or .json.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
