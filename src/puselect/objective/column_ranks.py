"""Ranks of columns, and what they tell about a set of rows: another location, another spread."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.blocks import map_blocks
from puselect.objective.ranks import double_ranks

BLOCK = 16  # columns ranked at a time: what is computed of them stays in the cache
ROUNDING = 1e-10  # variance of scores that are all the same, such as the squares of a column that is half 0 and half 1


class RankScores(NamedTuple):
    """Two scores of the ranks of a column, one that tells another location and one that tells another spread."""

    location: Callable[[FloatArray, int], FloatArray]
    """From ranks less their mean, and the number of rows."""
    spread: Callable[[AnyArray], AnyArray]
    """From the first score."""
    normal: Callable[[FloatArray, int], FloatArray]
    """Normal scores, from the first score and the number of rows."""


def _normal(place: FloatArray, n_rows: int) -> FloatArray:
    if place.size < 2 * n_rows:
        return np.asarray(ndtri((place + n_rows / 2) / n_rows))
    return np.asarray(_possible_normal(n_rows)[(2 * place + (n_rows - 1)).astype(np.intp)])


@lru_cache(maxsize=4)
def _possible_normal(n_rows: int) -> FloatArray:
    """Return the normal scores of all mean ranks, which are multiples of a half."""
    place = np.arange(2, 2 * n_rows + 1) / 2 - (n_rows + 1) / 2
    return np.asarray(ndtri((place + n_rows / 2) / n_rows))


NORMAL = RankScores(_normal, np.square, lambda location, n_rows: location)
"""Normal scores and their squares: the tests of van der Waerden and of Klotz."""
LEPAGE = RankScores(lambda place, n_rows: place, np.abs, _normal)
"""Ranks and their distances from the middle: the tests of Wilcoxon and of Ansari and Bradley."""


class ColumnRanks:
    """The ranks of all columns of a table, for rank statistics of many sets of rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    scores : RankScores
        What the statistics compare.
    n_threads : int
        Does not change the result.
    """

    def __init__(self, X: AnyArray, scores: RankScores = NORMAL, n_threads: int = 1) -> None:
        self.n_rows, self.n_features = X.shape
        self.scores = scores
        self.location = np.empty((self.n_features, self.n_rows), dtype=np.float32)
        """First scores, shape (n_features, n_rows)."""
        self.mean = np.empty((2, self.n_features))
        """Of both scores."""
        self.variance = np.empty((2, self.n_features))
        """Of both scores."""
        possible = scores.location(np.arange(2, 2 * self.n_rows + 1) / 2 - (self.n_rows + 1) / 2, self.n_rows)

        def rank(block: slice) -> None:
            location = possible[double_ranks(X[:, block].T) - 2]  # mean ranks are multiples of a half
            self.location[block] = location
            for i, score in enumerate((location, scores.spread(location))):
                self.mean[i, block], self.variance[i, block] = score.mean(axis=1), score.var(axis=1, ddof=1)

        map_blocks(rank, self.n_features, BLOCK, n_threads)

    def statistic(self, rows: IntArray) -> FloatArray:
        """Return the sum of two squared z-scores, of location and spread, of every column for a set of rows."""
        location = self.location[:, rows]
        return self._statistic(_mean(location), _mean(self.scores.spread(location)), len(rows), slice(None))

    def statistic_each(self, columns: IntArray, rows: IntArray) -> FloatArray:
        """Return the statistic of `columns`, each for its own set: ``rows`` (n_columns, n_set)."""
        location = np.take_along_axis(self.location[columns], rows, axis=1)
        return self._statistic(_mean(location), _mean(self.scores.spread(location)), rows.shape[1], columns)

    def places(self, columns: IntArray) -> FloatArray:
        """Return the first scores of `columns`, shape (n_rows, n_columns)."""
        return self.location[columns].T.astype(np.float64)

    def normal_scores(self, columns: IntArray) -> FloatArray:
        """Return the normal scores of `columns`, shape (n_rows, n_columns)."""
        return self.scores.normal(self.places(columns), self.n_rows)

    @cached_property
    def row_features(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What discriminants are made of, shape (2 n_features, n_rows), its means and its covariance."""
        features = row_features(self.normal_scores(np.arange(self.n_features)), self.scores)
        lines = np.ascontiguousarray(features.T)
        return lines, lines.mean(axis=1), covariance(features)

    def _statistic(
        self, location: FloatArray, spread: FloatArray, m: int | IntArray, columns: IntArray | slice
    ) -> FloatArray:
        """Return the statistic for mean scores of samples of `m` rows, which are drawn without replacement."""
        variance = self.variance[:, columns]
        error = variance / m * (self.n_rows - m) / self.n_rows
        square = (np.stack([location, spread]) - self.mean[:, columns]) ** 2
        differs = (variance > ROUNDING) & (error > 0)
        return np.asarray(np.divide(square, error, out=np.zeros_like(square), where=differs).sum(axis=0))


def row_features(Z: FloatArray, scores: RankScores) -> FloatArray:
    """Return normal scores and what tells their spread, shape (n_rows, 2 n_columns)."""
    return np.hstack([Z, _standardised(scores.spread(Z))])


def covariance(features: FloatArray) -> FloatArray:
    """Return the covariance of columns."""
    centred = features - features.mean(axis=0)
    return np.asarray(centred.T @ centred / (len(centred) - 1))


def _standardised(Z: FloatArray) -> FloatArray:
    deviation = Z.std(axis=0)
    return np.asarray((Z - Z.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def _mean(scores: AnyArray) -> FloatArray:
    return np.asarray(scores.mean(axis=1, dtype=np.float64))
