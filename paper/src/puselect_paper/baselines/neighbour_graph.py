"""Sparse graphs of nearest neighbours."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.neighbors import NearestNeighbors

from puselect.arrays import FloatArray, IntArray


class Edges(NamedTuple):
    """An undirected graph of points, each edge once."""

    first: IntArray
    """One end, shape (n_edges,)."""
    second: IntArray
    """The other end, shape (n_edges,)."""
    squared: FloatArray
    """Squared distance of the ends, shape (n_edges,)."""


def neighbour_edges(points: FloatArray, n_neighbors: int) -> Edges:
    """Return edges between points of which one is among the other's nearest neighbours, itself not counted.

    Examples
    --------
    >>> edges = neighbour_edges(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> edges.first, edges.second, edges.squared
    (array([0, 1]), array([1, 2]), array([1., 4.]))
    """
    n_points = len(points)
    searcher = NearestNeighbors(n_neighbors=min(n_neighbors, n_points - 1)).fit(points)
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
