"""Directions: where some rows lie in a column compared with others, and a phrase for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor

import numpy as np
from scipy.stats import binom

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.phrases import number

FEW_VALUES = 12
SPIKE = 0.2  # share of a value from which on a column is described by its values
STRONG, CLEAR, SLIGHT = 0.65, 0.35, 0.15  # of the way from equal to apart
AT_ENDS = 0.7  # mean distance from the median, 0.5 for equal distributions
CLEAR_SHARE, CLEAR_RATIO = 0.1, 1.5  # difference of shares, or their ratio
BY_CHANCE = 0.01  # largest p-value of a difference
STANDARD_ERRORS = 3.0  # that a mean differs by
N_PARTS, PART_ERRORS, PART_SHARE = 8, 4.0, 0.2  # of a range: its grid, standard errors, difference of shares


class Where(StrEnum):
    """Where some rows lie compared with others."""

    HIGH = "high"
    LOW = "low"
    ENDS = "ends"
    RANGE = "range"
    """More often between two values."""
    MORE = "more"
    """More often at one value."""
    LESS = "less"
    SIMILAR = "similar"


@dataclass(frozen=True)
class Direction:
    """How some rows differ from others in one column or category."""

    code: str
    """One of `Where`."""
    difference: float = 0.0
    """HIGH and LOW: the share of pairs in which they are higher minus the share in which they are lower."""
    value: str = ""
    """MORE and LESS: the value; empty for having a property at all, the 1 of a column of zeros and ones."""
    low: float | None = None
    """RANGE: its bounds, None at the end of the column."""
    high: float | None = None
    n_inside: int = 0
    """MORE and LESS: how many of the rows have the value."""
    n_rows: int = 0
    outside: float = 0.0
    """MORE and LESS: share of the others that have it."""
    is_date: bool = False
    """Whether values are days since 1970."""

    @property
    def is_clear(self) -> bool:
        """Whether there is a difference."""
        return self.code != Where.SIMILAR

    def __str__(self) -> str:
        match Where(self.code):
            case Where.HIGH | Where.LOW:
                size = abs(self.difference)
                return f"{'very ' if size >= STRONG else '' if size >= CLEAR else 'slightly '}{self.code}"
            case Where.ENDS:
                return "very low or very high"
            case Where.RANGE if self.low is None:
                return f"more often below {self.shown(self.high or 0.0)}"
            case Where.RANGE if self.high is None:
                return f"more often above {self.shown(self.low or 0.0)}"
            case Where.RANGE:
                return f"more often {self.shown(self.low or 0.0)} to {self.shown(self.high or 0.0)}"
            case Where.SIMILAR:
                return "no clear difference"
            case _:
                return self._frequency()

    def shown(self, value: float) -> str:
        """Return a value of the column in few digits, or as a date."""
        return day(value) if self.is_date else number(value)

    def _frequency(self) -> str:
        if self.n_inside == 0:
            return f"{f'never {self.value}: ' if self.value else ''}0 of {self.n_rows:,} known have it"
        if self.n_inside == self.n_rows and not self.value:
            return f"all {self.n_rows:,} known have it"
        often = "more often" if self.code == Where.MORE else "less often"
        return f"{often} {self.value}" if self.value else f"{often}: {self.n_inside:,} of {self.n_rows:,} known"


def compare(inside: AnyArray, outside: AnyArray, is_date: bool = False) -> Direction:
    """Return how some values of a column differ from others.

    Examples
    --------
    >>> others = np.linspace(0, 1, 100)
    >>> str(compare(np.full(40, 0.9), others)), str(compare(others[::2], others))
    ('very high', 'no clear difference')
    >>> str(compare(np.repeat([0, 1], 30), np.repeat([0, 1], [90, 10])))
    'more often: 30 of 60 known'
    """
    values, counts = np.unique(np.concatenate([inside, outside]), return_counts=True)
    if len(values) <= 2:
        return _compare_values(inside, outside, values)
    shares = rank_shares(inside, outside)
    shift = _compare_ranks(shares)
    if abs(shift.difference) >= CLEAR:
        part = shift
    elif len(values) <= FEW_VALUES or counts.max() > SPIKE * counts.sum():
        part = _compare_values(inside, outside, values[np.sort(np.argsort(-counts)[:FEW_VALUES])])
    else:
        part = _compare_parts(shares, outside)
    return replace(part if part.is_clear else shift, is_date=is_date)


def compare_shares(n_inside: IntArray, n_rows: int, outside: FloatArray, names: Sequence[str]) -> Direction:
    """Return which of several values or categories is most clearly more or less frequent.

    `n_inside` of `n_rows` rows have each of them, and a share `outside` of the others.
    """
    share = n_inside / max(n_rows, 1)
    difference = share - outside
    ratio = (share + 1e-9) / (outside + 1e-9)
    is_large = (np.abs(difference) >= CLEAR_SHARE) | (ratio >= CLEAR_RATIO) | (ratio <= 1 / CLEAR_RATIO)
    expected = np.clip(outside, 1e-6, 1 - 1e-6)
    p_values = np.where(
        difference > 0, binom.sf(n_inside - 1, n_rows, expected), binom.cdf(n_inside, n_rows, expected)
    )
    clear = np.flatnonzero(is_large & (p_values <= BY_CHANCE / len(names)))
    if not len(clear):
        return Direction(Where.SIMILAR.value)
    best = int(clear[np.argmax(np.abs(difference[clear]) + 1e-9 * (difference[clear] > 0))])
    code = Where.MORE if difference[best] > 0 else Where.LESS
    return Direction(
        code.value, value=names[best], n_inside=int(n_inside[best]), n_rows=n_rows, outside=float(outside[best])
    )


def rank_shares(inside: AnyArray, outside: AnyArray) -> FloatArray:
    """Return the share of the second values below each of the first; of equal values half count as below.

    Examples
    --------
    >>> rank_shares(np.array([3.0, 1.0]), np.array([1.0, 2.0, 2.5, 9.0])).tolist()
    [0.75, 0.125]
    """
    ordered = np.sort(outside)
    below, upto = (np.searchsorted(ordered, inside, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * max(len(ordered), 1)))


def day(value: float) -> str:
    """Return days since 1970 as a date, with the time of day if there is one.

    Examples
    --------
    >>> day(19753.0), day(19753.4375)
    ('2024-01-31', '2024-01-31 10:30')
    """
    moment = np.datetime64("1970-01-01T00:00") + np.timedelta64(floor(1440 * float(value) + 1e-5), "m")
    return str(moment).removesuffix("T00:00").replace("T", " ")


def _compare_values(inside: AnyArray, outside: AnyArray, values: AnyArray) -> Direction:
    """Compare the frequencies of values; of zeros and ones that of the ones."""
    if set(values.tolist()) <= {0, 1}:
        values = np.ones(1)
    names = [""] if values.tolist() == [1] else [number(value) for value in values]
    n_inside = np.array([(inside == value).sum() for value in values])
    return compare_shares(n_inside, len(inside), np.array([(outside == value).mean() for value in values]), names)


def _compare_ranks(shares: FloatArray) -> Direction:
    """Compare by `rank_shares`: higher or lower."""
    difference = float(2 * shares.mean() - 1)
    if abs(difference) < max(SLIGHT, STANDARD_ERRORS / np.sqrt(3 * len(shares))):
        return Direction(Where.SIMILAR.value)
    return Direction((Where.HIGH if difference > 0 else Where.LOW).value, round(difference, 3))


def _compare_parts(shares: FloatArray, outside: AnyArray) -> Direction:
    """Compare by `rank_shares`: at both ends, or in some part of the scale, more often."""
    n_rows, distance = len(shares), float(np.abs(2 * shares - 1).mean())
    if distance >= max(AT_ENDS, 0.5 + STANDARD_ERRORS / np.sqrt(12 * n_rows)):
        return Direction(Where.ENDS.value)
    found = np.append(0, np.cumsum(np.bincount((N_PARTS * shares).astype(int).clip(0, N_PARTS - 1), minlength=N_PARTS)))
    begin, end = np.triu_indices(N_PARTS + 1, 1)
    begin, end = begin[end - begin <= N_PARTS // 2], end[end - begin <= N_PARTS // 2]
    width, share = (end - begin) / N_PARTS, (found[end] - found[begin]) / n_rows
    errors = (share - width) / np.sqrt(width * (1 - width) / n_rows)
    best = int(errors.argmax())
    if errors[best] < PART_ERRORS or share[best] - width[best] < PART_SHARE:
        return Direction(Where.SIMILAR.value)
    low, high = np.quantile(outside, [begin[best] / N_PARTS, end[best] / N_PARTS]).tolist()
    return Direction(
        Where.RANGE.value,
        low=None if begin[best] == 0 else float(f"{low:.6g}"),
        high=None if end[best] == N_PARTS else float(f"{high:.6g}"),
    )
