"""The application that the commands register with, and what becomes of errors."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from puselect._version import __version__

WIDTH_OF_A_PIPE = 120

console = Console(width=None if sys.stdout.isatty() else WIDTH_OF_A_PIPE, highlight=False)
messages = Console(stderr=True, highlight=False, soft_wrap=True)
"""Where everything goes that is not the result."""


class InterruptedEarlyError(Exception):
    """Ctrl-C where there is nothing worth keeping."""


@contextmanager
def finishing() -> Iterator[None]:
    """Let a result be written that is there already: the first Ctrl-C in this block only says so."""
    usual = signal.getsignal(signal.SIGINT)

    def first(*_: Any) -> None:
        signal.signal(signal.SIGINT, usual)
        typer.echo("writing the result; Ctrl-C again gives it up", err=True)

    in_main_thread = threading.current_thread() is threading.main_thread()  # nobody else gets signals
    if in_main_thread:
        signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, usual)


class Commands(TyperGroup):
    """Commands whose errors are one line: exit code 2 for a wrong call, 1 for a failure."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was called."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # typer would leave without a word
            raise InterruptedEarlyError("interrupted before there was a result; nothing was written") from error

    def get_params(self, ctx: Any) -> Any:
        """Return the options of puselect itself."""
        return without_types(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command of that name, if there is one."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            without_types(command.get_params(ctx))
        return command

    def main(self, *positional: Any, **named: Any) -> Any:
        """Run the command line and leave with an exit code."""
        words = (positional[0] if positional else named.get("args")) or sys.argv[1:]
        try:
            code = super().main(*positional, **{**named, "standalone_mode": False})
        except BrokenPipeError:  # whoever was reading has left, as head does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left to be flushed
            code = 1
        except Exception as error:
            code = report_error(self.in_context(error, words), "--debug" in words)
        sys.exit(code if isinstance(code, int) else 0)


    def in_context(self, error: Exception, words: Sequence[str]) -> Exception:
        """Return the error; one about an option without its value comes without a context, and gets one."""
        command = self.commands.get(words[0]) if words else None
        if command is None or not hasattr(error, "option_name") or getattr(error, "ctx", None) is not None:
            return error
        context = command.make_context(f"puselect {words[0]}", [], resilient_parsing=True)
        name: str = error.option_name
        wanted = [option.metavar for option in command.params if name in option.opts]
        if wanted and "requires an argument" in str(error):
            return typer.BadParameter(f"it takes a value: {name} {wanted[0]}", context, param_hint=name)
        error.ctx = context  # type: ignore[attr-defined]
        return error


def without_types(options: Any) -> Any:
    """Return the options, of which flags take no value, whatever typer's help says."""
    for option in options:
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
    return options


def report_error(error: Exception, debug: bool) -> int:
    """Write one line, or the traceback; return the exit code."""
    exit_code: int = getattr(error, "exit_code", 1)
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        return exit_code
    if debug:
        traceback.print_exception(error)
    typer.echo(f"error: {one_line(error)}", err=True)
    return exit_code


def one_line(error: Exception) -> str:
    """Return what is wrong and what to do about it."""
    if hasattr(error, "format_message"):  # a wrong call
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "puselect"
        text = f"{error.format_message()} (see {command} --help)"
    elif isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        text = where + error.strerror.lower()
    elif isinstance(error, ValueError | OSError | ImportError | InterruptedEarlyError) and str(error):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "not enough memory; read fewer rows with --max-rows"
    else:
        text = f"unexpected {type(error).__name__}: {error} (this is a bug; --debug shows where)"
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    r"""Return the text without characters that could move a terminal's cursor.

    Examples
    --------
    >>> printable("red\x1b[31m")
    'red?[31m'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


app = typer.Typer(
    cls=Commands,
    help="Choose features from a handful of labelled positives among unlabelled rows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        console.print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Choose features from a handful of labelled positives among unlabelled rows."""
