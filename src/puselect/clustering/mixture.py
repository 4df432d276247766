"""The Gaussian mixture: its settings, its parameters, their maths in plain NumPy, and the values it can hold."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from puselect.arrays import AnyArray, FloatArray, IntArray
from puselect.scaling import column_extremes
from puselect.sparse_table import SparseTable

COVARIANCE_TYPES = ("full", "diag", "spherical", "tied")
EMPTY = 1e30  # squared distance to a cluster without rows: larger than any other


@dataclass(frozen=True)
class MixtureSpec:
    """How a mixture is fitted; both the default preset and EM as published are instances."""

    n_clusters: int = 10
    covariance_type: str = "full"
    em_steps: int = 0
    """Most steps of ordinary EM, from k-means++ and k-means; 0 for one step in which every row belongs only to its most
    probable cluster, from the nearest of random rows, the same for every mask of a seed."""
    tol: float = 1e-3
    reg_covar: float = 1e-6

    @property
    def is_soft(self) -> bool:
        """Whether rows have shares in several clusters."""
        return self.em_steps > 0


class Mixture(NamedTuple):
    """A fitted Gaussian mixture, in the units of the table its engine is bound to."""

    mean: FloatArray
    """Shape (n_clusters, n_selected)."""
    factor: FloatArray
    """Inverses of the lower Cholesky factors of the covariances, shape (n_clusters, n_selected, n_selected)."""
    constant: FloatArray
    """-2 log(weight x determinant of the factor), shape (n_clusters,); `EMPTY` for a cluster without rows."""

    @classmethod
    def of(cls, size: FloatArray, mean: FloatArray, factor: FloatArray) -> Self:
        """Return the mixture whose clusters have these sizes."""
        log_factor = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        return cls(mean, factor, mixture_constants(size, log_factor))

    def place(self, X: FloatArray) -> IntArray:
        """Return the cluster of every row ``x``: that of the smallest ``constant + |factor (x - mean)|^2``."""
        distance = [c + (((X - mean) @ factor.T) ** 2).sum(axis=1) for mean, factor, c in zip(*self, strict=True)]
        return np.asarray(np.argmin(distance, axis=0))


def mixture_constants(size: FloatArray, log_factor: FloatArray) -> FloatArray:
    """Return -2 log(weight x determinant of the factor) of every cluster, `EMPTY` for one without rows."""
    weight = np.log(np.maximum(size, 1e-300) / max(size.sum(), 1e-300))
    return np.where(size > 0, -2 * (weight + log_factor), EMPTY)


def group_moments(X: FloatArray, labels: IntArray, centres: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the counts of the groups, their means (the old centre of an empty one) and covariances."""
    size, means = np.bincount(labels, minlength=len(centres)).astype(np.float64), centres.copy()
    cov = np.zeros((len(centres), X.shape[1], X.shape[1]))
    for c in np.flatnonzero(size):
        means[c] = X[labels == c].mean(axis=0)
        centred = X[labels == c] - means[c]
        cov[c] = centred.T @ centred / size[c]
    return size, means, cov


def shape_covariances(cov: FloatArray, size: FloatArray, spec: MixtureSpec) -> FloatArray:
    """Return the covariances in the shape given by `covariance_type`.

    Unless a mixture is soft, a full covariance is shrunk towards the pooled within-cluster variances by
    ``min(1, k / count)**2``: hardly at all in a large cluster, completely in one with fewer rows than features.
    """
    if spec.covariance_type == "full" and spec.is_soft:
        return cov
    n_features = cov.shape[1]
    pooled = np.tensordot(size / size.sum(), cov, axes=1)
    if spec.covariance_type == "tied":
        return np.repeat(pooled[None], len(cov), axis=0)
    if spec.covariance_type == "full":
        amount = np.minimum(1.0, n_features / np.maximum(size, 1))[:, None, None] ** 2
        return np.asarray((1 - amount) * cov + amount * np.diag(np.diag(pooled)))
    variance = np.diagonal(cov, axis1=1, axis2=2).copy()
    if spec.covariance_type == "spherical":
        variance[:] = variance.mean(axis=1, keepdims=True)
    return np.asarray(variance[:, :, None] * np.eye(n_features))


# Half a range of which the squares, summed over columns and rows, stay well inside float32 and float64.
LARGEST_HALF_RANGE = {"cpu": 1e16, "gpu": 1e16, "reference": 1e140}
LEAST_REGULARISATION = 1e-20  # of the squared range: far below the variance that rounding to float32 adds


def half_range(X: AnyArray | SparseTable) -> float:
    """Return half of the largest range of a column; `X` has shape (.., n_rows, n_features)."""
    low, high = column_extremes(X.values) if isinstance(X, SparseTable) else (X.min(axis=-2), X.max(axis=-2))
    return float((high / 2 - low / 2).max())  # halved first: the range itself may overflow


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
