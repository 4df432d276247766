"""A file, a label column and a few wishes become a problem that selectors can work on."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.tables.columns import Columns, LeftOut, fill_missing, read_columns
from puselect.tables.files import (
    Source,
    count_rows,
    names_in_order,
    open_source,
    read_column,
    read_rows,
    value_counts,
    write_table,
)
from puselect.tables.names import check_known, suggestion
from puselect.tables.positive import choose_positive

COPIES = 3  # of the table while a selector works: the frame, the matrix, its scaled copy
MEMORY_SHARE = 4
MEMORY_UNKNOWN = 8 << 30


@dataclass(frozen=True)
class Reading:
    """How a table is to be read."""

    label: str
    """Column that marks the labelled positives."""
    positive: str | None = None
    """Value of that column; by default the one that plainly means yes."""
    truth: str | None = None
    """Column with the true classes, where they are known; never a feature."""
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    encode: bool = False
    max_categories: int = 20
    impute: str | None = None
    max_rows: int | None = None
    max_memory: int | None = None
    """Bytes; by default a quarter of the machine's memory."""
    seed: int = 0
    """Of the sample, if one is drawn."""


@dataclass(frozen=True)
class Problem:
    """What a selector works on, and where it came from."""

    X: FloatArray
    y: IntArray
    """1 for labelled positives, 0 for unlabelled rows."""
    truth: IntArray | None
    names: tuple[str, ...]
    """Of the features."""
    sources: tuple[str, ...]
    """The file's column behind each feature."""
    keep: tuple[int, ...]
    """Features that must be selected."""
    label: str
    positive: Any
    row_numbers: IntArray
    """Of each row of `X` in the file: 0 for the first after the header."""
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    data: Any
    """The whole table with all its rows and columns, lazy."""

    def write(self, support: BoolArray, path: Path) -> None:
        """Write the selected columns and the label as they are in the file, all rows."""
        chosen = [source for source, taken in zip(self.sources, support, strict=True) if taken]
        names = names_in_order([*chosen, self.label], self.data.collect_schema().names())
        write_table(self.data.select(names), path)


def read_problem(name: str, reading: Reading) -> Problem:
    """Read a data file; every way in which it can be unfit gives a ValueError or OSError of one line."""
    source = open_source(name)
    check_wishes(source, reading)
    rows, notes = sample(source, reading) if must_sample(source, reading) else (None, [])
    frame, row_numbers = read_rows(source, rows)
    if frame.height < 2:
        raise ValueError(f"{name} has {'one row' if frame.height else 'names of columns, but no rows'}; add rows")
    positive, y = marked_rows(frame[reading.label], reading.label, reading.positive)
    truth = marked_rows(frame[reading.truth], reading.truth, None)[1] if reading.truth else None
    columns = used_columns(frame, reading)
    features, filled = fill_missing(columns.features, reading.impute)
    notes += [*columns.notes, *filled]
    return Problem(
        X=np.column_stack([feature.values for feature in features]),
        y=y,
        truth=truth,
        names=tuple(feature.name for feature in features),
        sources=tuple(feature.source for feature in features),
        keep=tuple(i for i, feature in enumerate(features) if feature.source in reading.keep),
        label=reading.label,
        positive=positive,
        row_numbers=row_numbers,
        left_out=tuple(columns.left_out),
        notes=tuple(notes),
        data=frame.lazy() if rows is None else source.scan,
    )


def check_wishes(source: Source, reading: Reading) -> None:
    """Raise a ValueError if a column that is named is not there, or is named twice."""
    columns = source.columns
    for option, wanted in (("label", reading.label), ("truth", reading.truth)):
        if wanted is not None and wanted not in columns:
            raise ValueError(f"{source.name} has no column {wanted!r} for --{option}{suggestion(wanted, columns)}")
    check_known("--drop", reading.drop, columns)
    check_known("--keep", reading.keep, columns)
    for name in reading.keep:
        if name in (reading.label, reading.truth, *reading.drop):
            raise ValueError(f"--keep names {name!r}, which is the label, the truth or dropped; a feature is wanted")


def must_sample(source: Source, reading: Reading) -> bool:
    """Return whether the table has more rows than were asked for, or is too large to be read at once."""
    if reading.max_rows is not None:
        return count_rows(source) > reading.max_rows
    limit = reading.max_memory or default_memory()
    if source.most_bytes * COPIES <= limit:
        return False
    return count_rows(source) > rows_within(limit, len(source.columns))


def rows_within(limit: int, n_columns: int) -> int:
    """Return how many rows fit into so many bytes."""
    return max(limit // (COPIES * 8 * max(n_columns, 1)), 2)


def default_memory() -> int:
    """Return a quarter of the machine's memory, in bytes."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) // MEMORY_SHARE
    except (AttributeError, ValueError, OSError):  # not on this system
        return MEMORY_UNKNOWN // MEMORY_SHARE


def sample(source: Source, reading: Reading) -> tuple[IntArray, list[str]]:
    """Return the numbers of all labelled rows and of random others, and a note that says so."""
    limit = reading.max_rows or rows_within(reading.max_memory or default_memory(), len(source.columns))
    _, y = marked_rows(read_column(source, reading.label), reading.label, reading.positive)
    marked, others = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    room = limit - len(marked)
    if room < 1:
        raise ValueError(
            f"{len(marked)} rows are labelled positive, but only {limit} rows may be read; "
            "raise --max-rows or --max-memory"
        )
    drawn = np.random.default_rng(reading.seed).choice(others, min(room, len(others)), replace=False)
    read = f"{len(marked) + len(drawn)} of {len(y)} rows were read, all {len(marked)} labelled ones and random others"
    why = "as --max-rows asks" if reading.max_rows else "for want of memory; --max-rows and --max-memory change that"
    return np.sort(np.concatenate([marked, drawn])), [f"{read}, {why}"]


def marked_rows(column: Any, label: str, wanted: str | None) -> tuple[Any, IntArray]:
    """Return the value that marks positives, and 1 for the rows that have it, 0 for all others."""
    positive = choose_positive(value_counts(column), label, wanted)
    return positive, (column == positive).fill_null(False).to_numpy().astype(np.int64)


def used_columns(frame: Any, reading: Reading) -> Columns:
    """Return the features, and see to it that there are some, the kept ones among them."""
    aside = {reading.label, reading.truth, *reading.drop}
    names = [name for name in frame.columns if name not in aside]
    columns = read_columns(frame, names, encode=reading.encode, max_categories=reading.max_categories)
    left_out = dict(columns.left_out)
    for name in reading.keep:
        if name in left_out:
            raise ValueError(f"--keep names {name!r}, which cannot be used: {left_out[name]}")
    if len(columns.features) < 2:
        reasons = "; ".join(f"{name}: {why}" for name, why in columns.left_out[:5])
        raise ValueError(
            f"at least two usable features are needed to choose from, got {len(columns.features)}"
            + (f" (left out: {reasons})" if reasons else "")
        )
    return columns
