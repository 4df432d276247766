"""How often features are selected again: frequencies with intervals, Nogueira's index, twins."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import beta
from scipy.stats import t as student

from puselect.arrays import BoolArray, FloatArray, IntArray

SURE = 0.95
TINY = 1e-9  # for a quantile that is replaced anyway


class Index(NamedTuple):
    """Nogueira's stability of a set of selections, with its interval."""

    value: float
    """1 if all are the same, about 0 if they are random."""
    low: float
    high: float


@dataclass(frozen=True)
class Stability:
    """How often each feature is selected with random halves of the labels and of the rows."""

    n_searches: int
    frequency: tuple[float, ...]
    """Share of the searches that select each feature."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Clopper and Pearson's 95 % interval of each frequency."""
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
        sets = f"Over {self.n_searches} searches with halves of the labels"
        return f"{sets}, the stability of the set is {self.index:.2f} ({low:.2f} to {high:.2f}; 1: always the same)."


def summarise_selections(selected: BoolArray, twins: tuple[tuple[int, ...], ...] = ()) -> Stability:
    """Return the stability of selections, one per line."""
    n_searches = len(selected)
    frequency = selected.mean(axis=0)
    low, high = clopper_pearson(selected.sum(axis=0), n_searches)
    with_twins = frequency.copy()
    for group in twins:
        with_twins[list(group)] = selected[:, list(group)].any(axis=1).mean()
    index = nogueira(selected)
    return Stability(
        n_searches,
        tuple(frequency.tolist()),
        tuple(low.tolist()),
        tuple(high.tolist()),
        tuple(with_twins.tolist()),
        twins,
        index.value,
        (index.low, index.high),
    )


def nogueira(selected: BoolArray) -> Index:
    """Return Nogueira's stability index of selections, one per line, and its 95 % interval.

    One minus the mean variance of the selection of a feature, over what it would be for random sets of that size
    (Nogueira et al. 2018, definition 4). The error is the jackknife's, and that of half an exchange of features in one
    of the sets, without which sets that happen to agree would seem to be certain; the quantile is Student's. The
    asymptotic interval of the paper holds the true index of eight selections in 87 to 90 % of cases only. Two
    selections say nothing about the error: the interval is the whole range.

    Examples
    --------
    >>> nogueira(np.array([[True, True, False, False]] * 4)).value
    1.0
    """
    n_sets, n_features = selected.shape
    value, mean = float(_agreement(selected.mean(axis=0), n_sets)), float(selected.mean())
    if mean in (0, 1):
        return Index(1.0, 1.0, 1.0)
    if n_sets < 3:
        return Index(value, -1.0, 1.0)
    without_one = (selected.sum(axis=0) - selected) / (n_sets - 1)
    parts = n_sets * value - (n_sets - 1) * _agreement(without_one, n_sets - 1)
    half_exchange = 1 / (n_sets * n_features * mean * (1 - mean))
    error = np.hypot(parts.std(ddof=1) / np.sqrt(n_sets), half_exchange)
    reach = student.ppf((1 + SURE) / 2, n_sets - 1) * error
    return Index(value, float(max(value - reach, -1.0)), float(min(value + reach, 1.0)))


def _agreement(share: FloatArray, n_sets: int) -> FloatArray:
    """Return the index from how often each feature is selected in so many sets, features on the last axis."""
    mean = share.mean(axis=-1)
    chance = mean * (1 - mean)
    variance = (n_sets / (n_sets - 1) * share * (1 - share)).mean(axis=-1)
    return np.asarray(np.where(chance > 0, 1 - variance / np.where(chance > 0, chance, 1), 1.0))


def clopper_pearson(
    n_hits: FloatArray | IntArray, n: float, outside: float = 1 - SURE
) -> tuple[FloatArray, FloatArray]:
    """Return Clopper and Pearson's intervals for shares of `n`.

    Parameters
    ----------
    n_hits : ndarray of any shape
        Need not be whole.
    n : float
    outside : float, default=0.05
        The largest probability that a share is outside, half of it on either side.

    Examples
    --------
    >>> low, high = clopper_pearson(np.array([0, 4, 8]), 8)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.16, 0.63], [0.37, 0.84, 1.0])
    """
    low = np.where(n_hits > 0, beta.ppf(outside / 2, np.maximum(n_hits, TINY), n - n_hits + 1), 0.0)
    high = np.where(n_hits < n, beta.ppf(1 - outside / 2, n_hits + 1, np.maximum(n - n_hits, TINY)), 1.0)
    return low, high
