import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit
from small_tables import small_table

from puselect_paper.baselines.jsfs import JSFS, graph_penalty, pruned_scores
from puselect_paper.baselines.neighbour_graph import neighbour_edges
from puselect_paper.baselines.sparse_bayes import (
    SparseModel,
    WeightedRows,
    fit_sparse_bayes,
    maximise_reliability,
    maximise_weights,
    prior_reduction,
    reliability_derivatives,
    reliability_objective,
    weight_derivatives,
    weight_objective,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def sample(rng):
    n_rows = 50
    share = np.where(np.arange(n_rows) < 12, 1.0, 0.3)
    reliability = np.where(share == 1, 1.0, rng.uniform(0, 2, n_rows))
    return WeightedRows(rng.random((n_rows, 6)), rng.integers(0, 2, n_rows).astype(float), share, reliability)


@pytest.fixture
def precision(rng):
    B = rng.normal(size=(6, 6))
    return np.diag(rng.uniform(0.1, 2, 6)) + 0.1 * B @ B.T


def test_the_derivatives_of_the_weights_are_those_of_finite_differences(rng, sample, precision):
    w = rng.normal(size=6)
    gradient, curvature = weight_derivatives(w, sample, precision)
    np.testing.assert_allclose(approx_fprime(w, lambda v: weight_objective(v, sample, precision)), gradient, atol=1e-5)
    rows = [approx_fprime(w, lambda v, j=j: weight_derivatives(v, sample, precision)[0][j]) for j in range(6)]
    np.testing.assert_allclose(curvature, -np.array(rows), atol=1e-5)


def test_the_derivatives_of_the_reliabilities_are_those_of_finite_differences(rng):
    lam, p, c = rng.uniform(0, 2, 30), rng.normal(0, 3, 30), rng.uniform(0.01, 2, 30)
    y = rng.integers(0, 2, 30).astype(float)
    gradient, curvature = reliability_derivatives(lam, p, y, c, 0.4)
    step = 1e-6
    ends = [reliability_objective(lam + s, p, y, c, 0.4) for s in (step, -step)]
    np.testing.assert_allclose(gradient, (ends[0] - ends[1]) / (2 * step), atol=1e-6)
    ends = [reliability_derivatives(lam + s, p, y, c, 0.4)[0] for s in (step, -step)]
    np.testing.assert_allclose(-curvature, (ends[0] - ends[1]) / (2 * step), atol=1e-6)


def test_the_weights_found_are_the_best_and_newton_steps_never_make_them_less_probable(sample, precision):
    w, covariance = maximise_weights(np.zeros(6), sample, precision)
    best = minimize(lambda v: -weight_objective(v, sample, precision), np.zeros(6), tol=1e-10)
    np.testing.assert_allclose(w, best.x, atol=1e-2)
    np.testing.assert_allclose(covariance @ weight_derivatives(w, sample, precision)[1], np.eye(6), atol=1e-9)
    # From weights this large every row is saturated, and undamped steps diverge.
    weak = 1e-3 * np.eye(6)
    start = np.full(6, 20.0)
    w, _ = maximise_weights(start, sample, weak)
    assert weight_objective(w, sample, weak) > weight_objective(start, sample, weak)


def test_the_reliabilities_found_are_the_best_on_a_grid(rng):
    p, c, y = rng.normal(0, 5, 40), 10 ** rng.uniform(-1, 1, 40), rng.integers(0, 2, 40).astype(float)
    start = rng.uniform(0, 3, 40)
    lam, variance = maximise_reliability(start, p, y, c, 1.0)
    grid = np.linspace(0, 20, 2001)
    on_grid = [reliability_objective(np.full(40, value), p, y, c, 1.0) for value in grid]
    assert (reliability_objective(lam, p, y, c, 1.0) >= np.max(on_grid, axis=0) - 1e-3).all()
    assert (reliability_objective(lam, p, y, c, 1.0) >= reliability_objective(start, p, y, c, 1.0)).all()
    assert (lam >= 0).all()
    assert (variance > 0).all()


def test_the_graph_takes_from_the_prior_variance_what_the_inverse_says(rng):
    alpha = rng.uniform(0.5, 3, 5)
    B = rng.normal(size=(5, 5))
    B = B @ B.T
    expected = np.diag(np.diag(1 / alpha) - np.linalg.inv(np.diag(alpha) + B))
    np.testing.assert_allclose(prior_reduction(alpha, B), expected)


def test_the_graph_penalty_is_that_of_the_dense_laplacian(rng):
    X, positive = rng.random((30, 4)), rng.random(30) < 0.4
    edges = neighbour_edges(X, 5)
    S = np.zeros((30, 30))
    S[edges.first, edges.second] = S[edges.second, edges.first] = 1
    S[np.ix_(positive, positive)] = 10
    np.fill_diagonal(S, 0)
    laplacian = np.diag(S.sum(axis=1)) - S
    np.testing.assert_allclose(graph_penalty(X, positive, edges), X.T @ laplacian @ X)


def test_columns_that_tell_the_classes_get_the_weights(rng):
    X = rng.random((800, 8))
    X[:, 3] = 0
    y = (rng.random(800) < expit(14 * (X[:, 0] - X[:, 5]))).astype(float)
    result = fit_sparse_bayes(X, y, np.ones(800, dtype=bool), np.zeros((8, 8)), 1.0, 50)
    assert result.weights[0] > 10
    assert result.weights[5] < -10
    assert np.abs(np.delete(result.weights, [0, 5])).max() < 1
    assert result.dropped_at[3] == 1
    assert result.weights[3] == 0


def test_unreliable_rows_count_less():
    rng = np.random.default_rng(1)
    X = rng.random((300, 2))
    labelled = np.arange(300) < 100
    y = (X[:, 0] > X[:, 1]).astype(float)
    wrong = np.where(labelled, y, 1 - y)
    trusted = fit_sparse_bayes(X, wrong, labelled, np.zeros((2, 2)), 9.95e-3, 50)
    assert trusted.weights[0] > 0 > trusted.weights[1]


def test_features_dropped_last_come_first_and_then_those_of_small_precision():
    result = SparseModel(np.array([0.0, -2.0, 0, 0, 0.1]), np.array([1.0, 1, 9, 4, 1]), np.array([1, 51, 3, 3, 51]), 7)
    assert np.argsort(-pruned_scores(result)).tolist() == [1, 4, 3, 2, 0]


def test_dropped_features_fill_up_the_selection():
    X, y, _ = small_table(n_relevant=10, n_irrelevant=20)
    selector = JSFS(29, random_state=0).fit(X, y)
    dropped = selector.coef_ == 0
    assert 2 <= dropped.sum() < 29
    np.testing.assert_allclose(selector.scores_[~dropped], np.abs(selector.coef_[~dropped]))
    assert selector.scores_[dropped].max() < 0
    assert selector.get_support()[~dropped].all()
    assert selector.get_support().sum() == 29
    assert selector.n_iter_ <= 50
