"""Ranks of sparse columns: all zeros of a column share one, so only those of the other values are stored."""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri
from scipy.stats import rankdata

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.objective.evidence import ColumnRanks
from puselect.sparse_table import SparseTable


def column_ranks(table: AnyArray | SparseTable) -> ColumnRanks:
    """Return the ranks of the columns of any table."""
    return SparseRanks(table) if isinstance(table, SparseTable) else ColumnRanks(table)


class SparseRanks(ColumnRanks):
    """What `ColumnRanks` is, for a sparse table; the same numbers but for rounding.

    Parameters
    ----------
    table : SparseTable
    """

    def __init__(self, table: SparseTable) -> None:
        self.n_rows, n_features = table.shape
        columns = table.values.tocsc(copy=True)
        columns.eliminate_zeros()
        place = np.empty(len(columns.data))
        self.zero = np.empty(n_features)
        """Rank of the zeros of each column, less the mean rank."""
        for j in range(n_features):
            part = slice(columns.indptr[j], columns.indptr[j + 1])
            place[part], self.zero[j] = _places(columns.data[part], self.n_rows)
        n_zero = self.n_rows - np.diff(columns.indptr)
        of_column = np.repeat(np.arange(n_features), np.diff(columns.indptr))
        self.spread = (_sums(np.abs(place), of_column, n_features) + n_zero * np.abs(self.zero)) / self.n_rows
        squares = _sums(place**2, of_column, n_features) + n_zero * self.zero**2
        self.variance = np.maximum([squares, squares - self.n_rows * self.spread**2], 0.0) / (self.n_rows - 1)
        entries = (columns.indices, of_column)
        shift, size = place - self.zero[of_column], np.abs(place) - np.abs(self.zero)[of_column]
        self.shift = csr_array((shift, entries), shape=table.shape)
        """Places less that of the zeros of their column."""
        self.size = csr_array((size, entries), shape=table.shape)
        """The same of their absolute values."""

    def lepage(self, rows: IntArray) -> FloatArray:
        """Return Lepage's statistic of every column for a set of rows."""
        shift = self.shift[rows].sum(axis=0) / len(rows) + self.zero
        size = self.size[rows].sum(axis=0) / len(rows) + np.abs(self.zero)
        return self._statistic(shift, size, len(rows), slice(None))

    def lepage_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return Lepage's statistic of `columns`, each for its own set: ``rows`` (n_columns, n_set)."""
        place = np.take_along_axis(self._places_of(columns), rows, axis=1)
        return self._statistic(place.mean(axis=1), np.abs(place).mean(axis=1), rows.shape[1], columns)

    def normal_scores(self, columns: IntArray) -> FloatArray:
        """Return the normal scores of the ranks of `columns`, shape (n_rows, n_columns)."""
        return np.asarray(ndtri((self._places_of(columns).T + self.n_rows / 2) / self.n_rows))

    def _places_of(self, columns: IntArray) -> FloatArray:
        return np.asarray(self.shift[:, columns].toarray().T + self.zero[columns][:, None])


def _places(values: AnyArray, n_rows: int) -> tuple[FloatArray, float]:
    """Return the ranks of the values of a column that are not 0, and of its zeros, less the mean rank."""
    n_zero, n_below = n_rows - len(values), int((values < 0).sum())
    ranks = rankdata(values) + np.where(values > 0, n_zero, 0)
    middle = (n_rows + 1) / 2
    return ranks - middle, n_below + (n_zero + 1) / 2 - middle


def _sums(values: FloatArray, of_column: IntArray, n_columns: int) -> FloatArray:
    return np.asarray(np.bincount(of_column, values, minlength=n_columns), dtype=np.float64)
