"""Whether the same features would be selected again: selection frequencies, Nogueira's index, twins."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from puselect.arrays import AnyArray, BoolArray
from puselect.exceptions import FewerFeaturesWarning, FewLabelsWarning
from puselect.selectors.base import PUSelector, check_number
from puselect.selectors.clusterings import known_positives
from puselect.selectors.fscpu import FSCPU
from puselect.selectors.twins import find_twins

HALF = 0.5  # of the labelled and of the unlabelled rows in each search
SHARE_OF_STEPS = 4  # a search on half of the rows takes a quarter of the steps
FEWEST_STEPS = 20
ALIKE = 0.9  # rank correlation from which two features are twins
SURE = 0.95


class Index(NamedTuple):
    """Nogueira's stability of a set of selections, with its interval."""

    value: float
    """1 if all are the same, about 0 if they are random."""
    low: float
    high: float


@dataclass(frozen=True)
class Stability:
    """How often each feature is selected on halves of the rows and labels."""

    n_searches: int
    frequency: tuple[float, ...]
    """Share of the searches that select each feature."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Wilson's 95 % interval of each frequency."""
    twin_frequency: tuple[float, ...]
    """Share of the searches that select the feature or one of its twins."""
    twins: tuple[tuple[int, ...], ...]
    """Groups of interchangeable features: rank correlation with the first of .9 or more, up to sign."""
    index: float
    """Nogueira's, of the sets."""
    interval: tuple[float, ...]
    """Its 95 % interval."""

    def __str__(self) -> str:
        low, high = self.interval
        sets = f"Over {self.n_searches} searches on halves of the rows"
        return f"{sets}, the stability of the set is {self.index:.2f} ({low:.2f} to {high:.2f}; 1: always the same)."


def assess_stability(
    selector: PUSelector, X: ArrayLike, y: ArrayLike, n_searches: int = 8, random_state: Any = 0
) -> Stability:
    """Select again on random halves of the labelled and unlabelled rows, and compare.

    Works with any fitted selector, and selects as many features as it did. Searches of `FSCPU` take a quarter of the
    steps on half of the rows, so that eight of them take about as long as one fit. With half of the labels a selection
    is less stable than with all: the frequencies are on the safe side.

    Parameters
    ----------
    selector : estimator
        A fitted selector; `stability_` is set to the result.
    X, y : array-like
        The table and labels of `fit`.
    n_searches : int, default=8
    random_state : int, RandomState or None, default=0
        Seed of the halves and of the searches.

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
    table = check_array(X, dtype=[np.float64, np.float32])
    if table.shape[1] != len(selector.support_):
        raise ValueError(f"X must have the {len(selector.support_)} columns of fit, got {table.shape[1]}")
    positive = known_positives(y, selector.fit_settings_["pos_label"], len(table))
    n_labelled = int(positive.sum())
    if n_labelled < 2 or n_labelled > len(positive) - 2:
        raise ValueError(f"assess_stability needs two labelled and two unlabelled rows, got {n_labelled} labelled")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    again = _same_selector(selector)
    selected = np.array([_select(again, table, positive, rng) for _ in range(n_searches)])
    found = summarise_selections(selected, tuple(group.columns for group in find_twins(table, ALIKE)))
    selector.stability_ = found
    return found


def summarise_selections(selected: BoolArray, twins: tuple[tuple[int, ...], ...] = ()) -> Stability:
    """Return the stability of selections, one per line."""
    n_searches = len(selected)
    frequency = selected.mean(axis=0)
    bounds = np.array([wilson(float(share), n_searches) for share in frequency])
    with_twins = frequency.copy()
    for group in twins:
        with_twins[list(group)] = selected[:, list(group)].any(axis=1).mean()
    index = nogueira(selected)
    return Stability(
        n_searches,
        tuple(frequency.tolist()),
        tuple(bounds[:, 0].tolist()),
        tuple(bounds[:, 1].tolist()),
        tuple(with_twins.tolist()),
        twins,
        index.value,
        (index.low, index.high),
    )


def nogueira(selected: BoolArray) -> Index:
    """Return Nogueira's stability index of selections, one per line, and its 95 % interval.

    One minus the mean variance of the selection of a feature, over what it would be for random sets of that size. The
    interval is asymptotic (theorem 7 of Nogueira et al. 2018), with Student's quantile for few selections.

    Examples
    --------
    >>> nogueira(np.array([[True, True, False, False]] * 4)).value
    1.0
    """
    n_sets, n_features = selected.shape
    share = selected.mean(axis=0)
    sizes = selected.sum(axis=1)
    mean = sizes.mean() / n_features
    chance = mean * (1 - mean)
    if chance == 0:
        return Index(1.0, 1.0, 1.0)
    value = 1 - (n_sets / (n_sets - 1) * share * (1 - share)).mean() / chance
    of_size = 2 * mean * sizes / n_features - sizes / n_features - mean + 1
    each = ((selected * share).mean(axis=1) - sizes * mean / n_features + value / 2 * of_size) / chance
    error = 2 * each.std(ddof=0) / np.sqrt(n_sets)
    reach = student.ppf((1 + SURE) / 2, n_sets - 1) * error
    return Index(float(value), float(max(value - reach, -1.0)), float(min(value + reach, 1.0)))


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of `n`.

    Examples
    --------
    >>> [round(bound, 2) for bound in wilson(1.0, 8)]
    [0.68, 1.0]
    """
    z = 1.96
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, float(centre - reach)), min(1.0, float(centre + reach))


def _same_selector(selector: PUSelector) -> PUSelector:
    """Return a selector of the same settings for half of the rows, with as many features if their number was found."""
    changes: dict[str, Any] = {"pos_label": 1}
    settings = selector.fit_settings_
    if isinstance(selector, FSCPU):
        changes |= {"checkpoint": None, "verbose": 0, "max_iter": max(FEWEST_STEPS, selector.n_iter_ // SHARE_OF_STEPS)}
        if selector.path_ is not None:
            changes |= {"n_features_to_select": selector.path_.n_features, "feature_costs": None, "budget": None}
    same: PUSelector = clone(type(selector)(**{**settings, **changes}))
    return same


def _select(selector: PUSelector, table: AnyArray, positive: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Return what is selected on random halves of the labelled and of the unlabelled rows."""
    parts = np.flatnonzero(positive), np.flatnonzero(~positive)
    rows = np.sort(np.concatenate([rng.permutation(part)[: max(1, round(HALF * len(part)))] for part in parts]))
    if "random_state" in selector.get_params():
        selector.set_params(random_state=int(rng.integers(2**31 - 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewLabelsWarning)
        warnings.simplefilter("ignore", FewerFeaturesWarning)  # a column may be constant on half of the rows
        selector.fit(table[rows], positive[rows].astype(int))
    return selector.support_
