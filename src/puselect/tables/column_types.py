"""Types of columns: numbers, dates and identifiers in text, how they are written, and what stands for missing."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from puselect.arrays import FloatArray, IntArray
from puselect.tables.column import DAY, Column

IDENTIFIER_ROWS, MOSTLY = 20, 0.99
DATE_SAMPLE = 100
HOUR, WEEKDAY, SECOND = "hour", "weekday", "second"
HOUR_SPAN, WEEKDAY_SPAN = 2, 14  # days
EPOCH_FIELDS = {"year": 1970, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
EPOCH = datetime(1970, 1, 1)
EPOCH_WEEKDAY = 3  # a Thursday
DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
TIME_FORMATS = ("", "T%H:%M:%S", "T%H:%M", " %H:%M:%S", " %H:%M")
FIELDS = {
    "%Y": r"(?P<year>\d{4})", "%m": r"(?P<month>\d\d?)", "%d": r"(?P<day>\d\d?)", "%H": r"(?P<hour>\d\d?)",
    "%M": r"(?P<minute>\d\d?)", "%S": r"(?P<second>\d\d?)(?:\.(?P<fraction>\d+))?(?:Z|(?P<zone>[-+]\d\d:?\d\d))?",
}  # fmt: skip
UNIT = re.compile(
    r"%|[$¢-¥฿₠-₿]|\b(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|USD|"
    r"ZAR)\b"
)
PAIR = re.compile(r"\s*([-+]?[0-9]*\.?[0-9]+)\s*/\s*([-+]?[0-9]*\.?[0-9]+)\s*")
MARKS = ((".", ""), (".", ","), (",", "."), (",", ""), (".", "'"), (",", " "), (".", " "))
"""Decimal marks, each with what separates thousands."""
EITHER = re.compile(r"[0-9][.,][0-9]{3}")
"""Such as 1.299, with a mark of fractions or of thousands."""
MARKERS = {
    "", "-", "--", "—", ".", "..", "*", "?", "(blank)", "#div/0!", "#n/a", "#na", "#null!", "#num!", "#ref!", "#value!",
    "missing", "n.a.", "n/a", "na", "nan", "nil", "none", "not applicable", "not available", "null", "tbd", "undefined",
    "unk", "unknown",
}  # fmt: skip
"""Texts that stand for missing in a column of numbers or dates."""
MISSING_CODES = {-1.0, *(sign * float(digit * size) for sign in (-1, 1) for digit in "789" for size in range(1, 6))}
FEWEST_CODES, CODE_SHARE, FEWEST_VALUES = 3, 0.005, 10
FAR_ROWS, FAR_SHARE, FAR_WIDTHS, LONG_TAIL, MOST_FAR = 200, 0.005, 3, 6, 5
CODE_WORDS = {"code", "id", "no", "nr", "num", "number", "plz", "postal", "postcode", "zip", "zipcode"}
"""Last words of names of columns whose numbers are no amounts."""
NAMED_ONES = {"agency", "agent", "branch", "company", "customer", "dealer", "merchant", "shop", "store", "vendor"}
"""Names of such columns as a whole."""


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written in a text column."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    """Before or after the number, such as "%" or "EUR"."""

    def read(self, words: Iterable[str]) -> FloatArray:
        """Return texts as floats, NaN where one is not such a number."""
        mark, group = re.escape(self.decimal), r"\s" if self.thousands == " " else re.escape(self.thousands)
        whole = rf"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+|[0-9]*" if group else "[0-9]*"
        number = re.compile(rf"[-+]?(?:{whole})(?:{mark}[0-9]*)?(?:[eE][-+]?[0-9]+)?")
        return np.array([self._number(word, number, group) for word in words], dtype=np.float64)

    def _number(self, word: str, number: re.Pattern[str], group: str) -> float:
        text = word.replace(self.unit, "", 1).strip()
        if not number.fullmatch(text):
            return np.nan
        return as_float((re.sub(group, "", text) if group else text).replace(self.decimal, "."))


PLAIN = NumberFormat()


def as_float(text: str) -> float:
    """Return a text as a float, NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return np.nan


def number_formats(words: Sequence[str], counts: Sequence[int] | IntArray) -> list[NumberFormat]:
    """Return the formats in which most rows are numbers; several if these numbers differ."""
    found: list[tuple[NumberFormat, FloatArray]] = []
    most = 0
    for decimal, thousands in MARKS:
        reading = (own := NumberFormat(decimal, thousands)).read(words)
        n_read = int(np.sum(counts, where=~np.isnan(reading)))
        if n_read > most:
            found, most = [(own, reading)], n_read
            if most == np.sum(counts) and not any(map(EITHER.search, words)):
                break  # other formats read the same
        elif n_read == most > 0 and not any(np.array_equal(reading, other, equal_nan=True) for _, other in found):
            found.append((own, reading))
    return [own for own, _ in found]


def without_markers(column: Column, codes: Iterable[str] = (), is_text: bool = False) -> Column:
    """Return a text column without blanks, codes and, unless it is to stay text, words for missing."""
    gone = {code.lower() for code in codes} | ({""} if is_text else MARKERS)
    is_gone = [word.strip().lower() in gone for word in column.words]
    return column.without(is_gone) if any(is_gone) else column


def read_pairs(column: Column, place: int) -> FloatArray:
    """Return the first or the second number of texts such as 250/500, NaN for others."""
    return column.read(lambda word: as_float(found[place]) if (found := PAIR.fullmatch(word)) else np.nan)


def read_moments(column: Column, text_format: str) -> FloatArray:
    """Return texts of a format as days since 1970, NaN for others."""
    pattern = _pattern(text_format)
    return column.read(lambda word: _days(pattern.fullmatch(word.strip())))


def _pattern(text_format: str) -> re.Pattern[str]:
    return re.compile(re.sub("%.", lambda field: FIELDS[field[0]], text_format.replace(".", r"\.")))


def _days(found: re.Match[str] | None) -> float:
    if found is None:
        return np.nan
    fields = found.groupdict()
    year, month, day, hour, minute, second = (int(fields.get(name, start)) for name, start in EPOCH_FIELDS.items())
    try:
        moment = datetime(year, month, day, hour, minute, second)
    except ValueError:  # such as the 31st of February
        return np.nan
    fraction = fields.get("fraction") or "0"
    ticks = (moment - EPOCH) // timedelta(microseconds=1) + int(fraction[:6].ljust(6, "0"))
    if zone := fields.get("zone"):
        ticks -= (60 * int(zone[:3]) + int(zone[0] + zone[-2:])) * 60_000_000
    return ticks / DAY


def known_values(numbers: FloatArray) -> FloatArray:
    """Return the values that are not NaN."""
    missing = np.isnan(numbers)
    return numbers[~missing] if missing.any() else numbers


def kind_of(column: Column) -> str:
    """Return "text" or "dates", or the name of the type for anything else."""
    if column.kind in ("date", "moment", "duration"):
        return "dates"
    is_dates = column.kind == "text" and not column.is_category and date_format(column.words) is not None
    return "dates" if is_dates else column.kind


def date_format(words: Sequence[str]) -> str | None:
    """Return the format of dates in text, None if these are no dates, or two formats fit."""
    fitting = [day + time for day in DATE_FORMATS for time in TIME_FORMATS]
    for some in (words[:1], words[:DATE_SAMPLE]):
        fitting = [text for text in fitting if _have_format(some, text)]
    if len(fitting) > 1:  # the later rows may tell
        fitting = [text for text in fitting if _have_format(words, text)]
    return fitting[0] if words and len({text[:2] for text in fitting}) == 1 else None


def _have_format(words: Iterable[str], text_format: str) -> bool:
    """Return whether all texts are dates of a format."""
    pattern = _pattern(text_format)
    return not any(np.isnan(_days(pattern.fullmatch(word.strip()))) for word in words)


def part_of(days: FloatArray, part: str) -> FloatArray:
    """Return the hour of dates (UTC if they have a time zone), from 0 to 24, or their weekday, 0 for Monday."""
    return np.asarray(24 * (days - np.floor(days)) if part == HOUR else (np.floor(days) + EPOCH_WEEKDAY) % 7)


def date_parts(days: FloatArray) -> tuple[str, ...]:
    """Return the parts that say more than the date, where the time of day varies.

    The hour needs two days or more, the weekday two weeks: otherwise they follow from the date.
    """
    span = np.ptp(days)
    if len(np.unique(days % 1)) == 1 or span < HOUR_SPAN:
        return ()
    return (HOUR, WEEKDAY) if span >= WEEKDAY_SPAN else (HOUR,)


def looks_like_identifier(column: Column) -> bool:
    """Return whether a column holds whole numbers or words that are all different, in more than a few rows."""
    if not column.is_whole and (column.kind != "text" or kind_of(column) == "dates"):
        return False
    n_known = int(np.sum(~column.missing))
    return n_known >= max(IDENTIFIER_ROWS, MOSTLY * len(column.values)) and column.n_values == n_known


def missing_code(known: FloatArray) -> tuple[float, int] | None:
    """Return a value that probably stands for missing, such as -9, 0 or 999, and the number of its rows.

    It is a code if it is repeated, and as far from all other values as these are from each other. A zero is one if it
    is a fifth as far, and ten times as far as the others typically are from the next.
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


def far_values(known: FloatArray) -> list[tuple[float, int]]:
    """Return a few values far beyond all others, such as an age of 455, and the number of their rows.

    Without half a per cent of the rows at each end a column has a range. Values are far if they are three times that
    range beyond it. Columns with a long tail, such as amounts, have none: their range is more than six times that
    between the quartiles.

    Examples
    --------
    >>> far_values(np.array([*range(20, 80)] * 5 + [455.0])), far_values(np.exp(np.linspace(0, 9, 300)))
    ([(455.0, 1)], [])
    """
    if len(known) < FAR_ROWS:
        return []
    low, first, third, high = np.quantile(known, [FAR_SHARE, 0.25, 0.75, 1 - FAR_SHARE])
    width = high - low
    if not width <= LONG_TAIL * (third - first):
        return []
    far = known[(known < low - FAR_WIDTHS * width) | (known > high + FAR_WIDTHS * width)]
    values, counts = np.unique(far, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True)) if len(values) <= MOST_FAR else []


def is_named_like_codes(name: str) -> bool:
    """Return whether a column is named like one of codes, so that its numbers may be categories.

    Examples
    --------
    >>> [is_named_like_codes(name) for name in ("RepNumber", "insured_zip", "number_of_cars", "week number")]
    [True, True, False, False]
    """
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)]
    is_code = words[-1:] and words[-1] in CODE_WORDS and words[-2:-1] not in (["week"], ["day"], ["month"])
    return bool(is_code) or name.lower() in NAMED_ONES
