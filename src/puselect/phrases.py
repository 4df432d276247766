"""Counts, numbers, times and lists of names, in words."""

from collections.abc import Sequence

UNITS = (("ms", 1e-3, 0.1), ("s", 1, 100), ("min", 60, 6000), ("h", 3600, 172_800), ("days", 86_400, float("inf")))
"""Name, seconds, and how many seconds are given in another unit."""


def duration(seconds: float) -> str:
    """Return a time span as a number and its unit.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.0053, 4.2, 260, 9000, 2_859_010)]
    ['5.3 ms', '4.2 s', '4.3 min', '2.5 h', '33 days']
    """
    if seconds < 1e-3:
        return "< 1 ms"
    number, unit = next((seconds / size, unit) for unit, size, limit in UNITS if seconds < limit)
    return f"{number:.1f} {unit}" if number < 9.95 else f"{number:.0f} {unit}"


def counted(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    Examples
    --------
    >>> counted(1, "row"), counted(6000, "row")
    ('1 row', '6,000 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shortened(names: Sequence[object], mark: str = ", ", most: int = 6) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> shortened(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return mark.join(map(str, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def number(value: float) -> str:
    """Return a number in few digits.

    Examples
    --------
    >>> number(12345.678), number(2015), number(0.00012), number(95.04)
    ('12,346', '2015', '0.00012', '95')
    """
    if 1000 <= abs(value) < 1e9:
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"  # years have no comma
    return f"{value:.3g}"


def times(factor: float) -> str:
    """Return a factor in the two digits that it is good for.

    Examples
    --------
    >>> times(3.14), times(21.3), times(1234)
    ('3.1', '21', '1,200')
    """
    return f"{float(f'{factor:.2g}'):,.{0 if factor >= 9.95 else 1}f}"
