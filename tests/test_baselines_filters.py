import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from scipy.stats import ansari, ranksums
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.preprocessing import minmax_scale

from puselect.baselines import KBest, Lepage, LowestVariance
from puselect.datasets import make_pu_clusters


class TestKBest(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return KBest(n_features_to_select, **options)


class TestLowestVariance(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return LowestVariance(n_features_to_select, **options)


class TestLepage(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return Lepage(n_features_to_select, **options)


@pytest.mark.parametrize("condition", ["40/8/1", "10/outlier"])
def test_k_best_agrees_with_scikit_learn(condition):
    X, y, _ = make_pu_clusters(condition, random_state=1)
    theirs = SelectKBest(chi2, k=25).fit(minmax_scale(X), y)
    ours = KBest(25).fit(X, y)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-8)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())


def test_lowest_variance_solves_the_papers_law_without_labels():
    for condition in ("10/8/2", "40/1/1"):
        X, y, relevant = make_pu_clusters(condition, random_state=3)
        assert LowestVariance(25).fit(X, y).get_support()[relevant].all()
        np.testing.assert_array_equal(LowestVariance(25).fit(X, y[::-1]).get_support(), relevant)


def test_lowest_variance_does_not_depend_on_the_units():
    X, y, _ = small_table()
    here, there = (LowestVariance(5).fit(table, y) for table in (X, X * np.arange(1, 11) - 3))
    np.testing.assert_array_equal(here.ranking_, there.ranking_)


def test_lepage_is_the_sum_of_both_tests():
    X, y, _ = small_table()
    found = Lepage(5).fit(X, y).scores_
    labelled, others = X[y == 1], X[y == 0]
    shift = [ranksums(labelled[:, j], others[:, j]).statistic ** 2 for j in range(X.shape[1])]
    assert (found > np.array(shift) * 0.99).all()
    spread = [ansari(labelled[:, j], others[:, j]).pvalue for j in range(X.shape[1])]
    assert np.corrcoef(-np.log(spread), found - shift)[0, 1] > 0.99
