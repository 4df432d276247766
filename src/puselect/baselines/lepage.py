"""Lepage's statistic: a yardstick that looks at one column at a time."""

from typing import Any

from puselect.arrays import FloatArray
from puselect.baselines.varying import score_varying
from puselect.columns.evidence import column_evidence
from puselect.selectors.ranking import RankingSelector, Task


class Lepage(RankingSelector):
    """Select the features in which labelled rows differ most from all rows, in location or spread.

    Not from the paper. FSCPU starts from this statistic; what it finds beyond single columns is due to the rows and
    clusters that they find together.

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
        Lepage's statistic; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    Y. Lepage, "A Combination of Wilcoxon's and Ansari-Bradley's Statistics", Biometrika 58, 1971.

    Examples
    --------
    >>> from puselect.baselines import Lepage
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = Lepage(25).fit(X, y)
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
        return score_varying(task.X, lambda X: column_evidence(X, task.positive))
