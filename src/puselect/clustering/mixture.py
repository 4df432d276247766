"""The Gaussian mixture: its settings, and the short hard fit in plain NumPy.

The compiled kernels are tested against this module and against scikit-learn's ``GaussianMixture``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from puselect.arrays import FloatArray, IntArray

COVARIANCE_TYPES = ("full", "diag", "spherical", "tied")


@dataclass(frozen=True)
class MixtureSpec:
    """How a mixture is fitted; both the default preset and EM as published are instances."""

    n_clusters: int = 10
    covariance_type: str = "full"
    init: str = "rows"
    """"rows": the nearest of random rows, the same for every mask of a seed; "kmeans": k-means++ to convergence."""
    em: str = "hard"
    """"hard": every row belongs only to its most probable cluster; "soft": ordinary EM."""
    em_steps: int = 1
    tol: float = 1e-3
    reg_covar: float = 1e-6
    shrinkage: float = 1.0


def nearest_centre(X: FloatArray, centres: FloatArray) -> IntArray:
    """Return the index of the nearest centre (Euclidean) of every row."""
    distance = ((X[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(distance.argmin(axis=1))


def group_means(X: FloatArray, labels: IntArray, centres: FloatArray) -> FloatArray:
    """Return the mean of each group; the old centre if a group is empty."""
    means = centres.copy()
    for c in np.unique(labels):
        means[c] = X[labels == c].mean(axis=0)
    return means


def group_covariances(X: FloatArray, labels: IntArray, means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the counts of the groups and their covariances, divided by the count."""
    size = np.bincount(labels, minlength=len(means)).astype(np.float64)
    cov = np.zeros((len(means), X.shape[1], X.shape[1]))
    for c in np.flatnonzero(size):
        centred = X[labels == c] - means[c]
        cov[c] = centred.T @ centred / size[c]
    return size, cov


def shape_covariances(cov: FloatArray, size: FloatArray, spec: MixtureSpec) -> FloatArray:
    """Return the covariances in the shape given by `covariance_type`.

    A full covariance is shrunk towards the pooled within-cluster variances by ``min(1, shrinkage * k / count)**2``:
    hardly at all in a large cluster, completely in one with fewer rows than features.
    """
    n_features = cov.shape[1]
    pooled = np.tensordot(size / size.sum(), cov, axes=1)
    if spec.covariance_type == "tied":
        return np.repeat(pooled[None], len(cov), axis=0)
    if spec.covariance_type == "full":
        amount = np.minimum(1.0, spec.shrinkage * n_features / np.maximum(size, 1))[:, None, None] ** 2
        return np.asarray((1 - amount) * cov + amount * np.diag(np.diag(pooled)))
    variance = np.diagonal(cov, axis1=1, axis2=2).copy()
    if spec.covariance_type == "spherical":
        variance[:] = variance.mean(axis=1, keepdims=True)
    return np.asarray(variance[:, :, None] * np.eye(n_features))


def most_probable(X: FloatArray, size: FloatArray, means: FloatArray, cov: FloatArray) -> IntArray:
    """Return the cluster of highest weight x density of every row."""
    score = np.full((len(X), len(means)), -np.inf)
    for c in np.flatnonzero(size):
        chol = np.linalg.cholesky(cov[c])
        white = solve_triangular(chol, (X - means[c]).T, lower=True)
        score[:, c] = np.log(size[c] / size.sum()) - np.log(np.diag(chol)).sum() - 0.5 * (white**2).sum(axis=0)
    return np.asarray(score.argmax(axis=1))


class HardClusters(NamedTuple):
    """The result of a short hard fit."""

    labels: IntArray
    """The cluster of every row."""
    size: FloatArray
    means: FloatArray
    covariances: FloatArray
    """What the labels were last assigned by."""


def hard_clusters(X: FloatArray, rows: IntArray, spec: MixtureSpec) -> HardClusters:
    """Return the clusters found from the given start rows: the nearest of them, then EM steps with hard labels."""
    means = X[rows]
    labels = nearest_centre(X, means)
    for _ in range(spec.em_steps):
        means = group_means(X, labels, means)
        size, cov = group_covariances(X, labels, means)
        cov = shape_covariances(cov, size, spec) + spec.reg_covar * np.eye(X.shape[1])
        labels = most_probable(X, size, means, cov)
    return HardClusters(labels, size, means, cov)
