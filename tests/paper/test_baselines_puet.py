"""PUET: risks against formulas written out, a node against brute force, and one column that matters."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_tables import small_table

from puselect.selectors.ranking import RankingTask
from puselect_paper.baselines import class_prior
from puselect_paper.baselines.puet import best_cut, cut_risks, node_risk, saved_risk


def literal_risk(positive, rows, prior):
    """Return the risk of a node as the article writes it."""
    n_p, n_u = positive[rows].sum(), (~positive[rows]).sum()
    w_p = prior * n_p / positive.sum()
    w_n = n_u / (~positive).sum() - w_p
    if w_p + w_n == 0:
        return 0.0
    v = w_p / (w_p + w_n)
    return 0.0 if v > 1 else 4 * (w_p + w_n) * v * (1 - v)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    positive = rng.random(60) < 0.25
    return rng.normal(size=(60, 9)) + positive[:, None], positive


def weights_of(positive):
    return np.column_stack([positive / positive.sum(), ~positive / (~positive).sum()])


@pytest.mark.parametrize("prior", [0.1, 0.4, 1.0])
def test_a_cut_has_the_risk_of_both_sides(table, prior):
    X, positive = table
    left = np.random.default_rng(1).choice(X, 9, axis=0)[:, 0] >= X[:, :1]
    wanted = [literal_risk(positive, side, prior) + literal_risk(positive, ~side, prior) for side in left.T]
    np.testing.assert_allclose(cut_risks(left, weights_of(positive), prior), wanted)
    assert node_risk(np.array([1.0, 1.0]), prior) == pytest.approx(4 * prior * (1 - prior))


def test_the_best_of_three_random_cuts_is_taken_from_a_node(table):
    X, positive = table
    rows, weights = np.arange(10, 50), weights_of(positive)[10:50]
    column, left, risk = best_cut(X, rows, weights, 0.3, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    columns = rng.permutation(9)[:3]
    cuts = rng.uniform(X[rows][:, columns].min(axis=0), X[rows][:, columns].max(axis=0))
    risks = [
        literal_risk(positive, rows[X[rows, j] <= cut], 0.3) + literal_risk(positive, rows[X[rows, j] > cut], 0.3)
        for j, cut in zip(columns, cuts, strict=True)
    ]
    assert column == columns[np.argmin(risks)]
    assert risk == pytest.approx(min(risks))
    np.testing.assert_array_equal(left, X[rows, column] <= cuts[np.argmin(risks)])


def test_columns_that_are_constant_in_a_node_are_passed_over():
    X = np.zeros((4, 9))
    X[2:, 7] = 1.0
    weights = weights_of(np.array([False, False, True, True]))
    rng = np.random.default_rng(0)
    assert {best_cut(X, np.arange(4), weights, 0.5, rng)[0] for _ in range(9)} == {7}
    assert best_cut(X, np.arange(2), weights[:2], 0.5, rng) is None


def test_what_a_tree_saves_is_the_risk_of_its_root_less_that_of_its_leaves():
    X = np.repeat([0.0, 1.0], 10)[:, None] * [1.0, 0.0, 0.0, 0.0]
    positive = np.arange(20) % 4 == 0
    saved = saved_risk(X, positive, 0.4, np.random.default_rng(0))
    sides = literal_risk(positive, np.arange(10), 0.4) + literal_risk(positive, np.arange(10, 20), 0.4)
    np.testing.assert_allclose(saved, [literal_risk(positive, np.arange(20), 0.4) - sides, 0, 0, 0])


@pytest.mark.parametrize(("n_hidden", "share"), [(36, (24 + 36) / 360), (None, 2 * 24 / 360)])
def test_without_a_prior_it_is_estimated_or_else_twice_the_labelled_share(monkeypatch, n_hidden, share):
    X, y, _ = small_table()
    monkeypatch.setattr(class_prior, "estimate_prior", lambda *_, random_state: SimpleNamespace(n_hidden=n_hidden))
    task = RankingTask(X, y == 1, 4, np.random.default_rng(0))
    assert class_prior.known_prior(None, task) == pytest.approx(share)
