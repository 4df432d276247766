"""Trees: the importance of features in forests, in bags of trees, and under recursive elimination."""

import logging

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from puselect.arrays import FloatArray
from puselect.parameters import check_max_time, check_number
from puselect.search.progress import LOG_SECONDS, Deadline, Throttle
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask

logger = logging.getLogger("puselect")


class ForestImportance(RankingSelector):
    """Select the features of largest importance in a random forest with balanced class weights.

    Not from the paper: `RandomForestClassifier(class_weight="balanced").feature_importances_` of scikit-learn, which
    many would try first. Unlabelled rows count as negatives. Attributes are those of `RankingSelector`.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    n_estimators : int, default=200
        Trees of the forest.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.

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
    score rows; the importance of features in trees is our use of the same scheme.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    n_estimators : int, default=500
        Trees.
    max_time : float, optional
        The most seconds for the trees; those that there is no time for are left out.

    Attributes
    ----------
    scores_, ranking_, support_
        As in `RankingSelector`; scores are mean importances.
    timed_out_ : bool
        Whether `max_time` left out trees.

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

    timed_out_ = False

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 500,
        max_time: float | None = None,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_estimators = n_estimators
        self.max_time = max_time

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_max_time(self.max_time)
        labelled, unlabelled = np.flatnonzero(task.positive), np.flatnonzero(~task.positive)
        total, n_trees, deadline = np.zeros(task.X.shape[1]), 0, Deadline(self.max_time)
        self.timed_out_ = False
        while n_trees < self.n_estimators and not self.timed_out_:
            rows = np.concatenate([labelled, task.rng.choice(unlabelled, len(labelled))])
            tree = DecisionTreeClassifier(max_features="sqrt", random_state=task.seed)
            total += tree.fit(task.X[rows], task.positive[rows]).feature_importances_
            n_trees += 1
            self.timed_out_ = n_trees < self.n_estimators and deadline.is_too_close(0)
        return np.asarray(total / n_trees)


class DTRFE(RankingSelector):
    """Drop the feature that matters least to a random forest, fit again, and so on (recursive elimination).

    Equals `RFE(RandomForestClassifier())` of scikit-learn. Progress is logged every two seconds, at level INFO.

    Parameters
    ----------
    n_features_to_select, pos_label, random_state
        As in `RankingSelector`.
    n_estimators : int, default=100
        Trees of a forest.
    step : int, default=1
        Features dropped at a time.
    max_time : float, optional
        The most seconds that the elimination may take; all features that are one too many are then dropped at once.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.

    Attributes
    ----------
    scores_, ranking_, support_
        As in `RankingSelector`; the score is the number of rounds a feature survived, plus its importance in the last
        forest if it is selected.
    timed_out_ : bool
        Whether `max_time` cut the elimination short.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill and V. Vapnik, "Gene Selection for Cancer Classification using Support Vector
    Machines", Machine Learning 46, 2002.

    Examples
    --------
    >>> from puselect.baselines import DTRFE
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/outlier", n_negative=400, n_positive=100, n_relevant=4, n_irrelevant=4,
    ...                                   random_state=0)
    >>> selector = DTRFE(4, n_estimators=20, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    4
    """

    timed_out_ = False

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_estimators: int = 100,
        step: int = 1,
        max_time: float | None = None,
        pos_label: object = 1,
        n_jobs: int | None = None,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.n_estimators = n_estimators
        self.step = step
        self.max_time = max_time
        self.n_jobs = n_jobs

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_number("step", self.step, 1, integer=True)
        check_max_time(self.max_time)
        self.timed_out_ = False
        forest = RandomForestClassifier(self.n_estimators, n_jobs=self.n_jobs, random_state=task.seed)
        due, deadline = Throttle(LOG_SECONDS), Deadline(self.max_time)
        n_columns = task.X.shape[1]
        n_select = min(task.n_select, n_columns)
        left, rounds, number = np.arange(n_columns), np.zeros(n_columns), 0
        while True:
            importance = clone(forest).fit(task.X[:, left], task.positive).feature_importances_
            if len(left) == n_select:
                rounds[left] = number + importance
                return rounds
            if due():
                logger.info("%d features left, %d wanted", len(left), n_select)
            self.timed_out_ = deadline.is_too_close(1)  # one more forest after the coming one: of the winners
            n_dropped = len(left) - n_select if self.timed_out_ else min(self.step, len(left) - n_select)
            order = np.argsort(importance**2)  # squared, as scikit-learn's RFE does: it decides between tiny ones
            rounds[left[order[:n_dropped]]] = number
            left, number = np.sort(left[order[n_dropped:]]), number + 1
