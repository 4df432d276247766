"""LGBM-OPT: FSCPU's search with the accuracy of the downstream model as its objective."""

from concurrent.futures import ThreadPoolExecutor
from typing import Self

import numpy as np
from joblib import effective_n_jobs
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.evaluation.models import lightgbm_classifier
from puselect.fscpu.search_run import SearchRun, SearchSelector, published_optimizer, run_alone
from puselect.fscpu.settings import SearchSettings
from puselect.parameters import check_number
from puselect.scaling import scale_columns
from puselect.search.callbacks import FitCallbacks, with_callbacks
from puselect.search.progress import Deadline
from puselect.selectors.base import varying_columns
from puselect.selectors.budget import Budget


class LGBMOpt(SearchSelector):
    """Search for the features with which LightGBM best tells labelled from unlabelled rows.

    The search is FSCPU's, as published, with another objective: the area under the ROC curve of a LightGBM model that
    is trained on three quarters of the rows and scored on the others, with unlabelled rows taken for negatives. One
    stratified split is drawn per fit; values are remembered by mask. Needs the extra `lightgbm`.

    Parameters
    ----------
    n_features_to_select : int, optional
        How many features to select. By default half of them, rounded up.
    n_estimators : int, default=100
        Trees of each model; everything else is LightGBM's default.
    max_iter : int, default=3000
        Steps, of two masks each.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others mean unlabelled.
    n_jobs : int, optional
        Models trained side by side. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the split, the search and the models.

    Attributes
    ----------
    support_, ranking_, probabilities_, objective_, history_, n_iter_, converged_, timed_out_, settled_, n_degenerate_
        As in `FSCPU`; the objective is the area under the curve.
    scores_ : ndarray of float, shape (n_features,)
        The probabilities, under the name that the other baselines use.

    References
    ----------
    M. Uchikoshi and Y. Akimoto, "Feature Selection Based on Cluster Assumption in PU Learning", GECCO 2025,
    where it serves as an ablation of FSCPU.

    Examples
    --------
    >>> from puselect_paper.baselines import LGBMOpt
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=200, n_positive=50, n_relevant=3, n_irrelevant=3,
    ...                            random_state=0)
    >>> selector = LGBMOpt(3, n_estimators=5, max_iter=5, random_state=0).fit(X, y)  # doctest: +SKIP
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 100,
        max_iter: int = 3000,
        pos_label: object = 1,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Search for the features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            `pos_label` marks labelled positives, anything else unlabelled rows.
        """
        check_number("n_estimators", self.n_estimators, 1, integer=True)
        check_number("max_iter", self.max_iter, 1, integer=True)
        settings = SearchSettings(
            population_size=2, max_iter=self.max_iter, max_time=None, checkpoint=None, verbose=0
        )
        table, positive = self._read(X, y)
        if min(positive.sum(), (~positive).sum()) < 2:
            raise ValueError(
                "LGBMOpt needs two labelled positives and two unlabelled rows, one of each to train and one to score, "
                f"got {positive.sum()} and {(~positive).sum()}"
            )
        budget = Budget.from_parameters(self.n_features_to_select, None, None, None, None, None, varying_columns(table))
        entropy = self._draw_entropy()
        scaled = scale_columns(table)
        objective = HoldoutAUC(scaled, positive, self.n_estimators, entropy, self.n_jobs)
        optimizer = published_optimizer(settings.population_size, budget, entropy)
        run = SearchRun(settings, objective, budget, optimizer, self.max_iter, (), Deadline(None))
        run_alone(run, FitCallbacks(self, X, y))
        self._keep_result(run)
        self.objective_ = float(objective(self.support_[None, :], np.zeros(1, int), np.zeros(1, int))[0, 0])
        self.scores_ = self.probabilities_
        return self


def split_rows(positive: BoolArray, seed: int) -> tuple[IntArray, IntArray]:
    """Return three quarters of the rows and one quarter, each with labelled and unlabelled ones."""
    n_test = max(2, -(-len(positive) // 4))
    train, test = train_test_split(np.arange(len(positive)), test_size=n_test, stratify=positive, random_state=seed)
    for kind in (True, False):
        if not (positive[test] == kind).any():  # a quarter of few labelled rows may round to none
            moved = np.flatnonzero(positive[train] == kind)[:1]
            test, train = np.append(test, train[moved]), np.delete(train, moved)
    return train, test


class HoldoutAUC:
    """Area under the curve of LightGBM on a fixed quarter of the rows, remembered by mask."""

    n_criteria = 1

    def __init__(self, X: FloatArray, positive: BoolArray, n_estimators: int, seed: int, n_jobs: int | None) -> None:
        self.model = lightgbm_classifier(n_estimators, seed)
        self.train, self.test = split_rows(positive, seed)
        self.X = X
        self.positive = positive
        self.n_threads = effective_n_jobs(n_jobs)
        self.n_degenerate: IntArray = np.zeros(1, dtype=np.intp)
        self.known: dict[bytes, float] = {}

    def __call__(self, masks: BoolArray, seeds: IntArray, targets: IntArray) -> FloatArray:
        """Return the area under the curve of each mask, shape (n_masks, 1)."""
        new = {mask.tobytes(): mask for mask in masks if mask.tobytes() not in self.known}
        with ThreadPoolExecutor(self.n_threads) as pool:
            self.known.update(zip(new, pool.map(self._auc, new.values()), strict=True))
        return np.array([[self.known[mask.tobytes()]] for mask in masks])

    def _auc(self, mask: BoolArray) -> float:
        columns = np.ascontiguousarray(self.X[:, mask])
        model = clone(self.model).fit(columns[self.train], self.positive[self.train])
        return float(roc_auc_score(self.positive[self.test], model.predict_proba(columns[self.test])[:, 1]))
