"""Types of columns: numbers, dates, text and identifiers, and the values that stand for missing."""

from typing import TYPE_CHECKING

import numpy as np

from puselect.arrays import FloatArray

if TYPE_CHECKING:
    from puselect.tables.frames import pl

IDENTIFIER_ROWS = 20
DATE_SAMPLE = 100
DAY = 86_400_000_000  # microseconds
HOUR, WEEKDAY = "hour", "weekday"
HOUR_SPAN, WEEKDAY_SPAN = 2, 14  # days
EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday
DATE_LIKE = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y")
TIME_FORMATS = ("", "T%H:%M:%S%.f%:z", "T%H:%M:%S%.fZ", "T%H:%M:%S%.f", "T%H:%M", " %H:%M:%S%.f", " %H:%M")
MISSING_CODES = frozenset(sign * float(digit * size) for sign in (-1, 1) for digit in "789" for size in range(1, 6))
FEWEST_CODES, CODE_SHARE = 3, 0.005
SPIKE_SAMPLE, SPIKE_SHARE, SPIKE_VALUES, SPIKE_HEIGHT = 20_000, 0.05, 50, 10


def as_numbers(column: "pl.Series") -> "pl.Series | None":
    """Return a series as floats with NaN for missing values, None if it holds anything but numbers or durations."""
    numbers = read_as("duration" if type_of(column) == "Duration" else "number", column)
    return without_nulls(numbers) if numbers.null_count() == column.null_count() else None


def type_of(column: "pl.Series") -> str:
    """Return the name of a series' type without its parameters, such as "Datetime"."""
    return str(column.dtype).partition("(")[0]


def read_as(kind: str, column: "pl.Series", text_format: str = "", has_hours: bool = False) -> "pl.Series":
    """Return a series as floats, null where a value is missing or cannot be read as a value of this kind.

    A "duration" is in microseconds, a "date" in days since 1970, a "time" in days since midnight. Dates in text are of
    the given format, or of the one that is found; if they must have hours, those without cannot be read.
    """
    match kind, type_of(column):
        case "number", "String":
            return column.str.strip_chars().cast(float, strict=False)  # blanks around numbers
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
    kind = column.dtype
    fits = kind.is_integer() or (str(kind) == "String" and as_numbers(column.head(DATE_SAMPLE)) is None)
    full = not column.null_count() and len(column) >= IDENTIFIER_ROWS
    return bool(fits and full and column.n_unique() == len(column) and kind_of(column) != "dates")


def missing_code(known: FloatArray) -> tuple[float, int] | None:
    """Return a value that probably stands for missing, such as -9 or 999, and the number of its rows.

    It is a code if it is repeated, and as far from all other values as these are from each other.

    Examples
    --------
    >>> missing_code(np.array([1.0, 2, 3, 4, 5] * 10 + [99.0] * 4)), missing_code(np.array([97.0, 98, 99] * 5))
    ((99.0, 4), None)
    """
    for code in (float(end) for end in (known.min(), known.max()) if end in MISSING_CODES):
        others = known[known != code]
        count = len(known) - len(others)
        low, high = others.min(), others.max()
        gap = min(abs(code - low), abs(code - high))
        is_apart = gap > high - low or (code < 0 <= low and gap > 1)
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
