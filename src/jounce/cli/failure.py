"""How the command line ends: exit codes, and one line on stderr that says what to do.

0 done, 1 a check failed, 2 bad input, 130 interrupted.  Anything unexpected is a defect of
Jounce and keeps its traceback; ``JOUNCE_DEBUG=1`` shows the traceback of the others as well.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

import click

from jounce.errors import JounceError

DONE = 0
CHECK_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

_ADVICE = (
    (FileNotFoundError, "check the path"),
    (PermissionError, "check the permissions"),
    (IsADirectoryError, "give a file, not a directory"),
    (NotADirectoryError, "check the path"),
)

# What a terminal obeys instead of showing it: control characters, and those that turn the
# direction of text.  Line ends and tabs are ours.
_OBEYED = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_SHOWN = dict.fromkeys(_OBEYED - {ord("\n"), ord("\t")}, "\N{REPLACEMENT CHARACTER}")


def harmless(text: str) -> str:
    """Return a text with � for every character that a terminal would obey."""
    return text.translate(_SHOWN)


class CheckFailed(Exception):
    """A check that the user asked for did not hold; the message is the verdict."""


class Stopped(Exception):
    """Somebody stopped the command: Ctrl-C, or a pipe whose reader has gone.

    click has rules of its own for KeyboardInterrupt and BrokenPipeError, which are not ours.
    """

    @property
    def by_pipe(self) -> bool:
        """Whether the reader of our output has gone (``jounce robots | head -1``)."""
        return isinstance(self.__cause__, BrokenPipeError)


def exit_code(action: Callable[[], object]) -> int:
    """Run a command and return the exit code, after saying on stderr what went wrong.

    ``action`` is a click command outside of standalone mode; an ``int`` that it returns is the
    code that the command itself asked for.
    """
    try:
        result = action()
    except CheckFailed as failure:
        return _report(failure, str(failure), CHECK_FAILED)
    except (JounceError, click.ClickException, OSError) as failure:
        return _report(failure, _describe(failure), BAD_INPUT)
    except Stopped as failure:
        return _leave_pipe() if failure.by_pipe else _report(failure, "interrupted", INTERRUPTED)
    return result if isinstance(result, int) else DONE


def _describe(failure: JounceError | click.ClickException | OSError) -> str:
    if isinstance(failure, click.UsageError):
        program = failure.ctx.command_path if failure.ctx else "jounce"
        return f"{failure.format_message().rstrip('.')}; see '{program} --help'"
    if isinstance(failure, click.ClickException):
        return failure.format_message()
    if isinstance(failure, JounceError):
        return str(failure) or type(failure).__name__
    reason = failure.strerror or str(failure)
    if failure.filename is not None:
        reason = f"{os.fsdecode(failure.filename)}: {reason}"
    advice = next((advice for kind, advice in _ADVICE if isinstance(failure, kind)), None)
    return f"{reason}; {advice}" if advice else reason


def _report(failure: BaseException, message: str, code: int) -> int:
    if os.environ.get("JOUNCE_DEBUG", "") not in ("", "0"):
        click.echo("".join(traceback.format_exception(failure)), err=True, nl=False)
    click.echo(f"jounce: {harmless(' '.join(message.split()))}", err=True)
    return code


def _leave_pipe() -> int:
    """Say nothing, and keep Python's last flush of stdout from failing again."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    return BROKEN_PIPE
