"""Linear models: the size of their weights, or forward selection by canonical correlation."""

from importlib import import_module
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import Lasso, LogisticRegression

from puselect.arrays import FloatArray, IntArray
from puselect.parameters import check_number
from puselect.selectors.base import RandomSeed
from puselect.selectors.ranking import RankingSelector, RankingTask, scores_of_order

MOST_SWEEPS = 10_000  # scikit-learn's 1000 are too few for tables with more columns than rows
ROUNDING = 1e-12  # gain in squared canonical correlation
# scikit-learn 1.8 replaced `penalty` by `l1_ratio`
_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1: dict[str, Any] = {"l1_ratio": 1.0} if _VERSION >= (1, 8) else {"penalty": "l1"}


class LassoRank(RankingSelector):
    """Select the features of largest weight in a linear model of the labels with an L1 penalty (Lasso).

    Scores are the absolute weights of the scaled columns. Other parameters and attributes are those of
    `RankingSelector`.

    Parameters
    ----------
    alpha : float, default=5e-5
        Strength of the penalty; the target is 1 for labelled rows and 0 for the others.

    References
    ----------
    R. Tibshirani, "Regression Shrinkage and Selection via the Lasso", J. Royal Statistical Society B 58, 1996.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(LassoRank(25).fit(X, y).support_[relevant].sum())
    23
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        alpha: float = 5e-5,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.alpha = alpha

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("alpha", self.alpha, 0, open_low=True)
        model = Lasso(alpha=self.alpha, max_iter=MOST_SWEEPS).fit(task.X, task.positive.astype(np.float64))
        return np.abs(np.asarray(model.coef_, dtype=np.float64))


class L1Logistic(RankingSelector):
    """Select the features of largest weight in a balanced logistic regression with an L1 penalty.

    Not from the paper. Columns are standardised; unlabelled rows count as negatives, and classes are weighted so that
    both count the same in all. Scores are the absolute weights. Other parameters and attributes are those of
    `RankingSelector`.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty.

    References
    ----------
    A. Y. Ng, "Feature Selection, L1 vs. L2 Regularization, and Rotational Invariance", ICML 2004.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> int(L1Logistic(25, random_state=0).fit(X, y).support_[relevant].sum())
    18
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        C: float = 1.0,
        pos_label: object = 1,
        random_state: RandomSeed = None,
    ) -> None:
        super().__init__(n_features_to_select, pos_label=pos_label, random_state=random_state)
        self.C = C

    def _score_columns(self, task: RankingTask) -> FloatArray:
        check_number("C", self.C, 0, open_low=True)
        model = LogisticRegression(
            **L1, C=self.C, solver="liblinear", class_weight="balanced", max_iter=1000, random_state=task.seed
        ).fit((task.X - task.X.mean(axis=0)) / task.X.std(axis=0), task.positive)
        return np.abs(np.asarray(model.coef_[0], dtype=np.float64))


class FastCanRank(RankingSelector):
    """Add the feature that raises the canonical correlation with the labels most, again and again.

    Not from the paper: `fastcan.FastCan` of scikit-learn-contrib, which is forward selection for linear regression.
    Scores count down along the features in the order of selection, from their number to 1. For the others, which come
    last, such as those that depend linearly on the selected ones, they are half of their squared correlation with the
    labels. Needs the extra `fastcan`. Parameters and attributes are those of `RankingSelector`.

    References
    ----------
    S. Zhang and Z.-Q. Lang, "Orthogonal Least Squares Based Fast Feature Selection for Linear Classification", Pattern
    Recognition 123, 2022.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", random_state=0)
    >>> FastCanRank(25).fit(X, y).support_[relevant].sum()  # doctest: +SKIP
    """

    def _score_columns(self, task: RankingTask) -> FloatArray:
        Z = (task.X - task.X.mean(axis=0)) / task.X.std(axis=0)
        share = task.positive.mean()
        alone = (Z[task.positive].sum(axis=0) / len(Z)) ** 2 / (share * (1 - share))
        return np.asarray(np.maximum(scores_of_order(_canonical_order(task), Z.shape[1]), alone / 2))


def _canonical_order(task: RankingTask) -> IntArray:
    """Return the features in the order of selection; fewer than wanted if the others add nothing to them."""
    try:
        library = import_module("fastcan")
    except ImportError as error:
        raise ImportError("this needs fastcan: pip install fastcan") from error
    for n in range(min(task.n_select, task.X.shape[1]), 0, -1):
        try:
            found = library.FastCan(n, verbose=0).fit(task.X, task.positive)
        except RuntimeError:  # how the library says that no independent feature is left
            continue
        return np.asarray(found.indices_[found.scores_ > ROUNDING], dtype=np.intp)
    return np.empty(0, dtype=np.intp)
