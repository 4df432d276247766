"""The same rows in another type or file format: the same features, or what could not be read is counted by column."""

import tempfile
import warnings
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars as pl
from damage import Draw, chance
from outcome import attempt, require

from puselect import Preparer
from puselect.tables.errors import TableError
from puselect.tables.loading import apply_encoders

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-formats-"))
N = 18  # rows: one value is more than 5 % of them


def text(*formats: str) -> list[Callable[[Any], Any]]:
    """Return conversions of dates into text of some formats."""
    return [lambda column, text_format=text_format: column.dt.strftime(text_format) for text_format in formats]


def cast(*kinds: Any) -> list[Callable[[Any], Any]]:
    """Return conversions into some types; a value that does not fit becomes missing."""
    return [lambda column, kind=kind: column.cast(kind, strict=False) for kind in kinds]


CONVERSIONS: dict[str, list[Callable[[Any], Any]]] = {
    "day": [*text("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%Y%m%d", "%d/%m/%y"),
            *cast(str, pl.Datetime("ms"), pl.Int32, pl.Datetime("us", "UTC"))],
    "moment": [*text("%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d", "%H:%M", "%s"),
               *cast(str, pl.Datetime("ns"), pl.Date, pl.Time, pl.Int64)],
    "clock": cast(str, pl.Int64, pl.Float64, pl.Duration("us")),
    "span": [*cast(pl.Duration("us"), pl.Duration("ns"), pl.Int64, pl.Float64), lambda column: column.dt.total_hours()],
    "code": cast(pl.Int64, pl.Float64, pl.Categorical, pl.Binary),
    "sex": [*cast(pl.Categorical, pl.Boolean), lambda column: column.str.to_uppercase()],
    "size": [*cast(str, pl.UInt32, pl.Categorical), lambda column: column.cast(str).str.to_titlecase()],
    "number": [*cast(str, pl.Decimal(12, 4), pl.Categorical), lambda column: pl.format("{} kg", column),
               lambda column: column.cast(str).str.replace(".", ",", literal=True)],
    "flag": cast(pl.Int8, pl.Float64, str),
}  # fmt: skip
FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "a.csv": ("csv", {}), "a.tsv": ("csv", {"separator": "\t"}), "b.csv": ("csv", {"separator": ";"}),
    "c.csv": ("csv", {"separator": ";", "decimal_comma": True}), "d.csv": ("csv", {"quote_style": "always"}),
    "a.parquet": ("parquet", {}), "a.arrow": ("ipc", {}),
}  # fmt: skip


def frame(draw: Draw) -> Any:
    """Draw a table with columns of many types, some values missing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    begin, hours = datetime(2024, 1, 1), rng.choice(24 * 300, N, replace=False)
    moments = [begin + timedelta(hours=int(hour)) for hour in hours]
    scale = draw(st.sampled_from([0.25, 1.0, 1000.0, 123_456_789.25]))
    made = pl.DataFrame({
        "day": [moment.date() for moment in moments], "moment": moments, "clock": [one.time() for one in moments],
        "span": pl.Series([one - begin for one in moments], dtype=pl.Duration("ms")),
        "code": rng.choice(["01", "02", "003", "X9"], N), "sex": rng.choice(["f", "m"], N),
        "size": pl.Series(rng.choice(["s", "m", "l"], N), dtype=pl.Enum(["s", "m", "l"])),
        "number": rng.integers(-9, 2000, N) * scale, "flag": rng.random(N) > 0.5,
    })  # fmt: skip
    holes = draw(st.lists(st.sampled_from(made.columns), max_size=3))
    kept = [pl.when(pl.Series(rng.random(N) > 0.3)).then(pl.col(name)).alias(name) for name in dict.fromkeys(holes)]
    return made.with_columns(kept)


def example(draw: Draw) -> str:
    """Prepare a table, and the same rows as they come from elsewhere."""
    table = frame(draw)
    preparer, error = attempt(lambda: Preparer().fit(table))
    if preparer is None:
        return f"no such table: {type(error).__name__}"
    expected = preparer.transform(table)
    return (as_files if draw(st.booleans()) else as_types)(draw, table, preparer, expected)


def as_types(draw: Draw, table: Any, preparer: Any, expected: Any) -> str:
    """Convert some columns."""
    chosen = draw(st.lists(st.sampled_from(sorted(CONVERSIONS)), min_size=1, max_size=3, unique=True))
    changes = [draw(st.sampled_from(CONVERSIONS[name]))(pl.col(name)).alias(name) for name in chosen]
    converted, error = attempt(lambda: table.with_columns(changes), (pl.exceptions.PolarsError,), deliberate=False)
    if converted is None:
        return f"no such conversion: {type(error).__name__}"
    other = converted.to_pandas() if chance(draw, 4) else converted
    answer, error = attempt(lambda: transformed(preparer, other))
    found, told = answer or (None, [])
    return judge(found, error, told, preparer, expected, converted.schema)


def transformed(preparer: Preparer, table: Any) -> tuple[Any, list[str]]:
    """Return the features of a table, and the warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = np.asarray(preparer.transform(table))
    return made, [str(warning.message) for warning in heard]


def as_files(draw: Draw, table: Any, preparer: Any, expected: Any) -> str:
    """Write some rows to a file, and read them."""
    name = draw(st.sampled_from(sorted(FILES)))
    kind, options = FILES[name]
    rows = np.flatnonzero(np.random.default_rng(draw(st.integers(0, 99))).random(N) > draw(st.sampled_from([0, 0.5])))
    encoders = [encoder for encoder in preparer.encoders_ if kind != "csv" or encoder.kind != "duration"]
    features = [feature for encoder in encoders for feature in encoder.names]
    if not features or not len(rows):
        return "nothing to write"
    getattr(table[rows].select(encoder.column for encoder in encoders), f"write_{kind}")(FOLDER / name, **options)
    found, error = attempt(lambda: apply_encoders(str(FOLDER / name), encoders, features))
    if isinstance(error, TableError) and "--decimal" in str(error):
        return f"file: asks about a number ({name})"
    told = [] if found is None else [str(note) for note in found.notes]
    return f"file: {judge(found and found.X, error, told, preparer, expected[rows].select(features), table.schema)}"


def judge(found: Any, error: Any, told: list[str], preparer: Any, expected: Any, schema: Any) -> str:
    """Check that features are the same, or that their column was named."""
    if error is not None:
        require(any(f"'{name}': " in str(error) for name in schema), f"{error} names no column")
        return "clear error"
    names = expected.columns
    for encoder in preparer.encoders_:
        places = [names.index(feature) for feature in encoder.names if feature in names]
        is_same = np.array_equal(found[:, places], expected.to_numpy()[:, places])
        is_told = any(text.startswith(f"{encoder.column!r}: ") for text in told)
        kind = schema.get(encoder.column)
        require(is_same or is_told, f"other features of {encoder.column!r} ({kind}), told: {told}")
    return "counted" if told else "same features"
