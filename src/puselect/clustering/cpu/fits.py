"""Fits of a whole mixture from compiled steps: the short hard one of the default preset, and EM as published.

They read ``Z`` (n_features, n_rows) and start from `centres` (n_clusters, n_features), which they overwrite.
"""

from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, Float32Array, FloatArray, IntArray
from puselect.clustering.cpu.kernels import factorise_all, hard_moments, maximise, move_centres, nearest, place_rows
from puselect.clustering.mixture import Mixture, MixtureSpec, mixture_constants

KMEANS_STEPS, KMEANS_TOL = 300, 1e-4  # scikit-learn's; the tolerance is relative to the mean variance of the columns
LEAST_SHARE = 1e-18  # far below float32's resolution of 1, far above the numbers that processors are slow with


class Parameters(NamedTuple):
    """The parameters of a mixture."""

    size: FloatArray
    mean: FloatArray
    scale: FloatArray
    """One over the standard deviations of clusters without a covariance, shape (n_clusters, n_features)."""
    is_full: BoolArray
    factor: FloatArray
    """Inverses of the lower Cholesky factors of the others, shape (n_full, n_features, n_features)."""

    def place(self, Z: Float32Array, distance: Float32Array, labels: IntArray) -> None:
        """Overwrite the distances of the rows from the clusters (n_clusters, n_rows), and their labels."""
        log_factor = np.log(self.scale).sum(axis=1)
        log_factor[self.is_full] = np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1)
        constant = mixture_constants(self.size, log_factor).astype(np.float32)
        place_rows(Z, constant, self.mean, self.scale, self.is_full, self.factor, distance, labels)

    def mixture(self, centre: FloatArray) -> Mixture:
        """Return the mixture in the units of the table, of whose columns `centre` was subtracted."""
        factor = self.scale[:, :, None] * np.eye(self.mean.shape[1])
        factor[self.is_full] = self.factor
        return Mixture.of(self.size, self.mean + centre, factor)


class MixtureFit(NamedTuple):
    """A fitted mixture and the clusters of the rows."""

    labels: IntArray
    """The cluster of every row."""
    degenerate: bool
    """Whether a cluster was empty at the start, or a covariance needed more regularisation."""
    parameters: Parameters
    """The parameters that gave the labels."""


def lloyd(Z: Float32Array, centres: Float32Array, steps: int, tolerance: float = 0.0) -> IntArray:
    """Return the clusters after at most `steps` k-means steps; overwrites `centres`.

    It stops when no label changes or the squared moves of the centres sum to at most `tolerance`.
    """
    labels = np.zeros(Z.shape[1], dtype=np.int32)
    nearest(Z, centres, labels)
    for _ in range(steps - 1):
        settled = move_centres(Z, labels, centres) <= tolerance
        if nearest(Z, centres, labels) == 0 or settled:
            break
    return labels


def fit_mixture(Z: Float32Array, centres: Float32Array, spec: MixtureSpec) -> MixtureFit:
    """Fit a mixture to the rows of the nearest centres; place the rows; see `MixtureSpec.em_steps`.

    A soft fit goes on from there until the mean log-likelihood changes by less than the tolerance.
    """
    n_clusters, n_features = centres.shape
    tolerance = KMEANS_TOL * float(Z.var(axis=1, dtype=np.float64).mean()) if spec.is_soft else 0.0
    labels = lloyd(Z, centres, KMEANS_STEPS if spec.is_soft else 1, tolerance)
    found, degenerate = fit_labels(Z, labels, n_clusters, spec)
    degenerate |= not found.size.all()
    share = np.empty((n_clusters, Z.shape[1]), dtype=np.float32)
    found.place(Z, share, labels)
    bound = -np.inf
    for _ in range(spec.em_steps):
        previous, bound = bound, responsibilities(share)
        size, mean, cov = np.empty(n_clusters), np.empty_like(found.mean), np.zeros((n_clusters, *[n_features] * 2))
        maximise(Z, share, size, mean, cov)
        is_full = own_covariance(size, n_features, spec)
        variance = np.diagonal(cov, axis1=1, axis2=2).clip(0)  # rounding may leave less
        found, failed = factorised(size, mean, variance, is_full, cov[is_full], spec)
        degenerate |= failed
        found.place(Z, share, labels)
        if abs(bound - previous) < spec.tol:
            break
    return MixtureFit(labels, bool(degenerate), found)


def fit_labels(Z: Float32Array, labels: IntArray, n_clusters: int, spec: MixtureSpec) -> tuple[Parameters, bool]:
    """Return the parameters of clusters of these rows, and whether one needed more regularisation."""
    n_features = len(Z)
    size = np.bincount(labels, minlength=n_clusters).astype(np.float64)
    is_full = own_covariance(size, n_features, spec)
    mean, variance = np.empty((2, n_clusters, n_features))
    cov = np.zeros((int(is_full.sum()), n_features, n_features))
    hard_moments(Z, labels, is_full, size, mean, variance, cov)
    return factorised(size, mean, variance, is_full, cov, spec)


def own_covariance(size: FloatArray, n_features: int, spec: MixtureSpec) -> BoolArray:
    """Return which clusters need their covariance: shrinkage leaves a small one nothing but the pooled variances."""
    if spec.covariance_type == "full":
        return np.asarray(size > (0 if spec.is_soft else n_features))
    return np.full(len(size), spec.covariance_type == "tied")


def factorised(
    size: FloatArray, mean: FloatArray, variance: FloatArray, is_full: BoolArray, cov: FloatArray, spec: MixtureSpec
) -> tuple[Parameters, bool]:
    """Return the parameters of clusters with these moments, shaped as by `shape_covariances`; see `fit_labels`.

    `cov` has the lower triangles of the covariances of the clusters that are full.
    """
    weight = size / size.sum()
    if spec.covariance_type == "tied":
        cov = np.repeat(np.tensordot(weight, cov, axes=1)[None], len(size), axis=0)
    elif spec.covariance_type == "full":
        variance = weight @ variance
        if not spec.is_soft:
            amount = (len(variance) / size[is_full])[:, None] ** 2
            cov = (1 - amount[:, :, None]) * cov
            np.einsum("cjj->cj", cov)[:] += amount * variance
    elif spec.covariance_type == "spherical":
        variance = variance.mean(axis=1, keepdims=True)
    factor, scale = np.empty_like(cov), np.broadcast_to(1 / np.sqrt(variance + spec.reg_covar), mean.shape)
    failed = bool(factorise_all(cov, spec.reg_covar, factor))
    return Parameters(size, mean, scale, is_full, factor), failed


def responsibilities(distance: Float32Array) -> float:
    """Turn the distances of rows from clusters into the rows' shares, in place; return the mean log-likelihood.

    Without the constant term of the densities.
    """
    best = distance.min(axis=0)
    np.subtract(best, distance, out=distance)
    distance *= np.float32(0.5)
    np.exp(distance, out=distance)
    np.putmask(distance, distance < LEAST_SHARE, 0)
    total = distance.sum(axis=0)
    distance /= total
    return float((np.log(total) - 0.5 * best).mean(dtype=np.float64))
