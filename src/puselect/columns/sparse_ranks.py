"""Ranks of sparse columns: all zeros of a column share one, so only those of the other values are stored."""

import numpy as np
from scipy.sparse import csc_array

from puselect.arrays import AnyArray, FloatArray, IntArray, map_blocks
from puselect.columns.ranks import NORMAL, ColumnRanks, RankScores
from puselect.scaling import columns_at_once
from puselect.sparse_table import SparseTable


def column_ranks(table: AnyArray | SparseTable, scores: RankScores = NORMAL, n_threads: int = 1) -> ColumnRanks:
    """Return the ranks of the columns of any table."""
    return SparseRanks(table, scores) if isinstance(table, SparseTable) else ColumnRanks(table, scores, n_threads)


class SparseRanks(ColumnRanks):
    """What `ColumnRanks` is, for a sparse table; the same numbers but for rounding.

    Parameters
    ----------
    table : SparseTable
    """

    def __init__(self, table: SparseTable, scores: RankScores = NORMAL) -> None:
        self.n_rows, self.n_features = table.shape
        self.scores = scores
        columns = table.values.tocsc()
        if not columns.data.all():
            columns = columns.copy()
            columns.eliminate_zeros()
        self.zero, self.mean, self.variance = np.empty((3, 2, self.n_features))
        excess = np.empty((2, len(columns.data)), dtype=np.float32)

        def rank(block: slice) -> None:
            ends = columns.indptr[block.start : block.stop + 1]
            part, of_column = slice(ends[0], ends[-1]), np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            places = _places(columns.data[part], of_column, ends - ends[0], self.n_rows)
            location, of_zero = (scores.location(place, self.n_rows) for place in places)
            for i, (score, zero) in enumerate(((location, of_zero), (scores.spread(location), scores.spread(of_zero)))):
                own = score - zero[of_column]
                sums, squares = (_sums(each, of_column, len(zero)) for each in (own, own**2))
                self.zero[i, block], self.mean[i, block] = zero, sums / self.n_rows + zero
                self.variance[i, block] = np.maximum(squares - sums**2 / self.n_rows, 0.0) / (self.n_rows - 1)
                excess[i, part] = own

        map_blocks(rank, self.n_features, columns_at_once(columns))
        shared = (columns.indices, columns.indptr)
        self.excess = [csc_array((part, *shared), shape=table.shape).tocsr() for part in excess]
        """Both scores less those of the zeros of their column, which are in `zero`."""

    def means(self, rows: IntArray) -> FloatArray:
        """Return the means of both scores of every column over a set of rows, shape (2, n_features)."""
        return np.stack([np.ones(len(rows)) @ part[rows] / len(rows) for part in self.excess]) + self.zero

    def means_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return the means of both scores of `columns`, each over its own set: ``rows`` (n_columns, n_set)."""
        location = np.take_along_axis(self.places(columns).T, rows, axis=1)
        return np.stack([location.mean(axis=1), self.scores.spread(location).mean(axis=1)])

    def places(self, columns: IntArray) -> FloatArray:
        """Return the first scores of `columns`, shape (n_rows, n_columns)."""
        return np.asarray(self.excess[0][:, columns].toarray() + self.zero[0, columns])


def _places(values: AnyArray, of_column: IntArray, begin: IntArray, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Return the ranks of the values that are not 0, and of the zeros of each column, if any, less the mean rank."""
    n_zero, middle = n_rows - np.diff(begin), (n_rows + 1) / 2
    n_below = np.bincount(of_column[values < 0], minlength=len(n_zero))
    order = np.lexsort((values, of_column))
    ordered, column = values[order], of_column[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]) | (column[1:] != column[:-1])
    first = np.flatnonzero(is_new)
    last = np.append(first[1:], len(order))
    ranks = np.empty(len(order))
    ranks[order] = np.repeat((first + last + 1) / 2, last - first) - begin[column]
    ranks += np.where(values > 0, n_zero[of_column], 0)
    return ranks - middle, np.where(n_zero > 0, n_below + (n_zero + 1) / 2 - middle, 0.0)


def _sums(values: FloatArray, of_column: IntArray, n_columns: int) -> FloatArray:
    return np.asarray(np.bincount(of_column, values, minlength=n_columns), dtype=np.float64)
