"""Tables in many Parquet files: found by a pattern and checked."""

import errno
import os
from glob import glob, has_magic
from pathlib import Path

from puselect.tables.errors import FileError
from puselect.tables.frames import pl

POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def is_pattern(name: str) -> bool:
    """Return whether a name stands for several files, as in 'data/*.parquet'."""
    return has_magic(name) and not Path(name).exists()


def matching_files(name: str) -> list[Path]:
    """Return the Parquet files that a pattern matches, in order; raise an error unless all have the same columns."""
    paths = [Path(path) for path in sorted(glob(name, recursive=True))]
    if not paths:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    first: dict[str, pl.DataType] | None = None
    for path in paths:
        try:
            schema = pl.read_parquet_schema(path)
        except (*POLARS_ERRORS, OSError) as error:
            raise FileError(path, "damaged", reader_message(error)) from error
        if first is not None and schema != first:
            raise FileError(path, "schema", str(paths[0]))
        first = schema
    return paths


def check_values(paths: list[Path]) -> None:
    """Raise an error that names the first of the files whose values cannot be read."""
    for path in paths:
        try:
            pl.scan_parquet(path, glob=False).select(pl.all().null_count()).collect(engine="streaming")
        except (*POLARS_ERRORS, OSError) as error:
            raise FileError(path, "damaged", reader_message(error)) from error


def reader_message(error: BaseException) -> str:
    """Return the first line of an error of polars."""
    return (str(error).strip().splitlines() or [""])[0]
