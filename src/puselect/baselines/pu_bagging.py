"""PU bagging: the importance of features in trees that each see other unlabelled rows."""

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from puselect.arrays import BoolArray, FloatArray
from puselect.baselines.varying import score_varying
from puselect.search.deadline import Deadline
from puselect.selectors.base import check_max_time, check_number
from puselect.selectors.ranking import RankingSelector, Task


class PUBagging(RankingSelector):
    """Select the features of largest mean importance in trees that tell labelled from a few unlabelled rows.

    Not from the paper. Each tree learns from all labelled rows and a bootstrap sample of as many unlabelled ones, as in
    the bagging of Mordelet and Vert: a hidden positive spoils few trees only. They bag support vector machines and
    score rows; the importance of features in trees is our use of the same scheme.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_estimators : int, default=500
        Trees.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Features tried in each split, as in scikit-learn's trees.
    max_time : float, optional
        The most seconds for the trees; those that there is no time for are left out.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Seed of the samples and the trees.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The mean importance; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    timed_out_ : bool
        Whether `max_time` left out trees.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    F. Mordelet and J.-P. Vert, "A Bagging SVM to Learn from Positive and Unlabeled Examples", Pattern Recognition
    Letters 37, 2014.

    Examples
    --------
    >>> from puselect.baselines import PUBagging
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/outlier", n_negative=400, n_positive=100, n_relevant=4, n_irrelevant=4,
    ...                                   random_state=0)
    >>> selector = PUBagging(4, n_estimators=50, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    4
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 500,
        max_features: int | float | str | None = "sqrt",
        max_time: float | None = None,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_time = max_time
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_max_time(self.max_time)
        self.timed_out_ = False
        return score_varying(task.X, lambda X: self._mean_importance(X, task.positive, task))

    def _mean_importance(self, X: FloatArray, positive: BoolArray, task: Task) -> FloatArray:
        labelled, unlabelled = np.flatnonzero(positive), np.flatnonzero(~positive)
        total, n_trees, deadline = np.zeros(X.shape[1]), 0, Deadline(self.max_time)
        while n_trees < self.n_estimators and not self.timed_out_:
            rows = np.concatenate([labelled, task.rng.choice(unlabelled, len(labelled))])
            tree = DecisionTreeClassifier(max_features=self.max_features, random_state=task.seed)
            total += tree.fit(X[rows], positive[rows]).feature_importances_
            n_trees += 1
            self.timed_out_ = n_trees < self.n_estimators and deadline.is_too_close(0)
        return np.asarray(total / n_trees)
