"""Read a data file into features and labels."""

import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from puselect.arrays import BoolArray, IntArray
from puselect.fscpu.final_clusters import Candidates
from puselect.row_groups import draw_groups, read_row_groups
from puselect.tables.columns import ColumnRules, Columns, finish_columns, read_columns
from puselect.tables.costs import feature_costs
from puselect.tables.errors import (
    IdError,
    KeepError,
    LeftOut,
    Note,
    SampleNote,
    ShortTableError,
    TooFewFeaturesError,
    TooManyLabelledError,
    UnknownColumnError,
)
from puselect.tables.fates import Fate, column_fates
from puselect.tables.files import (
    Source,
    candidate_frame,
    count_rows,
    default_memory,
    feature_frame,
    names_in_order,
    open_source,
    read_column,
    read_rows,
    value_counts,
    write_table,
)
from puselect.tables.parts import read_label
from puselect.tables.positive import choose_positive
from puselect.tables.recipes import Recipe

SAMPLE_BYTES = 1 << 30  # of a table too large to be read: more rows would cost time and tell little
COPIES = 3  # of the table while a selector works: the frame, the matrix, its scaled copy
BYTES_PER_LETTER = 4  # in memory, of a text file


@dataclass(frozen=True)
class TableSpec:
    """Which columns and rows of a table to read, and how."""

    label: str
    """Column that marks the labelled positives."""
    positive: str | None = None
    """Value of that column; by default the one that means yes."""
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
    prepare: bool = False
    """Encode, impute with indicators, and leave out identifiers and copies."""
    drop_duplicates: float | None = None
    missing_codes: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    """Columns to use although they look like identifiers or copies."""
    id: str | None = None
    """Column that names the rows; never a feature."""
    row_group: str | None = None
    """Column that tells which rows belong together; never a feature."""

    @property
    def rules(self) -> ColumnRules:
        """What is done to columns."""
        return ColumnRules(
            encode=self.encode or self.prepare,
            max_categories=self.max_categories,
            impute="median" if self.prepare else self.impute,
            indicators=self.prepare,
            clean=self.prepare,
            drop_duplicates=self.drop_duplicates,
            missing_codes=self.missing_codes,
            use=(*self.use, *self.keep),
        )


@dataclass(frozen=True)
class LoadedTable:
    """A table that a selector can be fitted to, and where it came from."""

    X: Any
    """Polars frame of floats, one column per feature."""
    y: IntArray
    """1 for labelled positives, 0 for unlabelled rows."""
    truth: IntArray | None
    sources: tuple[str, ...]
    """The file's column behind each feature."""
    keep: tuple[str, ...]
    """Features that must be selected."""
    label: str
    positive: Any
    row_numbers: IntArray
    """Of each row of `X` in the file: 0 for the first after the header."""
    left_out: tuple[LeftOut, ...]
    recipes: tuple[Recipe, ...]
    """How each column that is used became features."""
    ids: tuple[int | str, ...] | None
    """Name of each row, if a column holds them."""
    row_groups: Any
    """Polars series with the group of each row, if a column holds them."""
    notes: tuple[Note, ...]
    data: Any
    """The whole table with all its rows and columns, lazy."""
    rows: Any
    """The rows of `X` with all columns of the file."""
    seconds: Mapping[str, float]
    """How long reading and preparing took."""

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return list(self.X.columns)

    @property
    def groups(self) -> dict[str, list[str]]:
        """Features that were made from one column."""
        return {recipe.column: list(recipe.names) for recipe in self.recipes if len(recipe.names) > 1}

    @property
    def fates(self) -> tuple[Fate, ...]:
        """What became of each column, in the order of the file."""
        places = {name: place for place, name in enumerate(self.rows.columns)}
        fates = column_fates(self.recipes, self.left_out, self.notes)
        return tuple(sorted(fates, key=lambda fate: places[fate.column]))

    def write_candidates(self, found: Candidates, support: BoolArray, row_name: str | None, file: BinaryIO) -> None:
        """Write all candidates as CSV: what names the row, the confidence, the selected columns as they are."""
        chosen = [source for source, taken in zip(self.sources, support, strict=True) if taken]
        names = names_in_order(chosen, self.rows.columns)
        numbers = self.row_numbers if self.ids is None else np.array(self.ids, dtype=object)
        write_table(candidate_frame(found, numbers, row_name, self.rows.select(names)), file, ".csv")

    def costs(self, path: Path) -> list[float]:
        """Read the cost of each feature from a file."""
        return feature_costs(path, self.names, self.sources)

    def write(self, support: BoolArray, file: BinaryIO, output_format: str) -> None:
        """Write the selected columns and the label as they are in the file, all rows."""
        chosen = [source for source, taken in zip(self.sources, support, strict=True) if taken]
        names = names_in_order([*chosen, self.label], self.data.collect_schema().names())
        write_table(self.data.select(names), file, output_format)


def load_table(name: str, spec: TableSpec) -> LoadedTable:
    """Read a data file; raises a `TableError` or an OSError if it cannot be used.

    Parameters
    ----------
    name : str
        A path, or "-" for standard input.
    spec : TableSpec
    """
    begin = time.perf_counter()
    source = open_source(name, spec.max_memory)
    _check_columns(source, spec)
    rows, notes = _sample(source, spec) if _must_sample(source, spec) else (None, [])
    frame, row_numbers = read_rows(source, rows)
    if frame.height < 2:
        raise ShortTableError(name, frame.height)
    read = time.perf_counter()
    positive, y = choose_labels(frame[spec.label], spec.positive)
    truth = choose_labels(frame[spec.truth], None)[1] if spec.truth else None
    ids = None if spec.id is None else read_ids(frame[spec.id])
    columns = _used_columns(frame, spec, y == 1)
    features = finish_columns(columns, spec.rules, spec.keep)
    if len(features) < 2:
        raise TooFewFeaturesError(len(features), columns.left_out)
    return LoadedTable(
        X=feature_frame(features),
        y=y,
        truth=truth,
        sources=tuple(feature.source for feature in features),
        keep=tuple(feature.name for feature in features if feature.source in spec.keep),
        label=spec.label,
        positive=positive,
        row_numbers=row_numbers,
        left_out=tuple(columns.left_out),
        recipes=tuple(used.recipe for used in columns.used),
        ids=ids,
        row_groups=None if spec.row_group is None else frame[spec.row_group],
        notes=(*notes, *columns.notes),
        data=frame.lazy() if rows is None else source.scan,
        rows=frame,
        seconds={"reading": read - begin, "preparing": time.perf_counter() - read},
    )


def _check_columns(source: Source, spec: TableSpec) -> None:
    """Raise an error if a named column does not exist or has two roles."""
    columns = source.columns
    roles: Sequence[tuple[Any, Sequence[str]]] = (
        ("label", [spec.label]),
        ("truth", [] if spec.truth is None else [spec.truth]),
        ("id", [] if spec.id is None else [spec.id]),
        ("row-group", [] if spec.row_group is None else [spec.row_group]),
        ("drop", spec.drop),
        ("keep", spec.keep),
        ("use", spec.use),
    )
    for role, names in roles:
        for name in names:
            if name not in columns:
                raise UnknownColumnError(source.name, role, name, columns)
    for name in spec.keep:
        if name in (spec.label, spec.truth, spec.id, spec.row_group, *spec.drop):
            raise KeepError(name, None)


def _must_sample(source: Source, spec: TableSpec) -> bool:
    """Return whether the table has more rows than were asked for, or is too large to be read at once."""
    if spec.max_rows is not None:
        return count_rows(source) > spec.max_rows
    limit = spec.max_memory or default_memory()
    if source.layout is not None and source.n_bytes * BYTES_PER_LETTER * COPIES <= limit:
        return False  # rows of other formats are counted without reading them
    return count_rows(source) > _rows_within(limit, source)


def _rows_within(limit: int, source: Source) -> int:
    """Return how many rows fit into so many bytes."""
    return max(limit // (COPIES * max(source.bytes_per_row, 1)), 2)


def _sample(source: Source, spec: TableSpec) -> tuple[IntArray, list[Note]]:
    """Return the numbers of all labelled rows and of random others, and a note that says so."""
    memory = spec.max_memory or min(default_memory(), SAMPLE_BYTES)
    limit = spec.max_rows or _rows_within(memory, source)
    _, y = choose_labels(read_column(source, spec.label), spec.positive)
    n_labelled = int(y.sum())
    if limit <= n_labelled:
        raise TooManyLabelledError(n_labelled, limit)
    with warnings.catch_warnings(action="ignore"):  # of groups: whoever uses them says the same
        groups = None if spec.row_group is None else read_row_groups(read_column(source, spec.row_group), y == 1)
    rows = np.sort(draw_groups(y == 1, groups, np.random.default_rng(spec.seed), limit - n_labelled))
    return rows, [SampleNote(len(rows), len(y), n_labelled, "rows" if spec.max_rows else "memory")]


def choose_labels(column: Any, wanted: str | None) -> tuple[Any, IntArray]:
    """Return the value that marks positives, and 1 for the rows that have it, 0 for all others."""
    positive = choose_positive(value_counts(column), column.name, wanted)
    return positive, (column == positive).fill_null(False).to_numpy().astype(np.int64)


def labelled_rows(paths: list[Path], label: str, wanted: str | None) -> BoolArray:
    """Return which rows of Parquet files are labelled positive; the labels of one file at a time are read."""
    counts: Counter[Any] = Counter()
    for path in paths:
        counts.update(dict(value_counts(read_label(path, label))))
    positive = choose_positive(list(counts.items()), label, wanted)
    return np.concatenate([(read_label(path, label) == positive).fill_null(False).to_numpy() for path in paths])


def read_ids(column: Any) -> tuple[int | str, ...]:
    """Return the names of the rows, or raise an `IdError` if some rows have none or share one."""
    counts = column.value_counts().filter(column.value_counts()["count"] > 1)
    if column.null_count():
        raise IdError(column.name, "missing", n_rows=column.null_count())
    if counts.height:
        raise IdError(column.name, "repeated", str(counts[column.name][0]), counts.height)
    return tuple(column.to_list() if column.dtype.is_integer() else column.cast(str).to_list())


def _used_columns(frame: Any, spec: TableSpec, positive: BoolArray) -> Columns:
    """Return the features; there must be two or more, with those to keep among them."""
    other_roles = {spec.label, spec.truth, spec.id, spec.row_group, *spec.drop}
    names = [name for name in frame.columns if name not in other_roles]
    columns = read_columns(frame, names, spec.rules, positive)
    left_out = {column.name: column for column in columns.left_out}
    for name in spec.keep:
        if name in left_out:
            raise KeepError(name, left_out[name])
    if len(columns.features) < 2:
        raise TooFewFeaturesError(len(columns.features), columns.left_out)
    return columns
