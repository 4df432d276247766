import warnings

import numpy as np
import pytest
from engine_contract import EngineContract, small_table, some_masks
from sklearn.cluster import DBSCAN, KMeans
from sklearn.mixture import GaussianMixture

from puselect.clustering import ReferenceEngine
from puselect.clustering.reference import fitted_mixture


class TestReferenceEngine(EngineContract):
    def make(self, X, positive, spec):
        return ReferenceEngine(X, positive, spec)


def counts_by_hand(labels, positive, n_clusters):
    size = [np.sum(labels == c) for c in range(n_clusters)]
    return size, [np.sum(positive[labels == c]) for c in range(n_clusters)]


def test_published_spec_is_scikit_learns_mixture():
    X, positive = small_table()
    masks = some_masks(3, 12)
    clusterer = GaussianMixture(10)
    table = ReferenceEngine(X, positive, clusterer).cluster(masks, np.array([4, 5, 6]))
    for i, (mask, seed) in enumerate(zip(masks, (4, 5, 6), strict=True)):
        labels = GaussianMixture(10, random_state=seed).fit_predict(X[:, mask])
        size, hits = counts_by_hand(labels, positive, 10)
        assert table.size[i].tolist() == size
        assert table.positive[i].tolist() == hits


def test_any_clusterer_will_do():
    X, positive = small_table()
    for clusterer in (KMeans(4, n_init=1), DBSCAN(eps=0.5)):
        table = ReferenceEngine(X, positive, clusterer).cluster(some_masks(2, 12), np.arange(2))
        assert (table.size.sum(axis=1) == len(X)).all()


def test_lost_clusters_are_counted_as_degenerate():
    X, positive = small_table()
    table = ReferenceEngine(np.round(X[:, :2]), positive, KMeans(10, n_init=1)).cluster(
        np.ones((1, 2), dtype=bool), np.array([0])
    )
    assert table.degenerate.all()


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_a_mixture_places_rows_as_its_estimator_does(kind):
    X, _ = small_table()
    clusterer = GaussianMixture(4, covariance_type=kind, random_state=0).fit(X)
    np.testing.assert_array_equal(fitted_mixture(clusterer).place(X), clusterer.predict(X))


class Loud(KMeans):
    def fit_predict(self, X, y=None):
        warnings.warn("loud", RuntimeWarning, stacklevel=1)
        return super().fit_predict(X)


def test_what_a_clusterer_warns_of_is_heard():
    X, positive = small_table()
    with pytest.warns(RuntimeWarning, match="loud"):
        ReferenceEngine(X, positive, Loud(4, n_init=1)).cluster(some_masks(1, 12), np.arange(1))
