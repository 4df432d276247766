"""Selectors that score every feature once: the base of the methods FSCPU is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.scaling import scale_columns
from puselect.selectors.base import (
    PUSelector,
    RandomSeed,
    column_names,
    descending_order,
    ranks_of,
    resolve_n_features,
    varying_columns,
    warn_of_fewer,
)
from puselect.selectors.groups import ColumnName, leaders, read_groups
from puselect.selectors.result import FitResult

CONSTANT_SCORE = -1.0  # below the scores of columns that vary, which are at least 0


class RankingTask(NamedTuple):
    """The data of a ranking method."""

    X: FloatArray
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

    A subclass scores the columns that vary in `_score_columns`, or all columns in `_score`. Equal scores are ordered at
    random, from the seed; constant columns come last and are never selected.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many features to select, or which share of them. By default half of them, rounded up.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Seed of the method, and of the order of features with equal scores.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Higher is better; -1 for constant columns, unless stated otherwise.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the columns, if all of them are strings.
    """

    scores_: FloatArray
    groups_: dict[str, list[int]]

    def __init__(
        self, n_features_to_select: int | float | None = None, *, pos_label: object = 1, random_state: RandomSeed = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Mapping[str, Sequence[ColumnName]] | Sequence[object] | str | None = None,
    ) -> Self:
        """Rank the features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; the median of a column stands in for missing ones.
        y : array-like of shape (n_rows,)
            `pos_label` marks labelled positives, anything else unlabelled rows.
        groups : dict of str to list, array-like of shape (n_features,) or "prepared", optional
            Columns that are one feature, as in `FSCPU`: a group has the rank of its best column.
        """
        table, positive = self._read(X, y)
        n_columns, varying = table.shape[1], varying_columns(table)
        self.groups_ = read_groups(groups, column_names(self, X), n_columns)
        leader = leaders(self.groups_, varying)
        n_select = resolve_n_features(self.n_features_to_select, len(np.unique(leader)))
        warn_of_fewer(n_select, len(np.unique(leader[varying])))
        rng = np.random.default_rng(self._draw_entropy())
        n_ranked = n_columns if self.groups_ else n_select
        task = RankingTask(np.ascontiguousarray(scale_columns(table)), positive, n_ranked, rng)
        self.scores_ = np.asarray(self._score(task), dtype=np.float64)
        self.ranking_ = ranks_of(descending_order(self.scores_, rng, last=~varying))
        if self.groups_:
            best, highest = self.ranking_.copy(), self.scores_.copy()
            np.minimum.at(best, leader, self.ranking_)
            np.maximum.at(highest, leader, self.scores_)
            self.ranking_, self.scores_ = np.unique(best[leader], return_inverse=True)[1] + 1, highest[leader]
        self.support_ = (self.ranking_ <= n_select) & varying
        self.stability_ = None
        return self

    @property
    def result_(self) -> FitResult:
        """The outcome of the fit, with the scores."""
        return replace(super().result_, scores=self.scores_, groups=self.groups_)

    def _score(self, task: RankingTask) -> FloatArray:
        """Return a score per feature, higher is better."""
        varying = np.asarray(task.X.any(axis=0))  # scaled: a constant column is all zeros
        scores = np.full(len(varying), CONSTANT_SCORE)
        if varying.any():
            scores[varying] = self._score_columns(task._replace(X=task.X[:, varying]))
        return scores

    def _score_columns(self, task: RankingTask) -> FloatArray:
        """Return a score of 0 or more for each column of the task, all of which vary."""
        raise NotImplementedError


def scores_of_order(order: IntArray, n_features: int) -> FloatArray:
    """Return scores that put the features of `order` first, in that order; all others get 0."""
    scores = np.zeros(n_features)
    scores[order] = np.arange(len(order), 0, -1)
    return scores
