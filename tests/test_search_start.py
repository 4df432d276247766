import numpy as np
import pytest

from puselect.search.start import evidence_start


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
