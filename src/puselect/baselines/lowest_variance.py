"""Lowest variance: a yardstick that uses no labels."""

from typing import Any

from puselect.arrays import FloatArray
from puselect.baselines.varying import score_varying
from puselect.selectors.ranking import RankingSelector, Task


class LowestVariance(RankingSelector):
    """Select the min-max scaled features of lowest standard deviation, without any look at the labels.

    Not from the paper. On the paper's artificial data this finds every relevant feature, because the irrelevant ones
    are uniform and clusters are narrower than that: a method has to do better elsewhere to show that it works.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Breaks ties between features.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        1 minus the standard deviation of the scaled column; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    Examples
    --------
    >>> from puselect.baselines import LowestVariance
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("10/8/2", random_state=0)
    >>> selector = LowestVariance(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    25
    """

    def __init__(
        self, n_features_to_select: int | None = None, *, pos_label: Any = 1, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        return score_varying(task.X, lambda X: 1 - X.std(axis=0))
