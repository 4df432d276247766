"""mRMR as the FSCPU paper ran it."""

from typing import Any

import numpy as np

from puselect.arrays import FloatArray
from puselect.baselines.information import mrmr_scores
from puselect.selectors.ranking import RankingSelector, RankingTask
from puselect_paper.baselines.quicksort import quicksort_order


class PublishedMRMR(RankingSelector):
    """The selector behind the mRMR row of the FSCPU paper: what the program pymrmr chooses from a scaled table.

    Values are truncated to integers, so that of a scaled column only the row of its maximum remains. Nearly all
    features are then equal, and the order of the columns decides: the paper's figures come out only where the relevant
    columns come first. Do not select features with it; use `puselect.baselines.MRMR`.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Not used: ties are broken in the order of the original program.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The number of features for the one added first, down to 1; 0 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the feature added first.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> from puselect_paper.baselines import PublishedMRMR
    >>> X, y, relevant = make_pu_clusters("40/8/1", shuffle=False, random_state=0)
    >>> for columns in (np.arange(50), np.arange(50)[::-1]):
    ...     selector = PublishedMRMR(25).fit(X[:, columns], y)
    ...     print((selector.get_support() & relevant[columns]).sum() / 25)
    0.08
    0.92
    """

    def __init__(
        self, n_features_to_select: int | None = None, *, pos_label: Any = 1, random_state: Any = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: RankingTask) -> FloatArray:
        return mrmr_scores(task, task.X.astype(np.int8), "quotient", quicksort_order)
