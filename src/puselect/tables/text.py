"""CSV and its relatives, before anybody reads the numbers: separator, names, broken lines."""

import csv
import gzip
import io
import zlib
from collections import Counter
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

HEAD_BYTES = 1 << 16
SEPARATORS = (",", ";", "\t", "|")
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)


class Layout(NamedTuple):
    """How a text table is written."""

    separator: str
    names: tuple[str, ...]
    """Names of the columns; one without a name is called after its place."""
    decimal_comma: bool


def read_layout(path: Path, separators: tuple[str, ...] = SEPARATORS) -> Layout:
    """Look at the head of a text table, or raise a ValueError that says what is wrong with it.

    Parameters
    ----------
    path : Path
        Plain or gzipped.
    separators : tuple of str
        Those that come into question; the one that makes most columns of the first line is taken.
    """
    head = text_head(path)
    first_line = head.lstrip("\ufeff").partition("\n")[0].rstrip("\r")
    if not first_line.strip():
        what = "is empty" if not head.strip() else "has an empty first line"
        raise ValueError(f"{path} {what}; it must begin with a line of column names")
    separator = max(separators, key=lambda mark: len(next(csv.reader([first_line], delimiter=mark))))
    with open_text(path) as file:
        found = next(csv.reader(file, delimiter=separator))
    names = tuple(name.strip() or f"column_{place}" for place, name in enumerate(found, start=1))
    check_names(path, names)
    return Layout(separator, names, separator == ";" and has_decimal_commas(head))


def text_head(path: Path) -> str:
    """Return the beginning of the file as text; a ValueError if it is none."""
    try:
        with open_bytes(path) as file:
            head = file.read(HEAD_BYTES)
    except DAMAGED as error:
        raise ValueError(f"{path} is gzipped, but damaged: {error}") from error
    if b"\0" in head:
        raise ValueError(f"{path} is not a text file; wanted CSV, TSV, Parquet or Arrow")
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start > len(head) - 4 and len(head) == HEAD_BYTES:  # a letter cut in two
            return head[: error.start].decode("utf-8")
        raise ValueError(
            f"{path} is not UTF-8 text (byte {error.start}); if it is text in another encoding, convert it first: "
            f"iconv -f latin1 -t utf-8"
        ) from error


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked if it is gzipped."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def open_text(path: Path) -> io.TextIOWrapper:
    """Open a file as text, unpacked if it is gzipped."""
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="")


def check_names(path: Path, names: tuple[str, ...]) -> None:
    """Raise a ValueError if two columns have the same name."""
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise ValueError(
            f"{path} has more than one column named {', '.join(map(repr, doubled[:5]))}; give each its own name"
        )


def has_decimal_commas(head: str) -> bool:
    r"""Return whether numbers are written as 1,5: among the fields between semicolons, some are.

    Examples
    --------
    >>> has_decimal_commas("a;b\n1,5;2")
    True
    >>> has_decimal_commas("a;b\n1.5;2")
    False
    """
    fields = (field.strip() for line in head.splitlines()[1:] for field in line.split(";"))
    return any(field.count(",") == 1 and field.lstrip("-").replace(",", "", 1).isdigit() for field in fields)


def ragged_line(path: Path, layout: Layout) -> str | None:
    """Return what is wrong with the first line that has too few or too many fields, None if there is none."""
    wanted = len(layout.names)
    with open_text(path) as file:
        reader = csv.reader(file, delimiter=layout.separator)
        try:
            for row in reader:
                if row and len(row) != wanted:
                    return f"line {reader.line_num} of {path} has {len(row)} fields where the first line has {wanted}"
        except (csv.Error, UnicodeDecodeError, *DAMAGED):  # something else is wrong with it
            return None
    return None
