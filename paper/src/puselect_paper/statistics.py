"""Ranks and tests for comparing methods."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata, wilcoxon
from scipy.stats import t as student_t

from puselect.arrays import FloatArray


def mean_ranks(values: ArrayLike) -> FloatArray:
    """Return the mean rank of each method, 1 for the highest value; equal values share their ranks.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.5, 0.6, 0.5]])  # a line for each case, a column for each method
    array([1.75, 1.5 , 2.75])
    """
    return np.asarray(rankdata(-_paired(values), axis=1).mean(axis=0), dtype=float)


def holm(p_values: ArrayLike) -> FloatArray:
    """Return Holm-adjusted p-values (S. Holm, Scandinavian Journal of Statistics 6, 1979).

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
    """Return the two-sided p-value of the corrected resampled t-test of no difference between two methods, by split.

    Splits of one data set share rows, so the plain t-test takes their differences for more independent than they are.
    This one has the variance of the mean as 1/n + n_test/n_train times that of a difference, instead of 1/n times.
    (C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning 52, 2003.)

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


def compare_with(values: ArrayLike, reference: int) -> list[PairedTest]:
    """Compare one method, by its column, with each other one by the Wilcoxon signed-rank test, corrected by Holm.

    Recommended by Demšar (JMLR 7, 2006) for two methods; cases should be independent of each other, and several
    splits of one data set are only partly so.

    Examples
    --------
    >>> [pair] = compare_with([[0.8, 0.9], [0.6, 0.8], [0.4, 0.7], [0.5, 0.9], [0.4, 0.9]], reference=1)
    >>> pair.second, round(pair.median_difference, 3), pair.p_value
    (0, 0.3, 0.0625)
    """
    cases = _paired(values)
    others = [other for other in range(cases.shape[1]) if other != reference]
    differences = [cases[:, reference] - cases[:, other] for other in others]
    p_values = [_signed_rank_p(difference) for difference in differences]
    rows = zip(others, differences, p_values, holm(p_values).tolist(), strict=True)
    return [PairedTest(reference, other, float(np.median(d)), p, adjusted) for other, d, p, adjusted in rows]


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
