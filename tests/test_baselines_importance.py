import sys

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale, scale

from puselect.baselines import FastCanRank, ForestImportance, L1Logistic, PUBagging
from puselect.baselines.l1_logistic import L1
from puselect.selectors.ranking import Task


class TestForestImportance(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return ForestImportance(n_features_to_select, n_estimators=5, **options)


class TestPUBagging(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return PUBagging(n_features_to_select, n_estimators=5, **options)


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


def test_the_forest_is_scikit_learns():
    X, y, _ = small_table()
    seed = Task(X, y == 1, 3, np.random.default_rng(ForestImportance(random_state=5)._draw_entropy())).seed
    forest = RandomForestClassifier(20, class_weight="balanced", random_state=seed).fit(minmax_scale(X), y)
    ours = ForestImportance(3, n_estimators=20, random_state=5).fit(X, y)
    np.testing.assert_allclose(ours.scores_, forest.feature_importances_)


def test_importances_of_bagged_trees_sum_to_one():
    X, y, _ = small_table()
    assert PUBagging(3, n_estimators=7, random_state=0).fit(X, y).scores_.sum() == pytest.approx(1)


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
        (ForestImportance(n_estimators=0), "n_estimators"),
        (PUBagging(n_estimators=1.5), "n_estimators"),
        (L1Logistic(C=0), "C must be"),
        (L1Logistic(max_iter=0), "max_iter"),
    ],
)
def test_bad_parameters_are_named(selector, message):
    X, y, _ = small_table()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
