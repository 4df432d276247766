"""Baselines against the libraries they wrap and the formulas they follow; `test_baselines_contract` has the rest."""

import sys

import numpy as np
import pytest
from scipy.stats import ansari, ranksums
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest, chi2
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.preprocessing import minmax_scale, scale
from sklearn.tree import DecisionTreeClassifier
from small_tables import small_table

from puselect.baselines import (
    DTRFE,
    Consensus,
    FastCanRank,
    ForestImportance,
    KBest,
    L1Logistic,
    LassoRank,
    Lepage,
    LowestVariance,
    PUBagging,
    consensus,
    trees,
)
from puselect.baselines.linear import L1
from puselect.datasets import make_pu_clusters
from puselect.selectors.ranking import RankingTask


def seed_of(selector, X, y):
    """Return the seed that a selector gives to a forest."""
    return RankingTask(X, y == 1, 3, np.random.default_rng(selector._draw_entropy())).seed


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
        forest = RandomForestClassifier(20, random_state=seed_of(DTRFE(random_state=5), X, y))
        theirs = RFE(forest, n_features_to_select=3).fit(minmax_scale(X), y == 1)
        ours = DTRFE(3, n_estimators=20, random_state=5).fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
        # scikit-learn gives all selected features rank 1; ours order them by the last forest
        np.testing.assert_array_equal(np.maximum(ours.ranking_ - 2, 1), theirs.ranking_)
        chosen = ours.scores_[theirs.support_]
        np.testing.assert_array_equal(np.argsort(chosen), np.argsort(theirs.estimator_.feature_importances_))

    def test_forest_importance(self, condition):
        X, y, _ = make_pu_clusters(condition, n_negative=200, n_positive=60, random_state=1)
        seed = seed_of(ForestImportance(random_state=5), X, y)
        forest = RandomForestClassifier(20, class_weight="balanced", random_state=seed).fit(minmax_scale(X), y)
        ours = ForestImportance(3, n_estimators=20, random_state=5).fit(X, y)
        np.testing.assert_allclose(ours.scores_, forest.feature_importances_)


def test_l1_weights_are_ordered_as_those_of_another_solver():
    X, y, _ = small_table()
    ours = L1Logistic(3, C=0.1, random_state=0).fit(X, y)
    model = LogisticRegression(
        **L1, C=0.1, solver="saga", class_weight="balanced", tol=1e-6, max_iter=10_000, random_state=0
    ).fit(scale(X), y)
    # liblinear penalises the intercept, so the weights differ a little
    np.testing.assert_array_equal(np.argsort(ours.scores_)[-4:], np.argsort(np.abs(model.coef_[0]))[-4:])
    assert (ours.scores_ == 0).sum() == 6


def test_features_of_weight_zero_come_in_random_order():
    X, y, _ = small_table()
    orders = {tuple(LassoRank(5, alpha=10.0, random_state=seed).fit(X, y).ranking_) for seed in range(5)}
    assert len(orders) == 5


def test_bagged_trees_see_all_labelled_rows_and_as_many_others(monkeypatch):
    X, y, _ = small_table()
    seen = []

    class Tree(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append((y.sum(), len(y)))
            return super().fit(X, y)

    monkeypatch.setattr(trees, "DecisionTreeClassifier", Tree)
    assert PUBagging(3, n_estimators=7, random_state=0).fit(X, y).scores_.sum() == pytest.approx(1)
    assert seen == [(y.sum(), 2 * y.sum())] * 7


def test_elimination_may_take_larger_steps():
    X, y, _ = small_table()
    selector = DTRFE(4, n_estimators=5, step=3, random_state=0).fit(X, y)
    assert selector.get_support().sum() == 4
    assert selector.scores_.max() < 3


def test_a_single_column_that_varies_is_a_consensus():
    X, y, _ = small_table()
    X[:, 1:] = 7
    assert Consensus(1, random_state=0).fit(X, y).ranking_[0] == 1


class TestFastCan:
    def test_copies_of_selected_columns_come_last(self):
        pytest.importorskip("fastcan")
        X, y, _ = small_table()
        selector = FastCanRank(12, random_state=0).fit(np.hstack([X, X]), y)
        first = np.argsort(selector.ranking_)[:10]
        assert sorted(first % 10) == list(range(10))
        assert first[0] % 10 == np.argmax([abs(np.corrcoef(column, y)[0, 1]) for column in X.T])
        assert selector.get_support().sum() == 12

    def test_columns_that_tell_nothing_have_no_score(self):
        pytest.importorskip("fastcan")
        X = np.column_stack([np.arange(60) % 2, np.full(60, 7)])
        selector = FastCanRank(1).fit(X, np.arange(60) % 4 < 2)
        assert selector.scores_[0] == 0
        assert selector.support_[0]

    def test_without_the_library_the_error_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "fastcan", None)
        X, y, _ = small_table()
        with pytest.raises(ImportError, match="pip install fastcan"):
            FastCanRank(3).fit(X, y)


class Fixed:
    """A part of a consensus with a given ranking."""

    def __init__(self, ranking):
        self.ranking_ = np.array(ranking)

    def __call__(self, k, random_state):
        return self

    def fit(self, X, y):
        return self


def test_in_a_consensus_the_default_counts_twice_and_bagging_once(monkeypatch):
    monkeypatch.setattr(consensus, "FSCPU", Fixed([1, 2, 3, 4]))
    monkeypatch.setattr(consensus, "PUBagging", Fixed([4, 1, 2, 3]))
    X, y, _ = small_table(n_relevant=2, n_irrelevant=2)
    found = Consensus(2, random_state=0).fit(X, y)
    wanted = np.log(4) - np.log([1 * 1 * 4, 2 * 2 * 1, 3 * 3 * 2, 4 * 4 * 3]) / 3
    np.testing.assert_allclose(found.scores_, wanted)
    np.testing.assert_array_equal(found.get_support(), [True, True, False, False])


def test_lowest_variance_solves_the_papers_law_without_labels():
    for condition in ("10/8/2", "40/1/1"):
        X, y, relevant = make_pu_clusters(condition, random_state=3)
        here, there = (LowestVariance(25).fit(table, y[::-1]) for table in (X, X * np.arange(1, 51) - 3))
        np.testing.assert_array_equal(here.get_support(), relevant)
        np.testing.assert_array_equal(here.ranking_, there.ranking_)


def test_lepage_is_the_sum_of_both_tests():
    X, y, _ = small_table()
    found = Lepage(5).fit(X, y).scores_
    labelled, others = X[y == 1], X[y == 0]
    shift = [ranksums(labelled[:, j], others[:, j]).statistic ** 2 for j in range(X.shape[1])]
    assert (found > np.array(shift) * 0.99).all()
    spread = [ansari(labelled[:, j], others[:, j]).pvalue for j in range(X.shape[1])]
    assert np.corrcoef(-np.log(spread), found - shift)[0, 1] > 0.99
