"""Sparse graphs of nearest neighbours, and spectral clustering on them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from puselect.arrays import FloatArray, IntArray

DENSE_POINTS = 512  # up to here a dense eigensolver is as fast,
MAX_DENSE_POINTS = 4096  # and up to here where a quarter of all eigenvectors or more are wanted
DECIMALS = 6  # of an embedding; points that agree so far count as one
TOLERANCE = 1e-6  # of the eigenvalues, in the iterative eigensolver


class Edges(NamedTuple):
    """An undirected graph of points, each edge once."""

    first: IntArray
    """One end, shape (n_edges,)."""
    second: IntArray
    """The other end, shape (n_edges,)."""
    squared: FloatArray
    """Squared distance of the ends, shape (n_edges,)."""


class Clusters(NamedTuple):
    """A clustering of points."""

    labels: IntArray
    """Cluster of each point, shape (n_points,)."""
    distances: FloatArray
    """Distance of each point to the centre of its cluster, in the embedding, shape (n_points,)."""


def neighbour_edges(points: NDArray[Any], n_neighbors: int, n_jobs: int | None = None) -> Edges:
    """Return edges between points of which one is among the other's nearest neighbours, itself not counted.

    Examples
    --------
    >>> edges = neighbour_edges(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> edges.first, edges.second, edges.squared
    (array([0, 1]), array([1, 2]), array([1., 4.]))
    """
    n_points = len(points)
    searcher = NearestNeighbors(n_neighbors=min(n_neighbors, n_points - 1), n_jobs=n_jobs).fit(points)
    distances, neighbours = searcher.kneighbors()
    own = np.arange(n_points)[:, None]
    codes = np.minimum(own, neighbours) * n_points + np.maximum(own, neighbours)
    distinct, where = np.unique(codes, return_index=True)
    return Edges(distinct // n_points, distinct % n_points, distances.ravel()[where] ** 2)


def adjacency(edges: Edges, weights: FloatArray, n_points: int) -> csr_array:
    """Return the symmetric sparse matrix of edge weights, shape (n_points, n_points)."""
    rows = np.concatenate([edges.first, edges.second])
    columns = np.concatenate([edges.second, edges.first])
    return csr_array((np.tile(weights, 2), (rows, columns)), shape=(n_points, n_points))


def normalised(graph: csr_array) -> csr_array:
    """Return D^(-1/2) W D^(-1/2), D the degrees of the graph W; points without edges have zero rows."""
    degrees = graph.sum(axis=1)
    scale = diags_array(1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))
    return (scale @ graph @ scale).tocsr()


def spectral_clusters(
    points: NDArray[Any], n_clusters: int, n_neighbors: int, seed: int, n_jobs: int | None = None
) -> Clusters:
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
        return Clusters(np.arange(n_points), np.zeros(n_points))
    edges = neighbour_edges(points, n_neighbors, n_jobs)
    graph = adjacency(edges, np.ones(len(edges.first)), n_points)
    embedded = np.round(embed(graph, n_clusters, seed), DECIMALS)
    distinct, labels = np.unique(embedded, axis=0, return_inverse=True)
    if len(distinct) <= n_clusters:
        return Clusters(labels.ravel(), np.zeros(n_points))
    model = KMeans(n_clusters, n_init=10, random_state=seed).fit(embedded)
    distances = np.linalg.norm(embedded - model.cluster_centers_[model.labels_], axis=1)
    return Clusters(model.labels_, distances)


def embed(graph: csr_array, n_dimensions: int, seed: int) -> FloatArray:
    """Return the leading eigenvectors of the normalised graph, as points scaled to norm 1.

    Shape (n_points, n_dimensions). The eigenvalue 1 belongs to the connected parts of the graph, whose
    eigenvectors are known; where there are more parts than dimensions, the largest count and all other points are 0.
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
