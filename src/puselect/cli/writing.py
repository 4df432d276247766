"""Output files: they appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_target(path: Path | None) -> None:
    """Raise an OSError if a file cannot be written here; asked before the long work starts."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if not folder.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {folder}; make it first")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(f"cannot write {path}: permission denied")


@contextmanager
def whole_files(*targets: Path | None) -> Iterator[list[Path | None]]:
    """Give a scratch name to write to for each target (None for None); files get their own names when all is well.

    A target that is no regular file, such as /dev/stdout, is written to directly.
    """
    places = [None if target is None else _place(target) for target in targets]
    moves = [place for place in places if place is not None and place[0] != place[1]]
    try:
        yield [None if place is None else place[0] for place in places]
        for scratch, target in moves:
            os.replace(scratch, target)
    finally:
        for scratch, _ in moves:
            scratch.unlink(missing_ok=True)


def _place(target: Path) -> tuple[Path, Path]:
    """Return where to write and where that belongs in the end."""
    if target.exists() and not target.is_file():
        return target, target
    home = target.resolve()  # a link stays a link
    return home.with_name(f".{os.getpid()}.part.{home.name}"), home
