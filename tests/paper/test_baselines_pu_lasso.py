"""PUlasso: the likelihood against its formula, the optimum against scikit-learn, and a known model."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from puselect.baselines.linear import L1
from puselect_paper.baselines import PULasso
from puselect_paper.baselines.pu_lasso import HiddenClasses, Line, entry_scores


@pytest.fixture
def sample():
    """Rows of a logistic model with two columns that matter; a fifth of the positives is labelled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    classes = rng.random(2000) < expit(2 * X[:, 3] - 1.5 * X[:, 6] - 1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, classes, classes & (rng.random(2000) < 0.2)


def likelihood(rows, parameters):
    """Return the log likelihood of the labels: a row is labelled with c p."""
    labelled = rows.label_rate * expit(rows.X @ parameters[:-1] + parameters[-1])
    return np.log(np.where(rows.positive, labelled, 1 - labelled)).sum()


def test_the_slope_is_that_of_the_likelihood_of_the_labels(sample):
    X, classes, positive = sample
    rows = HiddenClasses(X, positive, classes.mean())
    at = np.random.default_rng(1).normal(size=11) / 3
    slope = rows.slope(Line(at[:-1], at[-1]))
    wanted = approx_fprime(at, lambda of: likelihood(rows, of), 1e-6)
    np.testing.assert_allclose([*slope.weights, slope.intercept], wanted, rtol=1e-4, atol=1e-3)


def test_weights_fulfil_the_conditions_of_an_optimum_and_are_those_of_the_model(sample):
    X, classes, positive = sample
    rows = HiddenClasses(X, positive, classes.mean())
    line = rows.climb(20.0, Line(np.zeros(10), 0.0))
    slope, has_weight = rows.slope(line), line.weights != 0
    assert abs(slope.intercept) < 0.2
    np.testing.assert_allclose(slope.weights[has_weight], 20 * np.sign(line.weights[has_weight]), atol=0.2)
    assert np.abs(slope.weights[~has_weight]).max() <= 20
    assert np.flatnonzero(has_weight).tolist() == [3, 6]
    free = rows.climb(0.0, line)
    np.testing.assert_allclose(free.weights[[3, 6]], [2, -1.5], atol=0.5)


def test_with_all_positives_labelled_it_is_a_logistic_regression(sample):
    X, classes, _ = sample
    rows = HiddenClasses(X, classes, classes.mean())
    line = rows.climb(20.0, Line(np.zeros(10), 0.0))
    model = LogisticRegression(**L1, C=1 / 20, solver="saga", tol=1e-8, max_iter=5000).fit(X, classes)
    assert rows.label_rate == 1
    np.testing.assert_allclose(line.weights, model.coef_[0], atol=2e-3)
    np.testing.assert_allclose(line.intercept, model.intercept_[0], atol=2e-3)


def test_columns_come_in_by_what_they_matter_until_there_are_enough(sample):
    X, classes, positive = sample
    scores = entry_scores(X, positive, 2, classes.mean())
    assert np.argsort(-scores)[:2].tolist() == [3, 6]
    assert (scores > 0).sum() < 10
    assert (entry_scores(X, positive, 10, classes.mean()) > 0).all()


def test_a_prior_below_the_share_of_labels_counts_as_that_share(sample):
    X, _, positive = sample
    assert HiddenClasses(X, positive, 0.5 * positive.mean()).label_rate == 1
    assert PULasso(2, prior=1e-6, random_state=0).fit(X, positive).get_support()[[3, 6]].all()
