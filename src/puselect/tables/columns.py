"""Columns of any type become features: numbers, or one-hot encoded categories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

from puselect.tables.errors import (
    FilledNote,
    Hole,
    IdentifierNote,
    LeftOut,
    LeftOutReason,
    MissingValuesError,
    Note,
    RepeatedNameError,
)

IDENTIFIER_ROWS = 20
DATE_SAMPLE = 100
ENCODED = ("text", "dates")


class Feature(NamedTuple):
    """A column of numbers."""

    name: str
    source: str
    """Name of its column in the file; differs from `name` after one-hot encoding."""
    values: Any
    """Polars series of floats, NaN where missing."""


@dataclass
class Columns:
    """The features found so far."""

    features: list[Feature] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def read_columns(frame: Any, names: Iterable[str], *, encode: bool = False, max_categories: int = 20) -> Columns:
    """Turn the named columns of a polars frame into features.

    Numbers stay as they are, booleans become 0 and 1, durations numbers. Text and dates are left out, or one-hot
    encoded with `encode` where they have at most `max_categories` different values. Constant and empty columns are
    left out.
    """
    columns = Columns()
    for name in names:
        _read_column(columns, name, frame[name], encode, max_categories)
    taken = [feature.name for feature in columns.features]
    if len(set(taken)) < len(taken):
        raise RepeatedNameError(None, [name for name in dict.fromkeys(taken) if taken.count(name) > 1])
    return columns


def _read_column(columns: Columns, name: str, column: Any, encode: bool, max_categories: int) -> None:
    numbers = as_numbers(column)
    known = None if numbers is None else numbers.drop_nans()
    if column.null_count() == len(column) or (known is not None and not len(known)):
        columns.left_out.append(LeftOut(name, "empty"))
    elif numbers is None or known is None:
        _read_categories(columns, name, column, encode, max_categories)
    elif known.min() == known.max():
        columns.left_out.append(LeftOut(name, "constant", f"{known[0]:g}"))
    else:
        columns.features.append(Feature(name, name, numbers))
        if looks_like_identifier(column):
            columns.notes.append(IdentifierNote(name))


def as_numbers(column: Any) -> Any:
    """Return a series as floats with NaN for missing values, None if it holds anything but numbers."""
    kind = column.dtype
    if kind.is_numeric() or str(kind) == "Boolean":
        return column.cast(float).fill_null(np.nan)
    if str(kind).startswith("Duration"):
        return column.to_physical().cast(float).fill_null(np.nan)
    if str(kind) == "String":  # numbers with blanks around them
        stripped = column.str.strip_chars().cast(float, strict=False)
        if stripped.null_count() == column.null_count():
            return stripped.fill_null(np.nan)
    return None


def looks_like_identifier(column: Any) -> bool:
    """Return whether a column holds whole numbers that are all different, in more than a few rows."""
    whole = column.dtype.is_integer() and not column.null_count()
    return bool(whole and len(column) >= IDENTIFIER_ROWS and column.n_unique() == len(column))


def _read_categories(columns: Columns, name: str, column: Any, encode: bool, max_categories: int) -> None:
    """One-hot encode a column that does not hold numbers, or leave it out."""
    kind = kind_of(column)
    if kind not in ENCODED:
        columns.left_out.append(LeftOut(name, "type", kind))
        return
    reason = cast(LeftOutReason, kind)
    if not encode:
        columns.left_out.append(LeftOut(name, reason, n_values=column.drop_nulls().n_unique()))
        return
    text = column.cast(str)
    categories = sorted(text.drop_nulls().unique().to_list())
    if len(categories) > max_categories:
        columns.left_out.append(LeftOut(name, reason, "", len(categories), max_categories))
    elif len(categories) == 1 and not text.null_count():
        columns.left_out.append(LeftOut(name, "constant", categories[0]))
    else:
        # One column is enough for two categories.
        used = categories[1:] if len(categories) == 2 and not text.null_count() else categories
        columns.features += [
            Feature(f"{name}={one}", name, (text == one).fill_null(False).cast(float)) for one in used
        ]


def kind_of(column: Any) -> str:
    """Return "text" or "dates", or the name of the type for anything else."""
    kind = column.dtype
    if kind.is_temporal():
        return "dates"
    if str(kind) == "String":
        some = column.drop_nulls().head(DATE_SAMPLE)
        days = some.str.to_date("%Y-%m-%d", strict=False, exact=False)
        return "dates" if len(some) and not days.null_count() else "text"
    return "text" if str(kind).startswith(("Categorical", "Enum")) else str(kind)


def fill_missing(features: Sequence[Feature], impute: str | None) -> tuple[list[Feature], list[Note]]:
    """Return the features with missing and infinite values replaced by the median, and notes that say so.

    Without `impute`, such values raise a `MissingValuesError`.
    """
    holes: dict[Hole, dict[str, int]] = {
        "missing": {feature.name: int(feature.values.is_nan().sum()) for feature in features},
        "infinite": {feature.name: int(feature.values.is_infinite().sum()) for feature in features},
    }
    notes: list[Note] = []
    for hole, counts in holes.items():
        found = {name: count for name, count in counts.items() if count}
        if found and impute is None:
            raise MissingValuesError(hole, found)
        if found:
            notes.append(FilledNote(hole, found))
    if not notes:
        return list(features), notes
    return [feature._replace(values=_filled(feature.values)) for feature in features], notes


def _filled(values: Any) -> Any:
    finite = values.is_finite()
    if finite.all():
        return values
    known = values.filter(finite).to_numpy()
    return values.set(~finite, float(np.median(known)) if len(known) else 0.0)
