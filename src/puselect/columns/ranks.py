"""Ranks of columns, and statistics of ranks: whether a set of rows has another location or another spread."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array
from scipy.special import ndtri

from puselect.arrays import AnyArray, FloatArray, IntArray, map_blocks
from puselect.scaling import columns_at_once
from puselect.sparse_table import SparseTable


def double_ranks(lines: AnyArray) -> IntArray:
    """Return twice the ranks of the values of every line, from 1 on; ties share their mean rank.

    As SciPy's ``2 * rankdata(lines, axis=1)``, which sorts stably and takes more than twice as long.

    Examples
    --------
    >>> double_ranks(np.array([[0.5, 0.1, 0.5, 0.9]])).tolist()
    [[5, 2, 5, 8]]
    """
    n_values = lines.shape[1]
    order = np.argsort(lines, axis=1)
    ordered = np.take_along_axis(lines, order, axis=1)
    is_new = np.ones(lines.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=is_new[:, 1:])
    ranks = np.empty(lines.shape, dtype=np.int32)
    for line, places, new in zip(ranks, order, is_new, strict=True):
        first = np.flatnonzero(new)
        last = np.append(first[1:], n_values)
        line[places] = np.repeat(first + last + 1, last - first)
    return ranks


BLOCK = 16  # columns ranked at a time: their ranks and scores stay in the cache
ROUNDING = 1e-10  # variance of scores that are all the same, such as the squares of a column that is half 0 and half 1


class RankScores(NamedTuple):
    """Two scores of the ranks of a column, sensitive to another location and to another spread."""

    location: Callable[[FloatArray, int], FloatArray]
    """From ranks less their mean, and the number of rows."""
    spread: Callable[[AnyArray], AnyArray]
    """From the first score."""


NORMAL = RankScores(lambda place, n_rows: np.asarray(ndtri((place + n_rows / 2) / n_rows)), np.square)
"""Normal scores and their squares: the tests of van der Waerden and of Klotz."""
LEPAGE = RankScores(lambda place, n_rows: place, np.abs)
"""Ranks and their distances from the middle: the tests of Wilcoxon and of Ansari and Bradley."""


class ColumnRanks:
    """The ranks of all columns of a table, for rank statistics of many sets of rows."""

    def __init__(self, X: AnyArray, scores: RankScores = NORMAL, n_threads: int = 1) -> None:
        from puselect.columns.kernels import score_ranks  # compiled code is loaded only when it is used

        self.n_rows, self.n_features = int(X.shape[0]), int(X.shape[1])
        self.scores = scores
        self.location = np.empty((self.n_features, self.n_rows), dtype=np.float32)
        """First scores, shape (n_features, n_rows)."""
        self.mean = np.empty((2, self.n_features))
        """Of both scores."""
        self.variance = np.empty((2, self.n_features))
        """Of both scores."""
        possible = scores.location(np.arange(2, 2 * self.n_rows + 1) / 2 - (self.n_rows + 1) / 2, self.n_rows)

        def keep(block: slice) -> None:
            ranks = double_ranks(X[:, block].T)
            score_ranks(
                ranks, possible, self.squares, self.location[block], self.mean[:, block], self.variance[:, block]
            )

        map_blocks(keep, self.n_features, BLOCK, n_threads)

    @property
    def squares(self) -> bool:
        """Whether the spread is measured by squares of scores, rather than by their sizes."""
        return self.scores.spread is np.square

    def statistic(self, rows: IntArray) -> FloatArray:
        """Return the sum of two squared z-scores, of location and spread, of every column for a set of rows."""
        return self._statistic(self.means(rows), len(rows), slice(None))

    def statistic_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return the statistic of `columns`, each for its own set: ``rows`` (n_columns, n_set)."""
        return self._statistic(self.means_each(columns, rows), rows.shape[1], columns)

    def means(self, rows: IntArray) -> FloatArray:
        """Return the means of both scores of every column over a set of rows, shape (2, n_features)."""
        return self.means_each(np.arange(self.n_features), rows[None])

    def means_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return the means of both scores of `columns`, each over its own set: ``rows`` (n_columns or 1, n_set)."""
        from puselect.columns.kernels import score_means  # compiled code is loaded only when it is used

        means = np.empty((2, len(columns)))
        score_means(self.location, columns, np.ascontiguousarray(rows), self.squares, means)
        return means

    def places(self, columns: IntArray) -> FloatArray:
        """Return the first scores of `columns`, shape (n_rows, n_columns)."""
        return self.location[columns].T.astype(np.float64)

    def _statistic(self, means: FloatArray, m: int, columns: IntArray | slice) -> FloatArray:
        """Return the statistic for mean scores of samples of `m` rows, which are drawn without replacement."""
        variance = self.variance[:, columns]
        error = variance / m * (self.n_rows - m) / self.n_rows
        square = (means - self.mean[:, columns]) ** 2
        differs = (variance > ROUNDING) & (error > 0)
        return np.asarray(np.divide(square, error, out=np.zeros_like(square), where=differs).sum(axis=0))


def row_features(Z: FloatArray) -> FloatArray:
    """Return normal scores and their squares, shape (n_rows, 2 n_columns)."""
    squares = Z**2
    deviation = squares.std(axis=0)
    return np.hstack([Z, (squares - squares.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)])


def covariance(features: FloatArray) -> FloatArray:
    """Return the covariance of columns."""
    centred = features - features.mean(axis=0)
    return np.asarray(centred.T @ centred / (len(centred) - 1))


def column_ranks(table: AnyArray | SparseTable, scores: RankScores = NORMAL, n_threads: int = 1) -> ColumnRanks:
    """Return the ranks of the columns of any table."""
    return SparseRanks(table, scores) if isinstance(table, SparseTable) else ColumnRanks(table, scores, n_threads)


class SparseRanks(ColumnRanks):
    """`ColumnRanks` of a sparse table; the same numbers up to rounding.

    All zeros of a column share a rank, so only the scores of the other values are stored.
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
