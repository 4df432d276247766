import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from small_tables import small_table

from puselect_paper.baselines.mrmr_ufs import MRMRUFS
from puselect_paper.baselines.neighbour_graph import adjacency, neighbour_edges, normalised
from puselect_paper.baselines.spectral import embed, part_vectors, spectral_clusters
from puselect_paper.baselines.sselect import SSelect, centre_columns, heat_weights, normalised_cut


def dense_graph(points, n_neighbors, sigma2=None):
    """The definition, written out."""
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    near = np.zeros(distances.shape, dtype=bool)
    for i, row in enumerate(distances):
        near[i, np.argsort(row)[:n_neighbors]] = True
    weights = np.ones_like(distances) if sigma2 is None else np.exp(-(distances**2) / (2 * sigma2))
    return np.where(near | near.T, weights, 0.0)


def graph_of(points, n_neighbors, weights=None):
    edges = neighbour_edges(points, n_neighbors)
    return adjacency(edges, np.ones(len(edges.first)) if weights is None else weights, len(points))


@pytest.fixture
def points():
    return np.random.default_rng(0).random((40, 6))


def test_the_graph_joins_points_of_which_one_is_near_the_other(points):
    edges = neighbour_edges(points, 5)
    assert (edges.first < edges.second).all()
    np.testing.assert_array_equal(graph_of(points, 5).toarray(), dense_graph(points, 5))


def test_the_heat_kernel_gives_multiples_of_the_definition_or_if_too_narrow_the_nearest_pair(points):
    edges = neighbour_edges(points, 5)
    weights = adjacency(edges, heat_weights(edges, 0.1), len(points)).toarray()
    dense = dense_graph(points, 5, sigma2=0.1)
    np.testing.assert_allclose(weights, dense / dense.max(), rtol=1e-9)
    weights = heat_weights(neighbour_edges(points, 5), 1e-9)
    assert weights.max() == 1
    assert np.count_nonzero(weights) == 1


def test_the_cut_is_the_laplacian_score_of_dense_algebra(points):
    edges = neighbour_edges(points, 5)
    graph = adjacency(edges, heat_weights(edges, 0.2), len(points))
    W = graph.toarray()
    D = np.diag(W.sum(axis=1))
    ones = np.ones(len(W))
    for j, cut in enumerate(normalised_cut(centre_columns(points, graph), graph)):
        g = points[:, j] - (points[:, j] @ D @ ones) / (ones @ D @ ones)
        assert g @ D @ ones == pytest.approx(0, abs=1e-12)
        assert cut == pytest.approx(g @ (D - W) @ g / (g @ D @ g))


def test_the_cost_is_the_cut_and_whether_the_positives_lie_on_both_sides_of_the_mean():
    X, y, _ = small_table()
    X[y == 1, 3] = X[:, 3].max()
    selector = SSelect(1, sigma2=0.1).fit(X, y)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    edges = neighbour_edges(scaled, 5)
    graph = adjacency(edges, heat_weights(edges, 0.1), len(X))
    centred = centre_columns(scaled, graph)
    is_split = [len(set(column)) == 2 for column in centred[y == 1].T >= 0]
    assert not is_split[3] and sum(is_split) >= 8
    np.testing.assert_allclose(-selector.scores_, 0.1 * normalised_cut(centred, graph) + 0.9 * np.array(is_split))


def test_eigenvectors_of_connected_parts_are_known():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((n, 2)) + 100 * n for n in (20, 8, 12)])
    graph = graph_of(points, 3)
    parts = part_vectors(graph, 5).toarray()
    np.testing.assert_allclose(normalised(graph) @ parts, parts, atol=1e-12)
    np.testing.assert_allclose(parts.T @ parts, np.eye(3), atol=1e-12)
    np.testing.assert_array_equal(np.count_nonzero(parts, axis=0), [20, 12, 8])
    assert part_vectors(graph, 2).shape == (40, 2)


@pytest.mark.parametrize(("n_points", "n_dimensions"), [(40, 3), (40, 25), (600, 4)])
def test_the_embedding_spans_the_leading_eigenvectors_of_dense_algebra(n_points, n_dimensions):
    graph = graph_of(np.random.default_rng(0).random((n_points, 6)), 5)
    values, vectors = np.linalg.eigh(normalised(graph).toarray())
    assert values[-n_dimensions] - values[-n_dimensions - 1] > 1e-4
    leading = vectors[:, -n_dimensions:]
    leading /= np.linalg.norm(leading, axis=1, keepdims=True)
    ours = embed(graph, n_dimensions, seed=0)
    # Only the subspace is determined: compare what does not depend on its basis.
    np.testing.assert_allclose(ours @ ours.T, leading @ leading.T, atol=1e-4)


def test_spectral_clusters_follow_shapes_that_k_means_cannot():
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    labels = spectral_clusters(np.vstack([ring, 5 * ring]), 2, 5, seed=0).labels
    assert adjusted_rand_score(np.repeat([0, 1], 200), labels) == 1


def test_distances_are_those_to_the_centre_in_the_embedding():
    points, _ = make_blobs(60, centers=3, cluster_std=2.0, random_state=0)
    clusters = spectral_clusters(points, 3, 5, seed=0)
    embedded = embed(graph_of(points, 5), 3, seed=0)
    for label in range(3):
        members = embedded[clusters.labels == label]
        expected = np.linalg.norm(members - members.mean(axis=0), axis=1)
        np.testing.assert_allclose(clusters.distances[clusters.labels == label], expected, atol=1e-5)


def test_mrmr_ufs_ignores_the_labels_and_chance_decides_between_equally_central_columns():
    X, y, _ = small_table()
    one = MRMRUFS(4, random_state=0).fit(X, y)
    other = MRMRUFS(4, random_state=0).fit(X, np.roll(y, 7))
    np.testing.assert_array_equal(one.scores_, other.scores_)
    X, y, _ = small_table(n_relevant=2, n_irrelevant=2)
    taken = {tuple(MRMRUFS(1, random_state=seed).fit(X[:, :2], y).support_) for seed in range(20)}
    assert len(taken) == 2


def test_mrmr_ufs_takes_one_of_each_group_of_copies():
    rng = np.random.default_rng(0)
    originals = rng.random((200, 4)) ** [1, 2, 3, 4]
    X = np.repeat(originals, 6, axis=1) + rng.normal(0, 0.01, (200, 24))
    support = MRMRUFS(4, random_state=0).fit(X, np.arange(200) < 9).get_support()
    np.testing.assert_array_equal(support.reshape(4, 6).sum(axis=1), 1)
