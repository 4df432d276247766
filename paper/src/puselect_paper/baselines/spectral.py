"""Spectral clustering on a graph of nearest neighbours."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans

from puselect.arrays import FloatArray, IntArray
from puselect_paper.baselines.neighbour_graph import adjacency, neighbour_edges, normalised

DENSE_POINTS = 512  # up to here a dense eigensolver is as fast,
MAX_DENSE_POINTS = 4096  # and up to here where a quarter of all eigenvectors or more are wanted
DECIMALS = 6  # of an embedding; points that agree so far count as one
TOLERANCE = 1e-6  # of the eigenvalues, in the iterative eigensolver


class SpectralClusters(NamedTuple):
    """A clustering of points."""

    labels: IntArray
    """Cluster of each point, shape (n_points,)."""
    distances: FloatArray
    """Distance of each point to the centre of its cluster, in the embedding, shape (n_points,)."""


def spectral_clusters(points: FloatArray, n_clusters: int, n_neighbors: int, seed: int) -> SpectralClusters:
    """Return a clustering of points by k-means on the leading eigenvectors of their graph of neighbours.

    There are fewer clusters than asked for where there are fewer points, or fewer distinct ones in the embedding.

    Examples
    --------
    >>> points = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = spectral_clusters(points, 2, n_neighbors=2, seed=0).labels
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """
    n_points = len(points)
    if n_clusters >= n_points:
        return SpectralClusters(np.arange(n_points), np.zeros(n_points))
    edges = neighbour_edges(points, n_neighbors)
    graph = adjacency(edges, np.ones(len(edges.first)), n_points)
    embedded = np.round(embed(graph, n_clusters, seed), DECIMALS)
    distinct, labels = np.unique(embedded, axis=0, return_inverse=True)
    if len(distinct) <= n_clusters:
        return SpectralClusters(labels.ravel(), np.zeros(n_points))
    model = KMeans(n_clusters, n_init=10, random_state=seed).fit(embedded)
    distances = np.linalg.norm(embedded - model.cluster_centers_[model.labels_], axis=1)
    return SpectralClusters(model.labels_, distances)


def embed(graph: csr_array, n_dimensions: int, seed: int) -> FloatArray:
    """Return the leading eigenvectors of the normalised graph, as points scaled to norm 1.

    Shape (n_points, n_dimensions). The eigenvectors of eigenvalue 1 are those of the connected parts of the graph and
    need no solver; if there are more parts than dimensions, the largest are kept and all other points are 0.
    Neighbour graphs of clustered data are rarely connected, and `sklearn.manifold.spectral_embedding` warns that it
    may not work on such graphs: that is why it is not used here.
    """
    parts = part_vectors(graph, n_dimensions)
    n_rest = n_dimensions - parts.shape[1]
    vectors = parts.toarray()
    if n_rest > 0:
        vectors = np.hstack([vectors, _leading_vectors(normalised(graph), parts, n_rest, seed)])
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0))


def part_vectors(graph: csr_array, n_most: int) -> csr_array:
    """Return an eigenvector of eigenvalue 1 per connected part, the largest parts first, as sparse columns."""
    n_parts, part = connected_components(graph, directed=False)
    place = np.empty(n_parts, dtype=np.intp)
    place[np.argsort(-np.bincount(part), kind="stable")] = np.arange(n_parts)
    column = place[part]
    degrees = graph.sum(axis=1)
    values = np.sqrt(degrees / np.bincount(column, weights=degrees)[column])
    kept = np.flatnonzero(column < n_most)
    shape = (len(column), min(n_parts, n_most))
    return csr_array((values[kept], (kept, column[kept])), shape=shape)


def _leading_vectors(matrix: csr_array, parts: csr_array, n_vectors: int, seed: int) -> FloatArray:
    """Return the eigenvectors of largest eigenvalue that are orthogonal to those of the connected parts."""
    # All eigenvalues lie in [-1, 1]: this moves the 1 of the parts below all others.
    shift = 2.5
    n_points = matrix.shape[0]
    if n_points <= (MAX_DENSE_POINTS if 4 * n_vectors >= n_points else DENSE_POINTS):
        return np.linalg.eigh((matrix - shift * parts @ parts.T).toarray())[1][:, ::-1][:, :n_vectors]
    across = parts.T.tocsr()
    deflated = LinearOperator(
        matrix.shape, matvec=lambda x: matrix @ x - shift * (parts @ (across @ x)), dtype=np.float64
    )
    start = np.random.default_rng(seed).standard_normal(n_points)
    vectors = eigsh(deflated, k=n_vectors, which="LA", v0=start, tol=TOLERANCE)[1]
    return np.asarray(vectors)
