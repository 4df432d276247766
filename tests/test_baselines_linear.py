import sys

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.preprocessing import minmax_scale, scale

from puselect.baselines import FastCanRank, L1Logistic, LassoRank
from puselect.baselines.linear import L1
from puselect.datasets import make_pu_clusters


class TestLassoRank(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return LassoRank(n_features_to_select, **options)


class TestL1Logistic(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return L1Logistic(n_features_to_select, **options)


class TestFastCan(RankingContract):
    @pytest.fixture(autouse=True)
    def needs_fastcan(self):
        pytest.importorskip("fastcan")

    def make(self, n_features_to_select=None, **options):
        return FastCanRank(n_features_to_select, **options)

    def test_copies_of_selected_columns_come_last(self):
        X, y, _ = small_table()
        doubled = np.hstack([X, X])
        selector = self.make(12, random_state=0).fit(doubled, y)
        first = np.argsort(selector.ranking_)[:10]
        assert sorted(first % 10) == list(range(10))
        assert selector.get_support().sum() == 12

    def test_the_first_column_is_the_one_of_largest_correlation(self):
        X, y, _ = small_table()
        best = np.argmax([abs(np.corrcoef(column, y)[0, 1]) for column in X.T])
        assert self.make(3).fit(X, y).ranking_[best] == 1


def test_without_fastcan_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastcan", None)
    X, y, _ = small_table()
    with pytest.raises(ImportError, match="pip install fastcan"):
        FastCanRank(3).fit(X, y)


@pytest.mark.parametrize("condition", ["40/8/1", "10/outlier"])
def test_lasso_agrees_with_scikit_learn(condition):
    X, y, _ = make_pu_clusters(condition, random_state=1)
    theirs = Lasso(alpha=5e-5).fit(minmax_scale(X), y)
    ours = LassoRank(25).fit(X, y)
    np.testing.assert_allclose(ours.scores_, np.abs(theirs.coef_), rtol=1e-8)
    assert set(np.flatnonzero(ours.get_support())) == set(np.argsort(-np.abs(theirs.coef_))[:25])


def test_features_of_weight_zero_come_in_random_order():
    X, y, _ = small_table()
    orders = {tuple(LassoRank(5, alpha=10.0, random_state=seed).fit(X, y).ranking_) for seed in range(5)}
    assert len(orders) == 5


def test_l1_weights_are_ordered_as_those_of_another_solver():
    X, y, _ = small_table()
    ours = L1Logistic(3, C=0.1, random_state=0).fit(X, y)
    model = LogisticRegression(
        **L1, C=0.1, solver="saga", class_weight="balanced", tol=1e-6, max_iter=10_000, random_state=0
    ).fit(scale(X), y)
    # liblinear penalises the intercept, so the weights differ a little
    np.testing.assert_array_equal(np.argsort(ours.scores_)[-4:], np.argsort(np.abs(model.coef_[0]))[-4:])
    assert (ours.scores_ == 0).sum() == 6


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (LassoRank(alpha=0), "alpha must be a number above 0, got 0"),
        (LassoRank(alpha="small"), "alpha must be a number above 0, got 'small'"),
        (LassoRank(max_iter=0), "max_iter must be an integer of at least 1, got 0"),
        (L1Logistic(C=0), "C must be"),
        (L1Logistic(max_iter=0), "max_iter"),
    ],
)
def test_bad_parameters_are_named(selector, message):
    X, y, _ = small_table()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
