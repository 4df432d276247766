"""Boruta, small: columns that are more important to forests than shuffled copies of columns are.

M. B. Kursa and W. R. Rudnicki, "Feature Selection with the Boruta Package", Journal of Statistical Software 36, 2010.
Written for comparisons, so that they need no other package: the same rounds, tests and decisions, with a fixed number
of trees.
"""

from typing import Any, Self

import numpy as np
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

FEWEST_SHADOWS = 5
LEVEL = 0.05


class Boruta:
    """Confirm columns that beat the best shuffled copy more often than chance would.

    Parameters
    ----------
    n_estimators : int
        Trees of each forest, of depth 5 as is usual.
    max_iter : int
        The most rounds.
    random_state : int
    n_jobs : int
    """

    def __init__(self, n_estimators: int = 200, max_iter: int = 50, random_state: int = 0, n_jobs: int = 1) -> None:
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Set `support_`, the columns that were confirmed, and `scores_`, by which all can be ranked."""
        rng = np.random.default_rng(self.random_state)
        n_columns = X.shape[1]
        hits, rounds, total = np.zeros((3, n_columns))
        rejected, self.support_ = np.zeros((2, n_columns), dtype=bool)
        for number in range(1, self.max_iter + 1):
            kept = np.flatnonzero(~rejected)
            if self.support_[kept].all():
                break
            own, best_shadow = self._importances(X[:, kept], y, rng)
            hits[kept] += own > best_shadow
            total[kept] += own
            rounds[kept] = number
            level = LEVEL / n_columns
            undecided = ~rejected & ~self.support_
            self.support_ |= undecided & (binom.sf(hits - 1, number, 0.5) <= level)
            rejected |= undecided & (binom.cdf(hits, number, 0.5) <= level)
        importance = total / np.maximum(rounds, 1)
        # Confirmed ones first, then those that stayed longest, each group by importance.
        self.scores_ = np.argsort(np.lexsort((importance, rounds, self.support_)))
        return self

    def _importances(self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """Return the importance of each column, and the largest one of a shuffled copy."""
        copied = np.resize(np.arange(X.shape[1]), max(X.shape[1], FEWEST_SHADOWS))
        shadows = rng.permuted(X[:, copied], axis=0)
        options: dict[str, Any] = {"class_weight": "balanced", "max_depth": 5, "n_jobs": self.n_jobs}
        forest = RandomForestClassifier(self.n_estimators, random_state=int(rng.integers(2**31)), **options)
        importance = forest.fit(np.hstack([X, shadows]), y).feature_importances_
        return importance[: X.shape[1]], float(importance[X.shape[1] :].max())
