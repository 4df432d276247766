"""Types of columns: numbers, dates, text and identifiers, how they are written, and what stands for missing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import FloatArray

if TYPE_CHECKING:
    from puselect.tables.frames import pl

IDENTIFIER_ROWS, MOSTLY = 20, 0.99
DATE_SAMPLE = 100
DAY = 86_400_000_000  # microseconds
HOUR, WEEKDAY, SECOND = "hour", "weekday", "second"
HOUR_SPAN, WEEKDAY_SPAN = 2, 14  # days
EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday
DATE_LIKE = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
TIME_FORMATS = ("", "T%H:%M:%S%.f%:z", "T%H:%M:%S%.fZ", "T%H:%M:%S%.f", "T%H:%M", " %H:%M:%S%.f", " %H:%M")
UNIT = (
    r"%|\p{Sc}|\b(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|USD|ZAR)\b"
)
PAIR = r"^\s*([-+]?\d*\.?\d+)\s*/\s*([-+]?\d*\.?\d+)\s*$"
MARKS = ((".", ""), (".", ","), (",", "."), (",", ""), (".", "'"), (",", " "), (".", " "))
"""Decimal marks, each with what separates thousands."""
MARKERS = {
    "", "-", "--", "—", ".", "..", "*", "?", "(blank)", "#div/0!", "#n/a", "#na", "#null!", "#num!", "#ref!", "#value!",
    "missing", "n.a.", "n/a", "na", "nan", "nil", "none", "not applicable", "not available", "null", "tbd", "undefined",
    "unk", "unknown",
}  # fmt: skip
"""Texts that stand for missing in a column of numbers or dates."""
MISSING_CODES = {-1.0, *(sign * float(digit * size) for sign in (-1, 1) for digit in "789" for size in range(1, 6))}
FEWEST_CODES, CODE_SHARE, FEWEST_VALUES = 3, 0.005, 10
SPIKE_SAMPLE, SPIKE_SHARE, SPIKE_VALUES, SPIKE_HEIGHT = 20_000, 0.05, 50, 10


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written in a text column."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    """Before or after the number, such as "%" or "EUR"."""

    def read(self, column: "pl.Series") -> "pl.Series":
        """Return texts as floats, null where one is not such a number."""
        text = column.str.replace(self.unit, "", literal=True).str.strip_chars()
        if (self.decimal, self.thousands) == (".", ""):
            return text.cast(float, strict=False)
        mark, group = re.escape(self.decimal), r"\s" if self.thousands == " " else re.escape(self.thousands)
        whole = rf"[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d*" if group else r"\d*"
        number = text.str.extract(rf"^([-+]?(?:{whole})(?:{mark}\d*)?(?:[eE][-+]?\d+)?)$")
        ungrouped = number.str.replace_all(group, "") if group else number
        return ungrouped.str.replace(self.decimal, ".", literal=True).cast(float, strict=False)


PLAIN = NumberFormat()


def number_formats(texts: "pl.Series") -> list[NumberFormat]:
    """Return the formats in which most texts are numbers; several if these numbers differ.

    Examples
    --------
    >>> import polars as pl
    >>> number_formats(pl.Series(["1.299,50", "7"])), len(number_formats(pl.Series(["1,299", "7"])))
    ([NumberFormat(decimal=',', thousands='.', unit='')], 2)
    """
    found: list[tuple[NumberFormat, pl.Series]] = []
    for decimal, thousands in MARKS:
        reading = (own := NumberFormat(decimal, thousands)).read(texts)
        if not found or reading.count() > found[0][1].count():
            found = [(own, reading)]
        elif reading.count() == found[0][1].count() and not any(reading.equals(other) for _, other in found):
            found.append((own, reading))
    return [own for own, reading in found if reading.count()]


def without_markers(column: "pl.Series", codes: Iterable[str] = (), is_text: bool = False) -> "pl.Series":
    """Return a text column with null in place of blanks, codes and, unless it is to stay text, words for missing."""
    if type_of(column) != "String":
        return column
    words = {code.lower() for code in codes} | ({""} if is_text else MARKERS)
    return column.set(column.str.strip_chars().str.to_lowercase().is_in(list(words)), None)


def type_of(column: "pl.Series") -> str:
    """Return the name of a series' type without its parameters, such as "Datetime"."""
    return str(column.dtype).partition("(")[0]


def read_as(kind: str, column: "pl.Series", text_format: str = "", has_hours: bool = False) -> "pl.Series":
    """Return a series as floats, null where a value is missing or cannot be read as a value of this kind.

    A "duration" is in microseconds, a "date" in days since 1970, a "time" in days since midnight, of a "pair" such as
    250/500 the first number, of its "second" the other. Dates in text are of the given format, or of the one that is
    found; if they must have hours, those without cannot be read.
    """
    match kind, type_of(column):
        case ("pair" | "second"), "String":
            return column.str.extract(PAIR, 1 if kind == "pair" else 2).cast(float, strict=False)
        case "number", name if column.dtype.is_numeric() or name == "Boolean":
            return column.cast(float)
        case "duration", "Duration":
            return column.dt.total_microseconds().cast(float)
        case "time", "Time":
            return column.to_physical() / (1000 * DAY)
        case "time", "String":
            return read_as(kind, column.str.strip_chars().str.to_time("%H:%M:%S%.f", strict=False))
        case "date", ("Date" | "Datetime") as name:
            days = column.dt.epoch("us") / DAY
            is_whole = name == "Date" or (len(days) > 1 and (days % 1 == 0).all())  # pandas has no dates
            return read_as("", column) if has_hours and is_whole else days
        case "date", "String":
            wanted = text_format or date_format(column) or DATE_FORMATS[0]
            moments = column.str.strip_chars().str.to_datetime(wanted, strict=False, time_unit="us")
            return read_as(kind, moments if "%H" in wanted else moments.dt.date(), "", has_hours)
        case _:
            return column.is_null().cast(float).shift(len(column))  # all null


def without_nulls(numbers: "pl.Series") -> "pl.Series":
    """Return a series of floats with NaN in place of null."""
    # What polars does by an expression takes a fifth of a millisecond, and tables have thousands of columns.
    return numbers.fill_null(np.nan) if numbers.null_count() else numbers


def known_values(numbers: "pl.Series") -> FloatArray:
    """Return the values of a series of floats that are not NaN."""
    values = numbers.to_numpy()
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def kind_of(column: "pl.Series") -> str:
    """Return "text" or "dates", or the name of the type for anything else."""
    kind = column.dtype
    if kind.is_temporal():
        return "dates"
    if str(kind) == "String":
        return "text" if date_format(column) is None else "dates"
    return "text" if str(kind).startswith(("Categorical", "Enum")) else str(kind)


def date_format(column: "pl.Series") -> str | None:
    """Return the format of the dates in a text column, None if it does not hold dates, or two formats fit.

    Examples
    --------
    >>> import polars as pl
    >>> date_format(pl.Series(["31.12.2024", None])), date_format(pl.Series(["01/02/2024"]))
    ('%d.%m.%Y', None)
    """
    some = column.drop_nulls().head(DATE_SAMPLE).str.strip_chars()
    if not len(some) or not some.str.contains(DATE_LIKE).all():
        return None
    fitting = [day + time for day in DATE_FORMATS for time in TIME_FORMATS if _have_format(some, day + time)]
    if len(fitting) == 2 and {text[:2] for text in fitting} == {"%d", "%m"}:  # the later rows may tell
        fitting = [text for text in fitting if _have_format(column.drop_nulls().str.strip_chars(), text)]
    return fitting[0] if len({text[:2] for text in fitting}) == 1 else None


def _have_format(column: "pl.Series", text_format: str) -> bool:
    """Return whether all texts are dates of a format."""
    return not column.str.to_datetime(text_format, strict=False, time_unit="us").null_count()


def part_of(days: "pl.Series", part: str) -> "pl.Series":
    """Return the hour of dates (UTC if they have a time zone), from 0 to 24, or their weekday, 0 for Monday."""
    return 24 * (days - days.floor()) if part == HOUR else (days.floor() + EPOCH_WEEKDAY) % 7


def date_parts(days: FloatArray) -> tuple[str, ...]:
    """Return the parts that say more than the date, where the time of day varies.

    The hour needs two days or more, the weekday two weeks: otherwise they follow from the date.

    Examples
    --------
    >>> date_parts(np.array([0.5, 3.25, 20.75])), date_parts(np.array([0.5, 1.5, 20.5]))
    (('hour', 'weekday'), ())
    """
    span = np.ptp(days)
    if len(np.unique(days % 1)) == 1 or span < HOUR_SPAN:
        return ()
    return (HOUR, WEEKDAY) if span >= WEEKDAY_SPAN else (HOUR,)


def looks_like_identifier(column: "pl.Series") -> bool:
    """Return whether a column holds whole numbers or words that are all different, in more than a few rows."""
    known = column.drop_nulls()
    fits = column.dtype.is_integer() or (type_of(column) == "String" and kind_of(column) != "dates")
    is_full = len(known) >= max(IDENTIFIER_ROWS, MOSTLY * len(column))
    return fits and is_full and known.n_unique() == len(known)


def missing_code(known: FloatArray) -> tuple[float, int] | None:
    """Return a value that probably stands for missing, such as -9, 0 or 999, and the number of its rows.

    It is a code if it is repeated, and as far from all other values as these are from each other. A zero is one if it
    is a fifth as far, and ten times as far as the others typically are from the next.

    Examples
    --------
    >>> missing_code(np.array([1.0, 2, 3, 4, 5] * 10 + [99.0] * 4)), missing_code(np.array([97.0, 98, 99] * 5))
    ((99.0, 4), None)
    """
    for code in (float(end) for end in (known.min(), known.max()) if end in MISSING_CODES or not end):
        others = known[known != code]
        count = len(known) - len(others)
        low, high = others.min(), others.max()
        gap = min(abs(code - low), abs(code - high))
        if code:
            is_apart = gap > high - low or (code < 0 <= low and gap > 1)
        else:
            values = np.unique(others)
            steps = np.diff(values)
            is_apart = len(values) >= FEWEST_VALUES and gap >= max((high - low) / 5, 10 * np.median(steps))
        if count >= max(FEWEST_CODES, CODE_SHARE * len(known)) and low < high and is_apart:
            return code, count
    return None


def spike(known: FloatArray) -> tuple[float, float] | None:
    """Return a value that many rows share, though the others hardly repeat, and its share; None if there is none.

    Zeros are not spikes: amounts and counts are often 0.

    Examples
    --------
    >>> spike(np.array([0.5] * 20 + [float(i) for i in range(1, 81)]))
    (0.5, 0.2)
    """
    values, counts = np.unique(known[:: -(-len(known) // SPIKE_SAMPLE)], return_counts=True)
    if len(values) < SPIKE_VALUES:
        return None
    second, first = np.argsort(counts)[-2:]
    share = float(counts[first] / counts.sum())
    is_spike = values[first] and share >= SPIKE_SHARE and counts[first] >= SPIKE_HEIGHT * counts[second]
    return (float(values[first]), share) if is_spike else None
