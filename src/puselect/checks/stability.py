"""Stability of the selection of any selector, on random halves of the labels and rows."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from puselect.arrays import AnyArray, BoolArray, IntArray
from puselect.columns.twins import find_twins
from puselect.exceptions import DependentRowsWarning, FewerFeaturesWarning, FewLabelsWarning
from puselect.fscpu.final_clusters import known_rows
from puselect.fscpu.selector import FSCPU
from puselect.fscpu.settings import Settings
from puselect.fscpu.stability import ALIKE, Stability, repeat_search, summarise_selections
from puselect.parameters import check_number
from puselect.row_groups import count_labels, in_labelled_groups, read_row_groups, split_rows
from puselect.scaling import as_numbers
from puselect.search.progress import Deadline
from puselect.selectors.base import PUSelector, RandomSeed
from puselect.selectors.ranking import RankingSelector


def assess_stability(
    selector: PUSelector, X: ArrayLike, y: ArrayLike, n_searches: int = 8, random_state: RandomSeed = 0,
    row_groups: ArrayLike | None = None, max_time: float | None = None,
) -> Stability:
    """Select again with random halves of the labels and of the rows, and compare.

    Works with any fitted selector, and selects as many features as it did. For `FSCPU` it is the same as its parameter
    `n_searches`: the searches run in lockstep on one engine, and eight of them take a little longer than one fit.
    Halves of the same labels share labels: selections from fresh labels agree less.

    Parameters
    ----------
    selector : estimator
        A fitted selector; `stability_` is set to the result.
    X, y : array-like
        The table and labels of `fit`.
    n_searches : int, default=8
    random_state : int, RandomState or None, default=0
        Seed of the halves and of the searches.
    row_groups : array-like of shape (n_rows,), optional
        The group of each row, as in `FSCPU.fit`; halves are made of whole groups.
    max_time : float, optional
        The most seconds that it may take.

    Raises
    ------
    TimeoutError
        If the searches are not over after `max_time`.

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown, "On the Stability of Feature Selection Algorithms", JMLR 18 (2018).

    Examples
    --------
    >>> from puselect.baselines import KBest
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", n_negative=400, n_positive=100, random_state=0)
    >>> assess_stability(KBest(10).fit(X, y), X, y).index > 0.3
    True
    """
    check_is_fitted(selector)
    check_number("n_searches", n_searches, 2, 10_000, integer=True)
    deadline = Deadline(max_time)
    table: Any = X if isinstance(selector, FSCPU) and issparse(X) else as_numbers(X)
    if table.shape[1] != len(selector.support_):
        raise ValueError(f"X must have the {len(selector.support_)} columns of fit, got {table.shape[1]}")
    positive = known_rows(y, selector.fit_settings_["pos_label"], table.shape[0])
    neg_label = selector.fit_settings_.get("neg_label")
    groups = read_row_groups(row_groups, positive)
    n_labelled = count_labels(positive, groups)
    if n_labelled < 2 or n_labelled > len(positive) - 2:
        raise ValueError(f"assess_stability needs two labelled rows (or row groups) and two others, got {n_labelled}")
    if isinstance(selector, FSCPU):
        negative = None if neg_label is None else known_rows(y, neg_label, len(positive))
        found = _search_again(selector, X, positive, negative, n_searches, random_state, groups, deadline)
    else:
        found = _fit_again(selector, table, positive, n_searches, random_state, groups, deadline)
    selector.stability_ = found
    return found


def _search_again(
    selector: FSCPU, X: ArrayLike, positive: BoolArray, negative: BoolArray | None, n_searches: int,
    random_state: RandomSeed, groups: IntArray | None, deadline: Deadline,
) -> Stability:
    """Repeat a search; where the number of features was found, it is kept."""
    changes: dict[str, object] = {"pos_label": 1, "max_time": None, "checkpoint": None, "random_state": random_state}
    labels = positive.astype(int)
    if negative is not None:
        labels, changes = labels - negative, changes | {"neg_label": -1}
    if selector.path_ is not None:
        changes |= {"n_features_to_select": selector.path_.n_features, "feature_costs": None, "budget": None}
    again = FSCPU(**{**selector.fit_settings_, **changes})
    settings = Settings.of(again.get_params(deep=False))
    with _without_repetition():
        problem = again._problem(settings, X, labels, row_groups=groups)
    found = repeat_search(settings, problem, n_searches, selector.n_iter_, deadline)
    if found is None and deadline.end < float("inf"):
        raise TimeoutError("the repeated searches did not end in time")
    if found is None:
        raise KeyboardInterrupt("the repeated searches were interrupted")
    return found


def _fit_again(
    selector: PUSelector, table: AnyArray, positive: BoolArray, n_searches: int, random_state: RandomSeed,
    groups: IntArray | None, deadline: Deadline,
) -> Stability:
    """Fit the selector to random halves of the labelled and of the unlabelled rows, or row groups."""
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    same: PUSelector = clone(type(selector)(**{**selector.fit_settings_, "pos_label": 1}))
    options = {"groups": selector.result_.groups} if isinstance(selector, RankingSelector) else {}
    is_near = in_labelled_groups(positive, groups)
    parts = [part for part in (np.flatnonzero(is_near), np.flatnonzero(~is_near)) if len(part)]
    selected = []
    for _ in range(n_searches):
        rows = np.sort(np.concatenate([split_rows(part, 2, groups, rng)[0] for part in parts]))
        if "random_state" in same.get_params():
            same.set_params(random_state=int(rng.integers(2**31 - 1)))
        with _without_repetition():
            selected.append(same.fit(table[rows], positive[rows].astype(int), **options).support_)
        if deadline.left < 0:
            raise TimeoutError("the repeated fits did not end in time")
    return summarise_selections(np.array(selected), tuple(group.columns for group in find_twins(table, ALIKE)))


@contextmanager
def _without_repetition() -> Iterator[None]:
    """Ignore warnings that the first fit has given already; that of fewer features also comes of constant halves."""
    with warnings.catch_warnings():
        for category in (FewLabelsWarning, FewerFeaturesWarning, DependentRowsWarning):
            warnings.simplefilter("ignore", category)
        yield
