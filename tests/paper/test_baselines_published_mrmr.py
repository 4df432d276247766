import numpy as np
import pytest

from puselect.datasets import make_pu_clusters
from puselect_paper.baselines import PublishedMRMR
from puselect_paper.baselines.published_mrmr import quicksort_order

# What pymrmr 0.1.11 returns for columns that each mark another single unlabelled row.
PYMRMR_TIES = {
    5: [0, 1, 2, 3, 4],
    8: [5, 3, 6, 0, 4, 1, 2, 7],
    17: [12, 14, 11, 9, 13, 8, 15, 10, 0, 3, 5, 2, 1, 4, 7, 6, 16],
    23: [17, 18, 14, 15, 16, 12, 11, 19, 20, 21, 13, 0, 5, 6, 2, 3, 4, 1, 10, 7, 8, 9, 22],
}


def order_of(selector):
    return np.argsort(selector.ranking_).tolist()


@pytest.mark.parametrize("n_features", PYMRMR_TIES)
def test_ties_come_in_the_order_of_the_original_program(n_features):
    X = np.zeros((100, n_features))
    X[50 + np.arange(n_features), np.arange(n_features)] = 1
    selector = PublishedMRMR(n_features).fit(X, np.arange(100) < 20)
    assert order_of(selector) == PYMRMR_TIES[n_features] == quicksort_order([1] * n_features).tolist()


def test_columns_whose_maximum_is_labelled_come_first():
    X, y, _ = make_pu_clusters("40/outlier", random_state=0)
    hit = y[X.argmax(axis=0)] == 1
    first = order_of(PublishedMRMR().fit(X, y))[: hit.sum()]
    assert set(first) == set(np.flatnonzero(hit))


def test_quicksort_sorts():
    for seed in range(20):
        keys = np.random.default_rng(seed).integers(5, size=40)
        order = quicksort_order(keys)
        assert sorted(order) == list(range(40))
        np.testing.assert_array_equal(keys[order], np.sort(keys)[::-1])
