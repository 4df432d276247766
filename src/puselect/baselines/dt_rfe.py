"""DT-RFE: recursive elimination with a random forest."""

import logging
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from puselect.arrays import FloatArray
from puselect.baselines.varying import score_varying
from puselect.search.deadline import Deadline
from puselect.search.progress import LOG_SECONDS, Throttle
from puselect.selectors.base import check_max_time, check_number
from puselect.selectors.ranking import RankingSelector, Task

logger = logging.getLogger("puselect")


class DTRFE(RankingSelector):
    """Drop the feature that matters least to a random forest, fit again, and so on (recursive elimination).

    Equals `RFE(RandomForestClassifier())` of scikit-learn. Progress is logged every two seconds, at level INFO.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_estimators : int, default=100
        Trees of a forest.
    step : int, default=1
        Features dropped at a time.
    max_time : float, optional
        The most seconds that the elimination may take; all features that are one too many are then dropped at once.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Threads over the trees. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the forests.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        How many rounds a feature survived, plus its importance in the last forest if it is selected; -1 for
        constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    timed_out_ : bool
        Whether `max_time` cut the elimination short.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

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

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 100,
        step: int = 1,
        max_time: float | None = None,
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.step = step
        self.max_time = max_time
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_number("step", self.step, 1, integer=True)
        check_max_time(self.max_time)
        self.timed_out_ = False
        forest = RandomForestClassifier(self.n_estimators, n_jobs=self.n_jobs, random_state=task.seed)
        return score_varying(task.X, lambda X: self._survival(forest, X, task))

    def _survival(self, forest: RandomForestClassifier, X: FloatArray, task: Task) -> FloatArray:
        """Return the rounds each feature survived, the winners ordered by their importance at the end."""
        due, deadline = Throttle(LOG_SECONDS), Deadline(self.max_time)
        n_select = min(task.n_select, X.shape[1])
        left, rounds, number = np.arange(X.shape[1]), np.zeros(X.shape[1]), 0
        while True:
            importance = clone(forest).fit(X[:, left], task.positive).feature_importances_
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
