"""A selector that tries several methods and takes the one whose features separate held-out positives best."""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedShuffleSplit

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.evaluation import downstream_auc
from puselect.exceptions import FewerFeaturesWarning, FewLabelsWarning
from puselect.methods import METHODS, REGISTRY
from puselect.scaling import scale_columns
from puselect.search.deadline import Deadline
from puselect.selectors.base import PUSelector, check_max_time, check_number, resolve_n_features
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
FEWEST_LABELS = 20  # a third of them is held out; with fewer, chance decides between methods
FEWEST_OTHERS = 6  # unlabelled rows
MOST_ROWS = 10_000  # unlabelled ones, for the comparison
CLEAR = 1.0  # standard errors by which another method must be ahead of the preferred one, and
WORTHWHILE = 0.25  # the part of what that one lacks to an AUC of 1: small gains, however clear, say little of features
FULL = 3.0  # trials that take as long as the selection itself, at least
KEPT_FREE = 0.5  # of the time, at most, for the selection
LEAST_SECONDS = 1e-6  # of a method that begins when time is out


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

    @property
    def is_clearly_ahead(self) -> bool:
        """Whether this is reason enough to leave the preferred method."""
        lacking = 1 - (self.auc - self.ahead)
        return self.ahead > max(CLEAR * self.error, WORTHWHILE * lacking, 0.0)


class AutoSelector(PUSelector):
    """Select features with the method that suits the table best.

    Every candidate selects features on two thirds of the rows. Simple models are trained on these features and judged
    by how well they separate labelled rows that were held out from unlabelled ones that were held out. If labels are
    missing at random, this orders selections as the true classes would (docs/guide/trust.md). The first candidate is
    taken unless another is ahead by more than a standard error and by a quarter of what the first lacks to an AUC of 1:
    a few strong columns separate positives nearly as well as all that are related to them. If the positives form no
    clusters, "dt-rfe" takes the place of the first, since it does without them. With fewer than 20 labelled rows chance
    would decide, and the first is taken.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many features to select, or which share of them. By default half of them, rounded up.
    candidates : sequence of str, optional
        Names in `METHODS`, the preferred one first. By default "fscpu", "semi-jmi", "forest", "dt-rfe", "pu-bagging",
        "l1-logistic" and "lepage".
    n_splits : int, default=4
    max_time : float, optional
        The most seconds that `fit` may take. Methods are compared on fewer splits if there is no time for all, or not
        at all, and the selection itself ends in time if the method can; see `timed_out_`.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive.
    random_state : int, RandomState or None, default=None
        An int is passed on: the method that is taken selects as it does alone.

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
    timed_out_ : bool
        Whether `max_time` cut the comparison or the selection short.

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
        max_time: float | None = None,
        pos_label: Any = 1,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.candidates = candidates
        self.n_splits = n_splits
        self.max_time = max_time
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
        check_max_time(self.max_time)
        deadline = Deadline(self.max_time)
        names = known_candidates(self.candidates)
        table, positive = self._read(X, y)
        k = resolve_n_features(self.n_features_to_select, table.shape[1])
        rng = np.random.default_rng(self._draw_entropy())
        seed = int(rng.integers(2**31 - 1))
        first = None if self.max_time is None else (1 - KEPT_FREE) * self.max_time
        self.suitability_ = check_suitability(table, positive.astype(int), max_time=first, random_state=seed)
        preferred = preferred_candidate(names, self.suitability_, int(positive.sum()))
        trials = Trials(names, k, deadline)
        self.comparison_ = trials.compare(preferred, table, positive, self.n_splits, rng)
        self.method_ = choose(preferred, self.comparison_)
        self.reason_ = explain(self.method_, preferred, self.comparison_, self.suitability_, trials.timed_out)
        options = {"step": max(1, (table.shape[1] - k) // N_ROUNDS)} if self.method_ == "dt-rfe" else {}
        own = seed if self.random_state is None or isinstance(self.random_state, RandomState) else self.random_state
        method = within(METHODS[self.method_](k, random_state=own, **options), deadline.left)
        self.best_estimator_ = method.fit(table, positive.astype(int))
        self.timed_out_ = trials.timed_out or getattr(self.best_estimator_, "timed_out_", False)
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


def preferred_candidate(names: Sequence[str], suitability: Suitability, n_labelled: int) -> str:
    """Return the method that is taken unless another is clearly ahead."""
    without = suitability.code == Verdict.DOES_NOT_HOLD and n_labelled >= FEWEST_LABELS
    return WITHOUT_CLUSTERS if without and WITHOUT_CLUSTERS in names else names[0]


class Trials:
    """Short selections with each method on a part of the rows, as long as there is time.

    Parameters
    ----------
    names : sequence of str
    k : int
        How many features to select.
    deadline : Deadline
        When the selection itself must be over.
    """

    def __init__(self, names: Sequence[str], k: int, deadline: Deadline) -> None:
        self.names = names
        self.k = k
        self.deadline = deadline
        self.timed_out = False
        self.aside = KEPT_FREE * (deadline.end - deadline.begun)
        """Seconds that are kept free for the selection."""

    def compare(
        self, preferred: str, table: AnyArray, positive: BoolArray, n_splits: int, rng: np.random.Generator
    ) -> tuple[CandidateScore, ...]:
        """Return how well the features of each method separate held-out positives, best first.

        Empty with too few labelled rows or methods, or without time for two splits.
        """
        n_labelled = int(positive.sum())
        if n_labelled < FEWEST_LABELS or len(positive) - n_labelled < FEWEST_OTHERS or len(self.names) == 1:
            return ()
        others = rng.permutation(np.flatnonzero(~positive))[:MOST_ROWS]
        rows = np.sort(np.concatenate([np.flatnonzero(positive), others]))
        X, y = table[rows], positive[rows].astype(int)
        scaled = scale_columns(X)  # for the models, which square what they are given
        splitter = StratifiedShuffleSplit(n_splits, test_size=TEST_SHARE, random_state=int(rng.integers(2**31 - 1)))
        scores, seconds = [], []
        for train, test in splitter.split(X, y):
            begin = time.perf_counter()
            found = self._split(preferred, X, scaled, y, train, test, int(rng.integers(2**31 - 1)))
            if found is None:
                break
            scores.append(found[0])
            seconds.append(found[1])
            self.timed_out = len(scores) < n_splits and self._left < time.perf_counter() - begin
            if self.timed_out:
                break
        if len(scores) < 2:
            return ()
        return summarise(self.names, preferred, np.array(scores).T, np.array(seconds).T)

    def _split(
        self, preferred: str, X: AnyArray, scaled: AnyArray, y: AnyArray, train: IntArray, test: IntArray, seed: int
    ) -> tuple[list[float], list[float]] | None:
        """Return the AUC of each method's features and the seconds it took; None if time is out before the last."""
        scores, seconds = [], []
        for name in self.names:
            if self._left <= 0:
                self.timed_out = True
                return None
            begin = time.perf_counter()
            support = _select(name, X[train], y[train], self.k, seed, self._left)
            seconds.append(time.perf_counter() - begin)
            if name == preferred:
                self.aside = min(self.aside, FULL * seconds[-1])
            parts = scaled[train][:, support], y[train], scaled[test][:, support], y[test]
            scores.append(float(np.mean([downstream_auc(model, *parts, random_state=seed) for model in MODELS])))
        return scores, seconds

    @property
    def _left(self) -> float:
        """Seconds for further trials."""
        return self.deadline.left - self.aside if self.deadline.end < float("inf") else float("inf")


def summarise(
    names: Sequence[str], preferred: str, scores: FloatArray, seconds: FloatArray
) -> tuple[CandidateScore, ...]:
    """Return the methods with their mean scores, best first, from arrays of shape (n_methods, n_splits)."""
    ahead = scores - scores[names.index(preferred)]
    error = np.sqrt(ahead.var(axis=1, ddof=1) * (1 / scores.shape[1] + TEST_SHARE / (1 - TEST_SHARE)))
    columns = (scores.mean(axis=1), ahead.mean(axis=1), error, seconds.mean(axis=1))
    found = [CandidateScore(*each) for each in zip(names, *(column.tolist() for column in columns), strict=True)]
    return tuple(sorted(found, key=lambda each: -each.auc))


def within(selector: PUSelector, seconds: float) -> PUSelector:
    """Return a selector with a limit on its time, if there is one and the method can end in time."""
    if seconds < float("inf") and "max_time" in selector.get_params(deep=False):
        selector.set_params(max_time=max(seconds, LEAST_SECONDS))
    return selector


def choose(preferred: str, comparison: Sequence[CandidateScore]) -> str:
    """Return the preferred method, or the best of those that are clearly ahead of it."""
    better = [each for each in comparison if each.is_clearly_ahead]
    return max(better, key=lambda each: each.auc).method if better else preferred


def explain(
    method: str,
    preferred: str,
    comparison: Sequence[CandidateScore],
    suitability: Suitability,
    timed_out: bool = False,
) -> str:
    """Return why a method was taken, in up to three sentences."""
    if not comparison and timed_out:
        return f"There was no time to compare methods, so {method} was taken."
    if not comparison:
        return f"There are too few labelled rows or candidates to compare methods, so {method} was taken."
    best, own = comparison[0], next(each for each in comparison if each.method == method)
    what = f"Held-out positives were separated from unlabelled rows with an AUC of {own.auc:.3f} by {method}"
    if best.method != method:
        behind = f"{best.method} reached {best.auc:.3f}, but is not clearly ahead of {preferred}, the preferred method"
        return f"{what}. {behind}. {suitability.finding}"
    second = next((each for each in comparison if each.method != method), None)
    rest = "" if second is None else f"; the next best, {second.method}, reached {second.auc:.3f}"
    return f"{what}{rest}. {suitability.finding}"


def _select(name: str, X: AnyArray, y: AnyArray, k: int, seed: int, left: float) -> BoolArray:
    with warnings.catch_warnings():
        for category in (FewerFeaturesWarning, FewLabelsWarning):
            warnings.simplefilter("ignore", category)
        method = within(METHODS[name](k, random_state=seed, **TRIALS.get(name, {})), left)
        support: BoolArray = method.fit(X, y).support_
    return support
