"""Output files: checked before the work starts, each written whole or not at all."""

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer

from puselect.atomic import atomic_write, check_writable, remove_scratch

if TYPE_CHECKING:
    from puselect.report import Comparison, Selection

Output = tuple[Path | None, Callable[[BinaryIO], object]]
"""A file to write, None if it was not asked for, and what writes it."""

written: list[Path] = []
"""Files the current command has written; a message on Ctrl-C must not deny them."""
failed: list[tuple[Path, Exception]] = []
"""Files it could not write, and why; an `OutputsError` says so when the command is over."""


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[str | Path | None] = ()) -> None:
    """Raise an error if an output cannot be written, or is the same file as an input or another output.

    `outputs` are paths by option, None if it is not given; of the inputs, "-" is standard input.
    """
    taken = {_identity(path): f"the input {path}" for path in inputs if path is not None}
    taken.pop(None, None)
    for option, path in outputs.items():
        if path is None:
            continue
        check_writable(path)
        identity = _identity(path)
        if identity in taken:
            raise typer.BadParameter(f"{path} is the same file as {taken[identity]}", param_hint=option)
        if identity is not None:
            taken[identity] = f"the output of {option}"


def _identity(path: str | Path) -> tuple[int, int] | str | None:
    """Return what two names of one file have in common; None for devices and pipes, which hold nothing to lose."""
    try:
        info = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return None if path == "-" else os.path.realpath(path)
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode) else None


class OutputsError(Exception):
    """Some files could not be written, as `failed` says; the others are there."""


@contextmanager
def output_file(target: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its place when the block ends without an error."""
    remove_scratch(target)
    with atomic_write(target) as file:
        yield file
    written.append(target)


def write_each(*outputs: Output) -> None:
    """Write every file that was asked for, whether or not the others fail; what does is kept in `failed`."""
    for target, write in outputs:
        if target is not None:
            try:
                with output_file(target) as file:
                    write(file)
            except Exception as error:
                failed.append((target, error))


def result_outputs(result: "Selection | Comparison", output: Path | None, report: Path | None) -> tuple[Output, Output]:
    """Return how a result is written as JSON and as a report."""

    def write_report(file: BinaryIO) -> None:
        from puselect.report.render import render

        file.write(render([result]).encode())

    return (output, lambda file: file.write(f"{result.to_json()}\n".encode())), (report, write_report)
