"""Tables in many Parquet files: found by a pattern, checked, and cut into parts that workers read."""

import errno
import os
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

import numpy as np

from puselect.arrays import AnyArray
from puselect.tables.errors import FileError, TooFewFeaturesError, UnknownColumnError
from puselect.tables.frames import pl

POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
CELLS_PER_PART = 5_000_000  # 20 to 40 MB, of which a worker needs several copies
ROW_GROUP = 2**20  # rows that a reader may have to decode at once: few writers put more into a row group


@dataclass(frozen=True)
class ParquetPart:
    """Some rows of a Parquet file, read where they are needed."""

    path: str
    first: int
    n_rows: int
    columns: tuple[str, ...]
    n_at_once: int
    """Columns that are read at a time, since whole row groups are decoded."""

    def read(self) -> AnyArray:
        """Return the rows as an array."""
        rows = pl.scan_parquet(self.path, glob=False).slice(self.first, self.n_rows)
        pieces = (self.columns[i : i + self.n_at_once] for i in range(0, len(self.columns), self.n_at_once))
        values = [rows.select(names).collect().to_numpy() for names in pieces]
        return np.hstack(values) if len(values) > 1 else np.asarray(values[0])


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


def number_columns(paths: list[Path], left_out: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of numbers except those left out; raise an error if there are fewer than two."""
    schema = pl.read_parquet_schema(paths[0])
    names = tuple(
        name for name, kind in schema.items() if name not in left_out and (kind.is_numeric() or kind == pl.Boolean)
    )
    if len(names) < 2:
        raise TooFewFeaturesError(len(names), [])
    return names


def parquet_parts(
    paths: list[Path], columns: tuple[str, ...], cells_per_part: int = CELLS_PER_PART
) -> list[ParquetPart]:
    """Return the rows of files in parts of at most `cells_per_part` values."""
    parts, rows_per_part = [], max(1, cells_per_part // len(columns))
    for path in paths:
        n_rows = int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
        n_at_once = max(1, cells_per_part // max(1, min(n_rows, ROW_GROUP)))
        for first in range(0, n_rows, rows_per_part):
            n_own = min(rows_per_part, n_rows - first)
            parts.append(ParquetPart(str(path.absolute()), first, n_own, columns, n_at_once))
    return parts


def read_label(path: Path, label: str) -> pl.Series:
    """Return the label column of a file; raise an error if there is none."""
    names = list(pl.read_parquet_schema(path))
    if label not in names:
        raise UnknownColumnError(str(path), "label", label, names)
    return pl.read_parquet(path, glob=False, columns=[label])[label]
