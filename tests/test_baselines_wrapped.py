import logging

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest, chi2
from sklearn.linear_model import Lasso
from sklearn.preprocessing import minmax_scale

from puselect.baselines import DTRFE, KBest, LassoRank, dt_rfe
from puselect.datasets import make_pu_clusters
from puselect.selectors.ranking import Task


class TestKBest(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return KBest(n_features_to_select, **options)


class TestLassoRank(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return LassoRank(n_features_to_select, **options)


class TestDTRFE(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return DTRFE(n_features_to_select, n_estimators=5, **options)


@pytest.mark.parametrize("condition", ["40/8/1", "10/outlier"])
class TestAgreementWithScikitLearn:
    def test_k_best(self, condition):
        X, y, _ = make_pu_clusters(condition, random_state=1)
        theirs = SelectKBest(chi2, k=25).fit(minmax_scale(X), y)
        ours = KBest(25).fit(X, y)
        np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-8)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())

    def test_lasso(self, condition):
        X, y, _ = make_pu_clusters(condition, random_state=1)
        theirs = Lasso(alpha=5e-5).fit(minmax_scale(X), y)
        ours = LassoRank(25).fit(X, y)
        np.testing.assert_allclose(ours.scores_, np.abs(theirs.coef_), rtol=1e-8)
        assert set(np.flatnonzero(ours.get_support())) == set(np.argsort(-np.abs(theirs.coef_))[:25])

    def test_recursive_elimination(self, condition):
        shape = {"n_negative": 200, "n_positive": 60, "n_relevant": 4, "n_irrelevant": 4}
        X, y, _ = make_pu_clusters(condition, **shape, random_state=1)
        seed = Task(X, y == 1, 3, np.random.default_rng(DTRFE(random_state=5)._draw_entropy())).seed
        forest = RandomForestClassifier(20, random_state=seed)
        theirs = RFE(forest, n_features_to_select=3).fit(minmax_scale(X), y == 1)
        ours = DTRFE(3, n_estimators=20, random_state=5).fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
        # scikit-learn gives all selected features rank 1; ours order them by the last forest
        np.testing.assert_array_equal(np.maximum(ours.ranking_ - 2, 1), theirs.ranking_)
        chosen = ours.scores_[theirs.support_]
        np.testing.assert_array_equal(np.argsort(chosen), np.argsort(theirs.estimator_.feature_importances_))


class TestDetails:
    def test_threads_do_not_change_the_forests(self):
        X, y, _ = small_table()
        one, two = (DTRFE(5, n_estimators=8, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
        np.testing.assert_array_equal(one.scores_, two.scores_)

    def test_elimination_in_larger_steps(self):
        X, y, _ = small_table()
        selector = DTRFE(4, n_estimators=5, step=3, random_state=0).fit(X, y)
        assert selector.get_support().sum() == 4
        assert selector.scores_.max() < 3

    def test_elimination_reports_its_progress(self, caplog, monkeypatch):
        monkeypatch.setattr(dt_rfe, "LOG_SECONDS", 0.0)
        X, y, _ = small_table()
        with caplog.at_level(logging.INFO, logger="puselect"):
            DTRFE(8, n_estimators=2, random_state=0).fit(X, y)
        assert caplog.messages == ["10 features left, 8 wanted", "9 features left, 8 wanted"]

    def test_features_of_weight_zero_come_in_random_order(self):
        X, y, _ = small_table()
        orders = {tuple(LassoRank(5, alpha=10.0, random_state=seed).fit(X, y).ranking_) for seed in range(5)}
        assert len(orders) == 5


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (LassoRank(alpha=0), "alpha must be a number above 0, got 0"),
        (LassoRank(alpha="small"), "alpha must be a number above 0, got 'small'"),
        (LassoRank(max_iter=0), "max_iter must be an integer of at least 1, got 0"),
        (DTRFE(n_estimators=2.5), "n_estimators must be an integer of at least 1, got 2.5"),
        (DTRFE(step=0), "step must be an integer of at least 1, got 0"),
    ],
)
def test_bad_parameters_are_named(selector, message):
    X, y, _ = small_table()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
