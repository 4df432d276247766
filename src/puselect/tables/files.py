"""Data files: told apart, read whole or in part, written. The one module that imports polars."""

import atexit
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from puselect.arrays import IntArray
from puselect.tables.text import SEPARATORS, Layout, check_names, ragged_line, read_layout, text_head

try:
    import polars as pl
except ImportError as error:
    raise ImportError("reading tables needs the extra 'cli': pip install 'puselect[cli]'") from error


MISSING = ["", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?"]
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
ROW = "__row__"  # no column of anybody's
STANDARD_INPUT = "-"
OUTPUT_FORMATS = (".csv", ".csv.gz", ".tsv", ".parquet", ".arrow", ".feather")
BYTES_IN_MEMORY = {"text": 4, "gzip": 20, "parquet": 20, "ipc": 10}  # per byte of file, on the safe side


class Source(NamedTuple):
    """A data file that has been looked at, and not read yet."""

    name: str
    """As the user calls it."""
    scan: Any
    """A lazy polars frame."""
    layout: Layout | None
    """Of a text file."""
    path: Path
    most_bytes: int
    """What the table may take in memory, estimated from the size of the file."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.scan.collect_schema().names())


def open_source(name: str) -> Source:
    """Look at a data file, or at standard input for "-"; an OSError or ValueError says what is wrong."""
    path = _as_regular_file(name)
    with path.open("rb") as file:
        magic = file.read(6)
    kind = _kind_of(path, magic)
    layout = _text_layout(path) if kind in ("text", "gzip") else None
    try:
        if layout is not None:
            scan = _scan_text(path, layout)
        elif kind == "parquet":
            scan = pl.scan_parquet(path, glob=False)
        else:
            is_stream = magic.startswith(b"\xff\xff\xff\xff")
            scan = pl.read_ipc_stream(path).lazy() if is_stream else pl.scan_ipc(path)
        check_names(path, tuple(scan.collect_schema().names()))
    except UNREADABLE as error:
        raise _plainly(name, error, path, layout) from error
    return Source(name, scan, layout, path, path.stat().st_size * BYTES_IN_MEMORY[kind])


def read_rows(source: Source, rows: IntArray | None = None) -> tuple[Any, IntArray]:
    """Return a frame of all rows or of those with the given numbers, and the number of each row that it has.

    Rows are numbered from 0, the first after the header; empty lines are skipped, but count.
    """
    scan = source.scan.with_row_index(ROW)
    if rows is not None:
        scan = scan.filter(pl.col(ROW).is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
    frame = _collected(source, scan)
    if source.layout is not None and frame.height and frame.to_series(-1).null_count():
        if rows is None:
            _refuse_short_lines(source.path, source.layout)
        frame = frame.filter(~pl.all_horizontal(pl.exclude(ROW).is_null()))
    return frame.drop(ROW), frame[ROW].to_numpy().astype(np.int64)


def read_column(source: Source, name: str) -> Any:
    """Return one column, with a missing value for an empty line."""
    return _collected(source, source.scan.select(name))[name]


def count_rows(source: Source) -> int:
    """Return the number of rows without keeping them."""
    return int(_collected(source, source.scan.select(pl.len())).item())


def _collected(source: Source, scan: Any) -> Any:
    try:
        return scan.collect()
    except UNREADABLE as error:
        raise _plainly(source.name, error, source.path, source.layout) from error


def value_counts(column: Any) -> list[tuple[Any, int]]:
    """Return the values of a column with the number of their rows; missing ones, also NaN, are None."""
    known = column.fill_nan(None) if column.dtype.is_float() else column
    return [(value, count) for value, count in known.value_counts().rows() if count]


def write_table(frame: Any, path: Path) -> None:
    """Write a frame, in memory or lazy, in the format that the name asks for; the name ends as it will."""
    ending = output_format(path)
    lazy = frame.lazy()
    if ending == ".parquet":
        lazy.sink_parquet(path)
    elif ending in (".arrow", ".feather"):
        lazy.sink_ipc(path)
    elif ending == ".csv.gz":
        with gzip.open(path, "wb") as file:
            lazy.collect().write_csv(file)
    else:
        lazy.sink_csv(path, separator="\t" if ending == ".tsv" else ",")


def output_format(path: Path) -> str:
    """Return which of the output formats a name asks for, or raise a ValueError."""
    for ending in OUTPUT_FORMATS:
        if path.name.lower().endswith(ending):
            return ending
    raise ValueError(f"cannot tell the format of {path}; its name must end in {', '.join(OUTPUT_FORMATS)}")


def _kind_of(path: Path, magic: bytes) -> str:
    """Return what the file is by its first bytes, whatever its name says."""
    if magic.startswith(b"PAR1"):
        return "parquet"
    if magic.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "ipc"
    if magic.startswith(b"PK") or path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise ValueError(f"{path} is a spreadsheet or an archive; export the table as CSV first")
    return "gzip" if magic.startswith(b"\x1f\x8b") else "text"


def _text_layout(path: Path) -> Layout:
    if text_head(path).lstrip()[:1] in ("{", "["):
        raise ValueError(f"{path} looks like JSON; wanted CSV, TSV, Parquet or Arrow")
    endings = [suffix.lower() for suffix in path.suffixes[-2:]]
    tabs_only = ".tsv" in endings or ".tab" in endings
    return read_layout(path, ("\t",) if tabs_only else SEPARATORS)


def _scan_text(path: Path, layout: Layout) -> Any:
    scan = pl.scan_csv(
        path,
        separator=layout.separator,
        null_values=MISSING,
        infer_schema_length=None,  # all rows: a number after ten thousand whole ones must not be an error
        decimal_comma=layout.decimal_comma,
        glob=False,
    )
    found = scan.collect_schema().names()
    return scan.rename(dict(zip(found, layout.names, strict=True))) if len(found) == len(layout.names) else scan


def _refuse_short_lines(path: Path, layout: Layout) -> None:
    """Raise a ValueError for a line with too few fields; polars takes the others for missing."""
    if problem := ragged_line(path, layout):
        raise ValueError(_ragged(problem))


def _ragged(problem: str) -> str:
    return f"{problem}; put fields with a separator inside in double quotes, or mend the line"


def _plainly(name: str, error: BaseException, path: Path, layout: Layout | None) -> ValueError:
    """Return the error as one line for somebody who has never heard of polars."""
    if layout is not None and (problem := ragged_line(path, layout)):
        return ValueError(_ragged(problem))
    return ValueError(f"cannot read {name}: {str(error).strip().splitlines()[0]}")


def _as_regular_file(name: str) -> Path:
    """Return the path; what can be read only once (standard input, a pipe) is copied to a temporary file."""
    if name == STANDARD_INPUT:
        return _spooled(sys.stdin.buffer)
    path = Path(name)
    if path.is_dir():
        raise IsADirectoryError(f"{name} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        with path.open("rb") as pipe:
            return _spooled(pipe)
    return path


def _spooled(stream: BinaryIO) -> Path:
    handle, name = tempfile.mkstemp(prefix="puselect-", suffix=".csv")
    atexit.register(Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(stream, copy)
    return Path(name)


def names_in_order(wanted: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the wanted names once each, in the order of the table's columns."""
    chosen = set(wanted)
    return [name for name in columns if name in chosen]
