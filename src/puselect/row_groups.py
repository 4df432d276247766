"""Rows that belong together, such as those of one patient: shuffled, drawn and held out as a whole.

`row_groups` holds the number of each row's group; it is None where rows are independent.
"""

import warnings

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import BoolArray, IntArray
from puselect.exceptions import DependentRowsWarning
from puselect.labels import draw_rows, missing_values


def read_row_groups(row_groups: ArrayLike | None, positive: BoolArray) -> IntArray | None:
    """Return the number of each row's group, None if each has one row; raise a ValueError if they are of no use."""
    if row_groups is None:
        return None
    name, values, n_rows = getattr(row_groups, "name", None), np.asarray(row_groups), len(positive)
    said = f"row_groups ({name!r})" if name else "row_groups"
    if values.shape != positive.shape:
        raise ValueError(f"{said} must hold one group for each of the {n_rows} rows, got shape {values.shape}")
    missing = np.flatnonzero(missing_values(row_groups))
    if len(missing):
        raise ValueError(f"{said} must hold a group for every row, got none for {len(missing)}, first row {missing[0]}")
    known: dict[object, int] = {}
    numbers = np.array([known.setdefault(value, len(known)) for value in values.tolist()], dtype=np.intp)
    if len(known) == 1:
        raise ValueError(f"{said} must hold two groups or more, got {next(iter(known))!r} for all {n_rows} rows")
    is_idle = len(known) == n_rows
    if is_idle or count_labels(positive, numbers) == 1:
        whose = list(known)[numbers[positive.argmax()]]
        together = f"all {positive.sum()} labels in one group, {whose!r}, which leaves nothing to compare it with"
        fault = f"{n_rows} groups of one row each, which is the same as none" if is_idle else together
        warnings.warn(f"{said} has {fault}", DependentRowsWarning, stacklevel=4)
    return None if is_idle else numbers


def count_labels(positive: BoolArray, row_groups: IntArray | None) -> int:
    """Return how many labels are independent: labelled rows, or groups that have some."""
    return int(positive.sum()) if row_groups is None else len(np.unique(row_groups[positive]))


def shuffle_labels(positive: BoolArray, row_groups: IntArray | None, rng: np.random.Generator) -> BoolArray:
    """Return the labels in random order; those of a group go to another one together.

    Groups exchange labels, first row for first row, where their sizes have as many binary digits: 1, 2 to 3, 4 to 7
    rows, ... Labels of a smaller or larger group are stretched. A test with such shuffles is exact if groups of one
    size are exchangeable; those of different sizes must also be labelled as a whole, and as often.
    """
    if row_groups is None:
        return rng.permutation(positive)
    order, size = np.argsort(row_groups, kind="stable"), np.bincount(row_groups)
    first, digits = np.cumsum(size) - size, np.frexp(size)[1]
    place, own = np.arange(len(positive)) - np.repeat(first, size), np.repeat(size, size)
    found = np.zeros_like(positive)
    while not found.any() or found.all():  # all labels may have been stretched away
        source = np.arange(len(size))
        for each in np.unique(digits):
            source[digits == each] = rng.permutation(source[digits == each])
        found[order] = positive[order[np.repeat(first[source], size) + place * np.repeat(size[source], size) // own]]
    return found


def draw_labelled(positive: BoolArray, row_groups: IntArray | None, rng: np.random.Generator) -> IntArray:
    """Return random rows in place of the labelled ones, whole groups of them."""
    if row_groups is None:
        return rng.choice(len(positive), int(positive.sum()), replace=False, shuffle=False)
    return np.flatnonzero(shuffle_labels(positive, row_groups, rng))


def split_rows(rows: IntArray, n_parts: int, row_groups: IntArray | None, rng: np.random.Generator) -> list[IntArray]:
    """Return the rows in `n_parts` random parts, or fewer; rows of a group are in one part."""
    units = rows if row_groups is None else np.unique(row_groups[rows])
    parts = np.array_split(rng.permutation(units), min(n_parts, len(units)))
    return parts if row_groups is None else [rows[np.isin(row_groups[rows], part)] for part in parts]


def in_labelled_groups(positive: BoolArray, row_groups: IntArray | None) -> BoolArray:
    """Return which rows are labelled, or in a group that has labelled rows."""
    return positive if row_groups is None else np.bincount(row_groups, positive)[row_groups] > 0


def draw_groups(positive: BoolArray, groups: IntArray | None, rng: np.random.Generator, max_others: int) -> IntArray:
    """Return the labelled rows and `max_others` random ones; with groups, all rows of those with labels and others."""
    if groups is None:
        return draw_rows(positive, rng, max_others=max_others)
    is_near = in_labelled_groups(positive, groups)
    others = rng.permutation(np.unique(groups[~is_near]))
    size = np.bincount(groups)[others]
    return np.flatnonzero(is_near | np.isin(groups, others[np.cumsum(size) - size < max_others]))
