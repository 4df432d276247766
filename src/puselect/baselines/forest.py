"""Forest: the importance of features in a balanced random forest."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from puselect.arrays import FloatArray
from puselect.baselines.varying import score_varying
from puselect.selectors.base import check_number
from puselect.selectors.ranking import RankingSelector, Task


class ForestImportance(RankingSelector):
    """Select the features of largest importance in a random forest with balanced class weights.

    Not from the paper: `RandomForestClassifier(class_weight="balanced").feature_importances_` of scikit-learn, which
    many would try first. Unlabelled rows count as negatives.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_estimators : int, default=200
        Trees of the forest.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the forest.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        The importance; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> from puselect.baselines import ForestImportance
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/outlier", n_negative=400, n_positive=100, n_relevant=4, n_irrelevant=4,
    ...                                   random_state=0)
    >>> selector = ForestImportance(4, n_estimators=50, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    4
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 200,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        forest = RandomForestClassifier(
            self.n_estimators, class_weight="balanced", n_jobs=self.n_jobs, random_state=task.seed
        )
        return score_varying(task.X, lambda X: np.asarray(forest.fit(X, task.positive).feature_importances_))
