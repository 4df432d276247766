"""Fits of a whole mixture from compiled steps: the short hard one of the default preset, and EM as published.

Both read ``Z`` (n_features, n_rows) and start from `centres` (n_clusters, n_features), which they overwrite.
"""

from typing import NamedTuple

import numpy as np

from puselect.arrays import Float32Array, FloatArray, IntArray
from puselect.clustering.cpu.kernels import assign, expect, factorise_all, hard_moments, maximise, move_centres, nearest
from puselect.clustering.mixture import MixtureSpec, shape_covariances

KMEANS_STEPS, KMEANS_TOL = 300, 1e-4  # scikit-learn's; the tolerance is relative to the mean variance of the columns


class Parameters(NamedTuple):
    """The parameters of a mixture, overwritten in place from step to step."""

    size: FloatArray
    mean: FloatArray
    cov: FloatArray
    factor: FloatArray
    """Inverse of the lower Cholesky factor of each covariance."""

    def factorise(self, spec: MixtureSpec) -> bool:
        """Shape and factorise the covariances; return whether one needed more regularisation."""
        self.cov[:] = shape_covariances(self.cov, self.size, spec)
        return bool(factorise_all(self.cov, spec.reg_covar, self.factor))


class MixtureFit(NamedTuple):
    """A fitted mixture and the clusters of the rows."""

    labels: IntArray
    """The cluster of every row."""
    degenerate: bool
    """Whether a cluster was empty at the start, or a covariance needed more regularisation."""
    parameters: Parameters
    """The parameters that gave the labels."""


def new_parameters(n_clusters: int, n_features: int) -> Parameters:
    """Return uninitialised parameters."""
    square = (n_clusters, n_features, n_features)
    return Parameters(np.empty(n_clusters), np.empty((n_clusters, n_features)), np.empty(square), np.empty(square))


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


def hard_fit(Z: Float32Array, centres: Float32Array, spec: MixtureSpec) -> MixtureFit:
    """Assign rows to the nearest centre, then run EM steps in which every row belongs to one cluster."""
    found = new_parameters(*centres.shape)
    labels = lloyd(Z, centres, 1)
    degenerate = False
    for step in range(spec.em_steps):
        hard_moments(Z, labels, found.size, found.mean, found.cov)
        degenerate |= found.factorise(spec) or (step == 0 and not found.size.all())
        assign(Z, found.size, found.mean, found.factor, labels)
    return MixtureFit(labels, degenerate, found)


def soft_fit(Z: Float32Array, centres: Float32Array, spec: MixtureSpec) -> MixtureFit:
    """Run k-means, then EM until the mean log-likelihood changes by less than the tolerance."""
    found = new_parameters(*centres.shape)
    labels = lloyd(Z, centres, KMEANS_STEPS, KMEANS_TOL * float(Z.var(axis=1, dtype=np.float64).mean()))
    hard_moments(Z, labels, found.size, found.mean, found.cov)
    degenerate = found.factorise(spec) or not found.size.all()
    share = np.empty((len(centres), Z.shape[1]), dtype=np.float32)
    bound = -np.inf
    for _ in range(spec.em_steps):
        previous, bound = bound, expect(Z, found.size, found.mean, found.factor, share)
        maximise(Z, share, found.size, found.mean, found.cov)
        degenerate |= found.factorise(spec)
        if abs(bound - previous) < spec.tol:
            break
    assign(Z, found.size, found.mean, found.factor, labels)
    return MixtureFit(labels, bool(degenerate), found)
