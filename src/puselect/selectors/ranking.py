"""Selectors that score every feature once: the base of the methods FSCPU is compared with."""

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puselect.arrays import BoolArray, FloatArray
from puselect.scaling import scale_columns
from puselect.selectors.base import (
    PUSelector,
    descending_order,
    ranks_of,
    resolve_n_features,
    varying_columns,
    warn_of_fewer,
)
from puselect.selectors.result import FitResult


class Task(NamedTuple):
    """What a ranking method gets to see."""

    X: NDArray[np.float64]
    """The table, min-max scaled, shape (n_rows, n_features)."""
    positive: BoolArray
    """Labelled positives, shape (n_rows,)."""
    n_select: int
    """How many features are wanted."""
    rng: np.random.Generator
    """Source of all random numbers."""

    @property
    def seed(self) -> int:
        """A fresh seed for libraries that take an int."""
        return int(self.rng.integers(2**31 - 1))


class RankingSelector(PUSelector):
    """Selects the features of highest score.

    A subclass stores its parameters, among them `n_features_to_select`, `pos_label` and `random_state`, and gives
    scores in `_score`. Equal scores are ordered at random, from the seed; constant columns come last and are never
    selected.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Higher is better.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
    """

    n_features_to_select: int | None
    scores_: FloatArray

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Rank the features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            `pos_label` marks labelled positives, anything else unlabelled rows.
        """
        table, positive = self._read(X, y)
        n_select = resolve_n_features(self.n_features_to_select, table.shape[1])
        varying = varying_columns(table)
        warn_of_fewer(n_select, int(varying.sum()))
        rng = np.random.default_rng(self._draw_entropy())
        task = Task(np.ascontiguousarray(scale_columns(table)), positive, n_select, rng)
        self.scores_ = np.asarray(self._score(task), dtype=np.float64)
        self.ranking_ = ranks_of(descending_order(self.scores_, rng, last=~varying))
        self.support_ = (self.ranking_ <= n_select) & varying
        self.stability_ = None
        return self

    @property
    def result_(self) -> FitResult:
        """The outcome of the fit, with the scores."""
        return replace(super().result_, scores=self.scores_)

    def _score(self, task: Task) -> FloatArray:
        """Return a score per feature, higher is better."""
        raise NotImplementedError


def scores_of_order(order: NDArray[Any], n_features: int) -> FloatArray:
    """Return scores that put the features of `order` first, in that order; all others get 0.

    Examples
    --------
    >>> scores_of_order(np.array([2, 0]), 4)
    array([1., 0., 2., 0.])
    """
    scores = np.zeros(n_features)
    scores[order] = np.arange(len(order), 0, -1)
    return scores
