"""Rows that seem to depend on each other: copies, near copies, and rows that follow each other in time."""

import warnings
from collections import Counter
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.sparse import issparse

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.exceptions import DependentRowsWarning
from puselect.scaling import fit_scaling
from puselect.sparse_table import as_dense

# Independent rows with odd columns stay below 1.8 (JUMP) and 0.6 (NEARER). Of 20 real tables those that pass a bound
# are series, images, repeated measurements, or have known copies.
MOST_ROWS, MOST_COLUMNS, MOST_ASKED, FEWEST_ROWS = 10_000, 256, 1000, 80
MANY_COPIES, FEWEST_DISTINCT = 0.05, 0.1  # rows with a copy, of all or the labelled ones; rows that differ, of all
IDENTIFIED = 0.9  # of the pairs that agree in half of the columns: they are copies
N_NEIGHBOURS, NEAREST, JUMP = 16, 7, 2.5  # times as far to the next neighbour as further ones let expect
LAGS, LONGEST_LAG = (8, 32), 0.1  # rows further on in the table, and the largest share of it
NEARER, CLEAR = 0.65, 4.0  # share of rows that are nearer to the next one than to one further on; standard errors


class Dependence(StrEnum):
    """How rows seem to depend on each other."""

    COPIES = "copies"
    NEAR_COPIES = "near_copies"
    ORDER = "order"

    @property
    def text(self) -> str:
        """The finding and advice in a sentence."""
        found = {"copies": "Many rows are copies of others", "near_copies": "Many rows are nearly the same as others",
                 "order": "Rows that follow each other are alike, as in time"}
        advice = "name those that belong together, such as a patient's or a day's, with row_groups= (--row-group COL)"
        return f"{found[self]}, so p-values and held-out rows may promise too much; {advice}."


def warn_of_dependence(table: object, positive: BoolArray, row_groups: IntArray | None) -> Dependence | None:
    """Warn if rows seem to depend on each other and their groups are not known; return how."""
    found = None if row_groups is not None else find_dependence(table, positive)
    if found is not None:
        warnings.warn(found.text, DependentRowsWarning, stacklevel=4)
    return found


def find_dependence(table: Any, positive: BoolArray) -> Dependence | None:
    """Return how rows seem to depend on each other, if so; in large tables only labelled rows are taken for copies."""
    rng, n_rows = np.random.default_rng(0), table.shape[0]
    columns = np.unique(np.linspace(0, table.shape[1] - 1, MOST_COLUMNS).astype(int))
    rows = np.arange(n_rows) if n_rows <= MOST_ROWS else rng.permutation(np.flatnonzero(positive))[:MOST_ROWS]
    part = _scaled(table, rows, columns)
    if len(rows) >= FEWEST_ROWS and has_copies(part, positive[rows]):
        return Dependence.COPIES
    if len(rows) >= FEWEST_ROWS and has_near_copies(part, rng):
        return Dependence.NEAR_COPIES
    return Dependence.ORDER if n_rows >= FEWEST_ROWS and follows_order(table, columns, rng) else None


def has_copies(table: FloatArray, positive: BoolArray) -> bool:
    """Return whether more rows are copies than few different values explain."""
    n_equal = _count_equal(table)
    share = max((n_equal > 1).mean(), (n_equal[positive] > 1).mean() if positive.any() else 0.0)
    if share < MANY_COPIES or (1 / n_equal).sum() < FEWEST_DISTINCT * len(table):
        return False
    return bool((n_equal - 1).sum() >= IDENTIFIED * (_count_equal(table[:, ::2]) - 1).sum())


def _count_equal(table: FloatArray) -> IntArray:
    """Return how many rows equal each row, itself included."""
    rows = [row.tobytes() for row in table + 0.0]  # -0.0 is 0.0
    counts = Counter(rows)
    return np.array([counts[row] for row in rows])


def has_near_copies(table: FloatArray, rng: np.random.Generator) -> bool:
    """Return whether the distance jumps behind the nearest neighbours of rows.

    If rows are independent, the logarithm of the ratio of the distances to the neighbours r + 1 and r is 1 / (r d) on
    average, with d the dimension of the data around the row.
    """
    asked, length = rng.permutation(len(table))[:MOST_ASKED], (table**2).sum(axis=1)
    squares = length[asked, None] + length - 2 * table[asked] @ table.T
    squares[np.arange(len(asked)), asked] = np.inf
    nearest = np.sort(np.partition(squares, N_NEIGHBOURS, axis=1)[:, :N_NEIGHBOURS], axis=1)
    nearest = nearest[nearest[:, 0] > 1e-9 * length.mean()]  # others have copies
    jumps = np.arange(1, N_NEIGHBOURS) * np.log(nearest[:, 1:] / nearest[:, :-1]).sum(axis=0)
    return 2 * len(nearest) > len(asked) and bool(jumps[:NEAREST].max() > JUMP * jumps[NEAREST:].mean())


def follows_order(table: Any, columns: IntArray, rng: np.random.Generator) -> bool:
    """Return whether rows are nearer to the next row than to those a little further on.

    A table that is sorted by class, or by one of many columns, is no series: rows further on are as near there.
    """
    for lag in (lag for lag in LAGS if lag <= LONGEST_LAG * table.shape[0]):
        rows = rng.permutation(table.shape[0] - lag)[:MOST_ASKED]
        values = _scaled(table, np.concatenate([rows, rows + 1, rows + lag]), columns)
        here, after, later = values.reshape(3, len(rows), -1)
        difference = ((here - later) ** 2).sum(axis=1) - ((here - after) ** 2).sum(axis=1)
        surplus = np.sign(difference).mean()
        if surplus >= 2 * NEARER - 1 and surplus * np.sqrt(len(rows)) >= CLEAR:
            return True
    return False


def _scaled(table: Any, rows: IntArray, columns: IntArray) -> FloatArray:
    part = table[rows][:, columns]
    values = np.asarray(part.toarray() if issparse(part) else as_dense(part))
    return fit_scaling("auto", values).scale(values)
