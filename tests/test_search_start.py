import numpy as np
import pytest
from scipy.stats import ansari, chi2, kstest, mannwhitneyu

from puselect.search.start import column_evidence, evidence_start


def test_statistic_is_that_of_wilcoxon_plus_that_of_ansari_and_bradley():
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 37
    X = rng.normal(size=(400, 4)) * np.where(positive, 1.5, 1.0)[:, None] + 0.4 * positive[:, None]
    for column, evidence in zip(X.T, column_evidence(X, positive), strict=True):
        shift = mannwhitneyu(column[positive], column[~positive], use_continuity=False, method="asymptotic").pvalue
        spread = ansari(column[positive], column[~positive]).pvalue
        expected = chi2.isf(shift, 1) + chi2.isf(spread, 1)
        np.testing.assert_allclose(evidence, expected, rtol=0.02)


def test_without_a_difference_it_is_chi_squared():
    rng = np.random.default_rng(1)
    positive = np.arange(300) < 40
    evidence = column_evidence(rng.normal(size=(300, 800)), positive)
    assert kstest(evidence, chi2(2).cdf).pvalue > 1e-3


def test_increasing_transformations_change_nothing():
    rng = np.random.default_rng(2)
    X, positive = rng.normal(size=(100, 3)), np.arange(100) < 9
    np.testing.assert_allclose(column_evidence(np.exp(X) * 1e6, positive), column_evidence(X, positive))


def test_constant_columns_tell_nothing():
    assert column_evidence(np.ones((20, 2)), np.arange(20) < 3).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("strength", [0.0, 1.0, 5.0, 200.0])
def test_start_spends_the_budget_on_average_and_follows_the_evidence(strength):
    rng = np.random.default_rng(3)
    evidence, costs = rng.chisquare(2, 40), rng.uniform(0.5, 3, 40)
    theta = evidence_start(evidence, costs, 12.5, strength)
    np.testing.assert_allclose(theta @ costs, 12.5, rtol=1e-6)
    order = np.argsort(evidence)
    assert (np.diff(theta[order]) >= 0).all()
    if strength == 0:
        np.testing.assert_allclose(theta, 12.5 / costs.sum())


@pytest.mark.parametrize("dearest", [1e20, 1e60, 1e100])
@pytest.mark.parametrize("strength", [0.0, 1.0, 1000.0])
def test_costs_of_any_range_have_a_start(dearest, strength):
    costs = np.array([1, 10, dearest, 2, 3])
    theta = evidence_start(np.arange(5.0), costs, 5.0, strength)
    assert ((theta >= 0) & (theta <= 1)).all()
    np.testing.assert_allclose(theta @ costs, 5.0, rtol=1e-6)


def test_a_budget_for_all_but_a_rounding_error_starts_with_everything():
    costs = np.full(1000, 0.1)
    assert evidence_start(np.arange(1000.0), costs, np.nextafter(costs.sum(), 0), 1.0).min() > 0.99


def test_a_budget_for_everything_starts_with_everything():
    assert (evidence_start(np.arange(3.0), np.ones(3), 3.0, 1.0) == 1).all()
