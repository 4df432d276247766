"""Writing files so that readers see the old content or the new, never a part of it."""

import errno
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

SUFFIX = ".part"


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` when the block ends without an error.

    The bytes go to a scratch file of an unpredictable name in the same folder, which is removed on an error. A
    symbolic link is followed, so that the file it points to is replaced. An existing file keeps its mode.
    Non-regular files, such as /dev/stdout, are written directly.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"whole")
    ...     print(Path(f"{folder}/a.txt").read_text())
    whole
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with open(path, "wb") as file:
            yield file
        return
    scratch = target.with_name(f".{target.name[:200]}.{os.getpid()}.{secrets.token_hex(8)}{SUFFIX}")
    try:
        # O_EXCL neither follows a link nor opens an existing file
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "wb") as file:
            if target.exists():
                os.chmod(scratch, target.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an OSError if `atomic_write` could not write this file; nothing is written."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {target.parent} does not exist")
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def remove_scratch(path: str | os.PathLike[str]) -> None:
    """Remove the scratch files that killed processes left next to `path`."""
    target = Path(os.path.realpath(path))
    for scratch in target.parent.glob(f".{glob.escape(target.name[:200])}.*.*{SUFFIX}"):
        writer = scratch.name.split(".")[-3]
        if writer.isdecimal() and not _is_running(int(writer)):
            with suppress(OSError):
                scratch.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Return whether there is such a process; True where that cannot be asked."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        pass
    return True
