"""Columns that give the label away: derived from it, recorded after it, or the true classes themselves.

Hidden positives are like known ones, so no such column separates labelled from unlabelled rows perfectly.
The sign of a leak is that all known positives share a property that hardly any other row has.
"""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from puselect.arrays import AnyArray, BoolArray
from puselect.scaling import as_numbers

FEWEST_LABELLED = 5
ALMOST_ALL = 0.98
FEW_SHARE, FEW_BEYOND, MOST_SHARE = 0.1, 0.05, 0.5
BY_CHANCE = 1e-6
SORTED = 0.8
LARGEST_ERROR = 4.0  # standard errors


class LeakKind(StrEnum):
    """The property that known positives share."""

    VALUE = "value"
    """One value."""
    HIGH = "high"
    """Higher values than almost all other rows."""
    LOW = "low"
    PRESENT = "present"
    """A value, where almost all other rows have none."""
    MISSING = "missing"
    """No value, where almost all other rows have one."""


class Leak(NamedTuple):
    """A column that may give the label away."""

    column: int
    kind: LeakKind
    value: float
    """The shared value, or the bound of the shared range; NaN for missing values."""
    labelled: float
    """Share of the labelled rows that have it."""
    others: float
    """Share of the other rows that have it."""

    @property
    def is_strong(self) -> bool:
        """Whether hardly any other row has the very value, or has one at all; beyond a bound good features lie, too."""
        return self.others <= FEW_SHARE and self.kind not in (LeakKind.HIGH, LeakKind.LOW)


def find_leaks(X: ArrayLike, positive: ArrayLike) -> list[Leak]:
    """Return the columns that may give the label away, the most suspicious first.

    A column is suspicious if at least 98 % of the labelled rows have one value, or have a value at all, or have none,
    and at most 10 % of the other rows do; or if at most 5 % of the other rows lie beyond 98 % of the labelled ones. A
    column of two values is suspicious if at most half of the other rows share the value of all labelled rows, and
    chance does not explain it. On nine real tables and the paper's generator no column was (the lowest share beyond
    the labelled rows was 8.7 %, with ten labelled rows).

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Numbers, NaN where missing.
    positive : array-like of bool, shape (n_rows,)
        Labelled positives. With fewer than five nothing can be said.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> classes = rng.random(1000) < 0.05
    >>> known = classes & (rng.random(1000) < 0.3)
    >>> [(leak.column, str(leak.kind)) for leak in find_leaks(np.column_stack([rng.random(1000), classes]), known)]
    [(1, 'value')]
    """
    table, known = as_numbers(X, ensure_all_finite="allow-nan"), np.asarray(positive)
    if known.shape != (len(table),) or known.dtype.kind not in "biuf" or not np.isin(known, (0, 1)).all():
        raise ValueError(f"positive must hold a bool for each of the {len(table)} rows of X, got {known!r}")
    known = known.astype(bool)
    leaks = (find_leak(table[:, j], known, table.shape[1], j) for j in range(table.shape[1]))
    return sorted((leak for leak in leaks if leak is not None), key=lambda leak: leak.others - leak.labelled)


def sorts_labels(column: AnyArray, positive: BoolArray) -> bool:
    """Return whether a column without meaning, such as an identifier, has the labelled rows at one end."""
    return tells_labels(column, positive) and separation(column, positive) >= SORTED


def tells_labels(column: AnyArray, positive: BoolArray) -> bool:
    """Return whether a column separates labelled rows from others beyond chance; missing values are left out."""
    known = ~np.isnan(column)
    column, positive = column[known], positive[known]
    n, m = int(positive.sum()), int((~positive).sum())
    error = np.sqrt((n + m + 1) / (12 * n * m)) if n and m else np.inf
    return bool(n >= FEWEST_LABELLED and separation(column, positive) - 0.5 > LARGEST_ERROR * error)


def stands_alone(leak: Leak, columns: Sequence[AnyArray], others: Iterable[int], known: BoolArray) -> bool:
    """Return whether no other column tells which of a strong leak's rows are labelled.

    That is so for the class itself and for consequences of the label; rows that share a mere feature differ in others.
    """
    column = columns[leak.column]
    is_hole = leak.kind in (LeakKind.PRESENT, LeakKind.MISSING)
    rows = np.isnan(column) == (leak.kind == LeakKind.MISSING) if is_hole else column == leak.value
    return not any(tells_labels(columns[j][rows], known[rows]) for j in others)


def separation(column: AnyArray, positive: BoolArray) -> float:
    """Return the AUC with which a column separates labelled rows from others, in either direction.

    Examples
    --------
    >>> separation(np.array([1.0, 2.0, 3.0, 9.0]), np.array([False, False, False, True]))
    1.0
    """
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return 0.5
    auc = (rankdata(column)[positive].sum() - n * (n + 1) / 2) / (n * m)
    return float(max(auc, 1 - auc))


def find_leak(column: AnyArray, known: BoolArray, n_columns: int = 1, j: int = 0) -> Leak | None:
    """Return how one of `n_columns`, the one of number `j`, may give the label away; None if it does not seem to."""
    if known.sum() < FEWEST_LABELLED or known.all():
        return None
    missing = np.isnan(column)
    inside, outside = float(missing[known].mean()), float(missing[~known].mean())
    if inside >= ALMOST_ALL and outside <= FEW_SHARE:
        return Leak(j, LeakKind.MISSING, np.nan, inside, outside)
    if 1 - inside >= ALMOST_ALL and 1 - outside <= FEW_SHARE:
        return Leak(j, LeakKind.PRESENT, np.nan, 1 - inside, 1 - outside)
    if inside > 1 - ALMOST_ALL:
        return None
    labelled, others = column[known & ~missing], column[~known]
    return _shared_value(j, labelled, others, n_columns) or _shared_end(j, labelled, others)


def _shared_value(j: int, labelled: AnyArray, others: AnyArray, n_columns: int) -> Leak | None:
    values, counts = np.unique(labelled, return_counts=True)
    value, inside = float(values[counts.argmax()]), float(counts.max() / len(labelled))
    if inside < ALMOST_ALL:
        return None
    outside = float((others == value).mean())
    is_binary = len(np.unique(others[~np.isnan(others)][:1000])) == 2
    by_chance = n_columns * (outside + 1 / len(others)) ** len(labelled)
    if outside <= FEW_SHARE or (is_binary and inside == 1 and outside <= MOST_SHARE and by_chance < BY_CHANCE):
        return Leak(j, LeakKind.VALUE, value, inside, outside)
    return None


def _shared_end(j: int, labelled: AnyArray, others: AnyArray) -> Leak | None:
    ordered, last = np.sort(labelled), len(labelled) - 1  # much faster than np.quantile, for tables of many columns
    low, high = float(ordered[math.floor((1 - ALMOST_ALL) * last)]), float(ordered[math.ceil(ALMOST_ALL * last)])
    for kind, bound, beyond, inside in (
        (LeakKind.HIGH, low, others >= low, labelled >= low),
        (LeakKind.LOW, high, others <= high, labelled <= high),
    ):
        if beyond.mean() <= FEW_BEYOND:
            return Leak(j, kind, bound, float(inside.mean()), float(beyond.mean()))
    return None
