"""Features, labels and costs from files; and the features of a saved selection from another file."""

import csv
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Candidates
from puselect.phrases import counted, shortened
from puselect.row_groups import draw_groups, read_row_groups
from puselect.selectors.budget import OTHERS
from puselect.tables import errors
from puselect.tables.column import Column, Feature, table_columns, table_like
from puselect.tables.column_outcomes import ColumnOutcome, column_outcomes
from puselect.tables.column_types import as_float
from puselect.tables.columns import ColumnRules, Columns, finish_columns, missing_values, read_columns
from puselect.tables.encoders import Encoder
from puselect.tables.errors import LeftOut, Note, TableError
from puselect.tables.files import Source, count_rows, default_memory, open_source, read_column, read_rows, write_table
from puselect.tables.frames import pl
from puselect.tables.labels import ROW, Labels, check_columns, positive_rows, read_labels

SAMPLE_BYTES = 1 << 30  # of a table too large to be read: more rows would cost time and tell little
COPIES = 3  # of the table while a selector works: the frame, the matrix, its scaled copy
BYTES_PER_LETTER = 4  # in memory, of a text file
FEATURE_ROLES = ("keep", "use", "categories", "missing")
NUMBERED = "none"  # instead of a column that names the rows


@dataclass(frozen=True)
class TableSpec(ColumnRules):
    """Which columns and rows of a table to read, and how."""

    label: str
    """Column that marks the labelled positives."""
    positive: str | None = None
    """Value of that column; by default the one that means yes."""
    truth: str | None = None
    """Column with the true classes, where they are known; never a feature."""
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    max_rows: int | None = None
    max_memory: int | None = None
    """Bytes; by default a quarter of the machine's memory."""
    seed: int = 0
    """Of the sample, if one is drawn."""
    id: str | None = None
    """Column that names the rows; never a feature."""
    row_group: str | None = None
    """Column that tells which rows belong together; never a feature."""
    negative: str | None = None
    """Value of the label column for rows that were checked and are negative."""
    answers: tuple[Path, ...] = ()
    """Files with labels of more rows."""

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The columns that are named, by what they are named for."""
        single = {"label": self.label, "truth": self.truth, "id": self.id, "row-group": self.row_group}
        named = {role: () if name is None else (name,) for role, name in single.items()}
        coded = tuple(code.rpartition("=")[0] for code in self.missing_codes if "=" in code)
        return {**named, "drop": self.drop, "keep": self.keep, "use": self.use, "categories": self.categories,
                "missing": coded}  # fmt: skip

    @property
    def no_features(self) -> set[str]:
        """The columns that cannot be features."""
        return {name for role, names in self.roles.items() if role not in FEATURE_ROLES for name in names}

    def labels(self, column: pl.Series, names: AnyArray, columns: Sequence[str]) -> Labels:
        """Return the labels of rows with these names, in a file with these columns."""
        row_column = self.id or free_name(ROW, columns)
        return read_labels(column, names, row_column, self.positive, self.negative, self.answers)


@dataclass(frozen=True)
class FileRows:
    """Rows of a file with all its columns."""

    frame: pl.DataFrame
    names: AnyArray
    """Name of each row, or its number: 0 for the first after the header."""
    name: str | None
    """The column that names the rows, if there is one."""

    def select(self, columns: Iterable[str]) -> pl.DataFrame:
        """Return columns as they are in the file, and in their order."""
        chosen = set(columns)
        return self.frame.select(name for name in self.frame.columns if name in chosen)

    def ranked(self, found: Candidates, columns: Iterable[str], others: Sequence[int] = ()) -> pl.DataFrame:
        """Return the candidates, best first, and then others: name, rank, lift, confidence, and columns of the file.

        The file's columns keep their names; with a column "lift" among them, ours is "lift_".
        """
        order, rows = [*found.rows.tolist(), *others], self.select(columns)
        own = {self.name or free_name("row", rows.columns): self.names[order].tolist()}
        figures = {name: [*values.tolist(), *[None] * len(others)] for name, values in found.figures().items()}
        for name, values in {"rank": list(range(1, len(order) + 1)), **figures}.items():
            own[free_name(name, [*own, *rows.columns])] = values
        return pl.DataFrame(own).hstack(rows[order].drop(own, strict=False))


@dataclass(frozen=True)
class LoadedTable:
    """A table that a selector can be fitted to, and where it came from."""

    X: pl.DataFrame
    """Floats, one column per feature."""
    y: IntArray
    """1 for labelled positives, -1 for checked negatives, 0 for unlabelled rows."""
    truth: IntArray | None
    sources: tuple[str, ...]
    """The file's column behind each feature."""
    keep: tuple[str, ...]
    """Features that must be selected."""
    label: str
    positive: object
    left_out: tuple[LeftOut, ...]
    encoders: tuple[Encoder, ...]
    """Of each column that is used."""
    row_groups: pl.Series | None
    """The group of each row, if a column holds them."""
    notes: tuple[Note, ...]
    data: pl.LazyFrame
    """The whole table with all its rows and columns."""
    rows: FileRows
    """Those of `X`."""

    @property
    def neg_label(self) -> int | None:
        """The value of `y` for checked negatives; None if there are none."""
        return -1 if (self.y == -1).any() else None

    @property
    def row_column(self) -> str:
        """The column that names the rows, or that would in files of answers."""
        return self.rows.name or free_name(ROW, self.rows.frame.columns)

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return self.X.columns

    @property
    def groups(self) -> dict[str, list[str]]:
        """Features that were made from one column."""
        return {encoder.column: list(encoder.names) for encoder in self.encoders if len(encoder.names) > 1}

    @property
    def outcomes(self) -> tuple[ColumnOutcome, ...]:
        """What became of each column, in the order of the file."""
        return column_outcomes(self.encoders, self.left_out, self.notes, self.rows.frame.columns)

    def columns_of(self, support: BoolArray) -> list[str]:
        """Return the file's columns of which features are selected."""
        return [source for source, taken in zip(self.sources, support, strict=True) if taken]

    def costs(self, path: Path) -> list[float]:
        """Read the cost of each feature from a file: its own, or that of its column, or that of all others, "*"."""
        costs, columns = read_costs(path), self.rows.frame.columns
        if unknown := [name for name in costs if name not in (*self.names, *columns, OTHERS)]:
            wrong = f"--costs: {path} has a cost for {shortened(unknown)}, which is no column"
            raise TableError(f"{wrong}: delete the line, or correct the name{errors.suggestion(unknown[0], columns)}")
        pairs = list(zip(self.names, self.sources, strict=True))
        found = [[costs[key] for key in (*pair, OTHERS) if key in costs] for pair in pairs]
        if missing := dict.fromkeys(source for (_, source), own in zip(pairs, found, strict=True) if not own):
            lacking = f"--costs: {path} has no cost for {shortened(list(missing))}"
            raise TableError(f"{lacking}; add them, or a line *,1 for all others")
        return [own[0] for own in found]

    def write(self, columns: Iterable[str], file: BinaryIO, output_format: str) -> None:
        """Write columns and the label as they are in the file, all rows."""
        chosen = {*columns, self.label}
        names = [name for name in self.data.collect_schema().names() if name in chosen]
        write_table(self.data.select(names), file, output_format)


def load_table(name: str, spec: TableSpec) -> LoadedTable:
    """Read a data file, or standard input for "-"; raises a `TableError` or an OSError if it cannot be used."""
    source = open_source(name, spec.max_memory, spec.categories, spec.decimal)
    if spec.id == NUMBERED not in source.columns:
        spec = replace(spec, id=None)
    check_columns(name, source.columns, spec.roles)
    rows, notes = _sample(source, spec) if _must_sample(source, spec) else (None, [])
    frame, numbers = read_rows(source, rows)
    if frame.height < 2:
        raise TableError(f"{name} has too few rows ({frame.height}); at least 2 are needed")
    row_names = numbers if spec.id is None else read_ids(frame[spec.id])
    known = spec.labels(frame[spec.label], row_names, source.columns)
    truth = None if spec.truth is None else positive_rows(frame[spec.truth])
    table = table_columns(frame)
    columns, features = _read_features(table, replace(spec, decimal=source.decimal), known.positive)
    return LoadedTable(
        X=table_like(frame, table, features),
        y=known.positive.astype(np.int64) - known.negative,
        truth=None if truth is None else truth.astype(np.int64),
        sources=tuple(feature.source for feature in features),
        keep=tuple(feature.name for feature in features if feature.source in spec.keep),
        label=spec.label,
        positive=known.value,
        left_out=tuple(columns.left_out),
        encoders=tuple(columns.used.values()),
        row_groups=None if spec.row_group is None else frame[spec.row_group],
        notes=(*notes, *columns.notes),
        data=frame.lazy() if rows is None else source.scan,
        rows=FileRows(frame, row_names, spec.id),
    )


def _must_sample(source: Source, spec: TableSpec) -> bool:
    """Return whether the table has more rows than were asked for, or is too large to be read at once."""
    if spec.max_rows is not None:
        return count_rows(source) > spec.max_rows
    limit = spec.max_memory or default_memory()
    if source.layout is not None and source.n_bytes * BYTES_PER_LETTER * COPIES <= limit:
        return False  # rows of other formats are counted without reading them
    return count_rows(source) > _rows_within(limit, source)


def _rows_within(limit: int, source: Source) -> int:
    """Return how many rows fit into a number of bytes."""
    return max(limit // (COPIES * max(source.bytes_per_row, 1)), 2)


def _sample(source: Source, spec: TableSpec) -> tuple[IntArray, list[Note]]:
    """Return the numbers of all labelled rows and of random others, and a note that says so."""
    memory = spec.max_memory or min(default_memory(), SAMPLE_BYTES)
    limit = spec.max_rows or _rows_within(memory, source)
    column = read_column(source, spec.label)
    numbers = np.arange(len(column))
    names = _as_names(read_column(source, spec.id)) if spec.id is not None and spec.answers else numbers
    labels = spec.labels(column, names, source.columns)
    known = labels.positive | labels.negative
    n_labelled = int(known.sum())
    if limit <= n_labelled:
        raise TableError(
            f"{n_labelled} rows are labelled, but only {limit} may be read; raise --max-rows or --max-memory"
        )
    with warnings.catch_warnings(action="ignore"):  # of groups: whoever uses them says the same
        groups = None if spec.row_group is None else read_row_groups(read_column(source, spec.row_group), known)
    rows = np.sort(draw_groups(known, groups, np.random.default_rng(spec.seed), limit - n_labelled))
    return rows, [errors.SampleNote(len(rows), len(known), n_labelled, "rows" if spec.max_rows else "memory")]


def read_ids(column: pl.Series) -> AnyArray:
    """Return the names of the rows, or raise an error if some rows have none or share one."""
    counts = column.value_counts().filter(pl.col("count") > 1)
    if not column.null_count() and not counts.height:
        return _as_names(column)
    fault = f"{counted(column.null_count(), 'row')} without a value of {column.name!r}"
    if not column.null_count():
        shared = f"{counted(counts.height, 'value')} of {column.name!r} in more than one row"
        fault = f"{shared}, such as {str(counts[column.name][0])!r}"
    another = "correct them, name another column with --id COL, or number the rows with --id none"
    raise TableError(f"--id: {fault}; every row needs its own: {another}")


def _as_names(column: pl.Series) -> AnyArray:
    """Return integers or strings."""
    if column.dtype.is_integer() and not column.null_count():
        return column.to_numpy()
    return np.array(column.cast(str).fill_null("").to_list(), dtype=object)


def _read_features(
    table: Mapping[str, Column], spec: TableSpec, positive: BoolArray
) -> tuple[Columns, list[Feature]]:
    """Return the features; there must be two or more, with those to keep among them."""
    rules = replace(spec, use=(*spec.use, *spec.keep))
    columns = read_columns(table, [name for name in table if name not in spec.no_features], rules, positive)
    left_out = {column.name: column for column in columns.left_out}
    for name in spec.keep:
        if name in left_out:
            raise TableError(f"--keep: {name!r} cannot be used: {left_out[name]}")
        if name in spec.no_features:
            other = "the label, truth, identifier, row group or a dropped column"
            raise TableError(f"--keep: {name!r} is {other}, not a feature")
    features = finish_columns(columns, rules, spec.keep) if len(columns.features) > 1 else columns.features
    if len(features) < 2:
        reasons = "; ".join(f"{column.name}: {column}" for column in columns.left_out[:5])
        lacking = f"{len(features)} (left out: {reasons})" if reasons else str(len(features))
        raise TableError(f"at least 2 usable features are needed, got {lacking}; add columns, or see --prepare")
    return columns, features


@dataclass(frozen=True)
class AppliedTable:
    """The rows of another file, as a selection sees them."""

    rows: FileRows
    X: FloatArray
    """The selected features, shape (n_rows, n_selected)."""
    sources: tuple[str, ...]
    """The columns they were made from."""
    notes: tuple[errors.UnreadNote, ...]


def apply_encoders(
    name: str,
    encoders: Sequence[Encoder],
    features: Sequence[str],
    row_name: str | None = None,
    usual_name: str | None = None,
) -> AppliedTable:
    """Read a data file and return the selected features of its rows.

    Features that no encoder makes are columns of numbers. The rows are named by the column `row_name`, or by
    `usual_name` if the file has it; with "none" they are numbered.
    """
    made = {feature: encoder for encoder in encoders for feature in encoder.names}
    used = {encoder.column: encoder for encoder in (made.get(name) or Encoder(name, "number") for name in features)}
    source = open_source(name, texts=[column for column, encoder in used.items() if encoder.reads_text])
    if row_name is None and usual_name in source.columns:
        row_name = usual_name
    elif row_name == NUMBERED not in source.columns:
        row_name = None
    check_columns(name, source.columns, {"": tuple(used), "id": () if row_name is None else (row_name,)})
    frame, numbers = read_rows(source)
    if not frame.height:
        raise TableError(f"{name} has no rows")
    table = table_columns(frame.select(list(used)))
    read = [encoder.features(table[encoder.column]) for encoder in used.values()]
    columns = {feature.name: feature.values for found, _ in read for feature in found}
    notes = tuple(note for _, note in read if note is not None)
    unfilled = {note.name: note.n_missing + note.n_unread for note in notes if used[note.name] not in encoders}
    if unfilled:
        raise missing_values("missing", unfilled)
    row_names = numbers if row_name is None else read_ids(frame[row_name])
    X = np.column_stack([columns[feature] for feature in features])
    return AppliedTable(FileRows(frame, row_names, row_name), X, tuple(used), notes)


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return the name, with underscores added until it differs from others."""
    while name in taken:
        name += "_"
    return name


def read_costs(path: Path) -> dict[str, float]:
    """Read CSV lines of a name and its cost; the first line is skipped if it has no number."""
    wanted = f"--costs: {path} must hold lines of name,cost"
    try:
        rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row]
    except (ValueError, csv.Error) as error:
        raise TableError(f"{wanted} ({error})") from error
    if rows and len(rows[0]) == 2 and np.isnan(as_float(rows[0][1])):
        rows = rows[1:]
    if not rows:
        raise TableError(f"{wanted}, but is empty")
    for row in rows:
        if len(row) != 2 or np.isnan(as_float(row[1])):
            raise TableError(f"{wanted}, got {','.join(row)[:80]!r}")
    return {name.strip(): float(cost) for name, cost in rows}
