"""The Gaussian mixture: its settings, the values it can hold, and the short hard fit in plain NumPy.

The compiled kernels are tested against this module and against scikit-learn's ``GaussianMixture``.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.sparse_table import SparseTable

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
    """The parameters of the last assignment of labels."""


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


# Half a range of which the squares, summed over columns and rows, stay well inside float32 and float64.
LARGEST_HALF_RANGE = {"cpu": 1e16, "gpu": 1e16, "reference": 1e140}
LEAST_REGULARISATION = 1e-20  # of the squared range: far below the variance that rounding to float32 adds


def half_range(X: AnyArray | SparseTable) -> float:
    """Return half of the largest range of a column; `X` has shape (.., n_rows, n_features)."""
    if isinstance(X, SparseTable):
        return X.half_range
    return float((X.max(axis=-2) / 2 - X.min(axis=-2) / 2).max())  # halved first: the range itself may overflow


def check_range(name: str, X: AnyArray | SparseTable) -> None:
    """Raise a ValueError if squared distances between rows of `X` could overflow in the engine of that name."""
    found = half_range(X)
    if found > LARGEST_HALF_RANGE[name]:
        precision = "float64" if name == "reference" else "float32"
        raise ValueError(
            f"engine={name!r} computes in {precision} and needs columns of a range below "
            f"{2 * LARGEST_HALF_RANGE[name]:.0e}, got {2 * found:.1e}; set scale='minmax'"
        )


def regularised(spec: MixtureSpec, X: AnyArray | SparseTable) -> MixtureSpec:
    """Return the spec with a `reg_covar` that keeps the inverse of a covariance finite for columns of this range."""
    width = 2 * half_range(X) or 1.0  # 1 if all columns are constant
    return replace(spec, reg_covar=max(spec.reg_covar, LEAST_REGULARISATION * width**2))
