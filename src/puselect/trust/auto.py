"""A selector that tries several methods and takes the one whose features separate held-out positives best."""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedShuffleSplit

from puselect.arrays import AnyArray, BoolArray, FloatArray
from puselect.evaluation import downstream_auc
from puselect.exceptions import BelowStartWarning, FewerFeaturesWarning, FewLabelsWarning
from puselect.methods import METHODS, REGISTRY
from puselect.scaling import scale_columns
from puselect.selectors.base import PUSelector, check_number, resolve_n_features
from puselect.selectors.suitability import Suitability, Verdict, check_suitability

CANDIDATES = ("fscpu", "semi-jmi", "forest", "dt-rfe", "pu-bagging", "l1-logistic", "lepage")
WITHOUT_CLUSTERS = "dt-rfe"  # preferred then: trees need no clusters, and see rows that are extreme on either side
MODELS = ("logistic", "extra-trees")
TRIALS: dict[str, dict[str, int]] = {
    "fscpu": {"max_iter": 150},
    "fscpu-mi": {"max_iter": 150},
    "forest": {"n_estimators": 60},
    "dt-rfe": {"n_estimators": 40, "step": 10**6},
    "pu-bagging": {"n_estimators": 150},
}
"""Settings that save time while methods are compared; the selection itself has the usual ones."""
N_ROUNDS = 5  # of DT-RFE, which by default drops one feature a round
TEST_SHARE = 1 / 3
FEWEST_LABELS = 6  # two of them are held out
MOST_ROWS = 10_000  # unlabelled ones, for the comparison
CLEAR = 1.0  # standard errors by which another method must be ahead of the preferred one


class CandidateScore(NamedTuple):
    """How well the features of one method separate held-out positives from unlabelled rows."""

    method: str
    auc: float
    """Mean over splits and models."""
    ahead: float
    """Mean difference to the preferred method, split by split."""
    error: float
    """Its standard error, corrected for splits that share rows (Nadeau and Bengio 2003)."""
    seconds: float
    """Of one selection."""


class AutoSelector(PUSelector):
    """Select features with the method that suits the table best.

    Every candidate selects features on two thirds of the rows. Simple models are trained on these features and judged
    by how well they separate labelled rows that were held out from unlabelled ones that were held out. If labels are
    missing at random, this orders selections as the true classes would (docs/guide/trust.md). The first candidate is
    taken unless another is ahead by more than a standard error. If the positives form no clusters, "dt-rfe" takes the
    place of the first, since it does without them.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many features to select, or which share of them. By default half of them, rounded up.
    candidates : sequence of str, optional
        Names in `METHODS`, the preferred one first. By default "fscpu", "semi-jmi", "forest", "dt-rfe", "pu-bagging",
        "l1-logistic" and "lepage".
    n_splits : int, default=4
    pos_label : object, default=1
        The value of `y` that marks a labelled positive.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    scores_ : ndarray of float, shape (n_features,)
        The number of features that rank lower.
    method_ : str
        Name of the method that was taken.
    best_estimator_ : estimator
        It, fitted to the whole table.
    comparison_ : tuple of CandidateScore
        Best first; empty with too few labelled rows to compare.
    suitability_ : Suitability
        Whether the positives form clusters.
    reason_ : str
        Why this method, in up to three sentences.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=400, n_positive=100, n_irrelevant=10, random_state=0)
    >>> selector = AutoSelector(25, candidates=["lepage", "l1-logistic"], random_state=0).fit(X, y)
    >>> selector.method_ in ("lepage", "l1-logistic")
    True
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        candidates: Sequence[str] = CANDIDATES,
        n_splits: int = 4,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.candidates = candidates
        self.n_splits = n_splits
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Compare the candidates and select features with the best.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            `pos_label` marks labelled positives, anything else unlabelled rows.
        """
        check_number("n_splits", self.n_splits, 2, 1000, integer=True)
        names = known_candidates(self.candidates)
        table, positive = self._read(X, y)
        k = resolve_n_features(self.n_features_to_select, table.shape[1])
        rng = np.random.default_rng(self._draw_entropy())
        seed = int(rng.integers(2**31 - 1))
        self.suitability_ = check_suitability(table, positive.astype(int), random_state=seed)
        preferred = preferred_candidate(names, self.suitability_)
        self.comparison_ = compare(names, preferred, table, positive, k, self.n_splits, rng)
        self.method_ = choose(preferred, self.comparison_)
        self.reason_ = explain(self.method_, self.comparison_, self.suitability_)
        options = {"step": max(1, (table.shape[1] - k) // N_ROUNDS)} if self.method_ == "dt-rfe" else {}
        self.best_estimator_ = METHODS[self.method_](k, random_state=seed, **options).fit(table, positive.astype(int))
        self.support_ = self.best_estimator_.support_
        self.ranking_ = self.best_estimator_.ranking_
        self.scores_ = (len(self.ranking_) - self.ranking_).astype(np.float64)
        return self


def known_candidates(names: Sequence[str]) -> list[str]:
    """Return the names, or raise a ValueError if one of them is no method to choose from."""
    found = [] if isinstance(names, str) else list(names)
    wrong = [name for name in found if name not in REGISTRY or name == "auto"]
    if wrong or not found:
        got = repr(wrong[0]) if wrong else repr(names)
        raise ValueError(f"candidates must be names of methods other than 'auto', got {got}")
    return found


def preferred_candidate(names: Sequence[str], suitability: Suitability) -> str:
    """Return the method that is taken unless another is clearly ahead."""
    without = suitability.code == Verdict.DOES_NOT_HOLD and WITHOUT_CLUSTERS in names
    return WITHOUT_CLUSTERS if without else names[0]


def compare(
    names: Sequence[str],
    preferred: str,
    table: AnyArray,
    positive: BoolArray,
    k: int,
    n_splits: int,
    rng: np.random.Generator,
) -> tuple[CandidateScore, ...]:
    """Return how well the features of each method separate held-out positives, best first."""
    n_labelled = int(positive.sum())
    if n_labelled < FEWEST_LABELS or len(positive) - n_labelled < FEWEST_LABELS or len(names) == 1:
        return ()
    others = rng.permutation(np.flatnonzero(~positive))[:MOST_ROWS]
    rows = np.sort(np.concatenate([np.flatnonzero(positive), others]))
    X, y = table[rows], positive[rows].astype(int)
    scaled = scale_columns(X)  # for the models, which square what they are given
    scores, seconds = np.empty((2, len(names), n_splits))
    splitter = StratifiedShuffleSplit(n_splits, test_size=TEST_SHARE, random_state=int(rng.integers(2**31 - 1)))
    for split, (train, test) in enumerate(splitter.split(X, y)):
        seed = int(rng.integers(2**31 - 1))
        for i, name in enumerate(names):
            begin = time.perf_counter()
            support = _select(name, X[train], y[train], k, seed)
            seconds[i, split] = time.perf_counter() - begin
            parts = scaled[train][:, support], y[train], scaled[test][:, support], y[test]
            scores[i, split] = np.mean([downstream_auc(model, *parts, random_state=seed) for model in MODELS])
    ahead = scores - scores[names.index(preferred)]
    error = np.sqrt(ahead.var(axis=1, ddof=1) * (1 / n_splits + TEST_SHARE / (1 - TEST_SHARE)))
    found = [CandidateScore(*each) for each in _rows(names, scores, ahead, error, seconds)]
    return tuple(sorted(found, key=lambda each: -each.auc))


def choose(preferred: str, comparison: Sequence[CandidateScore]) -> str:
    """Return the preferred method, or the best of those that are clearly ahead of it."""
    better = [each for each in comparison if each.ahead > CLEAR * each.error and each.ahead > 0]
    return max(better, key=lambda each: each.auc).method if better else preferred


def explain(method: str, comparison: Sequence[CandidateScore], suitability: Suitability) -> str:
    """Return why a method was taken, in up to three sentences."""
    if not comparison:
        return f"There are too few labelled rows or candidates to compare methods, so {method} was taken."
    best, own = comparison[0], next(each for each in comparison if each.method == method)
    what = f"Held-out positives were separated from unlabelled rows with an AUC of {own.auc:.3f} by {method}"
    if best.method != method:
        behind = f"{best.method} reached {best.auc:.3f}, which is not clearly more."
        return f"{what}. {behind} {suitability.finding}"
    second = next((each for each in comparison if each.method != method), None)
    rest = "" if second is None else f"; the next best, {second.method}, reached {second.auc:.3f}"
    return f"{what}{rest}. {suitability.finding}"


def _select(name: str, X: AnyArray, y: AnyArray, k: int, seed: int) -> BoolArray:
    with warnings.catch_warnings():
        for category in (BelowStartWarning, FewerFeaturesWarning, FewLabelsWarning):
            warnings.simplefilter("ignore", category)
        support: BoolArray = METHODS[name](k, random_state=seed, **TRIALS.get(name, {})).fit(X, y).support_
    return support


def _rows(
    names: Sequence[str], scores: FloatArray, ahead: FloatArray, error: FloatArray, seconds: FloatArray
) -> list[tuple[str, float, float, float, float]]:
    columns = (scores.mean(axis=1), ahead.mean(axis=1), error, seconds.mean(axis=1))
    return list(zip(names, *(column.tolist() for column in columns), strict=True))
