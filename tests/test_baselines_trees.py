import logging

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.preprocessing import minmax_scale

from puselect.baselines import DTRFE, ForestImportance, PUBagging, trees
from puselect.datasets import make_pu_clusters
from puselect.selectors.ranking import RankingTask


class TestForestImportance(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return ForestImportance(n_features_to_select, n_estimators=5, **options)


class TestPUBagging(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return PUBagging(n_features_to_select, n_estimators=5, **options)


class TestDTRFE(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return DTRFE(n_features_to_select, n_estimators=5, **options)


def test_the_forest_is_scikit_learns():
    X, y, _ = small_table()
    seed = RankingTask(X, y == 1, 3, np.random.default_rng(ForestImportance(random_state=5)._draw_entropy())).seed
    forest = RandomForestClassifier(20, class_weight="balanced", random_state=seed).fit(minmax_scale(X), y)
    ours = ForestImportance(3, n_estimators=20, random_state=5).fit(X, y)
    np.testing.assert_allclose(ours.scores_, forest.feature_importances_)


def test_importances_of_bagged_trees_sum_to_one():
    X, y, _ = small_table()
    assert PUBagging(3, n_estimators=7, random_state=0).fit(X, y).scores_.sum() == pytest.approx(1)


@pytest.mark.parametrize("condition", ["40/8/1", "10/outlier"])
def test_recursive_elimination_agrees_with_scikit_learn(condition):
    shape = {"n_negative": 200, "n_positive": 60, "n_relevant": 4, "n_irrelevant": 4}
    X, y, _ = make_pu_clusters(condition, **shape, random_state=1)
    seed = RankingTask(X, y == 1, 3, np.random.default_rng(DTRFE(random_state=5)._draw_entropy())).seed
    forest = RandomForestClassifier(20, random_state=seed)
    theirs = RFE(forest, n_features_to_select=3).fit(minmax_scale(X), y == 1)
    ours = DTRFE(3, n_estimators=20, random_state=5).fit(X, y)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    # scikit-learn gives all selected features rank 1; ours order them by the last forest
    np.testing.assert_array_equal(np.maximum(ours.ranking_ - 2, 1), theirs.ranking_)
    chosen = ours.scores_[theirs.support_]
    np.testing.assert_array_equal(np.argsort(chosen), np.argsort(theirs.estimator_.feature_importances_))


def test_threads_do_not_change_the_forests():
    X, y, _ = small_table()
    one, two = (DTRFE(5, n_estimators=8, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_elimination_in_larger_steps():
    X, y, _ = small_table()
    selector = DTRFE(4, n_estimators=5, step=3, random_state=0).fit(X, y)
    assert selector.get_support().sum() == 4
    assert selector.scores_.max() < 3


def test_elimination_reports_its_progress(caplog, monkeypatch):
    monkeypatch.setattr(trees, "LOG_SECONDS", 0.0)
    X, y, _ = small_table()
    with caplog.at_level(logging.INFO, logger="puselect"):
        DTRFE(8, n_estimators=2, random_state=0).fit(X, y)
    assert caplog.messages == ["10 features left, 8 wanted", "9 features left, 8 wanted"]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (ForestImportance(n_estimators=0), "n_estimators"),
        (PUBagging(n_estimators=1.5), "n_estimators"),
        (DTRFE(n_estimators=2.5), "n_estimators must be an integer of at least 1, got 2.5"),
        (DTRFE(step=0), "step must be an integer of at least 1, got 0"),
    ],
)
def test_bad_parameters_are_named(selector, message):
    X, y, _ = small_table()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
