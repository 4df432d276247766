"""Lasso: the size of the weights in a linear model with an L1 penalty."""

from typing import Any

import numpy as np
from sklearn.linear_model import Lasso

from puselect.arrays import BoolArray, FloatArray
from puselect.baselines.varying import score_varying
from puselect.selectors.base import check_number
from puselect.selectors.ranking import RankingSelector, Task


class LassoRank(RankingSelector):
    """Select the features of largest weight in a linear model of the labels with an L1 penalty (Lasso).

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    alpha : float, default=5e-5
        Strength of the penalty; the target is 1 for labelled rows and 0 for the others.
    max_iter : int, default=10000
        Sweeps over the features, at most. scikit-learn's 1000 are too few for tables with more columns than rows.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Breaks ties between features, such as those of weight 0.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Absolute weights of the scaled columns; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_iter_ : int
        Sweeps done.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    R. Tibshirani, "Regression Shrinkage and Selection via the Lasso", J. Royal Statistical Society B 58, 1996.

    Examples
    --------
    >>> from puselect.baselines import LassoRank
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = LassoRank(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    23
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        alpha: float = 5e-5,
        max_iter: int = 10_000,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("alpha", self.alpha, 0, open_low=True)
        check_number("max_iter", self.max_iter, 1, integer=True)
        self.n_iter_ = 0
        return score_varying(task.X, lambda X: self._weights(X, task.positive))

    def _weights(self, X: FloatArray, positive: BoolArray) -> FloatArray:
        model = Lasso(alpha=self.alpha, max_iter=self.max_iter).fit(X, positive.astype(np.float64))
        self.n_iter_ = int(model.n_iter_)
        return np.abs(np.asarray(model.coef_, dtype=np.float64))
