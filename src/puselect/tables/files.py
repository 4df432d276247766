"""Data files: detected, scanned, read, written."""

import atexit
import errno
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from glob import glob, has_magic
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from puselect.arrays import IntArray
from puselect.atomic import SUFFIX, remove_scratch
from puselect.tables.errors import TableError
from puselect.tables.frames import pl
from puselect.tables.text import (
    GZIP_MAGIC,
    HEAD_BYTES,
    Layout,
    check_names,
    decode_head,
    has_decimal_commas,
    ragged_line,
    read_layout,
    size_text,
    unpacked_size,
)

POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
MISSING = ["", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?"]
ROW = "__row__"  # an unlikely name for a user's column
STANDARD_INPUT = "-"
COPY = "puselect-input"  # as in the names of copies of standard input
OUTPUT_FORMATS = (".csv", ".csv.gz", ".tsv", ".parquet", ".arrow", ".feather")
BYTES_PER_NUMBER, BYTES_PER_TEXT = 8, 64  # in memory; text may be long, or become several features
ROWS_PACKED = 100_000  # at a time
LARGEST_STREAM = 8 << 30
PART = 1 << 20
MEMORY_SHARE = 4
MEMORY_UNKNOWN = 8 << 30


class Source(NamedTuple):
    """A data file that has been detected, but not read."""

    name: str
    """As the user calls it."""
    scan: pl.LazyFrame
    layout: Layout | None
    """Of a text file."""
    path: Path
    n_bytes: int
    """Of the file, unpacked or at most that; of all files of a pattern."""
    decimal: str | None = None
    """The decimal mark of a text file, if that is known."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.scan.collect_schema().names())

    @property
    def bytes_per_row(self) -> int:
        """About how much memory a row takes: a file may be packed a thousandfold."""
        kinds = self.scan.collect_schema().dtypes()
        n_numbers = sum(bool(kind.is_numeric() or kind.is_temporal() or kind == pl.Boolean) for kind in kinds)
        return n_numbers * BYTES_PER_NUMBER + (len(kinds) - n_numbers) * BYTES_PER_TEXT


def open_source(
    name: str, max_memory: int | None = None, texts: Sequence[str] = (), decimal: str | None = None
) -> Source:
    """Detect the format of a data file, or of standard input for "-"; a pattern stands for several Parquet files.

    In a text file the columns `texts` are read as text, whatever they look like. Its decimal mark is found if it is not
    given.
    """
    if is_pattern(name):
        paths = matching_files(name)
        size = sum(path.stat().st_size for path in paths)
        return Source(name, pl.scan_parquet(paths, glob=False), None, paths[0], size)
    path = regular_file(name)
    with path.open("rb") as file:
        magic = file.read(6)
    kind, layout = _kind_of(path, magic), None
    n_bytes = path.stat().st_size
    if kind == "gzip":
        n_bytes = unpacked_size(name, path, max_memory or default_memory())
    if kind in ("text", "gzip"):
        layout = read_layout(path)
    with _readable(name, path, layout):
        if layout is not None:
            scan, decimal = _scan_text(path, layout, texts, decimal)
        elif kind == "parquet":
            scan = pl.scan_parquet(path, glob=False)
        else:
            is_stream = magic.startswith(b"\xff\xff\xff\xff")
            scan = pl.read_ipc_stream(path).lazy() if is_stream else pl.scan_ipc(path)
        check_names(path, scan.collect_schema().names())
    return Source(name, scan, layout, path, n_bytes, decimal)


def is_pattern(name: str) -> bool:
    """Return whether a name stands for several files, as in 'data/*.parquet'."""
    return has_magic(name) and not Path(name).exists()


def matching_files(name: str) -> list[Path]:
    """Return the Parquet files that a pattern matches, in order; raise an error unless all have the same columns."""
    paths = [Path(path) for path in sorted(glob(name, recursive=True))]
    if not paths:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    schemas = []
    for path in paths:
        with _readable(path):
            schemas.append(pl.read_parquet_schema(path))
        if schemas[-1] != schemas[0]:
            other = f"{path} has other columns, or other types of columns, than {paths[0]}"
            raise TableError(f"{other}; all files must have the same")
    return paths


@contextmanager
def _readable(name: str | Path, path: Path | None = None, layout: Layout | None = None) -> Iterator[None]:
    """Raise an error that says best why polars cannot read a file, if it cannot in this block."""
    try:
        yield
    except (*POLARS_ERRORS, OSError) as error:
        ragged = ragged_line(path, layout) if path is not None and layout is not None else None
        raise ragged or TableError(f"cannot read {name}: {reader_message(error)}") from error


def reader_message(error: BaseException) -> str:
    """Return the first line of an error of polars."""
    return (str(error).strip().splitlines() or [""])[0]


def default_memory() -> int:
    """Return a quarter of the machine's memory, in bytes."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) // MEMORY_SHARE
    except (AttributeError, ValueError, OSError):  # not on this system
        return MEMORY_UNKNOWN // MEMORY_SHARE


def read_rows(source: Source, rows: IntArray | None = None) -> tuple[pl.DataFrame, IntArray]:
    """Return a frame of all rows or of those with the given numbers, and the number of each of its rows.

    Row 0 is the first after the header. Empty lines are skipped, but counted.
    """
    scan = source.scan.with_row_index(ROW)
    if rows is not None:
        scan = scan.filter(pl.col(ROW).is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
    frame = _collected(source, scan, is_streamed=rows is not None and source.layout is None)
    if source.layout is not None and frame.height and frame.to_series(-1).null_count():
        if rows is None and (ragged := ragged_line(source.path, source.layout)):
            raise ragged  # polars takes absent fields for missing values
        frame = frame.filter(~pl.all_horizontal(pl.exclude(ROW).is_null()))
    return frame.drop(ROW).rechunk(), frame[ROW].to_numpy().astype(np.int64)


def read_column(source: Source, name: str) -> pl.Series:
    """Return one column, with a missing value for an empty line; all columns of a text file are checked."""
    if source.layout is not None:  # lines are of the right length only if all columns are read
        n_missing = _collected(source, source.scan.select(pl.all().null_count()), is_streamed=True).row(0)
        if n_missing[-1] and (ragged := ragged_line(source.path, source.layout)):
            raise ragged
    return _collected(source, source.scan.select(name))[name]


def count_rows(source: Source) -> int:
    """Return the number of rows without keeping them."""
    return int(_collected(source, source.scan.select(pl.len())).item())


def _collected(source: Source, scan: pl.LazyFrame, is_streamed: bool = False) -> pl.DataFrame:
    """Return the rows of a scan; `is_streamed` saves memory and time, if only a few of them are kept."""
    with _readable(source.name, source.path, source.layout):
        try:
            return scan.collect(engine="streaming" if is_streamed else "auto")
        except (*POLARS_ERRORS, OSError):
            for path in matching_files(source.name) if is_pattern(source.name) else ():
                with _readable(path):  # names the file that is damaged
                    pl.scan_parquet(path, glob=False).select(pl.all().null_count()).collect(engine="streaming")
            raise


def write_table(frame: pl.DataFrame | pl.LazyFrame, file: BinaryIO, output_format: str) -> None:
    """Write a frame, in memory or lazy, to an open file in one of `OUTPUT_FORMATS`."""
    lazy = frame.lazy()
    # polars writes no CSV of durations: "PT1H30M" (ISO 8601)
    texts = lazy.with_columns(pl.selectors.duration().dt.to_string("iso"))
    try:
        if output_format == ".parquet":
            lazy.sink_parquet(file)
        elif output_format in (".arrow", ".feather"):
            lazy.sink_ipc(file)
        elif output_format == ".csv.gz":
            packed = texts.collect()
            file.write(gzip.compress(packed.clear().write_csv().encode(), mtime=0))
            for part in packed.iter_slices(ROWS_PACKED):  # the text of all rows may be too large
                file.write(gzip.compress(part.write_csv(include_header=False).encode(), mtime=0))
        else:
            texts.sink_csv(file, separator="\t" if output_format == ".tsv" else ",")
    except POLARS_ERRORS as error:  # such as for a full disk
        raise OSError(f"cannot write the table: {reader_message(error)}") from error


def output_format(path: Path) -> str:
    """Return the one of `OUTPUT_FORMATS` that a file name ends in, or raise an error."""
    for ending in OUTPUT_FORMATS:
        if path.name.lower().endswith(ending):
            return ending
    raise TableError(f"cannot tell the format of {path}; its name must end in {', '.join(OUTPUT_FORMATS)}")


def _kind_of(path: Path, magic: bytes) -> str:
    """Return the format by the first bytes, whatever the name says."""
    if magic.startswith(b"PAR1"):
        return "parquet"
    if magic.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "ipc"
    if magic.startswith(b"PK") or path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise TableError(f"{path} is a spreadsheet or an archive; export the table as CSV first")
    return "gzip" if magic.startswith(GZIP_MAGIC) else "text"


def _scan_text(
    path: Path, layout: Layout, texts: Sequence[str], decimal: str | None
) -> tuple[pl.LazyFrame, str | None]:
    """Return a scan of a text file and the decimal mark of its numbers, None if they have none."""
    scan = partial(
        pl.scan_csv, path, separator=layout.separator, eol_char=layout.line_end, null_values=MISSING, glob=False
    )
    strings = scan(infer_schema=False)
    found = strings.collect_schema().names()
    if len(found) != len(layout.names):  # such as different line ends in one file
        different = f"{len(layout.names)} or {len(found)} columns"
        raise TableError(f"{path}: cannot read the column names ({different}); check quotes and line ends")
    names = dict(zip(found, layout.names, strict=True))
    # All rows are looked at: a fraction after ten thousand whole numbers must not be an error.
    given = {header: pl.String for header, name in names.items() if name in texts}
    typed = partial(scan, infer_schema_length=None, schema_overrides=given)
    if layout.separator == ";" and decimal != ".":
        commas = typed(decimal_comma=True).rename(names)
        if decimal or has_decimal_commas(commas.collect_schema(), strings.rename(names)):
            return commas, ","
    points = typed().rename(names)
    has_fractions = any(kind.is_float() for kind in points.collect_schema().dtypes())
    return points, decimal or ("." if has_fractions else None)


def regular_file(name: str) -> Path:
    """Return the path; what can be read only once, such as standard input, is copied to a temporary file.

    Copies that killed processes have left are removed.
    """
    remove_scratch(Path(tempfile.gettempdir(), COPY))
    path = Path(name)
    if name == STANDARD_INPUT:
        if sys.stdin is None:  # closed by the shell
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
        return _spooled(sys.stdin.buffer, "standard input")
    if path.exists() and not path.is_file():
        with path.open("rb") as pipe:
            return _spooled(pipe, name)
    return path


def _spooled(stream: BinaryIO, name: str) -> Path:
    """Copy a stream to a temporary file that is removed at exit; an error if it is no table or has no end."""
    head = stream.read(HEAD_BYTES)
    if _kind_of(Path(name), head[:6]) == "text":
        decode_head(name, head)  # before anything is written: /dev/zero has no end
    limit = min(LARGEST_STREAM, shutil.disk_usage(tempfile.gettempdir()).free // 2)
    handle, copy_name = tempfile.mkstemp(prefix=f".{COPY}.{os.getpid()}.", suffix=SUFFIX)
    atexit.register(Path(copy_name).unlink, missing_ok=True)
    part = head
    with os.fdopen(handle, "wb") as copy:
        while part:
            copy.write(part)
            if copy.tell() > limit:
                copy.truncate(0)
                raise TableError(f"{name} is longer than {size_text(limit)}; save it to a file first")
            part = stream.read(PART)
    return Path(copy_name)
