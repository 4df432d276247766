"""How one column becomes features: learnt from one table, applied to others, saved with a result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from puselect.tables.kinds import as_days, as_numbers, as_part

Kind = Literal["number", "date", "order", "categories"]


class Feature(NamedTuple):
    """A column of numbers."""

    name: str
    source: str
    """Name of its column in the file; differs from `name` after one-hot encoding."""
    values: Any
    """Polars series of floats, NaN where missing."""


@dataclass(frozen=True)
class Recipe:
    """How one column becomes features."""

    column: str
    kind: str
    """"number", "date" (days since 1970), "order" (0, 1, 2, ...) or "categories" (one-hot)."""
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
    """What else dates give: "hour", "weekday"."""
    part_fills: tuple[float, ...] = ()
    """What replaces missing values of the parts."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.kind == "categories":
            return tuple(f"{self.column}={value}" for value in self.values)
        parts = tuple(part_name(self.column, part) for part in self.parts)
        return (self.column, *parts, *((indicator_name(self.column),) if self.has_indicator else ()))

    def raw_features(self, column: Any) -> list[Feature]:
        """Return the features of a polars series; missing values are NaN, in one-hot columns 0."""
        if self.kind == "categories":
            text = column.cast(str)
            return [
                Feature(name, self.column, (text == value).fill_null(False).cast(float))
                for name, value in zip(self.names, self.values, strict=True)
            ]
        numbers = without_codes(self._numbers(column), self.missing_codes)
        parts = [
            Feature(part_name(self.column, part), self.column, as_part(column, part, self.date_format))
            for part in self.parts
        ]
        return [Feature(self.column, self.column, numbers), *parts]

    def features(self, column: Any) -> list[Feature]:
        """Return the features of a polars series without missing values."""
        return self.filled(self.raw_features(column))

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

    def _numbers(self, column: Any) -> Any:
        if self.kind == "date":
            return as_days(column, self.date_format)
        if self.kind == "order":
            places = {value: float(place) for place, value in enumerate(self.values)}
            return column.cast(str).replace_strict(places, default=np.nan, return_dtype=float)
        numbers = as_numbers(column)
        if numbers is None:  # words among the numbers of a later file
            numbers = column.cast(str).cast(float, strict=False).fill_null(np.nan)
        return numbers


def without_codes(numbers: Any, codes: Iterable[str]) -> Any:
    """Return the numbers with NaN in place of codes for missing values."""
    wanted = [float(code) for code in codes if _is_number(code)]
    return numbers.set(numbers.is_in(wanted), np.nan) if wanted else numbers


def median(values: Any) -> float:
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
    """Return the name of the feature that is a part of dates."""
    return f"{column} ({part})"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
