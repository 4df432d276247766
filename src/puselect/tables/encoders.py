"""Encoders of columns as features: learnt from one table, applied to others, saved with a result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from puselect.arrays import FloatArray
from puselect.tables.column import Column, Feature
from puselect.tables.column_types import (
    DATE_FORMATS,
    HOUR,
    PLAIN,
    SECOND,
    NumberFormat,
    as_float,
    date_format,
    part_of,
    read_moments,
    read_pairs,
    without_markers,
)
from puselect.tables.errors import UnreadNote

EXAMPLES, SEARCHED, LONGEST = 3, 100, 40  # of values that cannot be read
MOST_UNREAD = 0.5  # share of the values that are not missing


@dataclass(frozen=True)
class Encoder:
    """How one column becomes features."""

    column: str
    kind: str
    """"number", "pair" (250/500), "duration" (microseconds), "date" (days since 1970), "order" (0, 1, 2, ...) or
    "categories" (one-hot)."""
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
    """All categories of the table that the encoder was learnt from."""
    lost: float = 0.0
    """Share of the values in that table that were missing or could not be read."""
    number_format: NumberFormat = PLAIN
    """Of numbers in a text column."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.kind == "categories":
            return tuple(f"{self.column}={value}" for value in self.values)
        parts = [f"{self.column} ({part})" for part in self.parts]
        return (self.column, *parts, *[f"{self.column} is missing"] * self.has_indicator)

    @property
    def reads_text(self) -> bool:
        """Whether a text file's column must be read as text, though it may look like numbers."""
        return bool(self.values) or self.kind == "pair" or self.number_format != PLAIN

    def read(self, column: Column) -> FloatArray:
        """Return a column as floats, categories by their place; NaN where missing, unreadable or never seen."""
        known = self._known(column)
        match self.kind, known.kind:
            case ("order" | "categories"), ("text" | "number"):
                places = {value: float(place) for place, value in enumerate(self.seen or self.values)}
                return known.as_text().read(lambda word: places.get(word, np.nan))
            case "number", "text":
                return np.append(self.number_format.read(known.words), np.nan)[known.values]
            case "pair", "text":
                return read_pairs(known, 1)
            case "date", "text":
                own = self.date_format or date_format(known.words) or DATE_FORMATS[0]
                return self._days(read_moments(known, own), "%H" in own)
            case "date", ("date" | "moment"):
                days = known.values[~known.missing]
                has_time = len(known.values) <= 1 or bool((days % 1).any())  # pandas has no dates
                return self._days(known.values, known.kind == "moment" and has_time)
            case wanted, found if wanted == found:
                return known.values
        return np.full(len(known.values), np.nan)

    def _days(self, days: FloatArray, has_time: bool) -> FloatArray:
        """Return days, or NaN if they have no time of day and had one in the fit."""
        return days if has_time or HOUR not in self.parts else np.full(len(days), np.nan)

    def raw_features(self, column: Column, numbers: FloatArray) -> list[Feature]:
        """Return the features of a column that was read; missing values are NaN, in one-hot columns 0."""
        if self.kind == "categories":
            places = (self.seen.index(value) for value in self.values)
            made = [(numbers == place).astype(np.float64) for place in places]
        else:
            parts = (read_pairs(column, 2) if part == SECOND else part_of(numbers, part) for part in self.parts)
            made = [without_codes(numbers, self.missing_codes), *parts]
        return [Feature(name, self.column, values) for name, values in zip(self.names, made, strict=False)]

    def features(self, column: Column) -> tuple[list[Feature], UnreadNote | None]:
        """Return the filled features of another table's column and what was filled; a ValueError if that is most."""
        read = self.read(column)
        raw, note = self.raw_features(column, read), self.unread(column, read)
        if note is not None and note.n_unread > max(MOST_UNREAD, self.lost) * np.sum(~column.missing):
            raise ValueError(f"{note}; a column must have the type and the format it had in the fit")
        return self.filled(raw), note

    def unread(self, column: Column, read: FloatArray) -> UnreadNote | None:
        """Return a note on values that are missing, cannot be read, or were never seen; None if there are none."""
        n_lost = int((~np.isfinite(without_codes(read, self.missing_codes))).sum())
        if not n_lost:
            return None
        known = self._known(column)
        unread = np.flatnonzero(np.isnan(read) & ~known.missing)
        fault = "were never seen in the fit" if self.values else f"cannot be read as {self.kind}"
        examples = tuple(dict.fromkeys(known.text(row)[:LONGEST] for row in unread[:SEARCHED]))[:EXAMPLES]
        return UnreadNote(self.column, fault, len(read), n_lost - len(unread), len(unread), examples, self.lost)

    def filled(self, raw: Sequence[Feature]) -> list[Feature]:
        """Return features with their missing and infinite values replaced, and the indicator of these."""
        if self.kind == "categories":
            return list(raw)
        fills = (0.0 if self.fill is None else self.fill, *self.part_fills)
        made = []
        for feature, fill in zip(raw, fills, strict=True):
            missing = ~np.isfinite(feature.values)
            made.append(feature._replace(values=np.where(missing, fill, feature.values)) if missing.any() else feature)
        if self.has_indicator:
            missing = ~np.isfinite(raw[0].values)
            made.append(Feature(self.names[-1], self.column, missing.astype(np.float64)))
        return made

    def _known(self, column: Column) -> Column:
        """Return a column without what stands for missing."""
        return without_markers(column, self.missing_codes, is_text=bool(self.values))


def without_codes(numbers: FloatArray, codes: Iterable[str]) -> FloatArray:
    """Return the numbers with NaN in place of codes for missing values."""
    wanted = [as_float(code) for code in codes]
    return np.where(np.isin(numbers, wanted), np.nan, numbers) if wanted else numbers


def median(values: FloatArray) -> float:
    """Return the median of the finite values, 0 if there are none."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0
