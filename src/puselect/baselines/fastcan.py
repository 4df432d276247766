"""FastCan: greedy forward selection by canonical correlation, from the library of that name."""

from importlib import import_module
from typing import Any

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.baselines.varying import score_varying
from puselect.selectors.ranking import RankingSelector, Task, scores_of_order


class FastCanRank(RankingSelector):
    """Add the feature that raises the canonical correlation with the labels most, again and again.

    Not from the paper: `fastcan.FastCan` of scikit-learn-contrib. With one label this is forward selection for linear
    regression. Features that depend linearly on the selected ones are left out by the library; if too few others are
    left, they follow by their own correlation with the labels. Needs the extra `fastcan`.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Breaks ties between features that are not selected.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Counts down along the features in the order of selection, from their number to 1; for the others half of their
        squared correlation with the labels, and -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    S. Zhang and Z.-Q. Lang, "Orthogonal Least Squares Based Fast Feature Selection for Linear Classification", Pattern
    Recognition 123, 2022.

    Examples
    --------
    >>> from puselect.baselines import FastCanRank
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = FastCanRank(25).fit(X, y)  # doctest: +SKIP
    """

    def __init__(
        self, n_features_to_select: int | None = None, *, pos_label: Any = 1, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        return score_varying(task.X, lambda X: _scores(X, task.positive, task.n_select))


def _scores(X: FloatArray, positive: BoolArray, n_select: int) -> FloatArray:
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    alone = (Z[positive].sum(axis=0) / len(Z)) ** 2 / (positive.mean() * (1 - positive.mean()))
    order = _forward_order(X, positive, min(n_select, X.shape[1]))
    return np.asarray(np.maximum(scores_of_order(order, X.shape[1]), alone / 2))


def _forward_order(X: FloatArray, positive: BoolArray, n_select: int) -> IntArray:
    """Return the features in the order of selection; fewer than wanted if the others depend linearly on them."""
    try:
        make: Any = import_module("fastcan").FastCan
    except ImportError as error:
        raise ImportError("this needs fastcan: pip install fastcan") from error
    for n in range(n_select, 0, -1):
        try:
            return np.asarray(make(n, verbose=0).fit(X, positive).indices_, dtype=np.intp)
        except RuntimeError:  # how the library says that no independent feature is left
            continue
    return np.empty(0, dtype=np.intp)
