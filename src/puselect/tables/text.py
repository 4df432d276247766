"""The layout of a CSV file: separator, line ends, decimal commas, column names, lines of the wrong length."""

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from puselect.phrases import counted
from puselect.tables.errors import TableError, ambiguous_number, quoted
from puselect.tables.frames import pl

HEAD_BYTES = 1 << 16
LONGEST_LINE = 1 << 26
SEPARATORS = (",", ";", "\t", "|")
FORMATS = "supported are CSV, TSV, Parquet and Arrow"
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
GZIP_MAGIC = b"\x1f\x8b"
GZIP_RATIO = 1032  # the most that deflate can achieve
BEGIN, END = r"^\s*[-+]?", r"(?:[eE][-+]?\d+)?\s*$"
NUMBER = rf"{BEGIN}[\d.,]+{END}"
# A fraction that is no group of three digits, or that follows more digits than a group has.
DECIMAL = {mark: rf"{BEGIN}(?:(?:0\d*|\d{{4,}})[{mark}]\d+|\d+[{mark}](?:\d{{1,2}}|\d{{4,}})){END}" for mark in ",."}
EITHER = {mark: rf"{BEGIN}[1-9]\d{{0,2}}[{mark}]\d{{3}}\s*$" for mark in ",."}


class Layout(NamedTuple):
    """How a text table is written."""

    separator: str
    names: tuple[str, ...]
    """Names of the columns; one without a name is called after its position."""
    line_end: str
    """The last character of every line."""


def read_layout(path: Path) -> Layout:
    """Read the layout of a text table, plain or gzipped; the separator splits the first line into most columns."""
    try:
        with open_bytes(path) as file:
            head = decode_head(path, file.read(HEAD_BYTES))
        if head.lstrip()[:1] in ("{", "["):
            raise TableError(f"{path} looks like JSON; {FORMATS}")
        first_line = re.split(r"\r\n|\n|\r", head.lstrip("\ufeff"), maxsplit=1)[0]
        if not first_line.strip():
            fault = f"{path}: the first line is empty; it" if head.strip() else f"{path} is empty; the first line"
            raise TableError(f"{fault} must hold the column names")
        separator = max(SEPARATORS, key=lambda mark: len(next(csv.reader([first_line], delimiter=mark))))
        with open_text(path) as file:
            found = next(csv.reader(_lines(file), delimiter=separator))
    except (csv.Error, UnicodeDecodeError) as error:  # such as a quote that is never closed
        raise TableError(f"{path}: cannot read the column names ({error}); check quotes and line ends") from error
    except DAMAGED as error:
        raise _damaged(path, error) from error
    names = tuple(name.strip() or f"column_{place}" for place, name in enumerate(found, start=1))
    check_names(path, names)
    line_end = "\r" if "\r" in head and "\n" not in head else "\n"
    return Layout(separator, names, line_end)


def _damaged(path: Path, error: Exception) -> TableError:
    return TableError(f"{path}: damaged gzip file ({error})")


def decode_head(path: str | Path, head: bytes) -> str:
    """Return the first bytes of a file as text, or raise an error if they are not UTF-8."""
    if b"\0" in head:
        raise TableError(f"{path} is not a text file; {FORMATS}")
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start > len(head) - 4 and len(head) == HEAD_BYTES:  # a character cut in two
            return head[: error.start].decode("utf-8")
        convert = "convert it first, as in iconv -f latin1 -t utf-8"
        raise TableError(f"{path} is not UTF-8 text (byte {error.start}); {convert}") from error


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


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise an error if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(f"{path} has more than one column named {quoted(repeated)}; column names must be unique")


def ragged_line(path: Path, layout: Layout) -> TableError | None:
    """Return an error that names the first line with too few or too many fields, None if there is no such line."""
    n_columns = len(layout.names)
    with open_text(path) as file:
        reader = csv.reader(_lines(file), delimiter=layout.separator)
        try:
            for row in reader:
                if row and len(row) != n_columns:
                    fields = f"line {reader.line_num} has {counted(len(row), 'field')}, expected {n_columns}"
                    return TableError(f"{path}: {fields}; quote fields that contain the separator, or fix the line")
        except (csv.Error, UnicodeDecodeError, *DAMAGED):  # not a matter of fields
            return None
    return None


def unpacked_size(name: str, path: Path, limit: int) -> int:
    """Return the most bytes a gzipped file unpacks to; an error if they fill the memory, as polars unpacks all."""
    most = path.stat().st_size * GZIP_RATIO
    if most <= limit:
        return most
    size = 0
    try:
        with gzip.open(path, "rb") as file:
            while part := file.read(1 << 20):
                size += len(part)
                if size > limit:
                    large = f"{name} is larger than {size_text(limit)} when decompressed"
                    raise TableError(f"{large}; decompress it first, or raise --max-memory")
    except DAMAGED as error:
        raise _damaged(path, error) from error
    return size


def size_text(n_bytes: int) -> str:
    """Return a number of bytes in GB or MB."""
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.3g} MB"


def has_decimal_commas(schema: pl.Schema, texts: pl.LazyFrame) -> bool:
    """Return whether numbers have decimal commas; an error if a number such as 1,000 may be 1000.

    It is 1 if other numbers of its column have decimal commas, or others of the file and none a decimal point.
    `schema` is that of the file if they are decimal commas, `texts` a LazyFrame of all columns as strings.
    """
    floats = {name for name, kind in schema.items() if kind.is_float()}
    if not floats:
        return False
    numbers = _having(texts, {name for name, kind in schema.items() if kind == pl.String}, NUMBER, every=True)
    points = _having(texts, numbers, DECIMAL["."])
    commas = _having(texts, {min(floats)}, DECIMAL[","])  # one column usually tells
    if points or not commas:
        commas = _having(texts, floats, DECIMAL[","])
        _ask(texts, floats - commas, ",")
    if commas:
        _ask(texts, numbers - points, ".")
    return bool(commas)


def _having(texts: pl.LazyFrame, names: Collection[str], pattern: str, every: bool = False) -> set[str]:
    """Return the columns in which a value, or every value, has a pattern."""
    matches = pl.col(list(names)).str.contains(pattern)
    found = texts.select(matches.all() if every else matches.any()).collect(engine="streaming")
    return {name for name in names if found[name].item()}


def _ask(texts: pl.LazyFrame, names: set[str], mark: str) -> None:
    for name in sorted(_having(texts, names, EITHER[mark])):
        value = texts.select(name).filter(pl.col(name).str.contains(EITHER[mark])).first().collect().item()
        raise ambiguous_number(name, value.strip())
