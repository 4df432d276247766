"""L1 logistic: the size of the weights in a logistic regression with an L1 penalty."""

from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

from puselect.arrays import BoolArray, FloatArray
from puselect.baselines.varying import score_varying
from puselect.selectors.base import check_number
from puselect.selectors.ranking import RankingSelector, Task

# scikit-learn 1.8 replaced `penalty` by `l1_ratio`
_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1: dict[str, Any] = {"l1_ratio": 1.0} if _VERSION >= (1, 8) else {"penalty": "l1"}


class L1Logistic(RankingSelector):
    """Select the features of largest weight in a balanced logistic regression with an L1 penalty.

    Not from the paper. Columns are standardised; unlabelled rows count as negatives, and classes are weighted so that
    both count the same in all.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    C : float, default=1.0
        Inverse strength of the penalty.
    max_iter : int, default=1000
        Iterations of liblinear, at most.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    random_state : int, RandomState or None, default=None
        Order in which liblinear visits the features; breaks ties, such as those of weight 0.

    Attributes
    ----------
    scores_ : ndarray of float, shape (n_features,)
        Absolute weights of the standardised columns; -1 for constant columns.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    n_iter_ : int
        Iterations done.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)

    References
    ----------
    A. Y. Ng, "Feature Selection, L1 vs. L2 Regularization, and Rotational Invariance", ICML 2004.

    Examples
    --------
    >>> from puselect.baselines import L1Logistic
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> selector = L1Logistic(25, random_state=0).fit(X, y)
    >>> int((selector.get_support() & relevant).sum())
    18
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        C: float = 1.0,
        max_iter: int = 1000,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.random_state = random_state

    def _score(self, task: Task) -> FloatArray:
        check_number("C", self.C, 0, open_low=True)
        check_number("max_iter", self.max_iter, 1, integer=True)
        self.n_iter_ = 0
        return score_varying(task.X, lambda X: self._weights(X, task.positive, task.seed))

    def _weights(self, X: FloatArray, positive: BoolArray, seed: int) -> FloatArray:
        model = LogisticRegression(
            **L1, C=self.C, solver="liblinear", class_weight="balanced", max_iter=self.max_iter, random_state=seed
        ).fit((X - X.mean(axis=0)) / X.std(axis=0), positive)
        self.n_iter_ = int(np.max(model.n_iter_))
        return np.abs(np.asarray(model.coef_[0], dtype=np.float64))
