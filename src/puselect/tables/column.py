"""Columns of tables in memory (pandas, polars, arrays) as NumPy arrays, and features as such a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray

DAY = 86_400_000_000  # microseconds


class Feature(NamedTuple):
    """A column of numbers."""

    name: str
    source: str
    """Name of its column in the file; differs from `name` after one-hot encoding."""
    values: FloatArray
    """NaN where missing."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of any type."""

    name: str
    kind: str
    """"number", "text", "date", "moment" (with a time of day), "duration", or the name of another type."""
    values: AnyArray
    """Floats, NaN where missing: numbers, days since 1970, microseconds. Of text the place among the words, -1 where
    missing. Of another type 0, NaN where missing."""
    words: tuple[str, ...] = ()
    """The different values of text, in the order in which they appear."""
    is_whole: bool = False
    """Whether the type of numbers is one of whole numbers."""
    is_category: bool = False
    """Whether the type of text says that it is neither numbers nor dates."""
    order: tuple[str, ...] = ()
    """The values from low to high, if the type of text has an order."""

    @property
    def missing(self) -> BoolArray:
        """The rows without a value."""
        return np.asarray(self.values < 0 if self.kind == "text" else np.isnan(self.values))

    @property
    def n_values(self) -> int:
        """The number of different values."""
        return len(np.unique(self.values[~self.missing]))

    @property
    def counts(self) -> IntArray:
        """The number of rows with each of the words."""
        return np.bincount(self.values[self.values >= 0], minlength=len(self.words))

    def read(self, number_of: Callable[[str], float]) -> FloatArray:
        """Return the number of each text, NaN where it is missing."""
        return np.array([*map(number_of, self.words), np.nan])[self.values]

    def without(self, gone: Sequence[bool]) -> "Column":
        """Return a text column in which some words are missing."""
        kept = ~np.array([*gone, True])
        places = np.where(kept, np.cumsum(kept) - 1, -1)
        words = tuple(word for word, is_gone in zip(self.words, gone, strict=True) if not is_gone)
        return replace(self, values=places[self.values], words=words)

    def text(self, row: int) -> str:
        """Return the value of a row in words."""
        value = self.values[row]
        if self.kind == "text":
            return str(self.words[value])
        if self.kind in ("date", "moment"):
            return str(np.datetime_as_string(np.datetime64(round(value * DAY), "us"), unit="auto"))
        return f"{value:g}" if self.kind == "number" else self.kind

    def as_text(self) -> "Column":
        """Return a column of numbers as text."""
        if self.kind != "number":
            return self
        missing = self.missing
        numbers, places = np.unique(self.values[~missing], return_inverse=True)
        values = np.full(len(self.values), -1)
        values[~missing] = places
        words = tuple(f"{number:.0f}" if number.is_integer() else str(number) for number in numbers.tolist())
        return Column(self.name, "text", values, words)


def table_columns(X: Any) -> dict[str, Column]:
    """Return the columns of a table in memory by name, or raise a ValueError for anything else."""
    if hasattr(X, "get_columns"):
        return {series.name: _polars_column(series) for series in X.get_columns()}
    if hasattr(X, "iloc") and hasattr(X, "dtypes"):
        names = [str(name) for name in X.columns]
        if repeated := sorted(name for name, count in Counter(names).items() if count > 1):
            raise ValueError(f"column names must be unique, got {', '.join(repeated)} more than once")
        return {name: _pandas_column(name, X.iloc[:, place]) for place, name in enumerate(names)}
    if hasattr(X, "to_pandas"):
        raise ValueError(f"X must be a data frame of pandas or polars, or an array, got {type(X).__name__}")
    array = np.ma.filled(X.astype(object), None) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    if array.ndim != 2:
        kind = f"{type(X).__name__} of shape {array.shape}"
        raise ValueError(f"X must be a data frame in memory or a dense array with rows and columns, got {kind}")
    return {f"x{j}": _array_column(f"x{j}", array[:, j]) for j in range(array.shape[1])}


def table_like(X: Any, columns: Mapping[str, Column], features: Sequence[Feature]) -> Any:
    """Return features as the kind of table that `X` is: pandas with its index, polars, or an array.

    A frame of polars shares the memory of columns that did not change.
    """
    if hasattr(X, "get_columns"):
        made = {}
        for feature in features:
            series, is_same = X[feature.source], feature.values is columns[feature.source].values
            is_shared = is_same and str(series.dtype) == "Float64" and not series.null_count()
            made[feature.name] = series if is_shared else feature.values
        return type(X)(made)
    if hasattr(X, "iloc"):
        return type(X)({feature.name: feature.values for feature in features}, index=X.index)
    return np.column_stack([feature.values for feature in features])


def _polars_column(series: Any) -> Column:
    name, kind = series.name, str(series.dtype).partition("(")[0]
    if series.dtype.is_numeric() or kind == "Boolean":
        return Column(name, "number", series.cast(float).to_numpy(), is_whole=series.dtype.is_integer())
    if kind in ("String", "Categorical", "Enum"):
        text = series.cast(str)
        words = text.drop_nulls().unique(maintain_order=True)
        places = text.replace_strict(words, np.arange(len(words)), default=-1, return_dtype=int).to_numpy()
        order = tuple(series.dtype.categories) if kind == "Enum" else ()
        return Column(name, "text", places, tuple(words), is_category=kind != "String", order=order)
    if kind in ("Date", "Datetime"):
        return Column(name, "date" if kind == "Date" else "moment", series.dt.epoch("us").cast(float).to_numpy() / DAY)
    if kind == "Duration":
        return Column(name, "duration", series.dt.total_microseconds().cast(float).to_numpy())
    return _other_column(name, kind, series.is_null().to_numpy())


def _other_column(name: str, kind: str, missing: AnyArray) -> Column:
    return Column(name, kind, np.where(missing, np.nan, 0.0))


def _pandas_column(name: str, series: Any) -> Column:
    kind = str(series.dtype)
    if series.dtype.kind in "biuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, "number", values, is_whole=series.dtype.kind in "iu")
    if kind.startswith(("datetime64", "timedelta64")):
        has_zone = kind.startswith("datetime64") and series.dt.tz is not None
        return _array_column(name, (series.dt.tz_convert(None) if has_zone else series).to_numpy())
    known = series.astype(object).where(series.notna(), None).to_numpy()
    if kind == "category":
        order = tuple(map(str, series.cat.categories)) if series.cat.ordered else ()
        return replace(_text_column(name, known), is_category=True, order=order)
    return _array_column(name, known)


def _array_column(name: str, values: AnyArray) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        return Column(name, "number", values.astype(np.float64), is_whole=kind in "iu")
    if kind in "mM":
        ticks = values.astype("timedelta64[us]" if kind == "m" else "datetime64[us]")
        numbers = np.where(np.isnat(ticks), np.nan, ticks.astype(np.int64))
        return Column(name, "duration", numbers) if kind == "m" else Column(name, "moment", numbers / DAY)
    found = [None if value is None or value != value else value for value in values.tolist()]
    known = [value for value in found if value is not None]
    if all(isinstance(value, Real | Decimal) for value in known):
        is_whole = bool(known) and all(isinstance(value, int) and not isinstance(value, bool) for value in known)
        return Column(name, "number", np.array([np.nan if v is None else float(v) for v in found]), is_whole=is_whole)
    for python_type, numpy_type in ((datetime, "M8[us]"), (timedelta, "m8[us]"), (date, "M8[us]")):
        if all(isinstance(value, python_type) for value in known):
            column = _array_column(name, np.array([_without_zone(value) for value in found], dtype=numpy_type))
            return replace(column, kind="date") if python_type is date else column
    if len({type(value) for value in known}) > 1 or isinstance(known[0], str):
        return _text_column(name, found)
    return _other_column(name, type(known[0]).__name__, np.array([value is None for value in found]))


def _without_zone(moment: Any) -> Any:
    has_zone = isinstance(moment, datetime) and moment.tzinfo is not None
    return moment.astimezone(UTC).replace(tzinfo=None) if has_zone else moment


def _text_column(name: str, values: Iterable[object]) -> Column:
    words: dict[str, int] = {}
    places = [-1 if value is None else words.setdefault(str(value), len(words)) for value in values]
    return Column(name, "text", np.array(places, dtype=np.intp), tuple(words))
