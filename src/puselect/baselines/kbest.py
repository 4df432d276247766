"""K-Best: scikit-learn's chi-squared filter."""

from typing import Any

import numpy as np
from sklearn.feature_selection import chi2

from puselect.arrays import FloatArray
from puselect.baselines.varying import score_varying
from puselect.selectors.ranking import RankingSelector, Task


class KBest(RankingSelector):
    """Select the features of largest chi-squared statistic: `SelectKBest(chi2)` of scikit-learn.

    A scaled column is read as counts: its sum over the labelled rows is compared with what their share of the rows
    would give.

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
        The statistic; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    H. Liu and R. Setiono, "Chi2: Feature Selection and Discretization of Numeric Attributes", ICTAI 1995.

    Examples
    --------
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = KBest(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    22
    """

    def __init__(
        self, n_features_to_select: int | None = None, *, pos_label: Any = 1, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        return score_varying(task.X, lambda X: np.asarray(chi2(X, task.positive)[0]))
