"""Encoders of columns as features: learnt from one table, applied to others, saved with a result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from puselect.tables.column_types import (
    HOUR,
    PLAIN,
    SECOND,
    NumberFormat,
    part_of,
    read_as,
    type_of,
    without_markers,
    without_nulls,
)
from puselect.tables.errors import UnreadNote

if TYPE_CHECKING:
    from puselect.tables.frames import pl

EXAMPLES, SEARCHED, LONGEST = 3, 100, 40  # of values that cannot be read
MOST_UNREAD = 0.5  # share of the values that are not missing


class Feature(NamedTuple):
    """A column of numbers."""

    name: str
    source: str
    """Name of its column in the file; differs from `name` after one-hot encoding."""
    values: "pl.Series"
    """Polars series of floats, NaN where missing."""


@dataclass(frozen=True)
class Encoder:
    """How one column becomes features."""

    column: str
    kind: str
    """"number", "pair" (250/500), "duration" (microseconds), "date" (days since 1970), "time" (days since midnight),
    "order" (0, 1, 2, ...) or "categories" (one-hot)."""
    values: tuple[str, ...] = ()
    """The values of an ordered column from low to high, or the encoded categories."""
    date_format: str = ""
    """Of dates in a text column."""
    fill: float | None = None
    """What replaces missing values: the median."""
    has_indicator: bool = False
    """Whether a second feature tells where values are missing."""
    missing_codes: tuple[str, ...] = ()
    """Values that stand for missing."""
    parts: tuple[str, ...] = ()
    """Other features: the "hour" and "weekday" of dates, the "second" of pairs."""
    part_fills: tuple[float, ...] = ()
    """What replaces missing values of the parts."""
    seen: tuple[str, ...] = ()
    """All categories of the table that the encoder was learnt from; in results of earlier versions none."""
    lost: float = 0.0
    """Share of the values in that table that were missing or could not be read."""
    number_format: NumberFormat = PLAIN
    """Of numbers in a text column."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.kind == "categories":
            return tuple(f"{self.column}={value}" for value in self.values)
        parts = tuple(part_name(self.column, part) for part in self.parts)
        return (self.column, *parts, *((indicator_name(self.column),) if self.has_indicator else ()))

    def raw_features(self, column: "pl.Series") -> list[Feature]:
        """Return the features of a polars series; missing values are NaN, in one-hot columns 0."""
        return self._features_of(column, self._read(column))

    @property
    def reads_text(self) -> bool:
        """Whether a text file's column must be read as text, though it may look like numbers."""
        return bool(self.values) or self.kind == "pair" or self.number_format != PLAIN

    def features(self, column: "pl.Series") -> tuple[list[Feature], UnreadNote | None]:
        """Return the filled features of another table's column and what was filled; a ValueError if that is most."""
        if column.dtype.is_float() and self.kind != "number":
            column = column.fill_nan(None)
        raw, note = self.raw_features(column), self.unread(column)
        if note is not None and note.n_unread > max(MOST_UNREAD, self.lost) * column.count():  # another type or format
            raise ValueError(f"{note}; a column must have the type and the format it had in the fit")
        return self.filled(raw), note

    def unread(self, column: "pl.Series") -> UnreadNote | None:
        """Return a note on values that are missing, cannot be read, or were never seen; None if there are none."""
        known, read = self._known(column), self._read(column)
        n_lost = read.null_count()
        if self.kind != "categories":
            n_lost = int((~np.isfinite(self._features_of(column, read)[0].values.to_numpy())).sum())
        if not n_lost:
            return None
        unread = known.filter(read.is_null() & known.is_not_null())
        fault = "were never seen in the fit" if self.values else f"cannot be read as {self.kind}"
        examples = tuple(dict.fromkeys(str(value)[:LONGEST] for value in unread.head(SEARCHED).to_list()))[:EXAMPLES]
        return UnreadNote(self.column, fault, len(column), n_lost - len(unread), len(unread), examples, self.lost)

    def filled(self, raw: Sequence[Feature]) -> list[Feature]:
        """Return features with their missing and infinite values replaced, and the indicator of these."""
        if self.kind == "categories":
            return list(raw)
        fills = (0.0 if self.fill is None else self.fill, *self.part_fills)
        made = [_fill(feature, fill) for feature, fill in zip(raw, fills, strict=True)]
        if self.has_indicator:
            missing = ~raw[0].values.is_finite()
            made.append(Feature(indicator_name(self.column), self.column, missing.cast(float)))
        return made

    def _known(self, column: "pl.Series") -> "pl.Series":
        """Return a column with null for what stands for missing."""
        return without_markers(column, self.missing_codes, is_text=bool(self.values))

    def _read(self, column: "pl.Series") -> "pl.Series":
        """Return a column as floats, categories as text; null where a value is missing, unreadable or never seen."""
        column = self._known(column)
        if self.kind == "number" and type_of(column) == "String":
            return self.number_format.read(column)
        if self.kind not in ("order", "categories"):
            return read_as(self.kind, column, self.date_format, HOUR in self.parts)
        is_text = not column.dtype.is_nested() and type_of(column) not in ("Binary", "Object")
        text = column.cast(str, strict=False) if is_text else column.is_null().cast(str).shift(len(column))
        if self.kind == "order":
            places = {value: float(place) for place, value in enumerate(self.values)}
            return text.replace_strict(places, default=None)
        known = {value: value for value in self.seen}
        return text.replace_strict(known, default=None) if known else text

    def _features_of(self, column: "pl.Series", read: "pl.Series") -> list[Feature]:
        if self.kind == "categories":
            return [
                Feature(name, self.column, (read == value).fill_null(False).cast(float))
                for name, value in zip(self.names, self.values, strict=True)
            ]
        numbers = without_nulls(read)
        made = {self.column: without_codes(numbers, self.missing_codes)}
        for part in self.parts:
            values = without_nulls(read_as(SECOND, column)) if part == SECOND else part_of(numbers, part)
            made[part_name(self.column, part)] = values
        return [Feature(name, self.column, values) for name, values in made.items()]


def without_codes(numbers: "pl.Series", codes: Iterable[str]) -> "pl.Series":
    """Return the numbers with NaN in place of codes for missing values."""
    wanted = [float(code) for code in codes if is_number(code)]
    return numbers.set(numbers.is_in(wanted), np.nan) if wanted else numbers


def median(values: "pl.Series") -> float:
    """Return the median of the finite values, 0 if there are none."""
    numbers = values.to_numpy()
    known = numbers[np.isfinite(numbers)]
    return float(np.median(known)) if len(known) else 0.0


def _fill(feature: Feature, fill: float) -> Feature:
    if np.isfinite(feature.values.to_numpy()).all():
        return feature
    return feature._replace(values=feature.values.set(~feature.values.is_finite(), fill))


def indicator_name(column: str) -> str:
    """Return the name of the feature that tells where a column is missing."""
    return f"{column} is missing"


def part_name(column: str, part: str) -> str:
    """Return the name of the feature that is a part of dates or pairs."""
    return f"{column} ({part})"


def is_number(value: str | float) -> bool:
    """Return whether a text or a whole number can be read as a float."""
    try:
        float(value)
    except (ValueError, OverflowError):
        return False
    return True
