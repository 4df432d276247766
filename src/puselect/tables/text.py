"""The layout of a CSV file: separator, line ends, column names, lines of the wrong length."""

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from puselect.tables.errors import FileError, RaggedLineError, RepeatedNameError

HEAD_BYTES = 1 << 16
LONGEST_LINE = 1 << 26
SEPARATORS = (",", ";", "\t", "|")
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
GZIP_MAGIC = b"\x1f\x8b"


class Layout(NamedTuple):
    """How a text table is written."""

    separator: str
    names: tuple[str, ...]
    """Names of the columns; one without a name is called after its position."""
    line_end: str
    """The last character of every line."""


def read_layout(path: Path, separators: tuple[str, ...] = SEPARATORS) -> Layout:
    """Read the layout of a text table from its first bytes.

    Parameters
    ----------
    path : Path
        Plain or gzipped.
    separators : tuple of str
        Candidates; the one that splits the first line into most columns is taken.
    """
    head = text_head(path)
    first_line = re.split(r"\r\n|\n|\r", head.lstrip("\ufeff"), maxsplit=1)[0]
    if not first_line.strip():
        raise FileError(path, "empty" if not head.strip() else "empty header")
    try:
        separator = max(separators, key=lambda mark: len(next(csv.reader([first_line], delimiter=mark))))
        with open_text(path) as file:
            found = next(csv.reader(_lines(file), delimiter=separator))
    except (csv.Error, UnicodeDecodeError) as error:  # such as a quote that is never closed
        raise FileError(path, "header", str(error)) from error
    except DAMAGED as error:
        raise FileError(path, "gzip", str(error)) from error
    names = tuple(name.strip() or f"column_{place}" for place, name in enumerate(found, start=1))
    check_names(path, names)
    line_end = "\r" if "\r" in head and "\n" not in head else "\n"
    return Layout(separator, names, line_end)


def text_head(path: Path) -> str:
    """Return the beginning of a text file."""
    try:
        with open_bytes(path) as file:
            head = file.read(HEAD_BYTES)
    except DAMAGED as error:
        raise FileError(path, "gzip", str(error)) from error
    return decode_head(path, head)


def decode_head(path: str | Path, head: bytes) -> str:
    """Return the first bytes of a file as text, or raise a `FileError` if they are not UTF-8."""
    if b"\0" in head:
        raise FileError(path, "binary")
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start > len(head) - 4 and len(head) == HEAD_BYTES:  # a character cut in two
            return head[: error.start].decode("utf-8")
        raise FileError(path, "encoding", str(error.start)) from error


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, decompressed if it is gzipped."""
    file = path.open("rb")
    if file.peek(2)[:2] != GZIP_MAGIC:  # nothing is consumed: a pipe can be read only once
        return file
    file.close()
    return cast(BinaryIO, gzip.open(path, "rb"))


def open_text(path: Path) -> io.TextIOWrapper:
    """Open a file as text, decompressed if it is gzipped."""
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="")


def _lines(file: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines; one too long for memory comes in pieces."""
    return iter(lambda: file.readline(LONGEST_LINE), "")


def check_names(path: Path, names: tuple[str, ...]) -> None:
    """Raise a `RepeatedNameError` if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise RepeatedNameError(path, repeated)


def ragged_line(path: Path, layout: Layout) -> RaggedLineError | None:
    """Return an error that names the first line with too few or too many fields, None if there is no such line."""
    n_columns = len(layout.names)
    with open_text(path) as file:
        reader = csv.reader(_lines(file), delimiter=layout.separator)
        try:
            for row in reader:
                if row and len(row) != n_columns:
                    return RaggedLineError(path, reader.line_num, len(row), n_columns)
        except (csv.Error, UnicodeDecodeError, *DAMAGED):  # not a matter of fields
            return None
    return None


def unpacked_size(path: Path, limit: int) -> int:
    """Return the size of a gzipped file's content in bytes, counted up to the limit."""
    size = 0
    try:
        with gzip.open(path, "rb") as file:
            while size <= limit and (part := file.read(1 << 20)):
                size += len(part)
    except DAMAGED as error:
        raise FileError(path, "gzip", str(error)) from error
    return size
