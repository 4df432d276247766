"""Methods that scikit-learn already has, behind the door of this package: K-Best, Lasso and DT-RFE.

All three take the unlabelled rows for negatives.
"""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, chi2
from sklearn.linear_model import Lasso

from puselect.arrays import BoolArray, FloatArray
from puselect.search.progress import LOG_SECONDS, Throttle
from puselect.selectors.base import check_number
from puselect.selectors.ranking import RankingSelector, Task

logger = logging.getLogger("puselect")

CONSTANT_SCORE = -1.0  # all scores of this module are at least 0


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
        Orders features of equal score.

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


class LassoRank(RankingSelector):
    """Select the features of largest weight in a linear model of the labels with an L1 penalty (Lasso).

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    alpha : float, default=5e-5
        Strength of the penalty; the target is 1 for labelled rows and 0 for the others.
    max_iter : int, default=10000
        Sweeps over the features, at most. scikit-learn's 1000 are too few for tables with more columns than rows.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Orders features of equal score, such as those of weight 0.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Absolute weights of the scaled columns; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_iter_ : int
        Sweeps done.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    R. Tibshirani, "Regression Shrinkage and Selection via the Lasso", J. Royal Statistical Society B 58, 1996.

    Examples
    --------
    >>> from puselect.baselines import LassoRank
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = LassoRank(25).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    23
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        alpha: float = 5e-5,
        max_iter: int = 10_000,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("alpha", self.alpha, 0, open_low=True)
        check_number("max_iter", self.max_iter, 1, integer=True)
        self.n_iter_ = 0
        return score_varying(task.X, lambda X: self._weights(X, task.positive))

    def _weights(self, X: FloatArray, positive: BoolArray) -> FloatArray:
        model = Lasso(alpha=self.alpha, max_iter=self.max_iter).fit(X, positive.astype(np.float64))
        self.n_iter_ = int(model.n_iter_)
        return np.abs(np.asarray(model.coef_, dtype=np.float64))


class DTRFE(RankingSelector):
    """Drop the feature that matters least to a random forest, fit again, and so on (recursive elimination).

    `RFE(RandomForestClassifier())` of scikit-learn. Progress is logged every two seconds, at level INFO.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_estimators : int, default=100
        Trees of a forest.
    step : int, default=1
        Features dropped at a time.
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
        pos_label: Any = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.step = step
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_number("step", self.step, 1, integer=True)
        forest = RandomForestClassifier(self.n_estimators, n_jobs=self.n_jobs, random_state=task.seed)
        return score_varying(task.X, lambda X: self._survival(forest, X, task))

    def _survival(self, forest: RandomForestClassifier, X: FloatArray, task: Task) -> FloatArray:
        """Return the rounds each feature survived, the winners ordered by their importance at the end."""
        due = Throttle(LOG_SECONDS)

        def importances(forest: RandomForestClassifier) -> FloatArray:
            if due():
                logger.info("%d features left, %d wanted", forest.n_features_in_, task.n_select)
            return np.asarray(forest.feature_importances_)

        n_select = min(task.n_select, X.shape[1])
        elimination = RFE(forest, n_features_to_select=n_select, step=self.step, importance_getter=importances)
        elimination.fit(X, task.positive)
        rank = np.asarray(elimination.ranking_, dtype=np.float64)
        rounds: FloatArray = rank.max() - rank
        rounds[elimination.support_] += elimination.estimator_.feature_importances_
        return rounds


def score_varying(X: FloatArray, score: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the scores of the columns of a scaled table; `score` sees only those that vary.

    Examples
    --------
    >>> score_varying(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), lambda X: X[0])
    array([ 0., -1.,  1.])
    """
    varying = X.any(axis=0)  # scaled: a constant column is all zeros
    scores = np.full(X.shape[1], CONSTANT_SCORE)
    if varying.any():
        scores[varying] = score(X[:, varying])
    return scores
