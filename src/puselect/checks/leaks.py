"""Columns that give the label away: derived from it, recorded after it, or the true classes themselves.

Since hidden positives have what the known ones have, such a column need not separate labelled rows from the others. But
almost all labelled rows, or none of them, have something that chance would give to others as often: a value at all, one
value, or, where values only count or date the rows, one within bounds.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from puselect.arrays import AnyArray, BoolArray
from puselect.scaling import as_numbers

BY_CHANCE = 0.01  # largest p-value, corrected for the number of columns and of their values
ALMOST_ALL = 0.98  # share of the labelled rows
MOST_OTHERS = 0.6  # share of the other rows that may have what almost all labelled ones have
FEWEST_OTHERS = 0.03  # share of the other rows with a category that no labelled row has
FEWEST_EXPECTED = 16.0  # labelled rows that chance would give it: positives have it five times as rarely, at least
MOST_CATEGORIES = 20  # different values
FEW_BETWEEN = 0.1  # other rows for each labelled one, between the labelled ones: hidden positives would be more
SAMPLE = 1000  # rows: a value of 3 % of them is among so many


class LeakKind(StrEnum):
    """What labelled rows have, or do not have."""

    PRESENT = "present"
    """Any value."""
    VALUE = "value"
    """One value."""
    STRETCH = "stretch"
    """A value within bounds."""


class Leak(NamedTuple):
    """A column that may give the label away, and the rows that have a value, one value, or one within bounds."""

    column: int
    kind: LeakKind
    low: float
    """The value or the lower bound; NaN for any value."""
    high: float
    labelled: int
    """Labelled rows that have it."""
    n_labelled: int
    others: int
    """Other rows that have it."""
    n_others: int
    p_value: float
    """Probability of these counts under chance, times the number of columns and values."""

    @property
    def gap(self) -> float:
        """Difference between the shares of labelled and of other rows."""
        return abs(self.labelled / self.n_labelled - self.others / self.n_others)


def find_leaks(X: ArrayLike, positive: ArrayLike) -> list[Leak]:
    """Return the columns that may give the label away, the most suspicious first.

    A column is suspicious if at least 98 % of the labelled rows and at most 60 % of the others have a value, or one
    value; or if no labelled row has a value that 3 % of the others have (40 % if the column has more than 20 values)
    and chance would give to 16 labelled rows. It is also suspicious if hardly any other row lies between the labelled
    ones, or at most 60 % where all values are different whole numbers. The p-value of the hypergeometric law, times the
    number of columns and values, is at most .01.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Numbers, NaN where missing.
    positive : array-like of bool, shape (n_rows,)
        Labelled positives.

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
    known, n_columns = known.astype(bool), table.shape[1]
    columns = map(np.ascontiguousarray, table.T)
    leaks = (find_leak(column, known, n_columns, j, counts_rows(column)) for j, column in enumerate(columns))
    return sorted((leak for leak in leaks if leak is not None), key=lambda leak: -leak.gap)


def find_leak(
    column: AnyArray, known: BoolArray, n_columns: int = 1, j: int = 0, is_order: bool = False
) -> Leak | None:
    """Return how one of `n_columns`, the one of number `j`, may give the label away; None if it does not seem to.

    With `is_order` its values mean no more than an order of the rows, as identifiers and dates do.
    """
    if known.all() or not known.any():
        return None
    found = (leak for leak in _leaks(column, known, is_order, n_columns, j) if leak.p_value <= BY_CHANCE)
    return max(found, key=lambda leak: round(leak.gap, 3), default=None)


def counts_rows(column: AnyArray) -> bool:
    """Return whether all values are different whole numbers."""
    return all(
        (part == np.round(part)).all() and len(np.unique(part)) == len(part) for part in (column[:SAMPLE], column)
    )


def _leaks(column: AnyArray, known: BoolArray, is_order: bool, n_columns: int, j: int) -> Iterator[Leak]:
    """Yield what almost all labelled rows have, or none of them, and others hardly or often."""
    n_labelled, n_others = int(known.sum()), int((~known).sum())
    enough = min(FEWEST_EXPECTED / n_labelled, 1 - MOST_OTHERS)

    def judged(
        has_it: BoolArray, kind: LeakKind, low: float, high: float, n_choices: int, most: float, fewest: float
    ) -> Iterator[Leak]:
        """Yield a leak if at most the share `most` of the others have it too, or at least `fewest` have it alone."""
        labelled = int(has_it[known].sum())
        others = int(has_it.sum()) - labelled
        inside, outside = labelled / n_labelled, others / n_others
        law = len(known), labelled + others, n_labelled
        if inside >= ALMOST_ALL and outside <= most:
            by_chance = hypergeom.sf(labelled - 1, *law)
        elif not labelled and outside >= max(fewest, enough):
            by_chance = hypergeom.cdf(0, *law)
        else:
            return
        p_value = min(1.0, float(by_chance) * n_columns * n_choices)
        yield Leak(j, kind, low, high, labelled, n_labelled, others, n_others, p_value)

    present = ~np.isnan(column)
    yield from judged(present, LeakKind.PRESENT, np.nan, np.nan, 1, MOST_OTHERS, FEWEST_OTHERS)
    labelled, others = np.sort(column[known & present]), column[~known & present]
    if not len(labelled) or not len(others):
        return
    values, counts = np.unique(others[:: len(others) // SAMPLE + 1], return_counts=True)
    is_category = len(values) <= MOST_CATEGORIES
    fewest = FEWEST_OTHERS if is_category else 1 - MOST_OTHERS
    median = labelled[len(labelled) // 2]  # the value that almost all share, if there is one
    chosen = dict.fromkeys([median, *(values if is_category else values[[counts.argmax()]])])
    for value in map(float, chosen):
        yield from judged(column == value, LeakKind.VALUE, value, value, len(chosen), MOST_OTHERS, fewest)
    cut = int((1 - ALMOST_ALL) / 2 * len(labelled))
    low, high = float(labelled[cut]), float(labelled[-1 - cut])
    most = MOST_OTHERS if is_order else FEW_BETWEEN * n_labelled / n_others
    yield from judged((low <= column) & (column <= high), LeakKind.STRETCH, low, high, len(labelled), most, 1.0)
