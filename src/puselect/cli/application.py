"""The application with which commands register, and how it reports errors."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperGroup

from puselect._version import __version__
from puselect.cli.writing import OutputsError, failed, written
from puselect.methods import PAPER_HINT

PIPE_WIDTH = 120
DEBUG = "--debug"

console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
messages = Console(stderr=True, highlight=False, soft_wrap=True)
"""For everything but the result; nothing with --quiet."""
told_at = [0.0]
"""When the command began or wrote its last line, by the monotonic clock."""


class InterruptedCommandError(Exception):
    """Ctrl-C ended the command before it was done."""


interrupts: list[str] = []
"""What was said on each Ctrl-C that a command has heard."""


def finishing() -> AbstractContextManager[None]:
    """Let the first Ctrl-C in this block pass: a result exists and is being written."""
    return _first_interrupt("writing the result; press Ctrl-C again to abort", passes=True)


def stopping() -> AbstractContextManager[None]:
    """Acknowledge the first Ctrl-C in this block at once: a search takes a moment to end with the best so far."""
    return _first_interrupt("stopping; press Ctrl-C again to abort", passes=False)


@contextmanager
def _first_interrupt(message: str, passes: bool) -> Iterator[None]:
    """Print a message on the first Ctrl-C in this block; unless it passes, it then interrupts as usual."""
    usual = signal.getsignal(signal.SIGINT)

    def first(*_: object) -> None:
        interrupts.append(message)
        signal.signal(signal.SIGINT, usual)
        messages.print(message)
        if not passes:
            raise KeyboardInterrupt

    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


class Commands(TyperGroup):
    """Commands whose errors are one line, with exit code 2 for a wrong call and 1 for a failure."""

    def invoke(self, ctx: Any) -> object:
        """Run a command."""
        for told in (written, failed, interrupts):
            told.clear()
        told_at[0], messages.quiet = time.monotonic(), False
        try:
            result = super().invoke(ctx)
            if failed:
                raise OutputsError from failed[0][1]
            return result
        except (KeyboardInterrupt, TypeError, SystemError) as error:  # typer would exit silently
            if not isinstance(error, KeyboardInterrupt) and not interrupts:
                raise
            # Compiled code may replace a Ctrl-C by an error of its own.
            files = ", ".join(map(str, written))
            done = f"written: {files}" if files else "nothing was written"
            raise InterruptedCommandError(f"interrupted; {done}") from error

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name; those of puselect-paper say where they are."""
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in ("reproduce", "report-study"):
            ctx.fail(f"{cmd_name} {PAPER_HINT}")
        return command

    def main(self, *positional: Any, **named: Any) -> NoReturn:
        """Run the command line and exit."""
        words = (positional[0] if positional else named.get("args")) or sys.argv[1:]
        try:
            code = super().main(*positional, **{**named, "standalone_mode": False})
        except BrokenPipeError:  # the reader has closed the pipe, as head does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
            code = 1
        except Exception as error:
            code = _report_error(error, DEBUG in words)
        sys.exit(code if isinstance(code, int) else 0)


def _report_error(error: Exception, debug: bool) -> int:
    """Write one line, after the traceback if asked for; return the exit code."""
    exit_code: int = getattr(error, "exit_code", 1)
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        return exit_code
    if debug:
        lines = "".join(traceback.format_exception(error)).splitlines()
        typer.echo("\n".join(map(printable, lines)), err=True)
    typer.echo(f"error: {one_line(error)}", err=True)
    return exit_code


def one_line(error: Exception) -> str:
    """Return what is wrong and what to do about it."""
    if hasattr(error, "format_message"):  # a wrong call
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "puselect"
        text = f"{error.format_message()} (see {command} --help)"
    elif isinstance(error, OutputsError):
        text = "; ".join(f"{path} was not written: {one_line(cause)}" for path, cause in failed)
    elif isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        text = where + error.strerror.lower()
    elif isinstance(error, ValueError | OSError | ImportError | InterruptedCommandError) and str(error):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "not enough memory; read fewer rows with --max-rows"
    else:
        text = f"unexpected {type(error).__name__}: {error} (this is a bug; {DEBUG} shows the traceback)"
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return the text without characters that could move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


app = typer.Typer(
    cls=Commands,
    help="Select features from a few labelled positives and many unlabelled rows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Register a command; of a parameter that is a dataclass, each field is an option."""
    parameters = signature(function).parameters.values()
    kinds: dict[str, type] = {each.name: each.annotation for each in parameters}
    groups = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}

    @wraps(function)
    def call(**values: object) -> None:
        made = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        function(**values, **made)

    options = [
        option.replace(kind=Parameter.KEYWORD_ONLY)
        for each in parameters
        for option in (signature(groups[each.name]).parameters.values() if each.name in groups else [each])
    ]
    call.__signature__ = signature(function).replace(parameters=options)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in options}
    return app.command()(call)


def _show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        console.print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Select features from a few labelled positives and many unlabelled rows."""
