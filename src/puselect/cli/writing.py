"""Output files: checked before the work starts, and written whole or not at all."""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import typer

from puselect.atomic import atomic_write, remove_scratch

written: list[Path] = []
"""Files the current command has written; a message on Ctrl-C must not deny them."""


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[str | Path | None] = ()) -> None:
    """Raise an error if an output cannot be written, or is the same file as an input or another output.

    Parameters
    ----------
    outputs : mapping
        Option to path; None if the option is not given.
    inputs : sequence of path
        "-" is standard input.
    """
    taken = {_identity(path): f"the input {path}" for path in inputs if path is not None}
    taken.pop(None, None)
    for option, path in outputs.items():
        if path is None:
            continue
        _check_writable(path)
        identity = _identity(path)
        if identity in taken:
            raise typer.BadParameter(f"{path} is the same file as {taken[identity]}", param_hint=option)
        if identity is not None:
            taken[identity] = f"the output of {option}"


def _check_writable(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not folder.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {folder} does not exist")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _identity(path: str | Path) -> tuple[int, int] | str | None:
    """Return what two names of one file have in common; None for devices and pipes, which hold nothing to lose."""
    try:
        info = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return None if path == "-" else os.path.realpath(path)
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode) else None


@contextmanager
def output_files(*targets: Path | None) -> Iterator[list[BinaryIO | None]]:
    """Open a file for each target, None for None; they take their places when the block ends without an error."""
    with ExitStack() as stack:
        for target in targets:
            if target is not None:
                remove_scratch(target)
        files = [None if target is None else stack.enter_context(atomic_write(target)) for target in targets]
        yield files
        for file in files:
            if file is not None:
                file.flush()  # a full disk shows here, before the first file is replaced
    written.extend(target for target in targets if target is not None)
