"""Trees: the importance of features in forests, in bags of trees, and under recursive elimination."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.tree import DecisionTreeClassifier

from puselect.arrays import FloatArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask


class ForestImportance(RankingSelector):
    """Select the features of largest importance in a random forest with balanced class weights.

    Not from the paper: `RandomForestClassifier(class_weight="balanced").feature_importances_` of scikit-learn, which
    many would try first. Unlabelled rows count as negatives. Other parameters and attributes are those of
    `RankingSelector`.

    Parameters
    ----------
    n_estimators : int, default=200
        Trees of the forest.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(ForestImportance(25, n_estimators=20, random_state=0).fit(X, y).support_[relevant].sum())
    21
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 200,
        pos_label: object = 1,
        n_jobs: int | None = None,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        forest = RandomForestClassifier(
            self.n_estimators, class_weight="balanced", n_jobs=self.n_jobs, random_state=task.seed
        )
        return np.asarray(forest.fit(task.X, task.positive).feature_importances_)


class PUBagging(RankingSelector):
    """Select the features of largest mean importance in trees that tell labelled from a few unlabelled rows.

    Not from the paper. Each tree learns from all labelled rows and a bootstrap sample of as many unlabelled ones, as in
    the bagging of Mordelet and Vert: a hidden positive spoils few trees only. They bag support vector machines and
    score rows; the importance of features in trees is our use of the same scheme. Other parameters and attributes are
    those of `RankingSelector`.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees.

    References
    ----------
    F. Mordelet and J.-P. Vert, "A Bagging SVM to Learn from Positive and Unlabeled Examples", Pattern Recognition
    Letters 37, 2014.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(PUBagging(25, n_estimators=100, random_state=0).fit(X, y).support_[relevant].sum())
    23
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 500,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_estimators = n_estimators

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        labelled, unlabelled = np.flatnonzero(task.positive), np.flatnonzero(~task.positive)
        total = np.zeros(task.X.shape[1])
        for _ in range(self.n_estimators):
            rows = np.concatenate([labelled, task.rng.choice(unlabelled, len(labelled))])
            tree = DecisionTreeClassifier(max_features="sqrt", random_state=task.seed)
            total += tree.fit(task.X[rows], task.positive[rows]).feature_importances_
        return np.asarray(total / self.n_estimators)


class DTRFE(RankingSelector):
    """Drop the feature that matters least to a random forest, fit again, and so on (recursive elimination).

    `RFE(RandomForestClassifier())` of scikit-learn. The score is the number of rounds a feature survived, plus its
    importance in the last forest if it is selected. Other parameters and attributes are those of `RankingSelector`.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees of a forest.
    step : int, default=1
        Features dropped at a time.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill and V. Vapnik, "Gene Selection for Cancer Classification using Support Vector
    Machines", Machine Learning 46, 2002.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(DTRFE(25, n_estimators=10, step=5, random_state=0).fit(X, y).support_[relevant].sum())
    20
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 100,
        step: int = 1,
        pos_label: object = 1,
        n_jobs: int | None = None,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_estimators = n_estimators
        self.step = step
        self.n_jobs = n_jobs

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_number("step", self.step, 1, integer=True)
        forest = RandomForestClassifier(self.n_estimators, n_jobs=self.n_jobs, random_state=task.seed)
        n_select = min(task.n_select, task.X.shape[1])
        found = RFE(forest, n_features_to_select=n_select, step=self.step).fit(task.X, task.positive)
        rounds = (found.ranking_.max() - found.ranking_).astype(np.float64)
        rounds[found.support_] += found.estimator_.feature_importances_
        return np.asarray(rounds)
