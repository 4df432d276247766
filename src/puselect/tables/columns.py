"""From columns of any type to numbers: what is used, what is left out, and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from puselect.arrays import FloatArray
from puselect.tables.counts import counted

IDENTIFIER_ROWS = 20
DATE_SAMPLE = 100
NAMES_SHOWN = 8


class LeftOut(NamedTuple):
    """A column that no feature came from."""

    name: str
    why: str


class Feature(NamedTuple):
    """A column of numbers."""

    name: str
    source: str
    """Name of the file's column it came from; another one than its own after one-hot encoding."""
    values: FloatArray
    """NaN where missing."""


@dataclass
class Columns:
    """The features found so far."""

    features: list[Feature] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_columns(frame: Any, names: Iterable[str], *, encode: bool = False, max_categories: int = 20) -> Columns:
    """Turn the named columns of a polars frame into features.

    Numbers stay as they are and booleans become 0 and 1. Text and dates are left out, or one-hot encoded with
    `encode` where they have at most `max_categories` different values. Constant and empty columns are left out.
    """
    columns = Columns()
    for name in names:
        _read_column(columns, name, frame[name], encode, max_categories)
    taken = [feature.name for feature in columns.features]
    if len(set(taken)) < len(taken):
        doubled = next(name for name in taken if taken.count(name) > 1)
        raise ValueError(f"one-hot encoding gives two columns named {doubled!r}; rename one of the original ones")
    return columns


def _read_column(columns: Columns, name: str, column: Any, encode: bool, max_categories: int) -> None:
    if column.null_count() == len(column):
        columns.left_out.append(LeftOut(name, "empty"))
        return
    numbers = as_numbers(column)
    if numbers is None:
        _read_categories(columns, name, column, encode, max_categories)
        return
    known = numbers[~np.isnan(numbers)]
    if not len(known) or known.min() == known.max():
        why = f"constant: always {known[0]:g}" if len(known) else "empty"
        columns.left_out.append(LeftOut(name, why))
        return
    columns.features.append(Feature(name, name, numbers))
    whole = column.dtype.is_integer() and not column.null_count()
    if whole and len(column) >= IDENTIFIER_ROWS and column.n_unique() == len(column):
        columns.notes.append(
            f"{name!r} looks like an identifier (whole numbers, all different); if it is one: --drop {name}"
        )


def as_numbers(column: Any) -> FloatArray | None:
    """Return a column as floats with NaN for missing values, None if it holds something else."""
    kind = column.dtype
    if kind.is_numeric() or str(kind) == "Boolean":
        return np.asarray(column.cast(float).to_numpy(), dtype=np.float64)
    if str(kind) == "String":  # numbers with blanks around them
        stripped = column.str.strip_chars().cast(float, strict=False)
        if stripped.null_count() == column.null_count():
            return np.asarray(stripped.to_numpy(), dtype=np.float64)
    return None


def _read_categories(columns: Columns, name: str, column: Any, encode: bool, most: int) -> None:
    """One-hot encode a column that holds no numbers, or leave it out."""
    kind = kind_of(column)
    if kind not in ("text", "dates") or not encode:
        hint = ", --encode would use it" if kind == "text" and column.n_unique() <= most else ""
        columns.left_out.append(LeftOut(name, kind + hint))
        return
    text = column.cast(str)
    categories = sorted(text.drop_nulls().unique().to_list())
    if len(categories) > most:
        columns.left_out.append(LeftOut(name, f"{kind} with {len(categories)} different values, more than {most}"))
    elif len(categories) == 1 and not text.null_count():
        columns.left_out.append(LeftOut(name, f"constant: always {categories[0]}"))
    else:
        # The second of two categories says everything about the first.
        shown = categories[1:] if len(categories) == 2 and not text.null_count() else categories
        values = text.fill_null("").to_numpy()
        columns.features += [Feature(f"{name}={one}", name, (values == one).astype(np.float64)) for one in shown]


def kind_of(column: Any) -> str:
    """Return what a column holds that is no number, in a word."""
    kind = column.dtype
    if kind.is_temporal():
        return "dates"
    if str(kind) == "String":
        some = column.drop_nulls().head(DATE_SAMPLE)
        days = some.str.to_date("%Y-%m-%d", strict=False, exact=False)
        return "dates" if len(some) and not days.null_count() else "text"
    if str(kind).startswith(("Categorical", "Enum")):
        return "text"
    return f"of type {kind}"


def fill_missing(features: Sequence[Feature], impute: str | None) -> tuple[list[Feature], list[str]]:
    """Return the features without missing or infinite values, and notes; a ValueError where that was not asked for."""
    missing = {feature.name: int(np.isnan(feature.values).sum()) for feature in features}
    infinite = {feature.name: int(np.isinf(feature.values).sum()) for feature in features}
    notes = []
    for holes, word in ((missing, "missing"), (infinite, "infinite")):
        found = {name: count for name, count in holes.items() if count}
        if not found:
            continue
        columns = counted(len(found), "column")
        if impute is None:
            raise ValueError(
                f"{columns} with {word} values: {enumerate_counts(found)}; fill them with --impute median, "
                f"or leave the columns out with --drop"
            )
        filled = counted(sum(found.values()), f"{word} value")
        notes.append(f"filled {filled} with the median: {enumerate_counts(found)}")
    if not notes:
        return list(features), notes
    return [feature._replace(values=_filled(feature.values)) for feature in features], notes


def _filled(values: FloatArray) -> FloatArray:
    known = np.isfinite(values)
    return values if known.all() else np.where(known, values, np.median(values[known]) if known.any() else 0.0)


def enumerate_counts(counts: dict[str, int]) -> str:
    """Return "a (3), b (1)", the largest first, not too many.

    Examples
    --------
    >>> enumerate_counts({"b": 1, "a": 3})
    'a (3), b (1)'
    """
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    shown = ", ".join(f"{name} ({count})" for name, count in ordered[:NAMES_SHOWN])
    return shown + (f" and {len(ordered) - NAMES_SHOWN} more" if len(ordered) > NAMES_SHOWN else "")
