"""Consensus: the mean log rank of FSCPU's default and of PU bagging."""

from typing import Any

import numpy as np

from puselect.arrays import FloatArray
from puselect.baselines.pu_bagging import PUBagging
from puselect.baselines.varying import score_varying
from puselect.fscpu.selector import FSCPU
from puselect.selectors.ranking import RankingSelector, Task

PARTS = 2.0, 1.0  # of FSCPU and of PU bagging


class Consensus(RankingSelector):
    """Select the features of best mean log rank in FSCPU's default, which counts twice, and in PU bagging.

    Not from the paper. FSCPU finds columns in which labelled rows form clusters, PU bagging those that trees need. With
    logarithms the first ranks decide.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Seed of both parts.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        How far the mean log rank is below that of the last rank; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    Examples
    --------
    >>> from puselect.baselines import Consensus
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/outlier", n_negative=400, n_positive=100, n_relevant=4, n_irrelevant=4,
    ...                                   random_state=0)
    >>> selector = Consensus(4, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    4
    """

    def __init__(
        self, n_features_to_select: int | None = None, *, pos_label: Any = 1, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        return score_varying(task.X, lambda X: _mean_log_ranks(X, task))


def _mean_log_ranks(X: FloatArray, task: Task) -> FloatArray:
    n_columns, y = X.shape[1], task.positive.astype(int)
    if n_columns == 1:
        return np.zeros(1)
    k = min(task.n_select, n_columns)
    ranks = [part(k, random_state=task.seed).fit(X, y).ranking_ for part in (FSCPU, PUBagging)]
    return np.asarray(np.log(n_columns) - np.average(np.log(ranks), axis=0, weights=PARTS))
