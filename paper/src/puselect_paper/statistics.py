"""Ranks and tests for comparing methods."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata, studentized_range, wilcoxon
from scipy.stats import t as student_t

from puselect.arrays import FloatArray


def mean_ranks(values: ArrayLike) -> FloatArray:
    """Return the mean rank of each method, 1 for the best; equal values share their ranks.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_methods)
        Higher is better.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.5, 0.6, 0.5]])
    array([1.75, 1.5 , 2.75])
    """
    return np.asarray(rankdata(-_paired(values), axis=1).mean(axis=0), dtype=float)


def critical_difference(n_methods: int, n_cases: int, alpha: float = 0.05) -> float:
    """Return the smallest difference of mean ranks that is significant by the Nemenyi test.

    J. Demšar, "Statistical PairedTests of Classifiers over Multiple Data Sets", JMLR 7, 2006, section 3.2.2.

    Parameters
    ----------
    n_methods : int
        At least two.
    n_cases : int
        Data sets, or splits of them, on which all methods were ranked.
    alpha : float, default=0.05
        Level of the test.

    Examples
    --------
    >>> round(critical_difference(n_methods=4, n_cases=14), 2)
    1.25
    """
    if n_methods < 2 or n_cases < 1:
        raise ValueError(f"at least two methods and one case are needed, got {n_methods} and {n_cases}")
    quantile = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_cases)))


def indistinguishable(ranks: ArrayLike, difference: float) -> list[tuple[int, ...]]:
    """Return the largest groups of methods whose mean ranks differ by at most `difference`, best group first.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)
        From `mean_ranks`.
    difference : float
        From `critical_difference`.

    Examples
    --------
    >>> indistinguishable([2.5, 1.0, 1.6, 4.0], 1.0)
    [(1, 2), (2, 0)]
    """
    means = np.asarray(ranks, dtype=float)
    order = np.argsort(means, kind="stable")
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for begin in range(len(order)):
        end = int(np.searchsorted(means[order], means[order[begin]] + difference, side="right"))
        if end > max(last_end, begin + 1):
            groups.append(tuple(order[begin:end].tolist()))
            last_end = end
    return groups


def holm(p_values: ArrayLike) -> FloatArray:
    """Return Holm-adjusted p-values (S. Holm, Scandinavian Journal of Statistics 6, 1979).

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        One for each test.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def corrected_resampled_t_test(differences: ArrayLike, test_share: float) -> float:
    """Return the two-sided p-value of the corrected resampled t-test of no difference between two methods.

    Splits of one data set share rows, so the plain t-test takes their differences for more independent than they are.
    This one has the variance of the mean as 1/n + n_test/n_train times that of a difference, instead of 1/n times.
    (C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning 52, 2003.)

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        One method's score minus the other's, split by split; at least two.
    test_share : float
        Share of the rows that each split is tested on.

    Examples
    --------
    >>> round(corrected_resampled_t_test([0.01, 0.03, 0.02, 0.02], test_share=0.3), 3)
    0.059
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(f"differences must be at least two finite numbers, got {values.tolist()}")
    if not 0 < test_share < 1:
        raise ValueError(f"test_share must lie between 0 and 1, got {test_share}")
    variance = values.var(ddof=1) * (1 / len(values) + test_share / (1 - test_share))
    if variance == 0:
        return float(values[0] == 0)
    return float(2 * student_t.sf(abs(values.mean()) / np.sqrt(variance), len(values) - 1))


class PairedTest(NamedTuple):
    """A Wilcoxon signed-rank test of two methods, by their columns."""

    first: int
    """Column of one method."""
    second: int
    """Column of the other."""
    median_difference: float
    """First minus second, over the cases."""
    p_value: float
    """Two-sided, by the Wilcoxon signed-rank test."""
    adjusted: float
    """The same after Holm's correction for the number of pairs."""


def compare_pairs(values: ArrayLike) -> list[PairedTest]:
    """Compare every pair of methods by the Wilcoxon signed-rank test, corrected by Holm.

    Recommended by Demšar (JMLR 7, 2006) for two methods; cases should be independent of each other, and several
    splits of one data set are only partly so.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_methods)
        Row by row, all methods on the same case.

    Examples
    --------
    >>> [pair] = compare_pairs([[0.9, 0.8], [0.8, 0.6], [0.7, 0.4], [0.9, 0.5], [0.9, 0.4]])
    >>> round(pair.median_difference, 3), pair.p_value
    (0.3, 0.0625)
    """
    cases = _paired(values)
    return _compare(cases, list(combinations(range(cases.shape[1]), 2)))


def compare_with(values: ArrayLike, reference: int) -> list[PairedTest]:
    """Compare one method with each other one, as `compare_pairs` does.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_methods)
        Row by row, all methods on the same case.
    reference : int
        The column of the method.

    Examples
    --------
    >>> found = compare_with([[0.9, 0.8, 0.7], [0.8, 0.6, 0.9]], reference=1)
    >>> [(pair.first, pair.second) for pair in found]
    [(1, 0), (1, 2)]
    """
    cases = _paired(values)
    return _compare(cases, [(reference, other) for other in range(cases.shape[1]) if other != reference])


def _compare(cases: FloatArray, pairs: list[tuple[int, int]]) -> list[PairedTest]:
    p_values = [_signed_rank_p(cases[:, i] - cases[:, j]) for i, j in pairs]
    medians = [float(np.median(cases[:, i] - cases[:, j])) for i, j in pairs]
    rows = zip(pairs, medians, p_values, holm(p_values).tolist(), strict=True)
    return [PairedTest(i, j, median, p, adjusted) for (i, j), median, p, adjusted in rows]


def _signed_rank_p(differences: FloatArray) -> float:
    """Return the p-value; without any difference there is nothing to test, and it is 1."""
    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


def _paired(values: ArrayLike) -> FloatArray:
    cases = np.asarray(values, dtype=float)
    if cases.ndim != 2 or not cases.size:
        raise ValueError(f"values must be a table of cases by methods, got shape {cases.shape}")
    if not np.isfinite(cases).all():
        raise ValueError("values must be complete: every method needs a finite value in every case")
    return cases
