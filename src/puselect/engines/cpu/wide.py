"""The short hard fit for many columns: only clusters with more rows than columns get a covariance of their own.

The default shrinks the covariance of a cluster with no more rows than columns to the pooled variances completely, so
that its density needs no factor: the fit is the same as `hard_fit`'s but for rounding, at a cost linear in the columns.
"""

from typing import NamedTuple

import numpy as np

from puselect.arrays import Float32Array, FloatArray, IntArray
from puselect.engines.cpu.fits import MixtureFit, Parameters, lloyd
from puselect.engines.cpu.kernels import (
    BLOCK,
    Array,
    block_distances,
    factorise_all,
    hard_moments,
    kernel,
    pack_strips,
)
from puselect.engines.cpu.sweeps import load_block
from puselect.engines.mixture import MixtureSpec

FEWEST_COLUMNS = 51  # below, all clusters are factorised: nothing is gained, and results stay as they always were


def suits(spec: MixtureSpec, n_columns: int) -> bool:
    """Return whether a fit of so many columns may be done by `wide_fit`."""
    is_shrunken = spec.covariance_type == "full" and spec.shrinkage > 0
    return n_columns >= FEWEST_COLUMNS and spec.em == "hard" and spec.em_steps > 0 and is_shrunken


class WideParameters(NamedTuple):
    """The parameters of a mixture in which most clusters share their variances."""

    size: FloatArray
    mean: FloatArray
    scale: FloatArray
    """One over the pooled standard deviations, shape (n_features,)."""
    large: IntArray
    """Clusters with a covariance of their own."""
    factor: FloatArray
    """Inverses of their lower Cholesky factors, shape (n_large, n_features, n_features)."""

    @property
    def constant(self) -> Float32Array:
        """-2 log(weight x determinant of the factor) of every cluster; a huge number for an empty one."""
        log_factor = np.full(len(self.size), np.log(self.scale).sum())
        log_factor[self.large] = np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1)
        weight = np.log(np.maximum(self.size, 1e-300) / self.size.sum())
        return np.where(self.size > 0, -2 * (weight + log_factor), 1e30).astype(np.float32)

    def dense(self) -> Parameters:
        """Return the parameters with a factor for every cluster."""
        n_clusters, n_features = self.mean.shape
        factor = np.zeros((n_clusters, n_features, n_features))
        diagonal = np.arange(n_features)
        factor[:, diagonal, diagonal] = self.scale
        factor[self.large] = self.factor
        return Parameters(self.size, self.mean, np.empty((0, n_features, n_features)), factor)


class WideFit(NamedTuple):
    """A fitted mixture and the clusters of the rows."""

    labels: IntArray
    degenerate: bool
    found: WideParameters

    def dense(self) -> MixtureFit:
        """Return the fit with a factor for every cluster."""
        return MixtureFit(self.labels, self.degenerate, self.found.dense())


def wide_fit(Z: Float32Array, centres: Float32Array, spec: MixtureSpec) -> WideFit:
    """Run Lloyd steps, then EM steps in which every row belongs to one cluster; see `hard_fit`."""
    labels = lloyd(Z, centres, spec.lloyd_steps)
    degenerate = False
    for step in range(spec.em_steps):
        found, failed = _parameters(Z, labels, len(centres), spec)
        degenerate |= failed or (step == 0 and not found.size.all())
        _assign(Z, found, labels)
    return WideFit(labels, bool(degenerate), found)


def _parameters(Z: Float32Array, labels: IntArray, n_clusters: int, spec: MixtureSpec) -> tuple[WideParameters, bool]:
    """Return the parameters of the clusters, and whether a covariance needed more regularisation."""
    n_features = len(Z)
    size, mean, variance = np.zeros(n_clusters), np.zeros((n_clusters, n_features)), np.zeros(n_features)
    pooled_moments(Z, labels, size, mean, variance)
    large = np.flatnonzero(size > spec.shrinkage * n_features)
    factor = np.empty((len(large), n_features, n_features))
    failed = False
    if len(large):
        cov = _large_covariances(Z, labels, large, n_clusters)
        amount = (spec.shrinkage * n_features / size[large])[:, None, None] ** 2
        cov *= 1 - amount
        cov += amount * np.diag(variance)
        failed = bool(factorise_all(cov, spec.reg_covar, factor))
    return WideParameters(size, mean, 1 / np.sqrt(variance + spec.reg_covar), large, factor), failed


def _large_covariances(Z: Float32Array, labels: IntArray, large: IntArray, n_clusters: int) -> FloatArray:
    """Return the covariances of the large clusters."""
    square = (len(large), len(Z), len(Z))
    size, mean, cov = np.empty(len(large)), np.empty(square[:2]), np.empty(square)
    number = np.full(n_clusters, -1, dtype=np.int32)
    number[large] = np.arange(len(large))
    own = number[labels]
    rows = np.flatnonzero(own >= 0)
    hard_moments(np.take(Z, rows, axis=1), own[rows], size, mean, cov)
    return cov


def _assign(Z: Float32Array, found: WideParameters, labels: IntArray) -> None:
    is_small = np.ones(len(found.size), dtype=bool)
    is_small[found.large] = False
    small = np.flatnonzero(is_small)
    constant, scale = found.constant, found.scale.astype(np.float32)
    assign_pooled(Z, constant[small], found.mean[small].astype(np.float32), scale, small, labels)
    if len(found.large):
        _assign_large(Z, found, constant, small, scale, labels)


def _assign_large(
    Z: Float32Array, found: WideParameters, constant: Float32Array, small: IntArray, scale: Float32Array,
    labels: IntArray,
) -> None:
    """Move rows into large clusters where those are more probable than the best small one."""
    best = np.full(Z.shape[1], np.float32(np.inf))
    if len(small):
        pooled_distances(Z, constant, found.mean.astype(np.float32), scale, labels, best)
    large = found.large
    assign_factored(Z, constant[large], found.mean[large], found.factor, large, best, labels)


@kernel
def pooled_moments(Z: Array, labels: Array, size: Array, mean: Array, variance: Array) -> None:
    """Write counts and means of the clusters, and the variances around them pooled over all clusters."""
    n_features, n_rows = Z.shape
    for i in range(n_rows):
        size[labels[i]] += 1
    total = np.empty(size.shape[0])
    for j in range(n_features):
        z = Z[j]
        total[:] = 0
        for i in range(n_rows):
            total[labels[i]] += z[i]
        for c in range(size.shape[0]):
            total[c] /= max(size[c], 1.0)
            mean[c, j] = total[c]
        s = 0.0
        for i in range(n_rows):
            difference = z[i] - total[labels[i]]
            s += difference * difference
        variance[j] = s / n_rows


@kernel
def assign_pooled(Z: Array, constant: Array, mean: Array, scale: Array, numbers: Array, labels: Array) -> None:
    """Write the most probable of the clusters that share the pooled variances; `numbers` are what they are called."""
    n_features, n_rows = Z.shape
    distance = np.empty(BLOCK, np.float32)
    best = np.empty(BLOCK, np.float32)
    for first in range(0, n_rows, BLOCK):
        rows = min(BLOCK, n_rows - first)
        found = labels[first : first + rows]
        best[:] = np.inf
        for c in range(constant.shape[0]):
            distance[:] = constant[c]
            for j in range(n_features):
                z, centre, s = Z[j, first : first + rows], mean[c, j], scale[j]
                for i in range(rows):
                    d = (z[i] - centre) * s
                    distance[i] += d * d
            for i in range(rows):
                closer = distance[i] < best[i]
                best[i] = distance[i] if closer else best[i]
                found[i] = numbers[c] if closer else found[i]


@kernel
def pooled_distances(Z: Array, constant: Array, mean: Array, scale: Array, labels: Array, distance: Array) -> None:
    """Write the distance of every row to the cluster it is in."""
    n_features, n_rows = Z.shape
    for i in range(n_rows):
        distance[i] = constant[labels[i]]
    for j in range(n_features):
        z, s = Z[j], scale[j]
        for i in range(n_rows):
            d = (z[i] - mean[labels[i], j]) * s
            distance[i] += d * d


@kernel
def assign_factored(
    Z: Array, constant: Array, mean: Array, factor: Array, numbers: Array, best: Array, labels: Array
) -> None:
    """Write the most probable of the large clusters for the rows to which one is nearer than `best`."""
    n_clusters, n_rows = constant.shape[0], Z.shape[1]
    strips, offset = pack_strips(factor, mean)
    n_blocks = (n_rows + BLOCK - 1) // BLOCK
    width = ((n_rows + n_blocks - 1) // n_blocks + 15) // 16 * 16  # even blocks: tables this wide have few rows
    block = np.zeros((Z.shape[0], width), np.float32)
    product = np.empty((offset.shape[1], width), np.float32)
    distance = np.empty((n_clusters, width), np.float32)
    for first in range(0, n_rows, width):
        rows = load_block(Z, first, block)
        block_distances(block, strips, offset, constant, product, distance)
        nearest, found = best[first : first + rows], labels[first : first + rows]
        for c in range(n_clusters):
            d = distance[c]
            for i in range(rows):
                closer = d[i] < nearest[i]
                found[i] = numbers[c] if closer else found[i]
                nearest[i] = d[i] if closer else nearest[i]
